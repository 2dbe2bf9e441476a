//! The trials of a profile of many devices: what is known beforehand, and in the place of each load
//! on sets of devices its course, which decides from what was measured what to measure next.
//!
//! A course may need more experiments than it is expected to. A profile that is to end in time then
//! has shorter passes.

use std::collections::VecDeque;

use iopath_analysis::capacities::Together;
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
    /// How long they last.
    begun_ms: u64,
}

enum Step {
    Known(Box<Case>),
    Course(UnderWay),
}

/// A course, and what it has measured.
struct UnderWay {
    course: Course,
    /// How many experiments were asked for.
    asked: usize,
    known: Vec<Together>,
}

impl<'a> Profiling<'a> {
    /// The experiments of a profile; its courses are taken out.
    pub(crate) fn of(profiled: &'a Profiled, experiments: &mut Experiments) -> Self {
        let mut courses: VecDeque<Course> = experiments.courses.drain(..).collect();
        let steps = experiments.planned.plan.trials.iter().map(|trial| {
            match courses.pop_front_if(|course| course.is_of(&trial.case)) {
                Some(course) => Step::Course(UnderWay { course, asked: 0, known: Vec::new() }),
                None => Step::Known(Box::new(trial.case.clone())),
            }
        });
        let steps = steps.collect();
        Self { profiled, extent: experiments.extent, steps, begun: 0, begun_ms: 0 }
    }

    /// The next case, after what the last trial measured.
    fn next_case(&mut self, last: &[Record]) -> Result<Option<Case>, Problem> {
        while let Some(step) = self.steps.pop_front() {
            let mut one = match step {
                Step::Known(case) => return Ok(Some(*case)),
                Step::Course(one) => one,
            };
            if one.asked > one.known.len() {
                one.learn(self.profiled, last)?;
            }
            let Some(set) = one.course.at_once.next(&one.known) else { continue };
            let devices = set.into_iter().map(|place| one.course.devices[place]).collect();
            let left = one.left() + self.steps.iter().map(Step::left).sum::<usize>();
            let extent = self.extent.for_the_rest(self.begun_ms, left);
            let case = together(self.profiled, extent, one.course.load, devices)?;
            one.asked += 1;
            self.steps.push_front(Step::Course(one));
            return Ok(Some(case));
        }
        Ok(None)
    }
}

impl Step {
    /// How many experiments are to come, as far as that is known.
    fn left(&self) -> usize {
        match self {
            Self::Known(_) => 1,
            Self::Course(one) => one.left(),
        }
    }
}

impl UnderWay {
    fn left(&self) -> usize {
        self.course.expected.saturating_sub(self.asked).max(1)
    }

    fn learn(&mut self, profiled: &Profiled, last: &[Record]) -> Result<(), Problem> {
        let view = RunView::of(RunFacts::default(), last.to_vec()).map_err(Problem::unexpected)?;
        let names = self.course.devices.iter().map(|one| &profiled.devices[*one].selector);
        let names: Vec<&str> = names.map(String::as_str).collect();
        let measured = measured_together(&view.report.trials, &names);
        let measured = measured.ok_or_else(|| Problem::unexpected("no experiment of a profile"))?;
        self.known.extend(measured);
        Ok(())
    }
}

impl Trials for Profiling<'_> {
    fn next(&mut self, measured: &[Record]) -> Result<Option<Coming>, Problem> {
        let is_last = |record: &&Record| record.case.trial + 1 == self.begun;
        let last: Vec<Record> = measured.iter().filter(is_last).cloned().collect();
        let Some(case) = self.next_case(&last)? else { return Ok(None) };
        self.begun += 1;
        self.begun_ms += case.estimated_time().map_or(0, |time| time.0 / 1_000_000);
        Ok(Some(Coming { case, path_from: Some(self.profiled.from.clone()), facts: Vec::new() }))
    }

    fn next_pass(&self, passes: &[Record]) -> Next {
        session::until_precise(passes, None)
    }

    fn count(&self, _: usize) -> usize {
        self.begun as usize + self.steps.iter().map(Step::left).sum::<usize>()
    }
}
