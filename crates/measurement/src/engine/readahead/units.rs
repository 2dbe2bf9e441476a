//! The units of one worker: a fixed table, each with memory of its own.
//!
//! A unit belongs to a run of reads. Within a run units follow one another and do not overlap.

use std::io;

use iopath_study::case::BufferKind;

use crate::buffers::Buffers;
use crate::engine::{Fault, Io};

/// A part of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub from: u64,
    /// Behind its last byte.
    pub to: u64,
}

/// What is known of a part of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// It is here, or the target ends before: up to there.
    Present(u64),
    /// Some of it is on its way.
    Coming,
    /// A unit of it failed, with this errno, there.
    Failed(i32, Option<Fault>),
    /// There is no unit from here on.
    Missing(u64),
}

/// The table.
pub(crate) struct Units {
    units: Vec<Unit>,
    /// None when it had to be forgotten.
    memory: Option<Buffers>,
    pub(super) coming: usize,
}

#[derive(Clone, Copy)]
struct Unit {
    state: State,
    run: u32,
    range: Range,
    /// How much of it came.
    filled: u64,
    /// Where it failed, if that is not where it was asked for.
    fault: Option<Fault>,
    /// Written meanwhile: who asks from now on asks below.
    is_spoilt: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Coming,
    Present,
    /// The target ends in it.
    Ended,
    Failed(i32),
}

impl Range {
    #[inline]
    pub(super) fn of(io: &Io) -> Self {
        Self { from: io.offset, to: io.offset + u64::from(io.bytes) }
    }

    #[inline]
    pub(super) fn meets(self, other: Self) -> bool {
        self.from < other.to && other.from < self.to
    }

    #[inline]
    fn has(self, at: u64) -> bool {
        (self.from..self.to).contains(&at)
    }

    /// Whether it is another from some place to its end.
    #[inline]
    pub(super) fn ends(self, other: Self) -> bool {
        self.to == other.to && self.from >= other.from
    }
}

impl Units {
    /// Memory for `count` units of at most `bytes`.
    pub(crate) fn new(kind: BufferKind, count: usize, bytes: usize) -> io::Result<Self> {
        let range = Range { from: 0, to: 0 };
        let free =
            Unit { state: State::Free, run: 0, range, filled: 0, fault: None, is_spoilt: false };
        let memory = Some(Buffers::new(kind, count, bytes)?);
        Ok(Self { units: vec![free; count], memory, coming: 0 })
    }

    pub(crate) fn count(&self) -> usize {
        self.units.len()
    }

    /// Address and length of their memory.
    pub(crate) fn extent(&self) -> (*mut u8, usize) {
        self.memory().extent()
    }

    fn memory(&self) -> &Buffers {
        self.memory.as_ref().expect("memory is forgotten at the end only")
    }

    #[inline]
    fn find(&self, run: u32, at: u64) -> Option<usize> {
        let is = |unit: &Unit| unit.state != State::Free && unit.run == run && unit.range.has(at);
        self.units.iter().position(is)
    }

    /// What is known of a part, from its beginning.
    #[inline]
    pub(super) fn look(&self, run: u32, range: Range) -> Look {
        let mut at = range.from;
        while at < range.to {
            let Some(index) = self.find(run, at) else { return Look::Missing(at) };
            let unit = &self.units[index];
            match unit.state {
                State::Present => at = unit.range.to,
                State::Ended => {
                    let end = unit.range.from + unit.filled;
                    return Look::Present(end.clamp(range.from, range.to));
                }
                State::Failed(code) => return Look::Failed(code, unit.fault),
                State::Coming | State::Free => return Look::Coming,
            }
        }
        Look::Present(range.to)
    }

    /// Copies a part that is present.
    #[inline]
    pub(super) fn copy(&self, run: u32, range: Range, to: *mut u8) {
        let mut at = range.from;
        while at < range.to {
            let Some(index) = self.find(run, at) else { return };
            let unit = &self.units[index];
            let bytes = (unit.range.from + unit.filled).min(range.to) - at;
            let from = self.memory().address(index as u32);
            // SAFETY: `bytes` lie inside what came of the unit, whose memory the kernel does not
            // use any more, and inside the buffer of the worker's request, which has room for the
            // whole range; the two are different mappings.
            unsafe {
                let from = from.add((at - unit.range.from) as usize);
                let to = to.add((at - range.from) as usize);
                std::ptr::copy_nonoverlapping(from, to, bytes as usize);
            }
            at += bytes;
        }
    }

    /// Whether a part cannot be had from here: it failed, or was written.
    #[inline]
    pub(super) fn are_spoilt(&self, run: u32, range: Range) -> bool {
        let is_spoilt = |unit: &Unit| match unit.state {
            State::Failed(_) => true,
            State::Coming | State::Present | State::Ended => unit.is_spoilt,
            State::Free => false,
        };
        let meets = |unit: &Unit| unit.run == run && unit.range.meets(range);
        self.units.iter().any(|unit| is_spoilt(unit) && meets(unit))
    }

    /// Notes that a part is written.
    pub(super) fn spoil(&mut self, range: Range) {
        for unit in self.units.iter_mut().filter(|unit| unit.range.meets(range)) {
            unit.is_spoilt = true;
        }
    }

    /// A free unit, if need be one that is done and of which `is_needed` says that nobody needs it.
    pub(super) fn free(&mut self, is_needed: impl Fn(u32, Range) -> bool) -> Option<u32> {
        let is_free = |unit: &Unit| match unit.state {
            State::Free => true,
            State::Coming => false,
            State::Present | State::Ended | State::Failed(_) => !is_needed(unit.run, unit.range),
        };
        let index = self.units.iter().position(is_free)?;
        self.units[index].state = State::Free;
        Some(index as u32)
    }

    /// A free unit is asked for.
    pub(super) fn begin(&mut self, id: u32, (run, range): (u32, Range), is_spoilt: bool) {
        self.coming += 1;
        self.units[id as usize] =
            Unit { state: State::Coming, run, range, filled: 0, fault: None, is_spoilt };
    }

    /// What has not come of a unit, and where it shall lie.
    pub(super) fn left_of(&self, id: u32) -> (Range, *mut u8) {
        let unit = &self.units[id as usize];
        let address = self.memory().address(id).wrapping_add(unit.filled as usize);
        (Range { from: unit.range.from + unit.filled, to: unit.range.to }, address)
    }

    /// Something came; whether that was all.
    pub(super) fn came(&mut self, id: u32, result: i32) -> bool {
        let unit = &mut self.units[id as usize];
        unit.filled += result.max(0).cast_unsigned() as u64;
        unit.state = match result {
            1.. if unit.filled < unit.range.to - unit.range.from => return false,
            1.. => State::Present,
            0 => State::Ended,
            error => State::Failed(-error),
        };
        self.coming -= 1;
        true
    }

    /// Something failed there.
    pub(super) fn set_fault(&mut self, id: u32, fault: Option<Fault>) {
        self.units[id as usize].fault = fault;
    }

    /// Whatever came: it is not asked for again.
    pub(super) fn end(&mut self, id: u32) {
        self.units[id as usize].state = State::Free;
        self.coming -= 1;
    }

    /// Leaves the memory to the kernel.
    pub(super) fn forget(&mut self) {
        std::mem::forget(self.memory.take());
    }
}
