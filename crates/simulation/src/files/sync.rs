//! Flushes of files: what the page cache has answered is written first.
//!
//! A flush begins with all that is dirty of its file, or of the range of a write that is durable by
//! itself, and goes on to the devices when that is below, and what was on its way before
//! (`fsync(2)`, `open(2)` on `O_DSYNC`). It is written at once, however much of the file system
//! is under way.
//!
//! Left out: file systems that commit in groups, which keep a log for flushes; metadata.

use std::collections::BTreeMap;
use std::ops::Range;

use iopath_path::ComponentId;

use super::behind::Extent;
use crate::task::{Owner, Task, Written};
use crate::world::World;

/// Pieces of a file system under way, where somebody flushes it.
#[derive(Debug, Default)]
pub(super) struct Away {
    is_followed: bool,
    next: u32,
    pieces: BTreeMap<u32, Piece>,
}

#[derive(Debug)]
struct Piece {
    extent: Extent,
    /// The flushes that wait for it.
    waited: Vec<u32>,
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

impl Away {
    /// From now on where a stream of it is durable.
    pub(super) fn follow(&mut self, is_durable: bool) {
        self.is_followed |= is_durable;
    }

    /// A piece is under way; its number.
    pub(super) fn add(&mut self, extent: Extent) -> u32 {
        let number = self.next;
        self.next = number.wrapping_add(1);
        if self.is_followed {
            self.pieces.insert(number, Piece { extent, waited: Vec::new() });
        }
        number
    }
}

impl World<'_> {
    /// A flush of a stream writes back what it is for; whether there is any.
    pub(crate) fn writes_back(&mut self, flush: u32) -> bool {
        let task = &self.tasks[flush];
        let (stream, range) = match task.owner {
            Owner::Flush(stream) | Owner::Asked(stream) => (stream, 0..u64::MAX),
            Owner::Synced(stream) => (stream, self.range_of(task)),
            _ => return false,
        };
        let Some(at) = self.files.streams[stream as usize].behind else { return false };
        if self.behind(at).commit.is_some() {
            return false;
        }
        let covered = Covered { file: self.streams.all[stream as usize].to, range };
        for extent in self.behind(at).take(|extent| covered.has(extent)) {
            self.write_extent(at, extent);
        }
        let away = self.behind(at).away.pieces.values_mut();
        let waited = away.filter(|piece| covered.has(&piece.extent));
        let pending = waited.map(|piece| piece.waited.push(flush)).count() as u32;
        self.tasks[flush].pending = pending;
        pending > 0
    }

    fn range_of(&self, task: &Task) -> Range<u64> {
        task.offset..task.offset + self.plans.plan(task.plan).bytes
    }

    /// A piece is below: flushes that waited for nothing else go on.
    pub(super) fn written_back(&mut self, piece: Written) {
        let Some(Piece { waited, .. }) = self.behind(piece.at).away.pieces.remove(&piece.number)
        else {
            return;
        };
        for flush in waited {
            let task = &mut self.tasks[flush];
            task.pending -= 1;
            if task.pending == 0 {
                self.flush_below(flush);
            }
        }
    }

    /// A piece will never be below, so what it was to be flushed for is lost.
    pub(crate) fn lose_flushes(&mut self, piece: Written) {
        let piece = self.files.behind[piece.at as usize].away.pieces.get(&piece.number);
        for flush in piece.iter().flat_map(|piece| &piece.waited) {
            self.tasks[*flush].is_lost = true;
        }
    }

    /// Flushes what the target of a stream lies on.
    fn flush_below(&mut self, flush: u32) {
        let (Owner::Flush(stream) | Owner::Asked(stream) | Owner::Synced(stream)) =
            self.tasks[flush].owner
        else {
            return;
        };
        let one = &self.streams.all[stream as usize];
        let (from, to) = (one.place, one.to);
        self.flush_ends(flush, from, to);
    }
}
