//! How the streams of each declaration share what there is: mean, least, most, and Jain's index
//! (Jain, Chiu, Hawe, DEC-TR-301, 1984).

use std::collections::BTreeMap;

use iopath_record::EntityId;
use serde::Serialize;

use super::limits::LimitFinding;
use super::names::{Names, Pattern};
use super::{operations, part};
use crate::pass::{Pass, bytes, phases};
use crate::statistics::{jain, mean};

/// The streams of one declaration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupShare {
    /// Their common name.
    pub name: String,
    /// How many.
    pub streams: u64,
    /// Bytes of all of them over time.
    pub throughput_bytes_per_sec: f64,
    /// Requests of all of them over time.
    pub operations_per_sec: f64,
    /// Bytes of each over time.
    pub of_stream_bytes_per_sec: Spread,
    /// Requests of each over time.
    pub of_stream_operations_per_sec: Spread,
    /// 1 when all get the same, 1/n when one has everything; none where nobody gets anything.
    pub jain: Option<f64>,
    /// Mean time of a request.
    pub response_ns: Option<f64>,
    /// What each is limited to by the study: slots, a rate.
    pub limits: Vec<LimitFinding>,
}

/// What the streams of a group get.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// On average.
    pub mean: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
}

/// What one stream got.
struct One {
    id: EntityId,
    bytes_per_sec: f64,
    operations_per_sec: f64,
    in_flight: f64,
}

pub(super) fn groups(pass: &Pass<'_>, names: &Names<'_>) -> Vec<GroupShare> {
    let seconds = pass.window.unwrap_or(pass.measured).length_ns() as f64 / 1e9;
    let mut groups: BTreeMap<Pattern<'_>, Vec<One>> = BTreeMap::new();
    for stream in &pass.record.streams {
        let sum = |of: fn(&iopath_record::PhaseTotals) -> f64| -> f64 {
            let all: f64 = phases(stream, part(pass)).map(of).sum();
            if seconds > 0.0 { all / seconds } else { 0.0 }
        };
        let one = One {
            id: stream.entity,
            bytes_per_sec: sum(|phase| bytes(phase) as f64),
            operations_per_sec: sum(operations),
            in_flight: sum(|phase| phase.in_flight_ns as f64),
        };
        groups.entry(names.pattern(stream.entity)).or_default().push(one);
    }
    let mut all: Vec<_> = groups.into_values().collect();
    all.sort_by_key(|group| group[0].id);
    all.iter().map(|group| share(pass, names, group)).collect()
}

fn share(pass: &Pass<'_>, names: &Names<'_>, group: &[One]) -> GroupShare {
    let entities = &pass.record.entities;
    let members: Vec<EntityId> = group.iter().map(|one| one.id).collect();
    let rates: Vec<f64> = group.iter().map(|one| one.bytes_per_sec).collect();
    let requests: Vec<f64> = group.iter().map(|one| one.operations_per_sec).collect();
    let in_flight: f64 = group.iter().map(|one| one.in_flight).sum();
    let operations: f64 = requests.iter().sum();
    let limits = entities[members[0].0 as usize].limits.iter();
    GroupShare {
        name: names.label(&members).name,
        streams: group.len() as u64,
        throughput_bytes_per_sec: rates.iter().sum(),
        operations_per_sec: operations,
        of_stream_bytes_per_sec: spread(&rates),
        of_stream_operations_per_sec: spread(&requests),
        jain: jain(&rates),
        response_ns: (in_flight > 0.0 && operations > 0.0).then(|| in_flight / operations),
        limits: limits.map(LimitFinding::of).collect(),
    }
}

fn spread(values: &[f64]) -> Spread {
    Spread {
        mean: mean(values).unwrap_or_default(),
        min: values.iter().copied().reduce(f64::min).unwrap_or_default(),
        max: values.iter().copied().reduce(f64::max).unwrap_or_default(),
    }
}
