//! What verification found on one target, while it is found: each unit once, all counted, the
//! first of them kept in words. Only what goes wrong comes here, so it may lock and allocate.

use std::sync::Mutex;

use iopath_record::{BadBlock, BadBlocks, BadKind};
use iopath_workload::stamp::{Damage, Expected, Stamp};

use crate::gate::lock;

/// What was found on a target; shared by all workers that use it.
#[derive(Debug, Default)]
pub(crate) struct Found {
    inner: Mutex<Inner>,
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
