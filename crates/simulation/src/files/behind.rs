//! Writing behind: the page cache answers writes, and what is dirty goes to the volume later.
//!
//! * A write is done when it is copied. Its bytes are **dirty** then until they are below; with a
//!   `commit`, until their group is committed. Where more would be dirty than may be
//!   ([`Limits::most`]) writers wait, in order.
//! * What lies one behind the other, in either order, is put together: up to a record, to a block
//!   where threads write ([`super::prefetch`]), else to [`MERGED`], or to what is flushed at once.
//!   What jumps goes out as it was written.
//! * Without a `commit` a piece goes out as soon as it is whole, writers wait, or [`GATHERED`]
//!   others have begun, and one of each stream; at most [`AT_ONCE`] of a file system are under way,
//!   and what a flush asks for ([`super::sync`]).
//! * With one see [`super::commit`].
//!
//! Assumed: a fifth of the machine's memory may be dirty (`vm.dirty_ratio` of Linux), or all of the
//! `pool`. Without a `commit` it makes no difference in the long run how much that is, so no more
//! than [`ROOM`] is simulated: minutes of filling would tell nothing. Left out: what is written
//! because it is old, data that is overwritten before it was written.

use std::collections::VecDeque;

use iopath_path::{ComponentId, MERGED};
use iopath_study::{PartId, System};
use iopath_units::{Bytes, Op};

use super::commit::Commit;
use super::prefetch;
use super::sync::InFlight;
use super::{OfStream, Piece};
use crate::core::Ps;
use crate::plan::PlanId;
use crate::task::{Doing, Owner, Task, Written};
use crate::world::{Made, World};

/// Pieces of a file system under way: assumed; 35 was what ZFS gave each of its devices.
pub(super) const AT_ONCE: u32 = 128;

/// Pieces that may still grow at least: chosen, as many as may be under way.
const GATHERED: usize = AT_ONCE as usize;

/// Dirty bytes that are simulated where only their being bounded matters: chosen.
const ROOM: Bytes = Bytes(256 << 20);

/// Share of a machine's memory that may be dirty.
const DIRTY: f64 = 0.2;

/// Memory of a machine that states none: assumed.
const MEMORY: Bytes = Bytes(16 << 30);

/// A piece of a file that is to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// The plan of a request of its file.
    pub via: PlanId,
    pub file: ComponentId,
    /// In the file.
    pub offset: u64,
    pub bytes: u64,
    /// Whether the file grows by it.
    pub grows: bool,
    /// Up to how much it is put together with others; none where it goes out as it came.
    pub run: u64,
}

impl Extent {
    /// Whether one begins where the other one ends.
    fn touches(&self, other: &Self) -> bool {
        self.offset + self.bytes == other.offset || other.offset + other.bytes == self.offset
    }
}

/// What a file system writes behind.
#[derive(Debug)]
pub(crate) struct Behind {
    pub(super) file_system: PartId,
    pub(super) limits: Limits,
    pub(super) commit: Option<Commit>,
    /// What was written by streams and is not under way.
    pub(super) rest: Queue,
    /// The same of files that are flushed, which is soon asked for.
    flushed: Queue,
    /// Bytes that count against the limit.
    pub(super) held: u64,
    /// Pieces under way.
    pub(super) under_way: u32,
    /// Writes that wait for room.
    pub(super) waiting: VecDeque<u32>,
    /// Whether writers have had to wait, or a group was committed: it is not filling up any more.
    pub(super) has_filled: bool,
    /// Streams of the file system.
    pub(super) writers: usize,
    /// What is on its way, as far as flushes wait for it.
    pub(super) in_flight: InFlight,
    /// What was held when somebody last saw that it had grown, and when.
    seen: u64,
    grew: Ps,
}

/// Pieces in the order in which they go.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Those that may grow, or belong to a group.
    pub(super) dirty: VecDeque<Extent>,
    /// Those of which nothing is put together.
    alone: VecDeque<Extent>,
}

