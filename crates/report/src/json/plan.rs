//! What would be measured, `iopath-plan/1`.

use std::collections::BTreeMap;

use iopath_study::case::Target;
use iopath_study::{Case, Plan};
use serde::Serialize;
use serde_json::Value;

use super::versioned;

#[derive(Serialize)]
struct Planned<'a> {
    estimated_time_ns: u64,
    trials_of_unknown_time: usize,
    memory_bytes: Option<u64>,
    trials: Vec<Trial<'a>>,
}

#[derive(Serialize)]
struct Trial<'a> {
    study: &'a str,
    experiment: &'a str,
    levels: BTreeMap<&'a str, &'a str>,
    streams: usize,
    targets: Vec<Bound<'a>>,
    passes: u32,
    estimated_time_ns: Option<u64>,
    working_set_bytes: Option<u64>,
    text: &'a str,
}

#[derive(Serialize)]
struct Bound<'a> {
    name: &'a str,
    binding: Option<&'a str>,
    size_bytes: Option<u64>,
}

/// The plan, on a machine of so much memory, where that is known; keys: `docs/json.md`.
#[must_use]
pub fn plan_json(plan: &Plan, memory_bytes: Option<u64>) -> Value {
    let estimate = plan.estimated_time();
    let planned = Planned {
        estimated_time_ns: estimate.known.0,
        trials_of_unknown_time: estimate.unknown,
        memory_bytes,
        trials: plan.trials.iter().map(|one| trial(&one.case)).collect(),
    };
    versioned("iopath-plan/1", &planned)
}

fn trial(case: &Case) -> Trial<'_> {
    let levels = case.levels.iter().map(|one| (one.factor.as_str(), one.level.as_str()));
    Trial {
        study: &case.study,
        experiment: &case.experiment,
        levels: levels.collect(),
        streams: case.streams.len(),
        targets: case.targets.iter().map(bound).collect(),
        passes: case.workload.passes,
        estimated_time_ns: case.estimated_time().map(|time| time.0),
        working_set_bytes: case.working_set().map(|set| set.0),
        text: &case.text,
    }
}

fn bound(target: &Target) -> Bound<'_> {
    let size_bytes = target.size.map(|size| size.0);
    Bound { name: &target.name, binding: target.binding.as_deref(), size_bytes }
}
