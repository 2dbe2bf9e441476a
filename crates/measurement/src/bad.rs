//! What verification found on one target, while it is found: each unit once, all counted, the
//! first of the bad ones kept in words. To note a bad one may lock and allocate; most are intact,
//! which takes a look at one bit.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use iopath_record::{BadBlock, BadBlocks, BadKind};
use iopath_workload::stamp::{Damage, Expected, Stamp};

use crate::gate::lock;

/// What was found on a target; shared by all workers that use it.
#[derive(Debug, Default)]
pub(crate) struct Found {
    inner: Mutex<Inner>,
}

/// The units of a target that were found as they were written, a bit each.
#[derive(Debug)]
pub(crate) struct Intact {
    seen: Box<[AtomicU64]>,
    /// How many were seen since this was asked last.
    fresh: AtomicU64,
}

#[derive(Debug, Default)]
struct Inner {
    /// A bit for each unit up to the last one that was found.
    seen: Vec<u64>,
    /// Not yet taken into a record.
    blocks: BadBlocks,
}

impl Found {
    /// Notes a bad unit unless it is known already.
    #[cold]
    pub(crate) fn add(&self, unit: usize, block: impl FnOnce() -> BadBlock) {
        let mut inner = lock(&self.inner);
        let (word, bit) = (unit / 64, 1 << (unit % 64));
        if inner.seen.len() <= word {
            inner.seen.resize(word + 1, 0);
        }
        if inner.seen[word] & bit == 0 {
            inner.seen[word] |= bit;
            inner.blocks.add(block());
        }
    }

    /// What was found since this was asked last.
    pub(crate) fn take(&self) -> BadBlocks {
        std::mem::take(&mut lock(&self.inner).blocks)
    }
}

impl Intact {
    pub(crate) fn of(units: usize) -> Self {
        let seen = (0..units.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { seen, fresh: AtomicU64::new(0) }
    }

    /// The same of a target that has grown to so many units. No check is under way.
    pub(crate) fn grown(&self, units: usize) -> Self {
        let grown = Self::of(units);
        for (new, old) in grown.seen.iter().zip(&self.seen) {
            new.store(old.load(Relaxed), Relaxed);
        }
        grown.fresh.store(self.fresh.load(Relaxed), Relaxed);
        grown
    }

    /// Notes an intact unit unless it is known already.
    pub(crate) fn add(&self, unit: usize) {
        let (word, bit) = (&self.seen[unit / 64], 1 << (unit % 64));
        if word.load(Relaxed) & bit == 0 && word.fetch_or(bit, Relaxed) & bit == 0 {
            self.fresh.fetch_add(1, Relaxed);
        }
    }

    /// How many were found since this was asked last.
    pub(crate) fn take(&self) -> u64 {
        self.fresh.swap(0, Relaxed)
    }
}

/// What is wrong with a unit of a target, as a record has it.
pub(crate) fn block(target: &str, expected: Expected, damage: &Damage) -> BadBlock {
    let (offset_bytes, wanted_generation) = match expected {
        Expected::Exactly(wanted) => (wanted.offset, Some(wanted.generation)),
        Expected::Anything { offset, .. } => (offset, None),
    };
    let (kind, found) = kind_of(damage);
    BadBlock {
        kind,
        target: target.to_owned(),
        offset_bytes,
        wanted_generation,
        found_generation: found.map(|stamp| stamp.generation),
        found_offset_bytes: found.map(|stamp| stamp.offset),
        what: damage.to_string(),
    }
}

/// The kind of a damage, and the stamp of a unit that is whole.
/// A unit that cannot be read at all.
pub(crate) fn unreadable(
    target: &str,
    offset_bytes: u64,
    wanted_generation: Option<u32>,
    what: String,
) -> BadBlock {
    BadBlock {
        kind: BadKind::Unreadable,
        target: target.to_owned(),
        offset_bytes,
        wanted_generation,
        found_generation: None,
        found_offset_bytes: None,
        what,
    }
}

fn kind_of(damage: &Damage) -> (BadKind, Option<Stamp>) {
    match *damage {
        Damage::Stale { found, .. } => (BadKind::Stale, Some(found)),
        Damage::Misplaced { found, .. } => (BadKind::Misplaced, Some(found)),
        Damage::Foreign { found, .. } => (BadKind::Foreign, Some(found)),
        Damage::Torn { .. } => (BadKind::Torn, None),
        Damage::Corrupt { .. } => (BadKind::Corrupt, None),
        Damage::Unstamped { .. } => (BadKind::Unstamped, None),
        Damage::OtherUnit { .. } => (BadKind::OtherUnit, None),
    }
}
