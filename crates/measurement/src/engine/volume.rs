//! A volume between a worker and its engine: requests are split, their parts go to files, and the
//! request is home when all of them are.
//!
//! Which parts a request has is told by `iopath_path`; nothing is copied: each part is a piece of
//! the request's own memory. A part whose data is none of the request's (parity, and what is read
//! before it can be written) moves noise in a piece of memory that all such parts share, so a
//! volume with parity carries the right load and no parity.
//!
//! Members are counted: requests, bytes, and the time from handing a part over to its coming home.
//! Left out: any order among parts, and more than one choice of a mirror's side for one request.

pub(crate) mod layout;
pub(crate) mod tally;

mod table;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use iopath_path::{Range, Run};
use iopath_units::{Action, Op};

use super::{Done, Engine, Fault, Io, Wait};
use crate::clock::Clock;
use crate::slots::SlotId;
use layout::{Layout, Leaf, Node};
use table::{Job, JobId, Part, PartId, Table};
use tally::Shard;

/// The most parts that a worker has in the engine below at once (chosen: more than devices take).
const MOST_INSIDE: u64 = 4096;
/// Memory for so many parts is there before the pass, or less where fewer can be.
const MOST_RESERVED: u64 = 1 << 16;
/// A part that was refused for the moment so often is refused for good.
const REFUSALS: u32 = 10_000;

/// What a volume needs besides the engine below.
pub(crate) struct Ground<'p, C> {
    pub layout: &'p Layout,
    pub clock: &'p C,
    /// What the worker's requests do.
    pub action: Action,
    pub shard: Arc<Shard>,
    /// Memory for what is no data of a request: as much as one of the worker's requests.
    pub scratch: *mut u8,
}

/// An engine whose one member is a volume over the members of another.
pub(crate) struct Composed<'p, E, C> {
    inner: E,
    ground: Ground<'p, C>,
    /// How many parts may be in the engine below at once.
    most_inside: usize,
    inside: usize,
    jobs: Table<Job>,
    parts: Table<Part>,
    /// Parts that have not been handed over.
    waiting: VecDeque<PartId>,
    /// By the depth of a volume: the runs of the request that is being split there.
    runs: Vec<Vec<Run>>,
    /// By leaf: the way whose turn is next.
    turns: Vec<u16>,
    home: Vec<Done>,
    now_ns: u64,
    faults: Vec<(SlotId, Fault)>,
}

/// How many parts the engine below must take at once for requests of `bytes`, or for a flush.
pub(crate) fn most_inside(layout: &Layout, depth: u32, bytes: u64) -> u32 {
    let parts = layout.most_parts(bytes).saturating_mul(u64::from(depth));
    let parts = parts.max(layout.flushed.len() as u64);
    parts.clamp(1, MOST_INSIDE) as u32
}

impl<'p, E: Engine, C: Clock> Composed<'p, E, C> {
    pub(crate) fn new(inner: E, ground: Ground<'p, C>, (depth, bytes): (u32, u64)) -> Self {
        let layout = ground.layout;
        let parts = layout.most_parts(bytes).saturating_mul(u64::from(depth));
        let room = usize::try_from(parts.min(MOST_RESERVED)).unwrap_or(0);
        let room = room + layout.flushed.len();
        let runs = || Vec::with_capacity(room.min(layout.most_parts(bytes) as usize));
        Self {
            inner,
            most_inside: most_inside(layout, depth, bytes) as usize,
            inside: 0,
            jobs: Table::with_room(room),
            parts: Table::with_room(room),
            waiting: VecDeque::with_capacity(room),
            runs: (0..layout.depth()).map(|_| runs()).collect(),
            turns: vec![0; layout.turns],
            home: Vec::with_capacity(room.min(MOST_INSIDE as usize)),
            now_ns: 0,
            faults: Vec::new(),
            ground,
        }
    }

