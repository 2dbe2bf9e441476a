//! Settings tried on real storage. Where the path is rated, simulations say where to begin.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use iopath_advice::tuning::Setting;
use iopath_machine::Root;
use iopath_study::{Plan, Trial};

use super::{Done, Job, Left};
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::chosen::Adjust;
use crate::inputs::measurable;
use crate::inputs::path_source::{self, PathSource};
use crate::inputs::studies::Planned;
use crate::output;
use crate::results::machine_profile::MachineProfile;
use crate::results::{outputs, place};
use crate::run::kept::Kept;
use crate::run::progress::{Display, Wanted};
use crate::run::ranks::Leader;
use crate::run::session::{self, Session};
use crate::run::signals::{self, Pending};
use crate::run::tuning::measured::Measured;
use crate::run::tuning::{Laid, Trials, kernel, looked_up};

/// Settings that are looked at before any is measured, each for what stands in its way: chosen.
const MOST_SETTINGS: usize = 10_000;

impl Job<'_> {
    pub(super) fn measure(mut self, leader: Option<Rc<Leader>>) -> Result<ExitStatus, Problem> {
        let arguments = self.arguments;
        self.assure_one_kernel(leader.as_deref())?;
        let planned = self.lay(leader.as_deref())?;
        self.tuned.begin_at(kernel::today(&self.tuned)?);
        self.apart = outputs::targets(&planned.plan.trials);
        outputs::assure_store_apart(&arguments.store, &self.apart)?;
        let left = Left::plan(&arguments.report, &arguments.store, self.outputs()?)?;
        let store = place::store(&arguments.store)?;
        let screens = leader.is_none() && self.is_screened();
        let interrupted = screens.then(|| signals::watch(Pending::Results)).transpose()?;
        if let Some(interrupted) = &interrupted {
            self.look_for_obstacles(&planned, interrupted)?;
        }
        self.announce(&planned);
        let (prior, screened) = self.screen(interrupted.as_deref())?;
        let wanted = Wanted::unless(arguments.no_progress);
        let display = Display::lasting(self.estimate_ms(&planned), wanted, arguments.show.system());
        let session = Session {
            planned,
            path_from: BTreeMap::new(),
            store,
            allow_destroy: arguments.allow_destroy.clone(),
            adjust: Adjust::Nothing,
            before: Vec::new(),
            leader,
        };
        let prior = looked_up(&prior);
        let mut measured = Measured::new(Trials::new(&self.tuned, &prior));
        let outcome = session.run_trials(&mut measured, display)?;
        measured.finish(&outcome.records)?;
        let (run, status) = (Some(outcome.run), outcome.status);
        self.show(&measured.trials, &Done { run, status, screened, left: &left })
    }

    /// What the kernel is set to today is read where rank 0 is.
    fn assure_one_kernel(&self, leader: Option<&Leader>) -> Result<(), Problem> {
        let hosts = leader.map_or(1, Leader::hosts);
        let factors = kernel::factors(&self.tuned);
        let Some(first) = factors.first().filter(|_| hosts > 1) else { return Ok(()) };
        let name = &self.tuned.experiment.factors[*first].name;
        Err(Problem::mistake(format!(
            "the factor \"{name}\" sets the kernel of {hosts} hosts, of which each may be set \
             otherwise today: tune it on one host, without mpirun"
        )))
    }

    /// The cases of all settings with their paths, and as the plan of a run.
    pub(super) fn lay(&mut self, leader: Option<&Leader>) -> Result<Planned, Problem> {
        let store = &self.arguments.store;
        if self.tuned.space.combinations() > MOST_SETTINGS {
            let text = format!(
                "{} settings are too many to measure; at most {MOST_SETTINGS}: allow fewer levels \
                 with --case",
                self.tuned.space.combinations()
            );
            return Err(Problem::mistake(text));
        }
        let cases = self.tuned.space.all().into_iter();
        let cases = cases.filter_map(|setting| Some((self.tuned.case(&setting).ok()?, setting)));
        let (cases, settings): (Vec<_>, Vec<Setting>) = cases.unzip();
        let trials = cases.into_iter().enumerate();
        let trials = trials.map(|(index, case)| Trial { index, case }).collect();
        let text = self.tunable.source.text.clone();
        let plan = Plan { trials };
        let mut planned = Planned { study: self.tuned.study.clone(), plan, text };
        measurable::check(&planned)?;
        let known = MachineProfile::read(store);
        let source = PathSource::Discovered(Box::new(move |found| known.put_into(found)));
        let source = match leader {
            Some(leader) => leader.discover_on_each_host(source, store),
            None => source,
        };
        let path_from = path_source::lay(&mut planned, &source, &Root::live())?;
        let laid = planned.plan.trials.iter().zip(settings).map(|(trial, setting)| {
            let path_from = path_from.get(&trial.index).cloned();
            (setting, Laid { case: trial.case.clone(), path_from })
        });
        self.tuned.laid = laid.collect();
        Ok(planned)
    }

    /// How much is to come, before it begins.
    fn announce(&self, planned: &Planned) {
        let (trials, all) = (self.tuned.rules.trials, self.tuned.space.combinations());
        let seconds = self.estimate_ms(planned) as f64 / 1e3;
        output::tell(&format!(
            "tune: at most {} of {all} settings, {seconds:.0} s of passes",
            trials.min(all)
        ));
        for (device, names) in kernel::touched(&self.tuned) {
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            let after = match self.arguments.apply {
                true => "restored afterwards unless another value is proven better",
                false => "restored afterwards",
            };
            output::tell(&format!("tune: trials set {names} of {device}; {after}"));
        }
    }

    /// About how long all trials take, each as long as the first: the search, then passes of
    /// today's setting and of the best.
    fn estimate_ms(&self, planned: &Planned) -> u64 {
        let Some(first) = planned.plan.trials.first() else { return 0 };
        let trial_ms = first.case.estimated_time().map_or(0, |time| time.0 / 1_000_000);
        let passes = first.case.workload.passes.max(1) as usize;
        let rules = &self.tuned.rules;
        let trials = rules.trials + 2 * rules.passes.div_ceil(passes);
        trial_ms.saturating_mul(trials as u64)
    }

    /// What stands in the way of any setting, before simulations that may take minutes; the run
    /// looks once more.
    fn look_for_obstacles(
        &self,
        planned: &Planned,
        interrupted: &AtomicBool,
    ) -> Result<(), Problem> {
        let named = &self.arguments.allow_destroy;
        session::look_here(&planned.cases(), named, interrupted)
            .inspect_err(|_| session::tell_leftovers(&Root::live()))
    }

    /// Whether simulations can say where to begin, and are wanted.
    pub(super) fn is_screened(&self) -> bool {
        !self.arguments.without_simulation && self.tuned.is_rated()
    }

    /// What simulations say of every setting, as scores, and how many there were; without a
    /// flag that interrupts them there are none, and bounds say it.
    pub(super) fn screen(
        &self,
        interrupted: Option<&AtomicBool>,
    ) -> Result<(BTreeMap<Setting, f64>, Option<u64>), Problem> {
        let bounds = self.tuned.bounds();
        let Some(interrupted) = interrupted else { return Ok((bounds, None)) };
        let prior = looked_up(&bounds);
        let mut trials = Trials::new(&self.tuned, &prior);
        let mut simulations = self.simulations(interrupted, None);
        let cut = |_: &Trials<'_>, _: Option<&mut Kept<'_>>| {
            output::tell("interrupted while settings were simulated: nothing was measured");
            ExitStatus::Interrupted
        };
        simulations.run(&mut trials, &cut)?;
        let settings = self.tuned.space.all();
        let expected = trials.search.expected(&settings).unwrap_or_default();
        Ok((settings.into_iter().zip(expected).collect(), Some(simulations.count as u64)))
    }
}
