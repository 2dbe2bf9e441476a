//! `iopath tune`: the best levels of a study's factors, or of what can be chosen for targets,
//! within limits, with few trials, by simulation or by real I/O.

mod emulated;
mod measured;
mod shown;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use iopath_advice::tuning::{Rules, Space};
use iopath_report::{
    Detail, KernelSetting, SettingChange, Tuned as ShownTuned, Way, compose, tuning_json,
};
use iopath_store::RunId;

use crate::arguments::{Tune, TuneTechnique};
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::tunable::{self, Processes, Tunable};
use crate::inputs::{experiment, studies};
use crate::output;
use crate::results::outputs::{self, Outputs, Replaces};
use crate::results::page;
use crate::results::page::Left;
use crate::run::crew::Crew;
use crate::run::kept::{Kept, Stored};
use crate::run::progress::{Display, Wanted};
use crate::run::ranks::Leader;
use crate::run::session;
use crate::run::signals::{self, Pending};
use crate::run::tuning::simulated::Simulations;
use crate::run::tuning::{Trials, Tuned, kernel, looked_up};

/// What to write where there is nothing to set.
const HINT: &str = "factor \"block\" of=\"app.block\" \"64 KiB\" \"256 KiB\" \"1 MiB\"";

pub(crate) fn run(arguments: &Tune, leader: Option<&Rc<Leader>>) -> Result<ExitStatus, Problem> {
    outputs::assure_one_on_stdout(arguments.show.json, arguments.output.as_deref())?;
    let (aim, margin) = (arguments.aim()?, arguments.margin()?);
    let processes = leader.map_or(Processes::This, |_| Processes::Ranks);
    let tunable = tunable::choose(arguments, processes)?;
    assure_appliable(arguments, &tunable, leader.is_some())?;
    let study = studies::template_of(&tunable.source, &arguments.set, &arguments.cases)?;
    let experiment = experiment::with_factors(&study, &arguments.cases, HINT)?;
    let tuned = Tuned::new(&study, &experiment, aim, |space| rules(arguments, margin, space));
    let simulates = tunable.technique == TuneTechnique::Simulate;
    // A rank that simulates for others does nothing else in the run.
    let spread = leader.map(Rc::as_ref).filter(|_| simulates);
    let crew = Crew::new(arguments.threads.threads, spread).of(&study);
    tunable.remarks.iter().for_each(|remark| output::tell(remark));
    let job = Job { arguments, tunable: &tunable, tuned, crew, apart: Vec::new() };
    match tunable.technique {
        TuneTechnique::Simulate if tunable.is_made => job.simulate_targets(),
        TuneTechnique::Simulate => job.simulate(),
        TuneTechnique::Measure => job.measure(leader.cloned()),
        TuneTechnique::Emulate => job.emulate(),
    }
}

/// What is applied must be of this machine, and of no other.
fn assure_appliable(arguments: &Tune, tunable: &Tunable, has_ranks: bool) -> Result<(), Problem> {
    match tunable.technique {
        _ if !arguments.apply => Ok(()),
        TuneTechnique::Simulate | TuneTechnique::Emulate => Err(Problem::mistake(
            "--apply needs --technique measure: only then this machine is tuned",
        )),
        TuneTechnique::Measure if has_ranks => Err(Problem::mistake(
            "--apply sets this host only: leave it out, and set what is found on each host",
        )),
        TuneTechnique::Measure => Ok(()),
    }
}

/// When enough was tried.
fn rules(arguments: &Tune, margin: f64, space: &Space) -> Rules {
    let combinations = space.combinations();
    let least = (space.knobs().len() + LEAST_TRIALS).min(combinations);
    let usual = (combinations / 4).clamp(least, least.max(MOST_TRIALS));
    Rules {
        trials: arguments.trials.map_or(usual, std::num::NonZeroUsize::get),
        margin: margin.ln_1p(),
        passes: arguments.passes.into(),
    }
}

/// With fewer settings than this and one for each factor nothing is known of where to look; more
/// than the other are rarely worth their time: both chosen.
const LEAST_TRIALS: usize = 6;
const MOST_TRIALS: usize = 64;

/// All that is known before anything is tried.
struct Job<'a> {
    arguments: &'a Tune,
    tunable: &'a Tunable,
    tuned: Tuned<'a>,
    crew: Crew<'a>,
    /// What is measured, where no output may go.
    apart: Vec<PathBuf>,
}

/// How it was done, besides the trials.
struct Done<'a> {
    run: Option<RunId>,
    status: ExitStatus,
    /// Simulations that said where to begin.
    screened: Option<u64>,
    left: &'a Left<'a>,
}

