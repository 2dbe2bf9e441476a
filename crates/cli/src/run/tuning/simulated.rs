//! Settings tried by simulation: one seed each until the best is chosen, then several of it and of
//! today's.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use iopath_advice::tuning::Purpose;
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
}

/// What to do when a signal came, with what is known so far.
pub(crate) type Cut<'c> = &'c dyn Fn(&Trials<'_>, Option<&mut Kept<'_>>) -> ExitStatus;

impl Simulations<'_> {
    /// Tries settings until the best is known.
    pub(crate) fn run(&mut self, trials: &mut Trials<'_>, cut: Cut<'_>) -> Result<(), Problem> {
        while let Some(coming) = trials.coming() {
            let Ok(network) = Network::build(&coming.case, &BTreeSet::new()) else {
                trials.search.exclude(&coming.setting);
                continue;
            };
            let trial = Trial { index: coming.number, case: coming.case.clone() };
            let built = Built { trial: &trial, paths: Paths::Whole(network) };
            let passes = self.visit(trials, &coming, &built, cut)?;
            trials.observe(&coming, &passes)?;
            self.count += passes.len();
            self.display.done(self.count);
        }
        self.display.end();
        Ok(())
    }

    /// A setting with its next seeds.
    fn visit(
        &mut self,
        trials: &Trials<'_>,
        coming: &Coming,
        built: &Built<'_>,
        cut: Cut<'_>,
    ) -> Result<Vec<Record>, Problem> {
        // The seed of the search is none of those that are to confirm it.
        let fresh = trials.tuned.rules.passes.saturating_sub(coming.before.saturating_sub(1));
        let count = match coming.purpose {
            Purpose::Confirm => LEAST_PASSES.min(fresh.max(1)),
            _ => 1,
        };
        let seeds: Vec<usize> = (coming.before..coming.before + count).collect();
        let bound = record(built, &evaluate);
        if bound.bounds.is_empty() {
            return Err(Problem::mistake(format!(
                "the path has no rated component, so there is nothing to simulate: {}; describe \
                 the path, or use --technique measure",
                session::name_of(&coming.case)
            )));
        }
        let one = |simulator: &Simulator, seed: &usize| {
            let pass = u32::try_from(*seed).unwrap_or(u32::MAX);
            let mut record = record(built, &|case, network| {
                models::simulated(simulator, case, network, pass, &Settings::default())
            });
            note_bound(&mut record, &bound);
            record
        };
        let Self { interrupted, crew, display, kept, .. } = self;
        let keeping = RefCell::new(kept);
        let endable = Endable {
            interrupted,
            done: &mut |_, record: &Record| {
                let mut keeping = keeping.borrow_mut();
                display.aside(|| keeping.iter_mut().for_each(|kept| kept.add(record)));
            },
            cut: &mut |_| cut(trials, keeping.borrow_mut().as_mut()),
        };
        Ok(crew.until(&seeds, one, endable))
    }
}

fn record(built: &Built<'_>, technique: &dyn Fn(&Case, &Network) -> Record) -> Record {
    built.left(&Without::nothing(), technique).expect("nothing is taken out, so all is left")
}
