//! Memory that rings and registered buffers lock, within RLIMIT_MEMLOCK.
//!
//! The kernel charges a user without CAP_IPC_LOCK for both (io_uring_setup(2),
//! io_uring_register(2)). Workers start at the same time, so buffers that one registers may leave
//! no room for the ring of another: what fits is decided once, for all of a case. Rings count
//! twice, because the kernel takes those of the pass before apart some time after it ended.
//! Sizes: 64 B a submission entry, 4 B in its array, 16 B a completion entry, of which there are
//! twice as many (include/uapi/linux/io_uring.h); each of the two areas a power of two of pages.

use std::io;

use iopath_study::Case;
use iopath_study::case::Stream;
use rustix::process::{Resource, getrlimit};
use rustix::thread::{CapabilitySet, capabilities};

use crate::buffers::PAGE;

const SUBMISSION_BYTES: u64 = 64;
const ENTRY_BYTES: u64 = 4 + 2 * 16;
/// Heads, tails and flags of both queues.
const HEADER_BYTES: u64 = 320;

/// What a case may lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Locked {
    /// Rings and all buffers.
    All,
    /// Rings only.
    Rings,
    /// Not even those.
    Nothing,
}

impl Locked {
    /// What this process may lock of what the case needs.
    pub(crate) fn of(case: &Case) -> Self {
        limit().map_or(Self::All, |limit| Self::within(limit, &case.streams))
    }

    fn within(limit: u64, streams: &[Stream]) -> Self {
        let rings: u64 = streams.iter().map(ring_bytes).fold(0, u64::saturating_add);
        let rings = rings.saturating_mul(2);
        let buffers = streams.iter().map(buffer_bytes).fold(rings, u64::saturating_add);
        match (buffers <= limit, rings <= limit) {
            (true, _) => Self::All,
            (false, true) => Self::Rings,
            (false, false) => Self::Nothing,
        }
    }

    /// Why there is no ring.
    pub(crate) fn refusal(self) -> Option<io::Error> {
        (self == Self::Nothing).then(|| io::Error::from_raw_os_error(libc::ENOMEM))
    }
}

/// No limit for who has CAP_IPC_LOCK.
fn limit() -> Option<u64> {
    let may = capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::IPC_LOCK));
    getrlimit(Resource::Memlock).current.filter(|_| !may)
}

fn ring_bytes(stream: &Stream) -> u64 {
    let entries =
        u64::from(stream.most_in_flight().checked_next_power_of_two().unwrap_or(u32::MAX));
    let area = |bytes: u64| bytes.next_multiple_of(PAGE as u64).next_power_of_two();
    area(entries * SUBMISSION_BYTES) + area(HEADER_BYTES + entries * ENTRY_BYTES)
}

fn buffer_bytes(stream: &Stream) -> u64 {
    let request = stream.largest_request().unwrap_or(u64::MAX);
    request.saturating_mul(u64::from(stream.depth))
}

#[cfg(test)]
mod tests {
    use iopath_study::case::{Advice, Modelled, Pacing, Pattern, Region, Sharing};
    use iopath_units::{Action, Bytes, Ratio};

    use super::*;

    fn stream(depth: u32, block: u64) -> Stream {
        Stream {
            name: String::new(),
            group: String::new(),
            ordinal: 0,
            place: iopath_study::source::Place::default(),
            target: 0,
            action: Action::Transfer,
            reads: Ratio::ONE,
            pattern: Pattern::Random,
            region: Region { sharing: Sharing::Own, index: 0, count: 1 },
            block: Bytes(block),
            depth,
            pacing: Pacing::Closed,
            advice: Advice::Normal,
            sync: iopath_study::case::SyncMode::None,
            after: None,
            modelled: Modelled::default(),
        }
    }

    #[test]
    fn rings_come_before_buffers_and_count_twice() {
        // 32 entries: a page of submissions, a page of queues.
        let streams = vec![stream(32, 4096); 4];
        let rings = 2 * 4 * 8192;
        let buffers = 4 * 32 * 4096;
        for (limit, expected) in [
            (rings + buffers, Locked::All),
            (rings + buffers - 1, Locked::Rings),
            (rings, Locked::Rings),
            (rings - 1, Locked::Nothing),
            (0, Locked::Nothing),
        ] {
            assert_eq!(Locked::within(limit, &streams), expected, "{limit}");
        }
    }
}
