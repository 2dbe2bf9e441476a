//! Reading ahead in user space, so that it can be chosen for each stream on direct I/O.
//!
//! The worker's reads are served from units that were requested before they were asked for; when
//! and which is decided by `iopath_workload::readahead`. What is there is copied, as a page cache
//! copies, and done at once; what is not waits for its units. A read that follows none before it,
//! and one of units that failed, goes to the engine below by itself. A write passes, and what was
//! read ahead of its place serves nobody who asks later.
//!
//! What is read ahead belongs to one worker: writes of other workers and streams are not seen.
//! Reads that come late are not merged, and a unit is never given up while it is wanted. All memory
//! is there before the pass.

#[cfg(test)]
mod unfair;
mod units;
#[cfg(test)]
mod wrong;

use std::io;

use iopath_study::case::BufferKind;
use iopath_units::{Nanos, Op};
use iopath_workload::readahead::{Course, Readahead, Settings};

use super::{Done, Engine, FLUSH, Fault, Io, Wait};
use crate::clock::Clock;
use crate::counters::AheadCounters;
use crate::slots::SlotId;

pub(crate) use units::Units;
use units::{Look, Range};

/// How it is read ahead of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ahead {
    pub settings: Settings,
    /// Where the stream's part of the target ends.
    pub end: u64,
}

impl Ahead {
    /// How many units may be wanted at once by so many reads of so many bytes: a whole window, and
    /// behind the reader what each of the reads waits for.
    pub(crate) fn most_units(&self, (depth, block): (u32, u32)) -> u32 {
        let Settings { unit, streams, .. } = self.settings;
        let read = u64::from(block).div_ceil(unit.0.max(1)) + 1;
        let behind = u32::try_from(read).unwrap_or(u32::MAX).saturating_mul(depth);
        streams.saturating_add(behind).saturating_add(1)
    }

    /// Memory for all of them.
    pub(crate) fn units(&self, kind: BufferKind, reads: (u32, u32)) -> io::Result<Units> {
        let bytes = usize::try_from(self.settings.unit.0).unwrap_or(usize::MAX);
        Units::new(kind, self.most_units(reads) as usize, bytes)
    }

    /// A reader who has not read yet.
    pub(crate) fn state(&self) -> Readahead {
        Readahead::new(self.settings, self.end)
    }
}

/// An engine that reads ahead of a worker.
pub(crate) struct ReadAhead<'p, E: Engine, C> {
    inner: E,
    clock: &'p C,
    counts: &'p AheadCounters,
    state: Readahead,
    units: Units,
    /// What each slot of the worker asked for last.
    asked: Vec<Asked>,
    /// Reads that wait for units, in the order in which they came.
    waiting: Vec<SlotId>,
    /// Writes below.
    writes: Vec<SlotId>,
    /// Counts the reads that followed none before them: units belong to what came between two.
    run: u32,
    /// Requests of the worker that went below and have not come back.
    below: usize,
    /// Whether the engine below holds something that it has not handed over.
    has_queued: bool,
    batch: Vec<Done>,
}

#[derive(Clone, Copy)]
struct Asked {
    io: Io,
    run: u32,
    /// Since when it waits.
    since_ns: Option<u64>,
    /// Where the unit failed that it waited for.
    fault: Option<Fault>,
    /// Whether it was done as a whole: the worker asks again for what is left of others.
    is_whole: bool,
}

impl<'p, E: Engine, C: Clock> ReadAhead<'p, E, C> {
    /// Over an engine with room for the worker's requests and, behind their slots, for all units.
    pub(crate) fn new(
        inner: E,
        (clock, counts): (&'p C, &'p AheadCounters),
        (state, units): (Readahead, Units),
        depth: u32,
    ) -> Self {
        let address = std::ptr::null_mut();
        let io = Io { slot: 0, op: Op::Read, member: 0, offset: 0, bytes: 0, address };
        let asked = Asked { io, run: 0, since_ns: None, fault: None, is_whole: true };
        let slots = depth as usize;
        Self {
            inner,
            clock,
            counts,
            state,
            asked: vec![asked; slots],
            waiting: Vec::with_capacity(slots),
            writes: Vec::with_capacity(slots),
            run: 0,
            below: 0,
            has_queued: false,
            batch: Vec::with_capacity(2 * (slots + units.count())),
            units,
        }
    }

