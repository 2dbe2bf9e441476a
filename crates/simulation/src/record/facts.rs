//! What a simulation says of itself, and what a reader of its figures must know.

use std::collections::BTreeMap;

use iopath_path::Network;
use iopath_record::{Fact, Warning};
use iopath_study::Case;
use iopath_study::spc1::intensities;

use crate::course::StoppedBy;
use crate::run::Run;
use crate::settings::Settings;
use crate::streams::Stream;

/// Mechanisms of a network that a simulation carries out, by their stable words.
const MODELLED: &[&str] = &[
    "adaptive-multipath",
    "array-readahead",
    "commit",
    "concat",
    "failures",
    "interleaved-streams",
    "page-cache",
    "read-behind-write",
    "readahead",
    "rebuild",
    "record",
    "token-bucket",
    "write-cache",
    "write-through",
];

/// Facts for the environment.
pub(super) fn facts(case: &Case, run: &Run<'_>, settings: &Settings) -> BTreeMap<String, String> {
    let mut facts = intensities(case);
    facts.extend(threads(case, run));
    let mut note = |fact: Fact<'_>, value: String| facts.extend([fact.is(value)]);
    note(Fact::SimulatedSeed, settings.seed.to_string());
    note(Fact::SimulatedEvents, run.events.to_string());
    note(Fact::Stages, run.world.stages_crossed().to_string());
    note(Fact::OrderHash, format!("{:016x}", run.world.events.order_hash()));
    note(Fact::Window, format!("{:.3}", window_s(run)));
    if let Some(by) = stopped_by(run) {
        note(Fact::StoppedBy, by.to_string());
    }
    if let Some(half) = half_width(run) {
        note(Fact::HalfWidth, format!("{half:.6}"));
    }
    facts
}

/// How many threads each stream of a declaration has, where it may have more than one: by its
/// engine, or because what goes through a page cache is copied by a thread for each request.
fn threads(case: &Case, run: &Run<'_>) -> BTreeMap<String, String> {
    let plans = &run.world.plans;
    let has_several = |stream: &&Stream| {
        let below = plans.hops().in_front(stream.to);
        let copies = |below| {
            plans.hops().is_buffered(below) && plans.hops().software(below, "prefetch").is_none()
        };
        let is_own = case.workload.has_thread_per_request() || below.is_some_and(copies);
        case.streams[stream.case].depth > 1 && is_own
    };
    let of = |stream: &Stream| {
        let one = &case.streams[stream.case];
        Fact::Threads(&one.group).is(one.depth.to_string())
    };
    run.world.streams.all.iter().filter(has_several).map(of).collect()
}

/// The warnings of a record.
pub(super) fn warnings(run: &Run<'_>, network: &Network, settings: &Settings) -> Vec<Warning> {
    let left_out = network.mechanisms.iter().filter(|one| !MODELLED.contains(&one.kind));
    let left_out = left_out.map(|mechanism| Warning {
        kind: "not-simulated".to_owned(),
        text: format!("{}: {}", mechanism.kind, mechanism.text),
    });
    not_precise(run, settings).into_iter().chain(outgrown(run, network)).chain(left_out).collect()
}

/// What is not read ahead although it was to be: there is no room to keep it until it is read.
fn outgrown(run: &Run<'_>, network: &Network) -> Option<Warning> {
    let outgrown = run.world.caches.outgrown()?;
    let name = &network.component(outgrown.cache).name;
    let what = format!(
        "read-ahead of {name} for all sequential streams would take {:.0} % of it",
        outgrown.share * 100.0
    );
    let text = match outgrown.has_size {
        true => format!(
            "{what}: it reads ahead less, as much as half of it holds; an array that does not \
             evicts some before it is read: state a smaller read-ahead-size, or a larger cache"
        ),
        false => format!(
            "{what}, at the size that is assumed, so some is evicted before it is read: state \
             its size, or a smaller read-ahead-size"
        ),
    };
    Some(Warning { kind: "read-ahead-outgrows-cache".to_owned(), text })
}

fn not_precise(run: &Run<'_>, settings: &Settings) -> Option<Warning> {
    let by = stopped_by(run).filter(|by| *by != StoppedBy::Precision)?;
    // Where parts fail, what differs over time is no noise.
    if by == StoppedBy::Time && !run.world.failures.past.is_empty() {
        return None;
    }
    let wanted = settings.precision * 100.0;
    let reached = half_width(run)
        .map_or_else(|| "is not known".to_owned(), |half| format!("is {:.1} %", half * 100.0));
    let after = match by {
        StoppedBy::Events => format!("{} events", run.events),
        StoppedBy::Precision | StoppedBy::Time => format!("{:.1} s", window_s(run)),
    };
    let is_narrow = half_width(run).is_some_and(|half| half <= settings.precision);
    let text = match is_narrow {
        true => format!(
            "the simulation ended after {after}, with a window of {:.3} s, which is shorter than \
             wanted; half the width of its 95 % interval {reached} so far",
            window_s(run)
        ),
        false => format!(
            "half the width of the 95 % interval was to be {wanted} % of the throughput at most \
             and {reached} after {after} of simulation"
        ),
    };
    Some(Warning { kind: "not-precise".to_owned(), text })
}

/// Length of the windows of all epochs.
fn window_s(run: &Run<'_>) -> f64 {
    let each = run.epochs.iter().map(|epoch| epoch.edges.stop - epoch.edges.window);
    each.map(crate::core::Ps::as_secs_f64).sum()
}

/// What ended the epochs, the worst of them.
fn stopped_by(run: &Run<'_>) -> Option<StoppedBy> {
    run.epochs.iter().map(|epoch| epoch.stopped_by).max()
}

/// The widest of all epochs; none where that of one is not known.
fn half_width(run: &Run<'_>) -> Option<f64> {
    let each: Option<Vec<f64>> = run.epochs.iter().map(|epoch| epoch.half_width).collect();
    each?.into_iter().reduce(f64::max)
}
