//! Simulations, `iopath-simulation/6`: every finding as of a run, each seed alone, and the bounds.

use std::collections::BTreeMap;

use iopath_analysis::Prediction;
use iopath_analysis::load_sweep::LoadSweep;
use iopath_analysis::prediction::{Binding, ComponentUse, LeftOut};
use iopath_record::{BoundKind, CaseText};
use serde::Serialize;
use serde_json::Value;

use super::{Found, versioned};
use crate::sections::load_sweep;
use crate::view::case::Case;
use crate::view::removal::Removal;
use crate::view::simulation::{Seed, SimulatedCase, Simulation};

#[derive(Serialize)]
struct Simulations<'a> {
    run: Option<&'a str>,
    cases: Vec<Simulated<'a>>,
    #[serde(rename = "ladders")]
    load_sweeps: Vec<LoadSweep>,
}

#[derive(Serialize)]
struct Simulated<'a> {
    #[serde(with = "Case")]
    case: &'a CaseText,
    technique: &'static str,
    environment: &'a BTreeMap<String, String>,
    findings: Found<'a>,
    components: &'a [ComponentUse],
    seeds: &'a [Seed],
    #[serde(with = "Bound")]
    bound: &'a Prediction,
    of_bound: Option<f64>,
    without: Option<&'a Removal>,
}

/// What of a prediction bounds a simulation.
#[derive(Serialize)]
#[serde(remote = "Prediction")]
struct Bound {
    throughput_bytes_per_sec: f64,
    operations_per_sec: f64,
    response_ns: Option<f64>,
    decided_by: Option<BoundKind>,
    bottlenecks: Vec<Binding>,
    leaves_out: Vec<LeftOut>,
}

/// The simulation as a value; keys and units are described in `docs/json.md`.
#[must_use]
pub fn simulation_json(simulation: &Simulation<'_>) -> Value {
    let Simulation { view, cases } = simulation;
    let report = &view.report;
    let simulations = Simulations {
        run: report.id.as_deref(),
        cases: cases.iter().map(case).collect(),
        load_sweeps: load_sweep::of(report),
    };
    versioned("iopath-simulation/6", &simulations)
}

fn case<'a>(simulated: &'a SimulatedCase<'_>) -> Simulated<'a> {
    let SimulatedCase { trial, bound, path, seeds, removal } = simulated;
    Simulated {
        case: &trial.case,
        technique: trial.technique.name(),
        environment: &trial.environment,
        findings: Found::of(&trial.findings),
        components: &path.components,
        seeds,
        bound,
        of_bound: simulated.of_bound(),
        without: removal.as_ref(),
    }
}