    fn depth(&self) -> u32 {
        self.asked.len() as u32
    }

    /// Hands a request of the worker down as it is.
    #[inline]
    fn pass(&mut self, io: Io) {
        self.below += 1;
        self.has_queued = true;
        self.inner.queue(io);
    }

    #[inline]
    fn read(&mut self, io: Io) {
        let course = self.state.read(io.offset, u64::from(io.bytes));
        if course != Course::Follows {
            self.run = self.run.wrapping_add(1);
        }
        let asked = &mut self.asked[io.slot as usize];
        (asked.run, asked.since_ns) = (self.run, None);
        if course == Course::Alone || self.units.are_spoilt(self.run, Range::of(&io)) {
            self.counts.missed_bytes.add(u64::from(io.bytes));
            return self.pass(io);
        }
        self.waiting.push(io.slot);
    }

    fn write(&mut self, io: Io) {
        self.units.spoil(Range::of(&io));
        self.writes.push(io.slot);
        self.pass(io);
    }

    /// Gives the waiting reads what has become of their units.
    #[inline]
    fn serve(&mut self, done: &mut Vec<Done>) {
        let mut kept = 0;
        let mut now_ns = None;
        for place in 0..self.waiting.len() {
            let slot = self.waiting[place];
            let Asked { io, run, since_ns, .. } = self.asked[slot as usize];
            let range = Range::of(&io);
            let result = match self.units.look(run, range) {
                Look::Present(to) => {
                    self.units.copy(run, Range { to, ..range }, io.address);
                    (to - range.from) as i32
                }
                Look::Failed(code, fault) => {
                    self.asked[slot as usize].fault = fault;
                    -code
                }
                Look::Missing(at) if run != self.run || at < self.state.requested_to() => {
                    self.come_late(slot);
                    continue;
                }
                Look::Coming | Look::Missing(_) => {
                    self.waiting[kept] = slot;
                    kept += 1;
                    continue;
                }
            };
            match since_ns {
                None => self.counts.hit_bytes.add(u64::from(io.bytes)),
                Some(since_ns) => {
                    let now_ns = *now_ns.get_or_insert_with(|| self.clock.now_ns());
                    self.waited(now_ns.saturating_sub(since_ns));
                }
            }
            self.asked[slot as usize].is_whole = u32::try_from(result) == Ok(io.bytes);
            done.push(Done { slot, result });
        }
        self.waiting.truncate(kept);
    }

    /// Its unit was given up before it could be had.
    #[cold]
    fn come_late(&mut self, slot: SlotId) {
        let Asked { io, since_ns, .. } = self.asked[slot as usize];
        if since_ns.is_none() {
            self.counts.missed_bytes.add(u64::from(io.bytes));
        }
        self.pass(io);
    }

    fn waited(&mut self, span_ns: u64) {
        self.state.waited(Nanos(span_ns));
        self.counts.wait_ns.add(span_ns);
    }

    /// Reads that were not served when they came begin to wait.
    #[inline]
    fn begin_waits(&mut self) {
        let mut now_ns = None;
        for slot in &self.waiting {
            let asked = &mut self.asked[*slot as usize];
            if asked.since_ns.is_none() {
                self.counts.missed_bytes.add(u64::from(asked.io.bytes));
                asked.since_ns = Some(*now_ns.get_or_insert_with(|| self.clock.now_ns()));
            }
        }
    }

    /// Requests what the window has room for.
    #[inline]
    fn request(&mut self) {
        while self.state.wants_unit() {
            let Some(id) = self.free_unit() else { return };
            let Some(unit) = self.state.next_unit() else { return };
            let range = Range { from: unit.offset, to: unit.offset + unit.bytes };
            let meets = |slot: &SlotId| range.meets(Range::of(&self.asked[*slot as usize].io));
            let is_spoilt = self.writes.iter().any(meets);
            self.units.begin(id, (self.run, range), is_spoilt);
            self.counts.requested.add(1);
            self.queue_unit(id);
        }
    }