    /// Begins the phase of a request that is due, or the next one that has parts; false where none
    /// has.
    fn begin(&mut self, id: JobId, depth: usize) -> bool {
        let Job { node, op, offset, bytes, address, phase: from, .. } = *self.jobs.at(id);
        let layout = self.ground.layout;
        let split = match layout.node(node) {
            Node::Split(split) => split,
            Node::Leaf(leaf) => {
                let first = from == 0;
                if first {
                    self.send(id, *leaf, Piece { op, offset, bytes, address });
                }
                return first;
            }
        };
        let mut runs = std::mem::take(&mut self.runs[depth]);
        let range = Range { op, offset: split.offset + offset, bytes: u64::from(bytes) };
        split.volume.runs_into(range, &mut runs);
        let phase = runs.iter().map(|run| run.part.phase).filter(|phase| *phase >= from).min();
        if let Some(phase) = phase {
            self.jobs.at(id).phase = phase;
            for run in runs.iter().filter(|run| run.part.phase == phase) {
                let at = address.zip(run.at);
                let piece = Piece {
                    op: run.part.op,
                    offset: run.part.offset,
                    bytes: run.part.bytes as u32,
                    // In bounds: the run is a piece of the request, whose memory this is.
                    address: at.map(|(address, at)| address.wrapping_add(at as usize)),
                };
                self.descend(id, split.members[run.part.member as usize], piece, depth);
            }
        }
        self.runs[depth] = runs;
        phase.is_some()
    }

    /// Hands a part to a member: a file, or a volume that splits it again.
    fn descend(&mut self, parent: JobId, node: u32, piece: Piece, depth: usize) {
        if let Node::Leaf(leaf) = self.ground.layout.node(node) {
            return self.send(parent, *leaf, piece);
        }
        let above = self.jobs.at(parent);
        above.left += 1;
        let outer = above.outer;
        let id = self.jobs.add(piece.job(Some(parent), outer, node));
        self.begin(id, depth + 1);
    }

    /// Makes the parts on a leaf: one, and a copy of what is written where there is a second place.
    fn send(&mut self, job: JobId, leaf: Leaf, piece: Piece) {
        let Leaf { offset: start, real } = leaf;
        let turn = &mut self.turns[real.turn as usize];
        let member = real.first + *turn;
        *turn = if *turn + 1 < real.ways { *turn + 1 } else { 0 };
        let offset = start + piece.offset;
        self.wait_for(job, member, Piece { offset, ..piece });
        if let (Some((copy, room)), Op::Write) = (real.copy, piece.op) {
            let bytes = u64::from(piece.bytes).min(room);
            let offset = if offset % room + bytes <= room { offset % room } else { 0 };
            self.wait_for(job, copy, Piece { offset, bytes: bytes as u32, ..piece });
        }
    }

    fn wait_for(&mut self, job: JobId, member: u16, piece: Piece) {
        let Piece { op, offset, bytes, address } = piece;
        let address = address.unwrap_or(self.ground.scratch);
        let io = Io { slot: 0, op, member, offset, bytes, address };
        let id = self.parts.add(Part { job, io, bytes, issued_ns: 0, refusals: 0 });
        self.parts.at(id).io.slot = id;
        self.jobs.at(job).left += 1;
        self.waiting.push_back(id);
    }

    /// Hands over what waits, as far as the engine below takes it.
    fn submit(&mut self) {
        if self.waiting.is_empty() || self.inside >= self.most_inside {
            return;
        }
        self.now_ns = self.ground.clock.now_ns();
        while self.inside < self.most_inside {
            let Some(id) = self.waiting.pop_front() else { break };
            self.parts.at(id).issued_ns = self.now_ns;
            self.hand_over(id);
            self.inside += 1;
        }
    }

    fn hand_over(&mut self, id: PartId) {
        match *self.parts.at(id) {
            Part { io, bytes: 0, .. } => self.inner.flush(io.slot, io.member),
            Part { io, .. } => self.inner.queue(io),
        }
    }

    /// Takes what came home, and appends the requests that are whole.
    fn settle(&mut self, done: &mut Vec<Done>) {
        let mut home = std::mem::take(&mut self.home);
        for Done { slot, result } in home.drain(..) {
            let part = self.parts.at(slot);
            if u32::try_from(result) != Ok(part.io.bytes) {
                if again(part, result) {
                    self.hand_over(slot);
                    continue;
                }
                self.fail(slot, result);
            }
            self.inside -= 1;
            let Part { job, io, bytes, issued_ns, .. } = self.parts.take(slot);
            let spent_ns = self.now_ns.saturating_sub(issued_ns);
            if bytes > 0 && self.jobs.at(job).failed.is_none() {
                self.ground.shard.files[usize::from(io.member)].moved(
                    (self.ground.action, io.op),
                    bytes,
                    spent_ns,
                );
            }
            self.part_home(job, done);
        }
        self.home = home;
    }

