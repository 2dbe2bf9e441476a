//! Settings tried by simulation: one seed each until the best is chosen, then several of it and of
//! today's. Where several can be simulated at once, so are those that are likely to come next; what
//! is tried, and in which order, is the same.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use iopath_advice::tuning::{Purpose, Setting};
use iopath_analysis::note_bound;
use iopath_analysis::thresholds::trials::LEAST_PASSES;
use iopath_analytic::evaluate;
use iopath_path::Network;
use iopath_record::Record;
use iopath_simulation::Settings;
use iopath_study::{Case, Trial};

use super::{Coming, Trials};
use crate::exit_status::{ExitStatus, Problem};
use crate::run::crew::{Crew, Simulator};
use crate::run::kept::Kept;
use crate::run::models::{self, Built, Paths, Without};
use crate::run::parallel::Endable;
use crate::run::progress::Display;
use crate::run::session;

/// What simulations need.
pub(crate) struct Simulations<'a> {
    pub interrupted: &'a AtomicBool,
    pub crew: Crew<'a>,
    pub display: Display,
    pub kept: Option<Kept<'a>>,
    /// How many there were.
    pub count: usize,
    /// Of settings that are likely to come.
    pub ahead: BTreeMap<Setting, Record>,
}

/// What to do when a signal came, with what is known so far.
pub(crate) type Cut<'c> = &'c dyn Fn(&Trials<'_>, Option<&mut Kept<'_>>) -> ExitStatus;

/// A setting that is simulated with one seed.
#[derive(Clone)]
struct Visit {
    setting: Setting,
    trial: Trial,
    network: Network,
    /// What bounds say of it.
    bound: Record,
    pass: u32,
}

/// Simulations of settings that are only likely to come have no place among trials yet.
const AHEAD: usize = usize::MAX;

impl Simulations<'_> {
    /// Tries settings until the best is known.
    pub(crate) fn run(&mut self, trials: &mut Trials<'_>, cut: Cut<'_>) -> Result<(), Problem> {
        while let Some(coming) = trials.coming() {
            let Ok(network) = Network::build(&coming.case, &BTreeSet::new()) else {
                trials.search.exclude(&coming.setting);
                continue;
            };
            let passes = match self.ahead.remove(&coming.setting) {
                Some(mut record) if coming.purpose != Purpose::Confirm => {
                    record.case.trial = u32::try_from(coming.number).unwrap_or(u32::MAX);
                    self.keep(&record);
                    vec![record]
                }
                _ => self.visit(trials, &coming, &network, cut)?,
            };
            trials.observe(&coming, &passes)?;
            self.count += passes.len();
            self.display.done(self.count);
        }
        self.display.end();
        Ok(())
    }

    fn keep(&mut self, record: &Record) {
        let kept = &mut self.kept;
        self.display.aside(|| kept.iter_mut().for_each(|kept| kept.add(record)));
    }

    /// A setting with its next seeds. Threads that have nothing to do meanwhile simulate settings
    /// that are likely to come next.
    fn visit(
        &mut self,
        trials: &Trials<'_>,
        coming: &Coming,
        network: &Network,
        cut: Cut<'_>,
    ) -> Result<Vec<Record>, Problem> {
        let case = coming.case.clone();
        let first = Visit::new(coming.setting.clone(), coming.number, case, network.clone());
        let Some(first) = first else {
            return Err(Problem::mistake(format!(
                "the path has no rated component, so there is nothing to simulate: {}; describe \
                 the path, or use --technique measure",
                session::name_of(&coming.case)
            )));
        };
        let mut visits: Vec<Visit> =
            passes(trials, coming).map(|pass| Visit { pass, ..first.clone() }).collect();
        let count = visits.len();
        if coming.purpose != Purpose::Confirm {
            let idle = self.crew.simultaneous().get().saturating_sub(count);
            visits.extend(self.likely(trials, idle));
        }
        let Self { interrupted, crew, display, kept, .. } = self;
        let keeping = RefCell::new(kept);
        let endable = Endable {
            interrupted,
            done: &mut |_, record: &Record| {
                let mut keeping = keeping.borrow_mut();
                let is_own = usize::try_from(record.case.trial) == Ok(coming.number);
                let kept = keeping.iter_mut().filter(|_| is_own);
                display.aside(|| kept.for_each(|kept| kept.add(record)));
            },
            cut: &mut |_| cut(trials, keeping.borrow_mut().as_mut()),
        };
        let mut records = crew.until(&visits, |simulator, visit| visit.run(simulator), endable);
        let likely = records.split_off(count);
        let settings = visits.into_iter().skip(count).map(|visit| visit.setting);
        self.ahead.extend(settings.zip(likely));
        Ok(records)
    }

    /// New settings that are likely to come after the next, as far as they can be had.
    fn likely(&self, trials: &Trials<'_>, most: usize) -> Vec<Visit> {
        let settings = trials.search.ahead(most + 1).into_iter().skip(1);
        let unknown = settings.filter(|setting| !self.ahead.contains_key(setting));
        let visit = |setting: Setting| {
            let case = trials.tuned.case(&setting).ok()?;
            let network = Network::build(&case, &BTreeSet::new()).ok()?;
            Visit::new(setting, AHEAD, case, network)
        };
        unknown.filter_map(visit).collect()
    }
}

/// The seeds that a setting is to be simulated with now.
fn passes(trials: &Trials<'_>, coming: &Coming) -> impl Iterator<Item = u32> {
    // The seed of the search is none of those that are to confirm it.
    let fresh = trials.tuned.rules.passes.saturating_sub(coming.before.saturating_sub(1));
    let count = match coming.purpose {
        Purpose::Confirm => LEAST_PASSES.min(fresh.max(1)),
        _ => 1,
    };
    let seeds = coming.before..coming.before + count;
    seeds.map(|seed| u32::try_from(seed).unwrap_or(u32::MAX))
}

impl Visit {
    /// With the first seed; none where nothing is rated, as a simulation of that never ends.
    fn new(setting: Setting, index: usize, case: Case, network: Network) -> Option<Self> {
        let trial = Trial { index, case };
        let built = Built { trial: &trial, paths: Paths::Whole(network.clone()) };
        let bound = record(&built, &evaluate);
        (!bound.bounds.is_empty()).then_some(Self { setting, trial, network, bound, pass: 0 })
    }

    fn run(&self, simulator: &Simulator) -> Record {
        let built = Built { trial: &self.trial, paths: Paths::Whole(self.network.clone()) };
        let mut record = record(&built, &|case, network| {
            models::simulated(simulator, case, network, self.pass, &Settings::default())
        });
        note_bound(&mut record, &self.bound);
        record
    }
}

fn record(built: &Built<'_>, technique: &dyn Fn(&Case, &Network) -> Record) -> Record {
    built.left(&Without::nothing(), technique).expect("nothing is taken out, so all is left")
}
