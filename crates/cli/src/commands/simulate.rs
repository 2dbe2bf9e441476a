//! `iopath simulate STUDY`: every case by discrete events, beside its bounds; touches nothing.

mod find_max;
mod replayed;

use std::cell::RefCell;

use iopath_analysis::{analyse, note_bound, predict};
use iopath_analytic::evaluate;
use iopath_machine::Root;
use iopath_record::{Fact, Record};
use iopath_report::{
    Carried, Detail, Removal, RunView, SimulatedCase, Simulation, compose, simulation_json,
};
use iopath_simulation::Settings;
use iopath_store::RunId;
use iopath_units::Nanos;

use crate::arguments::Simulate;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies;
use crate::inputs::studies::Planned;
use crate::output;
use crate::results::outputs::Outputs;
use crate::results::page::Left;
use crate::results::{page, place, view};
use crate::run::crew::{Crew, Simulator};
use crate::run::kept::{Kept, Stored};
use crate::run::models::{self, Built, Without};
use crate::run::parallel::Endable;
use crate::run::progress::{Display, Wanted};
use crate::run::ranks::Leader;
use crate::run::session;
use crate::run::signals::{self, Pending};

use replayed::Replay;

pub(crate) fn run(arguments: &Simulate, leader: Option<&Leader>) -> Result<ExitStatus, Problem> {
    let planned =
        studies::read_for(&arguments.asked.study, &arguments.asked.set, &arguments.asked.cases)?;
    let crew = Crew::new(arguments.threads.threads, leader).of(&planned.study);
    let trials = planned.trials();
    let within = arguments.load_sweep.within()?;
    let outputs = Outputs::of(&arguments.destroy.allow_destroy, &arguments.store);
    let left = Left::plan(&arguments.report, &arguments.store, outputs)?;
    let without = Without::of(&arguments.asked.without, &trials)?;
    if let Some(sought) = arguments.find_max.sought()? {
        let search = find_max::Job { arguments, planned: &planned, without, left, crew };
        return search.run(&trials, sought);
    }
    let built = models::build(&planned.study, &trials, &without)?;
    let bounds: Vec<Record> =
        built.iter().map(|built| built.records(&without, &evaluate).0).collect();
    described(&built, &bounds)?;
    let kept = arguments.keep.then(|| Kept::open(&arguments.store, &planned.text)).transpose()?;
    let arrivals = replayed::read(arguments, &built)?;
    let job =
        Job { arguments, planned: &planned, built, bounds, without, within, left, arrivals, crew };
    job.simulate(kept)
}

/// All that is known before anything is simulated.
struct Job<'a> {
    arguments: &'a Simulate,
    planned: &'a Planned,
    built: Vec<Built<'a>>,
    bounds: Vec<Record>,
    without: Without,
    within: Nanos,
    left: Left<'a>,
    arrivals: Option<Replay>,
    crew: Crew<'a>,
}

/// A record, and that with everything in place where something was taken out.
type Both = (Record, Option<Record>);

