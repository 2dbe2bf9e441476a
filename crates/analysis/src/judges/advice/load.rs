//! Changes of the load itself: how much is in flight, which cache it meets, how many issue it.

use std::collections::BTreeSet;

use iopath_record::Fact;
use iopath_study::unindexed;

use super::{Advice, Again, Scene};
use crate::judges::evidence::Cause;
use crate::judges::metrics::StreamUse;
use crate::thresholds::trials::OWN_FLUSH_WRITES;

/// How many times as much in flight is tried next: twice shows whether anything waits.
const NEXT: u64 = 2;

/// Too few requests in flight: twice as many are twice as fast while nothing waits (Little's law).
pub(super) fn more_in_flight(scene: &Scene<'_>) -> Option<Advice> {
    if scene.limit.cause != Cause::Latency {
        return None;
    }
    let slots = scene.metrics.slots()?;
    let depth = scene.metrics.streams.first()?.depth?;
    let is_same = |stream: &StreamUse| stream.depth == Some(depth);
    if !scene.metrics.streams.iter().all(is_same) {
        return None;
    }
    let depth = NEXT * depth;
    let again = again(scene, of_streams(scene, "depth"), depth.to_string())?;
    Some(Advice::MoreInFlight { again, slots, depth, times: NEXT })
}

/// How many writers are tried next where each waits for its own flush: chosen.
const WRITERS: u64 = 8;

/// Each write waits for a flush of its own: writers may share one.
pub(super) fn share_flushes(scene: &Scene<'_>) -> Option<Advice> {
    let own = scene.metrics.flushes.own.as_ref()?;
    let streams = &scene.metrics.streams;
    let is_alone = streams.iter().all(|stream| stream.depth == Some(1));
    let is_own = own.writes.is_some_and(|writes| writes < OWN_FLUSH_WRITES);
    let is_shared = scene.metrics.flushes.is_shared;
    if scene.limit.cause != Cause::Flush || !is_alone || !is_own || !is_shared {
        return None;
    }
    let again = again(scene, of_streams(scene, "depth"), WRITERS.to_string())?;
    Some(Advice::ShareFlushes { again, writers: WRITERS })
}

/// The figure is that of memory.
pub(super) fn past_the_cache(scene: &Scene<'_>) -> Option<Advice> {
    // Where direct I/O was asked for and refused, asking again is of no use.
    let is_buffered = scene.metrics.targets.iter().all(|t| t.cache.as_deref() == Some("buffered"));
    let in_memory = scene.metrics.targets.iter().any(|target| target.in_memory);
    if scene.limit.cause != Cause::PageCache || !is_buffered || in_memory {
        return None;
    }
    let paths = vec!["workload.cache".to_owned()];
    again(scene, paths, "direct".to_owned()).map(Advice::PastTheCache)
}

/// One thread is full while processors are idle.
pub(super) fn more_streams(scene: &Scene<'_>) -> Option<Advice> {
    let is_full = matches!(scene.limit.cause, Cause::Cpu | Cause::Generator);
    let processors = scene.metrics.processors.as_ref()?;
    let streams = scene.metrics.streams.len();
    let idle = (1.0 - processors.busy) * f64::from(processors.count);
    if !is_full || idle < 1.0 || scene.metrics.engine == "null" {
        return None;
    }
    // One declaration, whose count is that of each target.
    let [path] = of_streams(scene, "count").try_into().ok()?;
    let count = (NEXT as usize * streams).checked_div(scene.metrics.targets.len())?;
    let again = again(scene, vec![path], count.to_string())?;
    Some(Advice::MoreStreams { again, streams, times: NEXT, idle })
}

/// The same command with one property changed. None where the command is not known, as of an
/// imported run, and where a factor varies the property: then the run itself shows what it gives.
fn again(scene: &Scene<'_>, paths: Vec<String>, value: String) -> Option<Again> {
    let command = scene.pass.fact(Fact::Command)?.to_owned();
    let varied = scene.pass.fact(Fact::Varied).unwrap_or_default();
    let is_varied = |path: &String| varied.split(' ').any(|other| unindexed(other) == *path);
    let is_writing = scene.metrics.application_bytes[1] > 0.0;
    let is_known = !paths.is_empty() && !paths.iter().any(is_varied);
    is_known.then_some(Again { command, paths, value, is_writing })
}

/// A property of every declaration of streams.
fn of_streams(scene: &Scene<'_>, property: &str) -> Vec<String> {
    let names = scene.metrics.streams.iter();
    let names: BTreeSet<String> = names.map(|stream| unindexed(&stream.name)).collect();
    names.into_iter().map(|name| format!("{name}.{property}")).collect()
}
