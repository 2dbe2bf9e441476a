//! The trials of a profile of many devices: what is known beforehand, and in the place of each load
//! on sets of devices its course, which decides from what was measured what to measure next.

use std::collections::{BTreeSet, VecDeque};

use iopath_measurement::Next;
use iopath_record::Record;
use iopath_report::{RunFacts, RunView, measured_together};
use iopath_study::Case;

use crate::exit_status::Problem;
use crate::inputs::profiled::Profiled;
use crate::inputs::profiled::experiments::{Course, Experiments, Extent, together};
use crate::run::session::{self, Coming, Trials};

/// What is still to be measured.
pub(crate) struct Profiling<'a> {
    profiled: &'a Profiled,
    extent: Extent,
    steps: VecDeque<Step>,
    /// How many trials began.
    begun: u32,
}

enum Step {
    Known(Box<Case>),
    Course {
        course: Course,
        /// The numbers of its trials.
        trials: BTreeSet<u32>,
    },
}

impl<'a> Profiling<'a> {
    /// The experiments of a profile; its courses are taken out.
    pub(crate) fn of(profiled: &'a Profiled, experiments: &mut Experiments) -> Self {
        let mut courses: VecDeque<Course> = experiments.courses.drain(..).collect();
        let steps = experiments.planned.plan.trials.iter().map(|trial| {
            let is_its = |course: &mut Course| course.is_of(&trial.case);
            match courses.pop_front_if(is_its) {
                Some(course) => Step::Course { course, trials: BTreeSet::new() },
                None => Step::Known(Box::new(trial.case.clone())),
            }
        });
        let steps = steps.collect();
        Self { profiled, extent: experiments.extent, steps, begun: 0 }
    }

    fn next_case(&mut self, measured: &[Record]) -> Result<Option<Case>, Problem> {
        while let Some(step) = self.steps.pop_front() {
            let (mut course, mut trials) = match step {
                Step::Known(case) => return Ok(Some(*case)),
                Step::Course { course, trials } => (course, trials),
            };
            let own = measured.iter().filter(|record| trials.contains(&record.case.trial));
            let view = RunView::of(RunFacts::default(), own.cloned().collect());
            let view = view.map_err(Problem::unexpected)?;
            let names = course.devices.iter().map(|one| &self.profiled.devices[*one].selector);
            let names: Vec<&str> = names.map(String::as_str).collect();
            let known = measured_together(&view.report.trials, &names);
            let known = known.ok_or_else(|| Problem::unexpected("an experiment of no profile"))?;
            let Some(set) = course.at_once.next(&known) else { continue };
            let devices = set.into_iter().map(|place| course.devices[place]).collect();
            let case = together(self.profiled, self.extent, course.load, devices)?;
            trials.insert(self.begun);
            self.steps.push_front(Step::Course { course, trials });
            return Ok(Some(case));
        }
        Ok(None)
    }
}

impl Trials for Profiling<'_> {
    fn next(&mut self, measured: &[Record]) -> Result<Option<Coming>, Problem> {
        let Some(case) = self.next_case(measured)? else { return Ok(None) };
        self.begun += 1;
        Ok(Some(Coming { case, path_from: Some(self.profiled.from.clone()), facts: Vec::new() }))
    }

    fn next_pass(&self, passes: &[Record]) -> Next {
        session::until_precise(passes, None)
    }
}
