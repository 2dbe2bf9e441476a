//! Simulations as JSON, `iopath-simulation/5`: every finding as of a run, unrounded, each seed
//! alone, and the bounds beside them.

use serde_json::{Value, json};

use super::{Seed, SimulatedCase, Simulation};
use crate::json::{case_text, findings_json};
use crate::prediction::without;
use crate::sections::ladder;

/// The simulation as a value; keys and units are told in `docs/json.md`.
#[must_use]
pub fn simulation_json(simulation: &Simulation<'_>) -> Value {
    let Simulation { view, cases } = simulation;
    let report = &view.report;
    json!({
        "format": "iopath-simulation/5",
        "run": report.id,
        "cases": cases.iter().map(case).collect::<Vec<_>>(),
        "ladders": ladder::of(report),
    })
}

fn case(simulated: &SimulatedCase<'_>) -> Value {
    let SimulatedCase { trial, bound, path, seeds, removal } = simulated;
    json!({
        "case": case_text(&trial.case),
        "technique": trial.technique.name(),
        "environment": trial.environment,
        "findings": findings_json(&trial.findings),
        "components": path.components,
        "seeds": seeds.iter().map(seed).collect::<Vec<_>>(),
        "bound": {
            "throughput_bytes_per_sec": bound.throughput_bytes_per_sec,
            "operations_per_sec": bound.operations_per_sec,
            "response_ns": bound.response_ns,
            "decided_by": bound.decided_by,
            "bottlenecks": bound.bottlenecks,
            "leaves_out": bound.leaves_out,
        },
        "of_bound": simulated.of_bound(),
        "without": removal.as_ref().map(without),
    })
}

fn seed(seed: &Seed) -> Value {
    let Seed { seed, events, facts, half_width_percent, jain, carried } = seed;
    json!({
        "seed": seed,
        "events": events,
        "facts": facts,
        "half_width_percent": half_width_percent,
        "throughput_bytes_per_sec": carried.throughput_bytes_per_sec,
        "operations_per_sec": carried.operations_per_sec,
        "response_ns": carried.response_ns,
        "jain": jain,
        "shares": carried.shares,
    })
}
