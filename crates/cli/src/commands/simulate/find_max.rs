//! `iopath simulate --find-max`: the highest load of each case within a latency limit. Each load is
//! simulated with several seeds, and with more where the interval of the figure holds the limit.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use iopath_analysis::find_max::{Outcome, Step};
use iopath_analysis::note_bound;
use iopath_analytic::evaluate;
use iopath_machine::Root;
use iopath_record::Record;
use iopath_report::{RunView, compose};
use iopath_simulation::Settings;
use iopath_store::RunId;
use iopath_study::Trial;

use crate::arguments::Simulate;
use crate::arguments::find_max::Sought;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies::Planned;
use crate::output;
use crate::results::page::Left;
use crate::results::{self, page, place, view};
use crate::run::crew::{Crew, Simulator};
use crate::run::kept::{Kept, Stored};
use crate::run::models::{self, Built, Without};
use crate::run::parallel::Endable;
use crate::run::progress::{Display, Wanted as Shown};
use crate::run::searched::{self, Searched};
use crate::run::session;
use crate::run::signals::{self, Pending};

/// Seeds after which a load is judged, until it is decided: chosen. Two tell loads far from the
/// limit; of twelve the interval is a third as wide as of two.
const SEEDS: [u32; 4] = [2, 4, 8, 12];

/// Loads that a search usually tries, for the estimate of the time: chosen.
const LOADS: usize = 10;

/// What is searched for, and where it goes.
pub(super) struct Job<'a> {
    pub arguments: &'a Simulate,
    pub planned: &'a Planned,
    pub without: Without,
    pub left: Left<'a>,
    pub crew: Crew<'a>,
}

/// A load of a case on its network, with its bound.
struct Load<'a> {
    built: &'a Built<'a>,
    bound: &'a Record,
    searched: &'a Searched,
}

/// What was found so far.
struct Found<'a> {
    interrupted: &'a AtomicBool,
    kept: Option<Kept<'a>>,
    records: Vec<Record>,
    display: Display,
    loads: usize,
}

