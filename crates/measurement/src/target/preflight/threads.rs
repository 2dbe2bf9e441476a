//! Threads, mappings, open files and rings that the streams of a process need, and what the kernel
//! permits.

use iopath_machine::Root;
use iopath_machine::process_limits::{self, Limit};
use iopath_study::Case;

use crate::engine::choice::Way;
use crate::engine::ring::MOST_ENTRIES;

/// Mappings of a worker: stack, signal stack, a guard page for each, buffers. Measured in
/// /proc/PID/maps.
const WORKER_MAPPINGS: u64 = 5;
/// Those of a ring: its two queues share one, entries have their own.
const RING_MAPPINGS: u64 = 2;
/// Mappings of the program without workers, with room to spare (chosen; some 80 are there).
const OWN_MAPPINGS: u64 = 500;

/// What a case needs and this process may not have.
pub(super) fn obstacles(root: &Root, case: &Case) -> impl Iterator<Item = String> {
    deep(case).chain(crowded(root, case))
}

/// Threads of a pass: engines that block need one for each request in flight.
pub(super) fn workers(case: &Case) -> u64 {
    let way = Way::from(case.workload.engine);
    let workers = case.streams.iter().map(|stream| way.of(stream.action).workers(stream.depth));
    workers.map(u64::from).fold(0, u64::saturating_add)
}

/// What the kernel limits by number, for each limit that the streams exceed.
fn crowded(root: &Root, case: &Case) -> Vec<String> {
    let (workers, rings) = (workers(case), uses_rings(case));
    let each = WORKER_MAPPINGS + if rings { RING_MAPPINGS } else { 1 };
    let mappings = workers.saturating_mul(each).saturating_add(OWN_MAPPINGS);
    let limits = process_limits::read(root);
    let files = if rings { workers } else { 0 };
    let needs = [
        ("memory mappings", mappings, &limits.mappings),
        ("threads", workers, &limits.threads),
        ("open files", files, &limits.open_files),
    ];
    let exceeded = needs.into_iter().flat_map(|(what, needed, limits)| {
        let exceeded = limits.iter().filter(move |limit| needed > limit.number);
        exceeded.map(move |Limit { number, by }| {
            format!(
                "{workers} threads (one a stream, or one a request in flight with engines that \
                 block) need {needed} {what}, but {by} permits {number}; use fewer streams or less \
                 depth, or raise the limit"
            )
        })
    });
    exceeded.collect()
}

fn uses_rings(case: &Case) -> bool {
    Way::from(case.workload.engine) == Way::Uring
}

fn deep(case: &Case) -> impl Iterator<Item = String> {
    let rings = uses_rings(case);
    let deep = case.streams.iter().filter(move |stream| rings && stream.depth > MOST_ENTRIES);
    deep.map(|stream| {
        let (name, depth) = (&stream.group, stream.depth);
        format!("stream {name}: a ring holds {MOST_ENTRIES} requests at most, not depth={depth}")
    })
}
