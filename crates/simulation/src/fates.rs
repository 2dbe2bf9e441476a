//! What becomes of written data in caches that a failure may take with them.
//!
//! A cache that writes back keeps what it answered for until it is on the media. Where the part
//! that it is in fails, that is lost, but for a battery, which keeps it, and a mirror, whose copy
//! the partner writes: these are as if nothing happened (`failures`). A world that is fed notes
//! what goes where, in the order in which it does ([`Fate`]), so that the one that holds its data
//! can lose the same.
//!
//! What was on its way to the media when the cache failed is lost too. Left out: a mirror of which
//! both sides fail, and a battery that runs down.

use std::ops::Range;

use iopath_path::ComponentId;

use crate::core::Ps;
use crate::task::Owner;
use crate::world::World;

/// What happens to a range of a volume behind a cache that may be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// The volume.
    pub volume: ComponentId,
    /// Which cache in front of it: a volume that changes its owner gets another one, and what the
    /// one before has not written yet is still there.
    pub cache: u32,
    pub start: u64,
    pub end: u64,
    pub what: What,
}

/// What happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The request of this ticket wrote it; only the cache has it.
    Stored(u32),
    /// It goes to the media.
    Leaves,
    /// It is on the media as it was when it left.
    Settled,
    /// It is as the media have it.
    Lost,
}

/// What has happened, and what was lost.
#[derive(Debug, Default)]
pub(crate) struct Fates {
    /// Whether anybody asks.
    pub are_kept: bool,
    /// Since it was asked last.
    new: Vec<Fate>,
    pub losses: Vec<Loss>,
}

/// What a volume lost at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss {
    pub at: Ps,
    pub volume: ComponentId,
    pub bytes: u64,
}

impl World<'_> {
    /// Takes what happened since this was asked last, in its order.
    pub(crate) fn take_fates(&mut self, into: &mut Vec<Fate>) {
        into.append(&mut self.fates.new);
    }

    /// A write is in the cache in front of its volume.
    pub(crate) fn fate_stored(&mut self, id: u32, front: u32, range: Range<u64>) {
        let mut owner = self.tasks[id].owner;
        let mut at = id;
        while let Owner::Task(upper) = owner {
            (at, owner) = (upper, self.tasks[upper].owner);
        }
        // What a file system writes behind was answered before.
        if let Owner::Stream(_) = owner {
            let what = What::Stored(self.tasks[at].ticket);
            self.fate(front, range, what);
        }
    }

    /// Something happens to a range of the volume of a front.
    pub(crate) fn fate(&mut self, front: u32, range: Range<u64>, what: What) {
        let volume = self.volume_of(front);
        let (start, end) = (range.start, range.end);
        self.fates.new.push(Fate { volume, cache: front, start, end, what });
    }

    /// Caches that failed now lose what only they had.
    pub(crate) fn lose_caches(&mut self) {
        if !self.fates.are_kept {
            return;
        }
        for (front, ranges) in self.empty_failed_fronts() {
            let bytes = ranges.iter().map(|range| range.end - range.start).sum();
            for range in ranges {
                self.fate(front, range, What::Lost);
            }
            let volume = self.volume_of(front);
            self.fates.losses.push(Loss { at: self.now, volume, bytes });
        }
    }
}
