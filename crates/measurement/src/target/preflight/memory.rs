//! Memory that the streams of a case need, and what the machine has.

use iopath_machine::Root;
use iopath_machine::counters::memory;
use iopath_study::Case;
use iopath_study::case::{BufferKind, Stream};
use iopath_units::{Bytes, Human, System};

use super::super::tree::piece_bytes;
use super::threads::workers;
use crate::ahead;
use crate::buffers::PAGE;
use crate::engine::readahead::Ahead;

/// Memory of a worker without its buffers: histograms, the touched part of its stack. Measured: 110
/// KiB of resident memory a stream, with 500 and with 1,500 streams.
const WORKER_BYTES: u64 = 128 << 10;

/// What is wrong where the streams of some case, all of them on one machine, take more than it has;
/// of the case that takes the most.
pub(super) fn obstacle(root: &Root, cases: &[Case]) -> Option<String> {
    let memory = memory::read(root).ok()?;
    let most = cases.iter().map(needed).max()?;
    let available = Bytes(memory.for_new_work());
    if most > available {
        return Some(format!(
            "all streams with their buffers take {}, but only {} of memory are available; use \
             fewer streams, less depth, smaller blocks or less readahead",
            most.human(System::Decimal),
            available.human(System::Decimal)
        ));
    }
    let pool = Bytes(memory.huge_pages.map_or(0, |pool| pool.free_count * pool.page_bytes));
    let huge = |case: &&Case| case.workload.buffers == BufferKind::HugeRequired;
    let most = cases.iter().filter(huge).map(needed).max().filter(|most| *most > pool)?;
    Some(format!(
        "buffers=\"huge-required\" takes {} of reserved huge pages, but {} are free; reserve some \
         with sysctl vm.nr_hugepages=N, or use \"huge\"",
        most.human(System::Decimal),
        pool.human(System::Decimal)
    ))
}

/// What all workers of a case take with their buffers; more than there can be where a number
/// overflows.
fn needed(case: &Case) -> Bytes {
    let own = workers(case).checked_mul(WORKER_BYTES);
    let mut each = case.streams.iter().map(|stream| buffers(case, stream));
    let all = own.and_then(|own| each.try_fold(own, |sum, bytes| sum.checked_add(bytes?)));
    Bytes(all.unwrap_or(u64::MAX))
}

/// Bytes of the buffers of a stream.
fn buffers(case: &Case, stream: &Stream) -> Option<u64> {
    let page = PAGE as u64;
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
}
