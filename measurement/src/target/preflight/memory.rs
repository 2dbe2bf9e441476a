//! Memory and rings that the streams of a case need, held against what the machine has.

use iopath_machine::Root;
use iopath_machine::counters::memory;
use iopath_study::Case;
use iopath_study::case::{BufferKind, EngineKind};
use iopath_units::{Bytes, Human, System};

use super::Obstacle;
use crate::ahead;
use crate::buffers::PAGE;
use crate::engine::readahead::Ahead;
use crate::engine::ring::MOST_ENTRIES;

/// What a case needs and the machine does not have.
pub(super) fn obstacles(root: &Root, case: &Case) -> Vec<Obstacle> {
    let mut found: Vec<Obstacle> = deep(case).collect();
    let page = PAGE as u64;
    let bytes = |stream: &iopath_study::case::Stream| {
        let stride = stream.largest_request()?.checked_next_multiple_of(page)?;
        let requests = stride.checked_mul(u64::from(stream.depth))?;
        let Some(settings) = ahead::settings(case, stream) else { return Some(requests) };
        let block = u32::try_from(stream.block.0).ok()?;
        let units = Ahead { settings, end: 0 }.most_units((stream.depth, block));
        let unit = settings.unit.0.checked_next_multiple_of(page)?;
        requests.checked_add(unit.checked_mul(u64::from(units))?)
    };
    let mut needed = case.streams.iter().map(bytes);
    let needed = needed.try_fold(0u64, |sum, bytes| sum.checked_add(bytes?));
    let needed = Bytes(needed.unwrap_or(u64::MAX));
    let Ok(memory) = memory::read(root) else { return found };
    let available = Bytes(memory.available_bytes.unwrap_or(memory.total_bytes));
    if needed > available {
        found.push(short(&format!(
            "the buffers of all streams take {}, but only {} of memory are available; use fewer \
             streams, less depth, smaller blocks or less readahead",
            needed.human(System::Decimal),
            available.human(System::Decimal)
        )));
    } else if case.workload.buffers == BufferKind::HugeRequired {
        let pool = memory.huge_pages.map_or(0, |pool| pool.free_count * pool.page_bytes);
        if needed > Bytes(pool) {
            found.push(short(&format!(
                "buffers=\"huge-required\" takes {} of reserved huge pages, but {} are free; \
                 reserve some with sysctl vm.nr_hugepages=N, or use \"huge\"",
                needed.human(System::Decimal),
                Bytes(pool).human(System::Decimal)
            )));
        }
    }
    found
}

fn deep(case: &Case) -> impl Iterator<Item = Obstacle> + '_ {
    let rings = matches!(case.workload.engine, EngineKind::Auto | EngineKind::Uring);
    let deep = case.streams.iter().filter(move |stream| rings && stream.depth > MOST_ENTRIES);
    deep.map(|stream| {
        let (name, depth) = (&stream.group, stream.depth);
        short(&format!(
            "stream {name}: a ring holds {MOST_ENTRIES} requests at most, not depth={depth}"
        ))
    })
}

fn short(what: &str) -> Obstacle {
    Obstacle::Stream { what: what.to_owned() }
}
