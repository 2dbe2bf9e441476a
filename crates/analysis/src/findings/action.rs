//! What streams did that moves no data, such as trims: a row for each kind.

use iopath_record::Latency;
use iopath_units::Action;
use serde::Serialize;

use super::LatencySummary;
use super::trial::{Trial, per_second};
use crate::usage::pass::{Part, phases};

/// All requests of one kind in a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActionFindings {
    /// What they did.
    pub action: Action,
    /// Completed in the measured part.
    pub requests: u64,
    /// Over the length of the turns in which some stream does this.
    pub operations_per_sec: f64,
    /// Bytes that were trimmed.
    pub bytes: u64,
    /// Over the same time.
    pub bytes_per_sec: f64,
    /// From issue to completion.
    pub latency_ns: LatencySummary,
    /// From the intended start of an open loop.
    pub intended_latency_ns: Option<LatencySummary>,
}

/// Each kind that there is, in the order of [`Action::OTHERS`].
pub(crate) fn all(trial: &Trial<'_, '_>) -> Vec<ActionFindings> {
    Action::OTHERS.into_iter().filter_map(|action| of(trial, action)).collect()
}

fn of(trial: &Trial<'_, '_>, action: Action) -> Option<ActionFindings> {
    let streams = trial.passes.iter().flat_map(|pass| &pass.streams);
    let counted = streams.filter(|stream| stream.action == action);
    let counted = counted.flat_map(|stream| phases(stream, Part::Counted));
    let (mut requests, mut bytes, mut operations) = (0, 0, 0.0);
    for phase in counted {
        requests += phase.completed;
        bytes += phase.trim_bytes;
        operations += phase.operations_ppm as f64 / 1e6;
    }
    let summary = |what| {
        let latency = trial.acted(what, action);
        (latency.count() > 0).then(|| LatencySummary::of(&latency))
    };
    let time_ns = trial.passes.iter().map(|pass| pass.time_of(action)).sum();
    (requests > 0).then(|| ActionFindings {
        action,
        requests,
        operations_per_sec: per_second(operations, time_ns),
        bytes,
        bytes_per_sec: per_second(bytes as f64, time_ns),
        latency_ns: summary(Latency::Total).unwrap_or_default(),
        intended_latency_ns: summary(Latency::Intended),
    })
}
