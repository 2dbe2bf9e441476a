//! Memory, threads, mappings and rings that the streams of a case need, and what the machine has.

use iopath_machine::Root;
use iopath_machine::counters::memory;
use iopath_machine::process_limits::{self, Limit};
use iopath_study::Case;
use iopath_study::case::{BufferKind, Stream};
use iopath_units::{Bytes, Human, System};

use super::super::tree::piece_bytes;
use crate::ahead;
use crate::buffers::PAGE;
use crate::engine::choice::Way;
use crate::engine::readahead::Ahead;
use crate::engine::ring::MOST_ENTRIES;

/// Memory of a worker without its buffers: histograms, the touched part of its stack. Measured: 110
/// KiB of resident memory a stream, with 500 and with 1,500 streams.
const WORKER_BYTES: u64 = 128 << 10;
/// Mappings of a worker: stack, signal stack, a guard page for each, buffers. Measured in
/// /proc/PID/maps.
const WORKER_MAPPINGS: u64 = 5;
/// Those of a ring: its two queues share one, entries have their own.
const RING_MAPPINGS: u64 = 2;
/// Mappings of the program without workers, with room to spare (chosen; some 80 are there).
const OWN_MAPPINGS: u64 = 500;

/// What a case needs and the machine does not have.
pub(super) fn obstacles(root: &Root, case: &Case) -> Vec<String> {
    let mut found: Vec<String> = deep(case).chain(crowded(root, case)).collect();
    let page = PAGE as u64;
    let bytes = |stream: &Stream| {
        if let Some(tree) = case.targets[stream.target].tree {
            let data = if stream.action.has_data() { piece_bytes(tree) } else { 0 };
            return Some(data.saturating_mul(u64::from(stream.depth)));
        }
        let stride = stream.buffer()?.checked_next_multiple_of(page)?;
        let requests = stride.checked_mul(u64::from(stream.depth))?;
        let Some(settings) = ahead::settings(case, stream) else { return Some(requests) };
        let block = u32::try_from(stream.block.0).ok()?;
        let units = Ahead { settings, end: 0 }.most_units((stream.depth, block));
        let unit = settings.unit.0.checked_next_multiple_of(page)?;
        requests.checked_add(unit.checked_mul(u64::from(units))?)
    };
    let mut needed = case.streams.iter().map(bytes);
    let own = workers(case).checked_mul(WORKER_BYTES);
    let needed = own.and_then(|own| needed.try_fold(own, |sum, bytes| sum.checked_add(bytes?)));
    let needed = Bytes(needed.unwrap_or(u64::MAX));
    let Ok(memory) = memory::read(root) else { return found };
    let available = Bytes(memory.available_bytes.unwrap_or(memory.total_bytes));
    if needed > available {
        found.push(format!(
            "all streams with their buffers take {}, but only {} of memory are available; use \
             fewer streams, less depth, smaller blocks or less readahead",
            needed.human(System::Decimal),
            available.human(System::Decimal)
        ));
    } else if case.workload.buffers == BufferKind::HugeRequired {
        let pool = memory.huge_pages.map_or(0, |pool| pool.free_count * pool.page_bytes);
        if needed > Bytes(pool) {
            found.push(format!(
                "buffers=\"huge-required\" takes {} of reserved huge pages, but {} are free; \
                 reserve some with sysctl vm.nr_hugepages=N, or use \"huge\"",
                needed.human(System::Decimal),
                Bytes(pool).human(System::Decimal)
            ));
        }
    }
    found
}

/// Threads of a pass: engines that block need one for each request in flight.
fn workers(case: &Case) -> u64 {
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

fn deep(case: &Case) -> impl Iterator<Item = String> + '_ {
    let rings = uses_rings(case);
    let deep = case.streams.iter().filter(move |stream| rings && stream.depth > MOST_ENTRIES);
    deep.map(|stream| {
        let (name, depth) = (&stream.group, stream.depth);
        format!("stream {name}: a ring holds {MOST_ENTRIES} requests at most, not depth={depth}")
    })
}
