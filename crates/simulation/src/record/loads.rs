//! Series of streams: what they and their sub-streams did, and how far they are behind those they
//! follow.

use iopath_entities::{Load, Table};
use iopath_path::Network;
use iopath_record::{Counter, EntityId, Series};
use iopath_units::Op;

use crate::counters::OfStream;
use crate::samples::Sample;
use crate::streams::Sub;

type Of = fn(&Sub) -> u64;

const COUNTERS: [(Counter, Of); 3] = [
    (Counter::Submitted, |sub| sub.submitted),
    (Counter::ReadOperations, |sub| sub.completed[Op::Read.index()]),
    (Counter::WriteOperations, |sub| sub.completed[Op::Write.index()]),
];

type OfOne = fn(&OfStream) -> u64;

/// As a measurement samples them ([`Counter`]); what stays at nothing is left out.
const MOVED: [(Counter, OfOne); 5] = [
    (Counter::ReadBytes, |stream| stream.done.bytes[Op::Read.index()]),
    (Counter::WriteBytes, |stream| stream.done.bytes[Op::Write.index()]),
    (Counter::ReadOperations, |stream| stream.done.operations[Op::Read.index()]),
    (Counter::WriteOperations, |stream| stream.done.operations[Op::Write.index()]),
    (Counter::InFlight, |stream| stream.in_flight),
];

/// Of every stream; all samples have the same ones.
pub(super) fn moved(network: &Network, table: &Table, samples: &[Sample]) -> Vec<Series> {
    let streams = samples.first().map_or(&[][..], |first| &first.counted.streams);
    let of = |(at, stream): (usize, &OfStream)| {
        let position = network.streams.iter().position(|load| load.stream == stream.case)?;
        Some((at, table.streams[position]))
    };
    let placed = streams.iter().enumerate().filter_map(of);
    let each = placed.flat_map(|one| MOVED.map(|counter| (one, counter)));
    let series = |((at, entity), (counter, of)): ((usize, EntityId), (Counter, OfOne))| {
        let values: Vec<u64> =
            samples.iter().map(|sample| of(&sample.counted.streams[at])).collect();
        let is_used = values.iter().any(|value| *value > 0);
        is_used.then(|| Series::from_values(entity, counter, &values))
    };
    each.filter_map(series).collect()
}

/// Of each sub-stream: requests of all streams of its load together.
pub(super) fn series(loads: &[Load], samples: &[Sample]) -> Vec<Series> {
    let mut series = Vec::new();
    for load in loads {
        for (index, entity) in load.entities.iter().enumerate() {
            for (counter, of) in COUNTERS {
                let values: Vec<u64> =
                    samples.iter().map(|sample| sum(load, sample, (index, of))).collect();
                series.push(Series::from_values(*entity, counter, &values));
            }
        }
    }
    series
}

fn sum(load: &Load, sample: &Sample, (index, of): (usize, Of)) -> u64 {
    let streams = sample.counted.subs.iter().filter(|(stream, _)| load.streams.contains(stream));
    streams.map(|(_, subs)| of(&subs[index])).sum()
}

/// Of each stream that follows another; all samples have the same ones.
pub(super) fn lags(network: &Network, table: &Table, samples: &[Sample]) -> Vec<Series> {
    let followers = samples.first().map_or(&[][..], |first| &first.counted.lags);
    let of = |(at, (stream, _)): (usize, &(usize, u64))| {
        let position = network.streams.iter().position(|load| load.stream == *stream)?;
        let values: Vec<u64> = samples.iter().map(|sample| sample.counted.lags[at].1).collect();
        Some(Series::from_values(table.streams[position], Counter::LagBytes, &values))
    };
    followers.iter().enumerate().filter_map(of).collect()
}
