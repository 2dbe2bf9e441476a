//! Streams that ran at the same time, where others ran before or after them (`after=`).

use std::collections::BTreeSet;

use serde::Serialize;

use super::action;
use super::trial::Trial;
use super::{ActionFindings, FlushFindings, Headline, LatencyOf, LatencySummary, OpFindings};
use crate::usage::pass::Pass;
use iopath_study::unindexed;
use iopath_units::Op;

/// What they amount to: the same figures as those of a trial, over their own time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EpochFindings {
    /// Their declarations, by name.
    pub streams: Vec<String>,
    /// Their rate.
    pub headline: Headline,
    /// Bytes while every one of them was active, over that time; none where that never was.
    pub deskewed_throughput_bytes_per_sec: Option<f64>,
    /// Requests that completed in the measured part.
    pub requests: u64,
    /// Bytes moved in it.
    pub bytes: u64,
    /// Its length, summed over passes.
    pub duration_ns: u64,
    /// Which requests the latencies are of.
    pub latency_of: LatencyOf,
    /// From issue to completion.
    pub latency_ns: LatencySummary,
    /// The reads alone, where they wrote too.
    pub read: Option<OpFindings>,
    /// The writes alone, where they read too.
    pub write: Option<OpFindings>,
    /// Flushes, where they issued some.
    pub flush: Option<FlushFindings>,
    /// What they did that moves no data.
    pub actions: Vec<ActionFindings>,
}

/// Each epoch in the order of time; none where all streams ran together.
pub(crate) fn all(passes: &[Pass<'_>]) -> Vec<EpochFindings> {
    match passes[0].epochs().len() {
        1 => Vec::new(),
        epochs => (0..epochs).map(|epoch| of(passes, epoch)).collect(),
    }
}

fn of(passes: &[Pass<'_>], epoch: usize) -> EpochFindings {
    let streams = passes[0].epochs();
    let streams: BTreeSet<&str> =
        streams[epoch].iter().map(|stream| passes[0].name(stream)).collect();
    let own: Vec<Pass<'_>> = passes.iter().filter_map(|pass| pass.of_epoch(epoch)).collect();
    let trial = Trial::of(&own);
    let names: BTreeSet<String> = streams.into_iter().map(unindexed).collect();
    EpochFindings {
        streams: names.into_iter().collect(),
        headline: trial.headline(),
        deskewed_throughput_bytes_per_sec: trial.deskewed_bytes(),
        requests: trial.requests,
        bytes: trial.bytes,
        duration_ns: trial.duration_ns,
        latency_of: trial.latency_of,
        latency_ns: LatencySummary::of(&trial.latency),
        read: trial.op(Op::Read),
        write: trial.op(Op::Write),
        flush: FlushFindings::of(&trial),
        actions: action::all(&trial),
    }
}