impl Queue {
    /// Takes out some.
    fn take(&mut self, is_wanted: impl Fn(&Extent) -> bool) -> Vec<Extent> {
        let mut taken = Vec::new();
        for pieces in [&mut self.alone, &mut self.dirty] {
            pieces.retain(|extent| {
                let is_wanted = is_wanted(extent);
                taken.extend(is_wanted.then_some(*extent));
                !is_wanted
            });
        }
        taken
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes that may be dirty.
    pub(super) most: u64,
    /// Bytes of a piece.
    piece: u64,
    /// Bytes that are written as a whole.
    record: Option<u64>,
    /// Whether a piece is a record, or a block of threads.
    has_units: bool,
}

impl Behind {
    pub(super) fn of(system: &System, file_system: PartId) -> Self {
        let commit = Commit::of(system, file_system);
        let may = dirty(system, file_system);
        let most = if commit.is_some() { may } else { may.min(system.scale.size(ROOM).0) };
        let record = system.size(file_system, "record").map(|size| size.0.max(1));
        let block = prefetch::settings(system, file_system).map(|one| one.unit.0);
        let unit = record.or(block);
        let piece = unit.unwrap_or(system.scale.size(MERGED).0);
        Self {
            file_system,
            limits: Limits { most, piece, record, has_units: unit.is_some() },
            commit,
            rest: Queue::default(),
            flushed: Queue::default(),
            held: 0,
            under_way: 0,
            waiting: VecDeque::new(),
            has_filled: false,
            writers: 0,
            in_flight: InFlight::default(),
            seen: 0,
            grew: Ps::ZERO,
        }
    }

    /// Whether pieces are records, or blocks of threads.
    pub(super) fn has_units(&self) -> bool {
        self.limits.has_units
    }

    /// Pieces that may still grow: one of each stream at least.
    fn gathered(&self) -> usize {
        self.writers.max(GATHERED)
    }

    /// Whether so many bytes more may be dirty; one write always may.
    pub(super) fn has_room(&self, bytes: u64) -> bool {
        self.held == 0 || self.held + bytes <= self.limits.most
    }

    /// Whether it fills up, since streams began: it grew by a twentieth in the last quarter of the
    /// time. Writers that have had to wait have filled it.
    pub(super) fn fills(&mut self, (begin, now): (Ps, Ps)) -> bool {
        if self.held > self.seen + self.seen / 20 {
            (self.seen, self.grew) = (self.held, now);
        }
        !self.has_filled && self.held > 0 && (now - self.grew).0 < (now - begin).0 / 4
    }

    /// Takes out what of a file is not under way.
    pub(super) fn take(
        &mut self,
        file: ComponentId,
        is_wanted: impl Fn(&Extent) -> bool,
    ) -> Vec<Extent> {
        self.queue(file).take(is_wanted)
    }

    fn queue(&mut self, file: ComponentId) -> &mut Queue {
        match self.commit.is_none() && self.in_flight.follows(file) {
            true => &mut self.flushed,
            false => &mut self.rest,
        }
    }

    /// Notes what was written, put together with what lies in front of it or behind it.
    fn note(&mut self, extent: Extent) {
        let is_alone = extent.run == 0 && self.commit.is_none();
        let (piece, gathered) = (self.limits.piece.min(extent.run), self.gathered());
        let queue = self.queue(extent.file);
        if is_alone {
            return queue.alone.push_back(extent);
        }
        let is_next = |known: &&mut Extent| {
            let is_like = (known.via, known.grows) == (extent.via, extent.grows);
            is_like && extent.run > 0 && known.run == extent.run && known.touches(&extent) && {
                let offset = known.offset.min(extent.offset);
                offset % piece + known.bytes + extent.bytes <= piece
            }
        };
        match queue.dirty.iter_mut().rev().take(gathered).find(is_next) {
            Some(known) => {
                known.offset = known.offset.min(extent.offset);
                known.bytes += extent.bytes;
            }
            None => queue.dirty.push_back(extent),
        }
    }

    /// A piece as it is written: of what was there, all of its records. They are dirty from now on;
    /// a group counts what was written into it.
    fn whole(&mut self, extent: Extent) -> Extent {
        let Some(record) = self.limits.record.filter(|_| !extent.grows) else { return extent };
        let Piece { offset, bytes } =
            Piece { offset: extent.offset, bytes: extent.bytes }.whole(record);
        if self.commit.is_none() {
            self.held += bytes - extent.bytes;
        }
        Extent { offset, bytes, ..extent }
    }