impl Job<'_> {
    /// Every case with every seed, those of each case behind one another; each is kept as soon as
    /// it is finished.
    fn simulate(&self, mut kept: Option<Kept<'_>>) -> Result<ExitStatus, Problem> {
        let arguments = self.arguments;
        let interrupted = signals::watch(Pending::Results)?;
        let seeds = 0..arguments.seeds.get();
        let of = |(built, bound)| seeds.clone().map(move |seed| (built, bound, seed));
        let cases = self.built.iter().zip(&self.bounds);
        let jobs: Vec<(&Built<'_>, &Record, u32)> = cases.flat_map(of).collect();
        let wanted = Wanted::unless(arguments.no_progress);
        let display = RefCell::new(Display::counting(jobs.len(), wanted));
        let settings = Settings { samples: arguments.samples.into(), ..Settings::default() };
        let (without, arrivals) = (&self.without, &self.arrivals);
        let one = |simulator: &Simulator, (built, bound, seed): &(&Built<'_>, &Record, u32)| {
            let mut both = match arrivals {
                Some(replay) => {
                    built.records(without, &|case, network| replay.record(case, network, &settings))
                }
                None => built.records(without, &|case, network| {
                    models::simulated(simulator, case, network, *seed, &settings)
                }),
            };
            note_bound(&mut both.0, bound);
            both
        };
        let keeping = RefCell::new(&mut kept);
        let records = self.crew.until(
            &jobs,
            one,
            Endable {
                interrupted: &interrupted,
                done: &mut |count, both: &Both| {
                    let mut keeping = keeping.borrow_mut();
                    let keep = || keeping.iter_mut().for_each(|kept| kept.add(&both.0));
                    display.borrow().aside(keep);
                    display.borrow_mut().done(count);
                },
                cut: &mut |finished| {
                    display.borrow_mut().end();
                    self.interrupted(finished, keeping.borrow_mut().as_mut())
                },
            },
        );
        display.borrow_mut().end();
        let Stored { run, status } = ended(kept.as_mut(), ExitStatus::Done);
        self.show(records.into_iter().map(Some).collect(), run, None)?;
        run.into_iter().for_each(|run| session::tell_where(&arguments.store, run));
        Ok(status)
    }

    /// Shows what was finished when a signal came, and says what was kept.
    fn interrupted(&self, finished: Vec<Option<Both>>, kept: Option<&mut Kept<'_>>) -> ExitStatus {
        let (all, done) = (finished.len(), finished.iter().flatten().count());
        let Stored { run, status } = ended(kept, ExitStatus::Interrupted);
        let where_kept = match (done, run) {
            (0, _) => "nothing is kept".to_owned(),
            (_, Some(run)) => {
                let show = place::command(&self.arguments.store, &format!("show {run}"));
                format!("they are kept in run {run}: {show}")
            }
            (_, None) if self.arguments.keep => "they are shown and not kept".to_owned(),
            (_, None) => "they are shown but not stored (--keep stores them)".to_owned(),
        };
        output::tell(&format!("interrupted: {done} of {all} simulations completed; {where_kept}"));
        let shown = if done == 0 { Ok(()) } else { self.show(finished, run, Some(INTERRUPTED)) };
        shown.map_or_else(|problem| output::tell_problem(&problem), |()| status)
    }

    /// Shows the cases of which some seed is finished, and leaves their page.
    fn show(
        &self,
        records: Vec<Option<Both>>,
        run: Option<RunId>,
        state: Option<&str>,
    ) -> Result<(), Problem> {
        let (finished, records) = self.finished(records)?;
        let view = self.view(run, state, records)?;
        let trials = view.report.trials.iter();
        let seeds = view.records.chunk_by(|a, b| a.case.trial == b.case.trial);
        let cases = trials.zip(seeds).zip(finished).map(|((trial, seeds), case)| {
            SimulatedCase::of(trial, seeds, predict(case.bound), case.removal)
        });
        let cases = cases.collect::<Result<_, _>>().map_err(Problem::unexpected)?;
        show(self.arguments, &Simulation { view: &view, cases })?;
        let own = || format!("simulate-{}", self.planned.study.title);
        let name = run.map_or_else(own, |run| page::name(&[run]));
        self.left.write(&name, || compose::whole(&view, self.arguments.show.system()))
    }

    /// The cases of which some seed is finished, and the records of these.
    fn finished(
        &self,
        records: Vec<Option<Both>>,
    ) -> Result<(Vec<Finished<'_>>, Vec<Record>), Problem> {
        let (mut cases, mut kept) = (Vec::new(), Vec::new());
        let mut records = records.into_iter();
        for (built, bound) in self.built.iter().zip(&self.bounds) {
            let seeds = records.by_ref().take(self.arguments.seeds.get() as usize).flatten();
            let (seeds, whole): (Vec<Record>, Vec<Option<Record>>) = seeds.unzip();
            if !seeds.is_empty() {
                let whole: Vec<Record> = whole.into_iter().flatten().collect();
                let removal = removal(built, &whole, &self.without)?;
                cases.push(Finished { bound, removal });
                kept.extend(seeds);
            }
        }
        Ok((cases, kept))
    }

    fn view(
        &self,
        run: Option<RunId>,
        state: Option<&str>,
        records: Vec<Record>,
    ) -> Result<RunView, Problem> {
        let begin = session::begin(&Root::live(), &self.planned.text);
        let facts = view::facts(&begin, run, state.map(str::to_owned));
        let study = self.left.is_wanted().then_some(&self.planned.study);
        let mut view = view::of(facts, study, records)?;
        view.report.within = self.within;
        Ok(view)
    }
}

/// What stands beside a case of which some seed is finished.
struct Finished<'a> {
    bound: &'a Record,
    removal: Option<Removal>,
}

/// What is kept, where anything is to be, and the status.
fn ended(kept: Option<&mut Kept<'_>>, status: ExitStatus) -> Stored {
    kept.map_or(Stored { run: None, status }, |kept| kept.end(status))
}

/// How a page says that cases are missing.
const INTERRUPTED: &str = "interrupted";

/// Without any capacity a simulated request takes no time, and a second of it never ends.
fn described(built: &[Built<'_>], bounds: &[Record]) -> Result<(), Problem> {
    let is_missing = |(_, bound): &(&Built<'_>, &Record)| {
        bound.bounds.is_empty() && Fact::NothingLeft.of(&bound.environment).is_none()
    };
    let missing = built.iter().zip(bounds).filter(is_missing);
    let names: Vec<String> =
        missing.map(|(built, _)| session::name_of(&built.trial.case)).collect();
    match names.is_empty() {
        true => Ok(()),
        false => Err(Problem::mistake(format!(
            "the path has no rated component, so there is nothing to simulate: {}; describe the \
             path, or use `iopath measure`",
            names.join(", ")
        ))),
    }
}

/// What was taken out of a case, beside what it carries `whole`; none where nothing was.
fn removal(
    built: &Built<'_>,
    whole: &[Record],
    without: &Without,
) -> Result<Option<Removal>, Problem> {
    if whole.is_empty() {
        return Ok(None);
    }
    let before = analyse(whole).map_err(Problem::unexpected)?;
    Ok(Some(built.removal(without, Carried::found(&before))))
}

fn show(arguments: &Simulate, simulation: &Simulation<'_>) -> Result<(), Problem> {
    if arguments.show.json {
        return output::print_json(&simulation_json(simulation));
    }
    let detail = if arguments.full { Detail::Full } else { Detail::Brief };
    let system = arguments.show.system();
    output::print_document(&compose::simulation(simulation, detail, system), detail, system)
}
