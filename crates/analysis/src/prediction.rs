//! What a record says of the capacity of a path: totals, bounds and what binds, how much of every
//! capacity is used, what to raise next, how fairly the streams share.
//!
//! Utilisation law: utilisation = used / (capacity × time) (Denning and Buzen, ACM Computing
//! Surveys 10, 1978). Mean response time = time in flight / operations (Little, Operations
//! Research 9, 1961), but from the intended start where requests were timed from there: what waits
//! for a free slot is not in flight. Everything is read from the record alone, so it holds for
//! whatever technique made it; what only some techniques find (bounds, the curve) may be missing.
//! It leaves out what a bound leaves out, which the bound says itself.

use std::collections::BTreeMap;

use iopath_record::{BoundKind, Histogram, Latency, Record, StreamTotals, Warning};
use serde::Serialize;

mod bounds;
mod classes;
mod limits;
mod names;
mod processors;
mod shares;

pub use bounds::{Binding, BoundFinding, LeftOut, RaiseFinding, UpgradeFinding};
pub use classes::ComponentUse;
pub use limits::{LimitClass, LimitFinding, LimitUse};
pub use processors::{BeyondProcessors, PROCESSOR_TIME};
pub use shares::{GroupShare, Spread};

pub(crate) use limits::{fold, most_used, used};
pub(crate) use names::{Names, Pattern};

use crate::usage::Usage;
use crate::usage::pass::{Part, Pass, phases};

/// Facts of a record about what the path can hold, is made of, and lacks.
const FACTS: [&str; 3] = ["capacity.", "parts.", "path."];

/// What a record says of the capacity of its path.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Prediction {
    /// Bytes of all streams over time.
    pub throughput_bytes_per_sec: f64,
    /// The part of it that is read.
    pub read_bytes_per_sec: f64,
    /// The part of it that is written.
    pub write_bytes_per_sec: f64,
    /// Requests of all streams over time.
    pub operations_per_sec: f64,
    /// Mean time of a request, of an open loop from its intended start; none where nothing is done
    /// or in flight.
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
    /// What even the tightest bound does not account for.
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
    let usage = Usage::of_phases(seconds, &pass.phases(part(&pass)));
    let transfers = usage.transfers;
    let operations_per_sec = transfers.operations_per_sec.unwrap_or_default();
    let bounds = bounds::all(&pass, &names);
    let deciding = bounds::deciding(&bounds);
    let facts = record.environment.iter();
    let facts = facts.filter(|(key, _)| FACTS.iter().any(|topic| key.starts_with(topic)));
    Prediction {
        throughput_bytes_per_sec: transfers.bytes_per_sec.unwrap_or_default(),
        read_bytes_per_sec: usage.read.bytes_per_sec.unwrap_or_default(),
        write_bytes_per_sec: usage.write.bytes_per_sec.unwrap_or_default(),
        operations_per_sec,
        response_ns: intended(&pass.streams, part(&pass))
            .or(response(usage.in_flight_mean.unwrap_or_default(), operations_per_sec)),
        decided_by: deciding.map(|bound| bound.kind),
        bottlenecks: deciding.map(|bound| bound.binding.clone()).unwrap_or_default(),
        upgrades: bounds::upgrades(&bounds).to_vec(),
        leaves_out: bounds::leaves_out(&bounds).to_vec(),
        components: classes::components(&pass, &names),
        shares: shares::groups(&pass, &names),
        curve: record.curve.iter().map(point).collect(),
        facts: facts.map(|(key, value)| (key.clone(), value.clone())).collect(),
        warnings: record.warnings.clone(),
        bounds,
    }
}

/// The part in which every stream is active, all of it where that never was.
fn part(pass: &Pass<'_>) -> Part {
    if pass.window.is_some() { Part::Window } else { Part::Counted }
}

/// Mean time of a request, by Little's law.
fn response(in_flight: f64, operations_per_sec: f64) -> Option<f64> {
    let is_known = in_flight > 0.0 && operations_per_sec > 0.0;
    is_known.then(|| in_flight / operations_per_sec * 1e9)
}

/// Mean time of a request of these streams, from the intended start of those with a rate, from
/// issue of the others; none where no stream was timed from there.
fn intended(streams: &[&StreamTotals], part: Part) -> Option<f64> {
    let mut all = Histogram::default();
    let mut is_any = false;
    for stream in streams {
        let of = |what: Latency| {
            let kept = phases(stream, part).flat_map(|phase| &phase.latency);
            kept.filter(move |kept| kept.what == what)
        };
        let is_open = of(Latency::Intended).next().is_some();
        let what = if is_open { Latency::Intended } else { Latency::Total };
        of(what).for_each(|kept| all.merge(&kept.histogram));
        is_any |= is_open;
    }
    all.mean_ns().filter(|_| is_any)
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