impl Job<'_> {
    pub(super) fn run(&self, trials: &[&Trial], sought: Sought) -> Result<ExitStatus, Problem> {
        let Self { arguments, planned, .. } = self;
        let cases = searched::distinct(&planned.study, trials)?;
        let searched =
            |trial: &&Trial| searched::by_bounds(&planned.study, trial, &self.without, sought);
        let searched: Vec<Searched> = cases.iter().map(searched).collect::<Result<_, _>>()?;
        let kept = arguments.keep.then(|| Kept::open(&arguments.store, &planned.text));
        let interrupted = signals::watch(Pending::Results)?;
        let shown = Shown::unless(arguments.no_progress);
        let mut found = Found {
            interrupted: &interrupted,
            kept: kept.transpose()?,
            records: Vec::new(),
            display: Display::counting(searched.len() * LOADS, shown),
            loads: 0,
        };
        for one in &searched {
            self.search(one, &mut found)?;
        }
        found.display.end();
        let Stored { run, status } = super::ended(found.kept.as_mut(), ExitStatus::Done);
        self.show(found.records, run, None)?;
        run.into_iter().for_each(|run| session::tell_where(&arguments.store, run));
        Ok(status)
    }

    /// Tries loads of a case until the highest is known.
    fn search(&self, searched: &Searched, found: &mut Found<'_>) -> Result<(), Problem> {
        let mut search = searched.wanted.search();
        while let Step::Try(per_sec) = search.next() {
            let trial = Trial { index: found.loads, case: searched.at(per_sec)? };
            let outcome = self.load(searched, &trial, found)?;
            search.observe(per_sec, outcome);
            found.loads += 1;
            found.display.done(found.loads);
        }
        Ok(())
    }

    /// Simulates a load until it is decided, or seeds are used up.
    fn load(
        &self,
        searched: &Searched,
        trial: &Trial,
        found: &mut Found<'_>,
    ) -> Result<Outcome, Problem> {
        let built = models::build(&self.planned.study, &[trial], &self.without)?;
        let stopped = || Problem::unexpected("every stream has stopped");
        let built = built.into_iter().next().ok_or_else(stopped)?;
        let bound = built.left(&self.without, &evaluate).ok_or_else(stopped)?;
        let least = self.arguments.seeds.get().max(SEEDS[0]);
        let mut passes: Vec<Record> = Vec::new();
        loop {
            let done = u32::try_from(passes.len()).unwrap_or(u32::MAX);
            let until = SEEDS.into_iter().filter(|count| *count > done).map(|one| one.max(least));
            let Some(until) = until.min().filter(|until| *until > done) else {
                break;
            };
            let seeds: Vec<u32> = (done..until).collect();
            let load = Load { built: &built, bound: &bound, searched };
            let new = self.seeds(&load, &seeds, &passes, found);
            passes.extend(new);
            if !searched.judged(&passes)?.is_undecided() {
                break;
            }
        }
        let outcome = searched.judged(&passes)?;
        found.records.extend(passes);
        Ok(outcome)
    }

    /// A load with some seeds more.
    fn seeds(
        &self,
        load: &Load<'_>,
        seeds: &[u32],
        before: &[Record],
        found: &mut Found<'_>,
    ) -> Vec<Record> {
        let Found { interrupted, kept, records, display, .. } = found;
        let keeping = RefCell::new(kept);
        let settings = Settings { samples: self.arguments.samples.into(), ..Settings::default() };
        let without = &self.without;
        let one = |simulator: &Simulator, seed: &u32| {
            let record = load.built.left(without, &|case, network| {
                models::simulated(simulator, case, network, *seed, &settings)
            });
            let mut record = record.expect("it had a bound, so something is left");
            note_bound(&mut record, load.bound);
            record.environment.extend(load.searched.wanted.facts());
            record
        };
        let endable = Endable {
            interrupted,
            done: &mut |_, record: &Record| {
                let mut keeping = keeping.borrow_mut();
                display.aside(|| keeping.iter_mut().for_each(|kept| kept.add(record)));
            },
            cut: &mut |finished: Vec<Option<Record>>| {
                let finished = finished.into_iter().flatten();
                let all = records.iter().chain(before).cloned().chain(finished).collect();
                self.interrupted(all, keeping.borrow_mut().as_mut())
            },
        };
        self.crew.until(seeds, one, endable)
    }

    /// Shows what was tried when a signal came, and says what was kept.
    fn interrupted(&self, records: Vec<Record>, kept: Option<&mut Kept<'_>>) -> ExitStatus {
        let stored = super::ended(kept, ExitStatus::Interrupted);
        let done = output::count(records.len(), "simulation");
        let where_kept = match stored.run {
            Some(run) => {
                let show = place::command(&self.arguments.store, &format!("show {run}"));
                format!("kept in run {run}: {show}")
            }
            None => "not stored".to_owned(),
        };
        output::tell(&format!("interrupted: {done} completed, {where_kept}"));
        if records.is_empty() {
            return stored.status;
        }
        let shown = self.show(records, stored.run, Some(super::INTERRUPTED));
        shown.map_or_else(|problem| output::tell_problem(&problem), |()| stored.status)
    }

    fn show(
        &self,
        records: Vec<Record>,
        run: Option<RunId>,
        state: Option<&str>,
    ) -> Result<(), Problem> {
        let begin = session::begin(&Root::live(), &self.planned.text);
        let facts = view::facts(&begin, run, state.map(str::to_owned));
        let view: RunView = view::of(facts, None, records)?;
        results::find_max::show(&view, &self.arguments.show)?;
        let own = || format!("simulate-{}", self.planned.study.title);
        let name = run.map_or_else(own, |run| page::name(&[run]));
        self.left.write(&name, || compose::whole(&view, self.arguments.show.system()))
    }
}
