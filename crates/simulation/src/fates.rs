//! What becomes of written data in caches that a failure may take with them.
//!
//! A cache that writes back keeps what it answered for until it is on the media. Where the part
//! that it is in fails, that is lost, but for a battery, which keeps it, and a mirror, whose copy
//! the partner writes: these are as if nothing happened (`failures`). Who holds the data of a world
//! that is fed is told what goes where, in the order in which it does ([`Fate`]), and can lose the
//! same.
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

/// Who is told, and what was lost.
#[derive(Debug, Default)]
pub(crate) struct Fates {
    /// Whether anybody wants to know.
    pub are_told: bool,
    told: Vec<Fate>,
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
        into.append(&mut self.fates.told);
    }

    /// A write is in the cache in front of its volume.
    pub(crate) fn fate_stored(&mut self, id: u32, range: Range<u64>) {
        let volume = self.plans.plan(self.tasks[id].plan).to;
        let mut owner = self.tasks[id].owner;
        let mut at = id;
        while let Owner::Task(upper) = owner {
            (at, owner) = (upper, self.tasks[upper].owner);
        }
        // What a file system writes behind was answered before.
        if let Owner::Stream(_) = owner {
            let what = What::Stored(self.tasks[at].ticket);
            self.fate(volume, range, what);
        }
    }

    pub(crate) fn fate(&mut self, volume: ComponentId, range: Range<u64>, what: What) {
        self.fates.told.push(Fate { volume, start: range.start, end: range.end, what });
    }

    /// Caches that failed now lose what only they had.
    pub(crate) fn lose_caches(&mut self) {
        if !self.fates.are_told {
            return;
        }
        for (volume, ranges) in self.empty_failed_fronts() {
            let bytes = ranges.iter().map(|range| range.end - range.start).sum();
            for range in ranges {
                self.fate(volume, range, What::Lost);
            }
            self.fates.losses.push(Loss { at: self.now, volume, bytes });
        }
    }
}
