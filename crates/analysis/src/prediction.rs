//! What a record says of the capacity of a path: totals, bounds and what binds, how much of every
//! capacity is used, what to raise next, how fairly the streams share.
//!
//! Utilisation law: utilisation = used / (capacity × time) (Denning and Buzen, ACM Computing
//! Surveys 10, 1978). Mean response time = time in flight / operations (Little, Operations
//! Research 9, 1961). Everything is read from the record alone, so it holds for whatever technique
//! made it; what only some techniques find (bounds, the curve) may be missing.
//! It leaves out what a bound leaves out, which the bound says itself.

use std::collections::BTreeMap;

use iopath_record::{BoundKind, Record, Warning};
use serde::Serialize;

mod bounds;
mod classes;
mod limits;
mod names;
mod shares;

pub use bounds::{Binding, BoundFinding, LeftOut, RaiseFinding, UpgradeFinding};
pub use classes::ComponentUse;
pub use limits::{LimitClass, LimitFinding, LimitUse};
pub use shares::{GroupShare, Spread};

pub(crate) use limits::{fold, most_used, used};
pub(crate) use names::{Names, Pattern};

use crate::usage::pass::{Part, Pass, bytes};

/// Facts of a record about what the path can hold, is made of, and lacks.
const FACTS: [&str; 3] = ["capacity.", "parts.", "path."];

/// What a record says of the capacity of its path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// Bytes of all streams over time.
    pub throughput_bytes_per_sec: f64,
    /// The part of it that is read.
    pub read_bytes_per_sec: f64,
    /// The part of it that is written.
    pub write_bytes_per_sec: f64,
    /// Requests of all streams over time.
    pub operations_per_sec: f64,
    /// Mean time of a request; none where nothing is done or in flight.
    pub response_ns: Option<f64>,
    /// Upper bounds, the freest first.
    pub bounds: Vec<BoundFinding>,
    /// The freest of those that are lowest, but for the free split where another is as low: what
    /// it says is what holds the case back.
    pub decided_by: Option<BoundKind>,
    /// What binds there, dearest first.
    pub bottlenecks: Vec<Binding>,
    /// What to raise next so that every bound rises, each step on top of those before.
    pub upgrades: Vec<UpgradeFinding>,
    /// Components of equal name and equal use as one, in the order of the tree.
    pub components: Vec<ComponentUse>,
    /// How the streams share, by declaration.
    pub shares: Vec<GroupShare>,
    /// Response time against load.
    pub curve: Vec<LoadPoint>,
    /// Facts on what the path holds, is made of and lacks: `capacity.…`, `parts.…`, `path.without`.
    pub facts: BTreeMap<String, String>,
    /// What even the tightest of the lowest bounds does not account for.
    pub leaves_out: Vec<LeftOut>,
    /// What a reader must know.
    pub warnings: Vec<Warning>,
}

/// One point of response time against load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LoadPoint {
    /// Share of the saturated throughput.
    pub load: f64,
    /// Bytes of all streams over time.
    pub throughput_bytes_per_sec: f64,
    /// Requests of all streams over time.
    pub operations_per_sec: f64,
    /// Mean time of a request.
    pub response_ns: f64,
}

/// What the record says.
#[must_use]
pub fn predict(record: &Record) -> Prediction {
    let pass = Pass::of(record);
    let names = Names::of(record);
    let seconds = pass.best().length_ns() as f64 / 1e9;
    let bounds = bounds::all(record, &names);
    let deciding = bounds::deciding(&bounds);
    let facts = record.environment.iter();
    let facts = facts.filter(|(key, _)| FACTS.iter().any(|topic| key.starts_with(topic)));
    Prediction {
        throughput_bytes_per_sec: rate(&pass, seconds, |phase| bytes(phase) as f64),
        read_bytes_per_sec: rate(&pass, seconds, |phase| phase.read_bytes as f64),
        write_bytes_per_sec: rate(&pass, seconds, |phase| phase.write_bytes as f64),
        operations_per_sec: rate(&pass, seconds, operations),
        response_ns: response(&pass),
        decided_by: deciding.map(|bound| bound.kind),
        bottlenecks: deciding.map(|bound| bound.binding.clone()).unwrap_or_default(),
        upgrades: bounds::ladder(&bounds).to_vec(),
        leaves_out: bounds::leaves_out(&bounds).to_vec(),
        components: classes::components(&pass, &names),
        shares: shares::groups(&pass, &names),
        curve: record.curve.iter().map(point).collect(),
        facts: facts.map(|(key, value)| (key.clone(), value.clone())).collect(),
        warnings: record.warnings.clone(),
        bounds,
    }
}

fn operations(phase: &iopath_record::PhaseTotals) -> f64 {
    phase.operations_ppm as f64 / 1e6
}

/// The part in which every stream is active, all of it where that never was.
fn part(pass: &Pass<'_>) -> Part {
    if pass.window.is_some() { Part::Window } else { Part::Counted }
}

fn rate(pass: &Pass<'_>, seconds: f64, of: impl Fn(&iopath_record::PhaseTotals) -> f64) -> f64 {
    let sum: f64 = pass.phases(part(pass)).map(of).sum();
    // A sum of nothing is -0.
    if seconds > 0.0 && sum > 0.0 { sum / seconds } else { 0.0 }
}

fn response(pass: &Pass<'_>) -> Option<f64> {
    let phases = || pass.phases(part(pass));
    let in_flight: f64 = phases().map(|phase| phase.in_flight_ns as f64).sum();
    let operations: f64 = phases().map(operations).sum();
    (in_flight > 0.0 && operations > 0.0).then(|| in_flight / operations)
}

fn point(point: &iopath_record::CurvePoint) -> LoadPoint {
    LoadPoint {
        load: point.load_ppm as f64 / 1e6,
        throughput_bytes_per_sec: point.bytes_per_sec as f64,
        operations_per_sec: point.operations_milli_per_sec as f64 / 1e3,
        response_ns: point.response_ns as f64,
    }
}

#[cfg(test)]
mod tests;
