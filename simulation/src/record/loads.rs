//! Series of streams: what their sub-streams did, and how far they are behind those they follow.

use iopath_entities::{Load, Table};
use iopath_path::Network;
use iopath_record::{Counter, Series};
use iopath_units::Op;

use crate::samples::Sample;
use crate::streams::Sub;

type Of = fn(&Sub) -> u64;

const COUNTERS: [(Counter, Of); 3] = [
    (Counter::Submitted, |sub| sub.submitted),
    (Counter::ReadOperations, |sub| sub.completed[Op::Read.index()]),
    (Counter::WriteOperations, |sub| sub.completed[Op::Write.index()]),
];

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
