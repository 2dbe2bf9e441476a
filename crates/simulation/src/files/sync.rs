//! Flushes of files: what the page cache has answered is written first.
//!
//! A flush begins with all that is dirty of its file, or of the range of a write that is durable by
//! itself, and goes on to the devices when that is below, and what was on its way before
//! (`fsync(2)`, `open(2)` on `O_DSYNC`). It is written at once, however much of the file system
//! is under way.
//!
//! Left out: file systems that commit in groups, which keep a log for flushes; metadata.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use iopath_path::{ComponentId, Place};

use super::behind::Extent;
use crate::task::{Owner, Written};
use crate::world::World;

/// Pieces of a file system on their way to the volume: of files that are flushed by their numbers.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    flushed: BTreeSet<ComponentId>,
    next: u32,
    pieces: BTreeMap<u32, Piece>,
}

#[derive(Debug)]
struct Piece {
    extent: Extent,
    /// The flushes that wait for it.
    waiting: Vec<u32>,
}

/// What a flush is for.
struct Covered {
    file: ComponentId,
    range: Range<u64>,
}

impl Covered {
    fn has(&self, extent: &Extent) -> bool {
        let Range { start, end } = self.range;
        extent.file == self.file && extent.offset < end && start < extent.offset + extent.bytes
    }
}

impl InFlight {
    /// From now on what is written of a file is known.
    pub(super) fn follow(&mut self, file: ComponentId) {
        self.flushed.insert(file);
    }

    pub(super) fn follows(&self, file: ComponentId) -> bool {
        self.flushed.contains(&file)
    }

    /// A piece is on its way, for a flush or not; its number.
    pub(super) fn add(&mut self, extent: Extent, flush: Option<u32>) -> u32 {
        let number = self.next;
        self.next = number.wrapping_add(1);
        if self.follows(extent.file) {
            let waiting = flush.into_iter().collect();
            self.pieces.insert(number, Piece { extent, waiting });
        }
        number
    }
}

impl World<'_> {
    /// A flush begins: what the page cache has of its file, or of its range, is written first.
    pub(crate) fn sync(&mut self, flush: u32, from: Place, to: ComponentId) {
        let task = &self.tasks[flush];
        let range = match task.owner {
            Owner::Synced(_) => task.offset..task.offset + self.plans.plan(task.plan).bytes,
            _ => 0..u64::MAX,
        };
        let at = self.files.behind_of.get(&to).copied();
        let Some(at) = at.filter(|at| self.behind(*at).commit.is_none()) else {
            return self.flush_below(flush, from, to);
        };
        let covered = Covered { file: to, range };
        let behind = self.behind(at);
        let before = behind.in_flight.pieces.values_mut();
        let before = before.filter(|piece| covered.has(&piece.extent));
        let before = before.map(|piece| piece.waiting.push(flush)).count() as u32;
        let dirty = behind.take(to, |extent| covered.has(extent));
        behind.in_flight.follow(to);
        // Nothing of it is done before all of it is on its way.
        self.tasks[flush].pending = 1 + before + dirty.len() as u32;
        self.files.syncs.insert(flush, (from, to));
        for extent in dirty {
            self.write_extent(at, extent, Some(flush));
        }
        self.sync_part_done(flush);
    }

    /// A piece is below.
    pub(super) fn written_back(&mut self, piece: Written) {
        let Some(piece) = self.behind(piece.at).in_flight.pieces.remove(&piece.number) else {
            return;
        };
        for flush in piece.waiting {
            self.sync_part_done(flush);
        }
    }

    /// A flush that waits for no piece any more goes on to the devices.
    pub(super) fn sync_part_done(&mut self, flush: u32) {
        let task = &mut self.tasks[flush];
        task.pending -= 1;
        if task.pending > 0 {
            return;
        }
        if let Some((from, to)) = self.files.syncs.remove(&flush) {
            self.flush_below(flush, from, to);
        }
    }

    /// A piece will never be below, so what it was to be flushed for is lost.
    pub(crate) fn lose_flushes(&mut self, piece: Written) {
        let piece = self.files.behind[piece.at as usize].in_flight.pieces.get(&piece.number);
        for flush in piece.iter().flat_map(|piece| &piece.waiting) {
            self.tasks[*flush].is_lost = true;
        }
    }
}