    /// A unit that nobody needs. What lies behind the reader is needed by those who still wait.
    fn free_unit(&mut self) -> Option<u32> {
        let Self { units, asked, waiting, run, state, .. } = self;
        units.free(|of_run, range| {
            let needs = |slot: &SlotId| {
                let asked = &asked[*slot as usize];
                asked.run == of_run && range.meets(Range::of(&asked.io))
            };
            of_run == *run && range.to > state.reader_at() || waiting.iter().any(needs)
        })
    }

    /// Asks the engine below for a unit, or for what is left of it.
    fn queue_unit(&mut self, id: u32) {
        let slot = self.depth() + id;
        let (Range { from, to }, address) = self.units.left_of(id);
        let (op, bytes) = (Op::Read, (to - from) as u32);
        self.has_queued = true;
        self.inner.queue(Io { slot, op, member: 0, offset: from, bytes, address });
    }

    /// Takes over what came from below.
    #[inline]
    fn take(&mut self, done: &mut Vec<Done>) {
        let mut batch = std::mem::take(&mut self.batch);
        for one in batch.drain(..) {
            if one.slot == FLUSH {
                self.below -= 1;
                done.push(one);
                continue;
            }
            let id = one.slot.checked_sub(self.depth());
            if let Some(id) = id.filter(|_| one.result <= 0) {
                // Told once, and only now.
                self.units.set_fault(id, self.inner.fault(one.slot));
            }
            match id {
                Some(id) if self.units.came(id, one.result) => {}
                Some(id) => self.queue_unit(id),
                None => {
                    self.came_home(one);
                    done.push(one);
                }
            }
        }
        self.batch = batch;
    }

    fn came_home(&mut self, one: Done) {
        self.below -= 1;
        let asked = &mut self.asked[one.slot as usize];
        asked.is_whole = u32::try_from(one.result) == Ok(asked.io.bytes);
        if asked.io.op == Op::Write {
            self.writes.retain(|slot| *slot != one.slot);
        }
    }
}

impl<E: Engine, C: Clock> Engine for ReadAhead<'_, E, C> {
    const BLOCKS: bool = E::BLOCKS;

    #[inline]
    fn queue(&mut self, io: Io) {
        let asked = &mut self.asked[io.slot as usize];
        let is_rest = !asked.is_whole && Range::of(&io).ends(Range::of(&asked.io));
        (asked.io, asked.fault, asked.is_whole) = (io, None, false);
        match io.op {
            Op::Write => self.write(io),
            Op::Read if is_rest => self.pass(io),
            Op::Read => self.read(io),
        }
    }

    fn flush(&mut self, slot: SlotId, member: u16) {
        self.below += 1;
        self.has_queued = true;
        self.inner.flush(slot, member);
    }

    #[inline]
    fn exchange(&mut self, wait: Wait, done: &mut Vec<Done>) -> io::Result<()> {
        let before = done.len();
        self.serve(done);
        self.begin_waits();
        self.request();
        let is_served = done.len() > before;
        if is_served && !self.has_queued && self.below == 0 {
            // Units that come meanwhile are taken over when somebody needs them.
            return Ok(());
        }
        let wait = if is_served { Wait::Poll } else { wait };
        self.has_queued = false;
        self.inner.exchange(wait, &mut self.batch)?;
        self.take(done);
        self.serve(done);
        Ok(())
    }

    fn fault(&mut self, slot: SlotId) -> Option<Fault> {
        let of_unit = self.asked.get_mut(slot as usize).and_then(|asked| asked.fault.take());
        of_unit.or_else(|| self.inner.fault(slot))
    }
}

impl<E: Engine, C> Drop for ReadAhead<'_, E, C> {
    /// The kernel still writes into the units that were requested and not waited for.
    fn drop(&mut self) {
        let depth = self.asked.len() as u32;
        while self.units.coming > 0 {
            if self.inner.exchange(Wait::One, &mut self.batch).is_err() {
                // It may do so for ever: this memory is lost.
                return self.units.forget();
            }
            for one in self.batch.drain(..) {
                if let Some(id) = one.slot.checked_sub(depth) {
                    self.units.end(id);
                }
            }
        }
    }
}