    /// The next piece to write, unless more may be put to it.
    fn next(&mut self) -> Option<Extent> {
        if self.under_way >= AT_ONCE {
            return None;
        }
        let (gathered, waits) = (self.gathered(), !self.waiting.is_empty());
        let queues = [&mut self.flushed, &mut self.rest];
        if let Some(alone) = queues.into_iter().find_map(|queue| queue.alone.pop_front()) {
            return Some(alone);
        }
        let whole = self.limits.piece;
        [&mut self.flushed, &mut self.rest].into_iter().find_map(|queue| {
            let first = queue.dirty.front()?;
            let is_whole = queue.dirty.len() > gathered || first.bytes >= whole.min(first.run);
            if is_whole || waits { queue.dirty.pop_front() } else { None }
        })
    }
}

/// Bytes of a file system that may be dirty.
fn dirty(system: &System, file_system: PartId) -> u64 {
    let stated = |kind: &str, property: &str| {
        let part = system.children(file_system).find(|part| system.kind(*part) == kind)?;
        system.size(part, property).map(|size| size.0)
    };
    let hosts = system.ids().filter(|id| system.kind(*id) == "host");
    let memory = hosts.filter_map(|host| system.size(host, "memory")).map(|size| size.0).max();
    let share = (memory.unwrap_or(system.scale.size(MEMORY).0) as f64 * DIRTY) as u64;
    stated("commit", "dirty").or_else(|| stated("pool", "size")).unwrap_or(share)
}

impl World<'_> {
    pub(super) fn behind(&mut self, at: u32) -> &mut Behind {
        &mut self.files.behind[at as usize]
    }

    /// A write of a stream has all that it needs: it is dirty once there is room.
    pub(super) fn write_behind(&mut self, id: u32, at: u32) {
        let bytes = self.plans.plan(self.tasks[id].plan).bytes;
        let behind = self.behind(at);
        if behind.waiting.is_empty() && behind.has_room(bytes) {
            return self.fill(id, at);
        }
        behind.waiting.push_back(id);
        let now = self.now;
        self.behind(at).press(now);
        self.write_on(at);
    }

    /// Copies a write to where there is room for it.
    fn fill(&mut self, id: u32, at: u32) {
        let bytes = self.plans.plan(self.tasks[id].plan).bytes;
        self.behind(at).held += bytes;
        self.pay(id, Doing::Copied);
    }

    /// A write is copied, so it is dirty, and done.
    pub(crate) fn copied(&mut self, id: u32) {
        let Task { plan: via, offset, .. } = self.tasks[id];
        let plan = self.plans.plan(via);
        let (bytes, file) = (plan.bytes, plan.to);
        if let Some(&OfStream { behind: Some(at), grows, run, .. }) = self.file_of(id) {
            let now = self.now;
            let behind = self.behind(at);
            behind.note(Extent { via, file, offset, bytes, grows, run });
            if !behind.waiting.is_empty() {
                behind.press(now);
            }
            self.write_on(at);
        }
        self.ended(id);
    }

    /// Writes what may be written.
    fn write_on(&mut self, at: u32) {
        if self.behind(at).commit.is_some() {
            return self.close_group(at);
        }
        while let Some(extent) = self.behind(at).next() {
            self.write_extent(at, extent, None);
        }
    }

    /// Writes a piece, for a flush or not.
    pub(super) fn write_extent(&mut self, at: u32, extent: Extent, flush: Option<u32>) {
        let extent = self.behind(at).whole(extent);
        let Extent { via, offset, bytes, .. } = extent;
        let Some(plan) = self.plans.behind(via, (Op::Write, bytes)) else {
            return flush.into_iter().for_each(|flush| self.sync_part_done(flush));
        };
        let behind = self.behind(at);
        behind.under_way += 1;
        let number = behind.in_flight.add(extent, flush);
        let owner = Owner::Behind(Written { at, number });
        self.make(Made { plan, offset, hit: false, owner });
    }

    /// A piece is written.
    pub(crate) fn extent_done(&mut self, piece: Written, bytes: u64) {
        self.written_back(piece);
        let at = piece.at;
        let behind = self.behind(at);
        behind.under_way -= 1;
        if behind.commit.is_some() {
            return self.group_goes_on(at);
        }
        behind.held -= bytes;
        self.let_in(at);
        self.write_on(at);
    }

    /// Lets writers in that waited, as far as there is room.
    pub(super) fn let_in(&mut self, at: u32) {
        while let Some(&id) = self.behind(at).waiting.front() {
            let bytes = self.plans.plan(self.tasks[id].plan).bytes;
            if !self.behind(at).has_room(bytes) {
                return;
            }
            self.behind(at).waiting.pop_front();
            self.fill(id, at);
        }
    }
}
