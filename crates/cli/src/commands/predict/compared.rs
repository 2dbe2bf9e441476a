//! `iopath predict A B --compare`: builds of several studies next to one another, with what the
//! loss of one of each component costs.

use std::collections::{BTreeMap, BTreeSet};

use iopath_analysis::predict;
use iopath_analytic::evaluate_rated;
use iopath_path::Network;
use iopath_report::{ComparedBuild, Detail, OneLost, PredictedCase, builds_json, compose};
use iopath_study::{Class, PartId, Trial, unindexed};

use crate::arguments::Predict;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies;
use crate::output;
use crate::run::models::{self, Built, Without};
use crate::run::parallel;

pub(super) fn run(arguments: &Predict) -> Result<ExitStatus, Problem> {
    let asked = &arguments.asked;
    let mut builds = Vec::new();
    for file in std::iter::once(&asked.study).chain(&arguments.others) {
        let planned = studies::read_for(file, &asked.set, &asked.cases)?;
        let trials = planned.trials();
        let without = Without::of(&asked.without, &trials)?;
        let built = models::build(&planned.study, &trials, &without)?;
        let file = file.display().to_string();
        let compared = |built: &Built<'_>| compared(&file, built, &without);
        builds.extend(parallel::in_order(parallel::threads(None), &built, compared, &mut |_| ()));
    }
    if arguments.show.json {
        output::print_json(&builds_json(&builds))?;
    } else {
        let system = arguments.show.system();
        output::print_document(&compose::builds(&builds, system), Detail::Brief, system)?;
    }
    Ok(ExitStatus::Done)
}

fn compared(file: &str, built: &Built<'_>, without: &Without) -> ComparedBuild {
    let (record, _) = built.records(without, &evaluate_rated);
    let case = PredictedCase::of(&record, None);
    let whole = case.prediction.operations_per_sec;
    let mut losses = losses(built.trial, &without.parts(&built.trial.case), whole);
    losses.sort_by(|one, other| one.share_left.total_cmp(&other.share_left));
    ComparedBuild { file: file.to_owned(), case, losses }
}

/// What is left with one more component gone: the first of each name, as equal ones cost the same.
/// Machines on which streams run are not taken out: their streams would be gone, not stopped.
fn losses(trial: &Trial, gone: &BTreeSet<PartId>, whole: f64) -> Vec<OneLost> {
    let system = &trial.case.system;
    let homes: BTreeSet<Option<PartId>> =
        trial.case.streams.iter().map(|stream| stream.modelled.on).collect();
    // A stream without a place runs on the only machine that there is.
    let is_home = |id: PartId| {
        let is_host = system.class(id) == Class::Host;
        homes.contains(&Some(id)) || (is_host && homes.contains(&None))
    };
    let mut first: BTreeMap<String, PartId> = BTreeMap::new();
    for id in system.ids().filter(|id| !gone.contains(id) && !is_home(*id)) {
        if system.class(id).is_component() {
            first.entry(unindexed(&system.part(id).name)).or_insert(id);
        }
    }
    let lost = first.into_iter().map(|(name, id)| {
        let parts = gone.iter().copied().chain([id]).collect();
        let left = Network::build(&trial.case, &parts).map_or(0.0, |network| {
            predict(&evaluate_rated(&trial.case, &network)).operations_per_sec
        });
        let without = system.part(id).name.clone();
        OneLost { name, without, share_left: if whole > 0.0 { left / whole } else { 0.0 } }
    });
    lost.collect()
}
