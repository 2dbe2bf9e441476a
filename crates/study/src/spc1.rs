//! The load like that of SPC-1 as a table: eight sub-streams in three address spaces. It is not
//! SPC-1 and must never be called so.
//!
//! Every figure is that of the open generator of NetApp (`spc1.c` V1.4 of 2009 at
//! github.com/lpabon/spc1); the mix that follows agrees with the published one (Gill, Modha: WOW,
//! FAST 2005). The table stands here because the language names the load, models
//! predict it and generators issue it: all of them know this crate, and none of them another.
//!
//! Sizes and places are counted in the stream's `block`, which is 4 KiB in the table's source.
//! Left out: how a walk goes on, which is the generator's.

use std::collections::BTreeMap;

use iopath_units::{OperationRate, Ratio};

use crate::case::{Case, Pattern};

/// One of the eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubStream {
    /// Address space and number, as in `ASU1-2`.
    pub name: &'static str,
    /// Which address space, from 0.
    pub space: usize,
    /// Share of all requests: its intensity.
    pub share: Ratio,
    /// Share of its requests that are reads.
    pub reads: Ratio,
    /// Where its requests go. It also tells their sizes: see [`Way::is_mixed`].
    pub way: Way,
}

/// Where in its address space a sub-stream goes; numbers are per cent of the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Every block of the space is equally likely.
    Uniform,
    /// A random walk with hierarchical reuse in a twentieth of the space.
    Walk {
        /// Where that begins.
        from: u64,
    },
    /// Ascending runs.
    Sequence {
        /// The first block at which a run may begin.
        from: u64,
        /// How far from there it may begin.
        within: u64,
        /// Length of a run.
        length: u64,
    },
}

impl Way {
    /// Whether its requests have the sizes of [`MIX`]; else each is one block.
    #[must_use]
    pub const fn is_mixed(self) -> bool {
        matches!(self, Self::Sequence { .. })
    }
}

/// The address spaces, in per cent of the region.
pub const SPACES: [u64; 3] = [45, 45, 10];

/// Size of a walk's part of its address space, in per cent.
pub const WALK_PERCENT: u64 = 5;

/// Sizes of the sequential requests in blocks, and how many of 25 have each.
pub const MIX: [(u32, u64); 5] = [(1, 10), (2, 6), (4, 5), (8, 2), (16, 2)];

/// Over how many requests [`MIX`] is counted.
pub const MIXED: u64 = 25;

/// Blocks of the largest request.
pub const LARGEST: u32 = 16;

/// Requests of one business scaling unit: each has eight sub-streams of its own.
pub const UNIT: OperationRate = OperationRate(50_000);

/// Share of all requests that are reads: what the table adds up to.
pub const READS: Ratio = Ratio(394_400);

/// The least region in blocks: a walk begins to climb at 2^6 leaves of 8 blocks, and each of the
/// larger spaces has 20 times that.
pub const LEAST_BLOCKS: u64 = (20 * 64 * 8 * 100_u64).div_ceil(SPACES[0]);

const fn walk(from: u64) -> Way {
    Way::Walk { from }
}

const SEQUENTIAL_READ: Way = Way::Sequence { from: 20, within: 40, length: 10 };
const SEQUENTIAL_WRITE: Way = Way::Sequence { from: 0, within: 70, length: 30 };

const fn one(
    (name, space): (&'static str, usize),
    share_ppm: u64,
    reads_percent: u64,
    way: Way,
) -> SubStream {
    let (share, reads) = (Ratio(share_ppm), Ratio(reads_percent * 10_000));
    SubStream { name, space, share, reads, way }
}

/// The eight sub-streams.
pub const STREAMS: [SubStream; 8] = [
    one(("ASU1-1", 0), 35_000, 50, Way::Uniform),
    one(("ASU1-2", 0), 281_000, 50, walk(15)),
    one(("ASU1-3", 0), 70_000, 100, SEQUENTIAL_READ),
    one(("ASU1-4", 0), 210_000, 50, walk(70)),
    one(("ASU2-1", 1), 18_000, 30, Way::Uniform),
    one(("ASU2-2", 1), 70_000, 30, walk(47)),
    one(("ASU2-3", 1), 35_000, 100, SEQUENTIAL_READ),
    one(("ASU3-1", 2), 281_000, 0, SEQUENTIAL_WRITE),
];

/// Blocks of a request on average: 2.0026.
#[must_use]
pub fn mean_blocks() -> f64 {
    let mixed: u64 = MIX.iter().map(|(blocks, count)| u64::from(*blocks) * count).sum();
    let mixed = mixed as f64 / MIXED as f64;
    let size = |one: &SubStream| if one.way.is_mixed() { mixed } else { 1.0 };
    STREAMS.iter().map(|one| one.share.as_f64() * size(one)).sum()
}

/// The declarations of such loads in a case, with the positions of their streams.
#[must_use]
pub fn loads(case: &Case) -> BTreeMap<&str, Vec<usize>> {
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, stream) in case.streams.iter().enumerate() {
        if stream.pattern == Pattern::Spc1Like {
            found.entry(&stream.group).or_default().push(position);
        }
    }
    found
}

/// The intensities as facts of a record, by name of the fact: `ASU1-1 35000 ASU1-2 281000 …`, in
/// millionths of the requests of a load.
#[must_use]
pub fn intensities(case: &Case) -> BTreeMap<String, String> {
    let shares: Vec<String> =
        STREAMS.iter().map(|sub| format!("{} {}", sub.name, sub.share.0)).collect();
    let fact = |group: &str| (format!("intensity.{group}.shares_ppm"), shares.join(" "));
    loads(case).into_keys().map(fact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 29 % random reads, 32 % random writes, 11 % sequential reads, 28 % sequential writes.
    #[test]
    fn the_table_adds_up_to_the_published_mix() {
        let of = |mixed: bool, read: bool| {
            let kept = STREAMS.iter().filter(|one| one.way.is_mixed() == mixed);
            let op = |one: &SubStream| if read { one.reads.0 } else { Ratio::ONE.0 - one.reads.0 };
            kept.map(|one| one.share.0 * op(one) / 1_000_000).sum::<u64>()
        };
        assert_eq!([of(false, true), of(false, false)], [289_400, 324_600]);
        assert_eq!([of(true, true), of(true, false)], [105_000, 281_000]);
        assert_eq!(of(false, true) + of(true, true), READS.0);
        assert_eq!(STREAMS.iter().map(|one| one.share.0).sum::<u64>(), Ratio::ONE.0);
        assert_eq!(MIX.iter().map(|(_, count)| count).sum::<u64>(), MIXED);
        assert!((mean_blocks() * 4.0 - 8.01).abs() < 0.005, "{}", mean_blocks());
    }
}