    /// Counts a part of a request as home; goes on with its next phase, or ends it.
    fn part_home(&mut self, mut id: JobId, done: &mut Vec<Done>) {
        loop {
            let job = self.jobs.at(id);
            (job.left, job.home) = (job.left - 1, job.home + 1);
            job.home_ns += self.now_ns;
            if job.left > 0 {
                return;
            }
            let waited_ns = u64::from(job.home) * self.now_ns - job.home_ns;
            // A flush moves nothing and is no request.
            if job.bytes > 0 {
                self.ground.shard.join_wait_ns.add(waited_ns);
            }
            (job.home, job.home_ns) = (0, 0);
            job.phase += 1;
            if job.failed.is_none() && self.begin_next(id) {
                return;
            }
            let Job { parent, outer, bytes, failed, .. } = self.jobs.take(id);
            let Some(parent) = parent else {
                let result = failed.map_or(bytes.cast_signed(), |(result, _)| result);
                self.faults.extend(failed.map(|(_, fault)| (outer, fault)));
                done.push(Done { slot: outer, result });
                return;
            };
            let above = &mut self.jobs.at(parent).failed;
            *above = above.or(failed);
            id = parent;
        }
    }

    /// Only what is written over parity has a second phase.
    fn begin_next(&mut self, id: JobId) -> bool {
        let Job { node, op, .. } = *self.jobs.at(id);
        let may_have = match self.ground.layout.node(node) {
            Node::Split(split) => op == Op::Write && split.volume.full_stripe().is_some(),
            Node::Leaf(_) => false,
        };
        may_have && {
            let depth = std::iter::successors(Some(id), |id| self.jobs.at(*id).parent).count();
            self.begin(id, depth - 1)
        }
    }

    #[cold]
    fn fail(&mut self, id: PartId, result: i32) {
        let Part { job, io, .. } = *self.parts.at(id);
        // What is busy without end must not be asked again by the worker, too.
        let result = if is_refusal(result) { -libc::EBUSY } else { result };
        let fault = Fault { member: io.member, offset: io.offset };
        self.jobs.at(job).failed.get_or_insert((result, fault));
    }
}

/// A piece of a request on its way down.
#[derive(Clone, Copy)]
struct Piece {
    op: Op,
    offset: u64,
    bytes: u32,
    address: Option<*mut u8>,
}

impl Piece {
    fn job(self, parent: Option<JobId>, outer: SlotId, node: u32) -> Job {
        let Self { op, offset, bytes, address } = self;
        let (phase, left, home, home_ns, failed) = (0, 0, 0, 0, None);
        Job { parent, outer, node, op, offset, bytes, address, phase, left, home, home_ns, failed }
    }
}

/// Whether a part is asked for again: what is left of it, or all where it was refused for the
/// moment.
#[cold]
fn again(part: &mut Part, result: i32) -> bool {
    match result {
        moved @ 1.. => {
            let moved = moved.cast_unsigned();
            part.io.bytes -= moved;
            part.io.offset += u64::from(moved);
            part.io.address = part.io.address.wrapping_add(moved as usize);
            true
        }
        refusal if is_refusal(refusal) => {
            part.refusals += 1;
            part.refusals <= REFUSALS
        }
        _ => false,
    }
}

fn is_refusal(result: i32) -> bool {
    matches!(-result, libc::EINTR | libc::EAGAIN)
}

impl<E: Engine, C: Clock> Engine for Composed<'_, E, C> {
    const BLOCKS: bool = E::BLOCKS;

    fn queue(&mut self, io: Io) {
        let Io { slot, op, offset, bytes, address, .. } = io;
        let whole = Piece { op, offset, bytes, address: Some(address) };
        let id = self.jobs.add(whole.job(None, slot, 0));
        self.begin(id, 0);
    }

    /// Of everything real below, by one of its ways: where what was written lies is not kept.
    fn flush(&mut self, slot: SlotId, _: u16) {
        // As a read: it has one phase, even over parity.
        let piece = Piece { op: Op::Read, offset: 0, bytes: 0, address: None };
        let job = self.jobs.add(piece.job(None, slot, 0));
        for &member in &self.ground.layout.flushed {
            self.wait_for(job, member, piece);
        }
    }

    fn exchange(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let before = done.len();
        loop {
            self.submit();
            if self.inside == 0 {
                return Ok(());
            }
            self.inner.exchange(wait, &mut self.home)?;
            if !self.home.is_empty() {
                self.now_ns = self.ground.clock.now_ns();
                self.settle(done);
            }
            if wait != Wait::One || done.len() > before {
                return Ok(());
            }
        }
    }

    fn fault(&mut self, slot: SlotId) -> Option<Fault> {
        let at = self.faults.iter().position(|(of, _)| *of == slot)?;
        Some(self.faults.swap_remove(at).1)
    }
}

#[cfg(test)]
mod tests;
