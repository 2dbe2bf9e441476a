//! What each component of a path carries, `iopath-profile/1`.

use iopath_analysis::capacities::{Carried, Load};
use iopath_units::{Op, System};
use serde::Serialize;
use serde_json::Value;

use super::versioned;
use crate::view::profile as view;
use crate::view::profile::Disturbed;
use crate::words::warnings;

#[derive(Serialize)]
struct Profile<'a> {
    run: &'a str,
    devices: &'a [String],
    experiments: usize,
    components: Vec<Component<'a>>,
    alone: Vec<Alone<'a>>,
    levels: Vec<Level<'a>>,
    costs: Option<Costs>,
    unexplained: &'a [String],
    too_short: &'a [String],
    not_served: &'a [String],
    disturbed: Vec<DisturbedJson<'a>>,
}

#[derive(Serialize)]
struct DisturbedJson<'a> {
    experiments: usize,
    kind: &'a str,
    worst: String,
}

#[derive(Serialize)]
struct Component<'a> {
    name: &'a str,
    kind: &'static str,
    devices: &'a [String],
    carried: Vec<CarriedJson<'a>>,
}

#[derive(Serialize)]
struct CarriedJson<'a> {
    load: LoadJson,
    state: &'static str,
    per_sec: Option<f64>,
    passes_per_sec: [f64; 2],
    experiment: &'a str,
    alike: &'a [String],
    exceeded: Vec<ExceededJson>,
}

#[derive(Serialize)]
struct ExceededJson {
    property: &'static str,
    stated_per_sec: f64,
}

#[derive(Serialize)]
struct LoadJson {
    figure: &'static str,
    op: &'static str,
    block_bytes: u64,
    depth: u32,
}

#[derive(Serialize)]
struct Alone<'a> {
    device: &'a str,
    load: LoadJson,
    bytes_per_sec: f64,
    operations_per_sec: f64,
    latency_ns_p50: Option<u64>,
    latency_ns_p99: Option<u64>,
    cpu_ns_per_request: Option<f64>,
    limit: &'static str,
}

#[derive(Serialize)]
struct Level<'a> {
    components: &'a [String],
    load: LoadJson,
    steps: Vec<StepJson>,
    knee_parts: usize,
}

#[derive(Serialize)]
struct StepJson {
    parts: usize,
    per_sec: f64,
    efficiency: f64,
}

#[derive(Serialize)]
struct Costs {
    request_seconds: f64,
    byte_seconds: f64,
    copied_byte_seconds: Option<f64>,
    copied_bytes_per_sec: Option<f64>,
}

/// The profile as a value; keys and units are described in `docs/json.md`.
#[must_use]
pub fn profile_json(profile: &view::Profile) -> Value {
    let costs = profile.costs.map(|costs| Costs {
        request_seconds: costs.request_s,
        byte_seconds: costs.byte_s,
        copied_byte_seconds: costs.copied_byte_s,
        copied_bytes_per_sec: costs.copied_bytes_per_sec,
    });
    let json = Profile {
        run: &profile.run,
        devices: &profile.devices,
        experiments: profile.experiments,
        components: profile.components.iter().map(component).collect(),
        alone: profile.alone.iter().map(alone).collect(),
        levels: profile.levels.iter().map(level).collect(),
        costs,
        unexplained: &profile.unexplained,
        too_short: &profile.too_short,
        not_served: &profile.not_served,
        disturbed: profile.disturbed.iter().map(disturbed).collect(),
    };
    versioned("iopath-profile/1", &json)
}

fn disturbed(one: &Disturbed) -> DisturbedJson<'_> {
    let Disturbed { experiments, worst } = one;
    let text = warnings::text(worst, System::Decimal);
    DisturbedJson { experiments: *experiments, kind: worst.kind(), worst: text }
}

fn component(one: &view::ComponentProfile) -> Component<'_> {
    let carried = one.carried.iter().map(|carried| CarriedJson {
        load: load(carried.load),
        state: match carried.carried {
            Carried::Full(_) => "full",
            Carried::Perhaps(_) => "perhaps-full",
            Carried::AtLeast(_) => "at-least",
            Carried::Nothing => "unused",
        },
        per_sec: carried.carried.seen(),
        passes_per_sec: carried.passes,
        experiment: &carried.experiment,
        alike: &carried.alike,
        exceeded: carried.exceeded.iter().map(exceeded).collect(),
    });
    let carried = carried.collect();
    Component { name: &one.name, kind: one.kind, devices: &one.devices, carried }
}

fn exceeded(one: &view::Exceeded) -> ExceededJson {
    ExceededJson { property: one.property, stated_per_sec: one.per_sec }
}

fn load(load: Load) -> LoadJson {
    let op = match load.op {
        Op::Read => "read",
        Op::Write => "write",
    };
    LoadJson { figure: load.figure.name(), op, block_bytes: load.block, depth: load.depth }
}

fn alone(one: &view::AloneProfile) -> Alone<'_> {
    Alone {
        device: &one.device,
        load: load(one.load),
        bytes_per_sec: one.bytes_per_sec,
        operations_per_sec: one.operations_per_sec,
        latency_ns_p50: one.latency_ns_p50,
        latency_ns_p99: one.latency_ns_p99,
        cpu_ns_per_request: one.cpu_ns,
        limit: one.limit.name(),
    }
}

fn level(one: &view::LevelProfile) -> Level<'_> {
    let steps = one.scaling.steps.iter();
    let steps = steps.map(|step| StepJson {
        parts: step.parts,
        per_sec: step.rate,
        efficiency: step.efficiency,
    });
    Level {
        components: &one.names,
        load: load(one.load),
        steps: steps.collect(),
        knee_parts: one.scaling.knee(),
    }
}