impl Job<'_> {
    /// Where files go, which must be possible before anything is tried.
    fn outputs(&self) -> Result<Outputs, Problem> {
        let arguments = self.arguments;
        let outputs = Outputs::of(&arguments.allow_destroy, &arguments.store);
        outputs.apart_from(self.apart.clone()).with_new(arguments.output.as_deref())
    }

    /// Of targets the path is what is discovered below them, which must be rated.
    fn simulate_targets(mut self) -> Result<ExitStatus, Problem> {
        let planned = self.lay(None)?;
        self.apart = outputs::targets(&planned.plan.trials);
        if !self.tuned.is_rated() {
            return Err(Problem::mistake(
                "--technique simulate needs to know what the path below the targets carries, and \
                 this machine has no profile of it: run `iopath profile` first, or leave \
                 --technique out to measure",
            ));
        }
        self.simulate()
    }

    fn simulate(&self) -> Result<ExitStatus, Problem> {
        let arguments = self.arguments;
        let left = Left::plan(&arguments.report, &arguments.store, self.outputs()?)?;
        let text = &self.tunable.source.text;
        let kept = arguments.keep.then(|| Kept::open(&arguments.store, text)).transpose()?;
        let bounds = self.tuned.bounds();
        let prior = looked_up(&bounds);
        let mut trials = Trials::new(&self.tuned, &prior);
        let interrupted = signals::watch(Pending::Results)?;
        let mut simulations = self.simulations(&interrupted, kept);
        let done = |stored: Stored| Done {
            run: stored.run,
            status: stored.status,
            screened: None,
            left: &left,
        };
        let cut = |trials: &Trials<'_>, kept: Option<&mut Kept<'_>>| {
            let stored = ended(kept, ExitStatus::Interrupted);
            let shown = self.show(trials, &done(stored));
            shown.unwrap_or_else(|problem| output::tell_problem(&problem))
        };
        simulations.run(&mut trials, &cut)?;
        let stored = ended(simulations.kept.as_mut(), ExitStatus::Done);
        self.show(&trials, &done(stored))
    }

    fn simulations<'s>(
        &'s self,
        interrupted: &'s AtomicBool,
        kept: Option<Kept<'s>>,
    ) -> Simulations<'s> {
        let wanted = Wanted::unless(self.arguments.no_progress);
        let passes = self.tuned.rules.trials + 2 * self.tuned.rules.passes;
        Simulations {
            interrupted,
            crew: self.crew,
            display: Display::counting(passes, wanted),
            kept,
            count: 0,
            ahead: BTreeMap::new(),
        }
    }

    /// Prints what is known, and writes what was asked for.
    fn show(&self, trials: &Trials<'_>, done: &Done<'_>) -> Result<ExitStatus, Problem> {
        let arguments = self.arguments;
        if done.status == ExitStatus::Interrupted {
            output::tell("interrupted: this is what the settings tried so far say");
        }
        let Some(shown) = shown::tuned(self, trials, done) else {
            return Err(Problem::mistake(self.none_possible()));
        };
        let (tuned, system) = (shown.tuned, arguments.show.system());
        // A study on stdout stands there alone.
        let is_study = arguments.output.as_deref().is_some_and(outputs::is_stdout);
        if arguments.show.json {
            output::print_json(&tuning_json(&tuned))?;
        } else if !is_study {
            output::print_document(&compose::tuning(&tuned, system), Detail::Brief, system)?;
        }
        done.run.into_iter().for_each(|run| session::tell_where(&arguments.store, run));
        let own = || format!("tune-{}", tuned.study);
        let name = done.run.map_or_else(own, |run| format!("tune-{}", page::name(&[run])));
        done.left.write(&name, || compose::tuning(&tuned, system))?;
        if let Some(file) = &arguments.output {
            let case = self.tuned.case(&shown.best).map_err(Problem::unexpected)?;
            self.outputs()?.write(file, &case.text, Replaces::Nothing)?;
        }
        if arguments.apply {
            apply(&tuned, done.status)?;
        }
        Ok(match (done.status, tuned.keeps_limits) {
            (ExitStatus::Done, false) => ExitStatus::Obstacle,
            (status, _) => status,
        })
    }

    /// Why no setting could be tried.
    fn none_possible(&self) -> String {
        let why = self.tuned.case(self.tuned.space.today()).err().unwrap_or_default();
        format!("no setting of \"{}\" can be had\n{why}", self.tuned.experiment.title)
    }
}

/// Leaves the kernel as the best setting has it, where that is proven to be better.
fn apply(tuned: &ShownTuned, status: ExitStatus) -> Result<(), Problem> {
    if status != ExitStatus::Done || !tuned.is_proven {
        output::tell("nothing applied: no setting is proven to be better than today's");
        return Ok(());
    }
    let of_kernel = |change: &'_ SettingChange| matches!(change.way, Way::Kernel(_));
    let settings = tuned.changes.iter().filter_map(|change| match &change.way {
        Way::Kernel(settings) => Some(settings),
        _ => None,
    });
    let settings: Vec<&KernelSetting> = settings.flatten().collect();
    kernel::apply(&settings)?;
    let by_hand = tuned.changes.iter().any(|change| !of_kernel(change));
    let rest = if by_hand { "; the other changes are yours to make" } else { "" };
    let count = output::count(settings.len(), "kernel setting");
    output::tell(&format!("applied until the next restart: {count}{rest}"));
    Ok(())
}

fn ended(kept: Option<&mut Kept<'_>>, status: ExitStatus) -> Stored {
    kept.map_or(Stored { run: None, status }, |kept| kept.end(status))
}
