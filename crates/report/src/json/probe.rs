//! Short experiments on sets of targets and what they show, `iopath-probe/2`.

use iopath_analysis::probe::{Group, Verdict};
use iopath_units::System;
use serde::Serialize;
use serde_json::Value;

use super::versioned;
use crate::document::AdviceText;
use crate::view::probe::{Probed, Whose};
use crate::words::probe as words;

#[derive(Serialize)]
struct Probe<'a> {
    run: &'a str,
    members: &'a [String],
    experiments: Vec<Experiment<'a>>,
    verdict: Option<Found<'a>>,
}

#[derive(Serialize)]
struct Experiment<'a> {
    members: Vec<&'a str>,
    bytes_per_sec: &'a [f64],
    limit: &'static str,
}

#[derive(Serialize)]
struct Found<'a> {
    groups: Vec<Shared<'a>>,
    private: Vec<Private<'a>>,
    together_bytes_per_sec: f64,
    is_consistent: bool,
    advice: Vec<AdviceText>,
}

#[derive(Serialize)]
struct Shared<'a> {
    members: Vec<&'a str>,
    bytes_per_sec: f64,
    apart_bytes_per_sec: f64,
    held_by_this_machine: Option<String>,
    side: Option<Whose>,
    within: Vec<Shared<'a>>,
}

#[derive(Serialize)]
struct Private<'a> {
    name: &'a str,
    bytes_per_sec: f64,
}

/// The probe as a value; keys and units are described in `docs/json.md`.
#[must_use]
pub fn probe_json(probed: &Probed, system: System) -> Value {
    let experiments = probed.experiments.iter().zip(&probed.limits);
    let experiments = experiments.map(|(one, limit)| Experiment {
        members: names(probed, &one.members),
        bytes_per_sec: &one.bytes_per_sec,
        limit: limit.cause.name(),
    });
    let probe = Probe {
        run: &probed.run,
        members: &probed.members,
        experiments: experiments.collect(),
        verdict: probed.verdict.as_ref().map(|verdict| found(probed, verdict, system)),
    };
    versioned("iopath-probe/2", &probe)
}

fn found<'a>(probed: &'a Probed, verdict: &Verdict, system: System) -> Found<'a> {
    let private = verdict
        .private
        .iter()
        .map(|one| Private { name: &probed.members[one.member], bytes_per_sec: one.bytes_per_sec });
    Found {
        groups: verdict.groups.iter().map(|group| shared(probed, group)).collect(),
        private: private.collect(),
        together_bytes_per_sec: verdict.together_bytes_per_sec,
        is_consistent: verdict.is_consistent,
        advice: words::advice(probed, verdict, system),
    }
}

fn shared<'a>(probed: &'a Probed, group: &Group) -> Shared<'a> {
    Shared {
        members: names(probed, &group.members),
        bytes_per_sec: group.bytes_per_sec,
        apart_bytes_per_sec: group.apart_bytes_per_sec,
        held_by_this_machine: words::own_limit(probed, group),
        side: probed.whose(&group.members),
        within: group.within.iter().map(|inner| shared(probed, inner)).collect(),
    }
}

fn names<'a, 'm>(probed: &'a Probed, all: impl IntoIterator<Item = &'m usize>) -> Vec<&'a str> {
    all.into_iter().map(|member| probed.members[*member].as_str()).collect()
}
