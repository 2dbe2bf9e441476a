//! What every unit of a target must hold, known exactly under any queue depth and order and with
//! many streams at once: one atomic word a unit, no lock.
//!
//! A write claims its units alone, a read shares them with other reads. What would meet a request
//! in flight on the same unit is refused, and its stream tries again after its next completion.
//! So nobody ever reads what is being written, and a read that finds another generation than
//! [`Generations::expected`] says is no false alarm.
//!
//! ```text
//! bit 31         12 | 11      | 10    | 9            0
//!     write number  | unknown | write | reads in flight
//! ```
//!
//! The write number of a unit that was never written is 0; else it is one more than the unit's
//! generation. So the first write of a unit has generation 0; where the run fills a target before
//! it is read, that is the fill.
//!
//! Units are claimed in ascending order: of requests that block one another, the one that met the
//! others at the highest unit gets through, so that one always does.
//!
//! After 2^20 - 1 writes of a unit generations begin again at 0; a lost write is still seen, since
//! a new generation differs from that of every unit it covers.

use std::sync::atomic::{AtomicU32, Ordering};

const READS: u32 = (1 << 10) - 1;
const WRITE: u32 = 1 << 10;
const UNKNOWN: u32 = 1 << 11;
const NUMBER: u32 = 12;
const LAST_NUMBER: u32 = u32::MAX >> NUMBER;

/// What every unit of one target must hold.
#[derive(Debug)]
pub struct Generations {
    units: Box<[AtomicU32]>,
}

/// What is known about a unit's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Not written since the table was made.
    Never,
    /// The write of this generation was acknowledged last.
    Generation(u32),
    /// A write failed, or is in flight.
    Unknown,
}

/// How a write ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All of it was acknowledged.
    Written,
    /// Not all of it: its units may hold anything.
    Failed,
}

impl Generations {
    /// A table for a target of that many units, none of them written. It takes 4 B a unit.
    #[must_use]
    pub fn new(units: usize) -> Self {
        Self { units: (0..units).map(|_| AtomicU32::new(0)).collect() }
    }

    /// The same knowledge in a table of `units`, at least as many as here. Nothing is in flight.
    #[must_use]
    pub fn grown(&self, units: usize) -> Self {
        let known = self.units.iter().map(|unit| AtomicU32::new(unit.load(Ordering::Acquire)));
        let more = units.saturating_sub(self.units.len());
        Self { units: known.chain((0..more).map(|_| AtomicU32::new(0))).collect() }
    }

    /// Claims `count` units from `first` on for a write and gives the generation to write, the
    /// same for all of them and newer than each. None where a request is in flight on one of
    /// them; nothing is claimed then.
    #[must_use]
    pub fn begin_write(&self, first: usize, count: usize) -> Option<u32> {
        let units = &self.units[first..first + count];
        let mut newest = 0;
        for (index, unit) in units.iter().enumerate() {
            let Some(number) = claim(unit) else {
                for claimed in &units[..index] {
                    claimed.fetch_and(!WRITE, Ordering::Release);
                }
                return None;
            };
            newest = newest.max(number);
        }
        Some(if newest < LAST_NUMBER { newest } else { unused(units) - 1 })
    }

    /// Ends the write that [`Generations::begin_write`] gave this `generation` for.
    pub fn end_write(&self, first: usize, count: usize, generation: u32, outcome: Outcome) {
        let state = match outcome {
            Outcome::Written => (generation + 1) << NUMBER,
            // What was written in part is not written again: the generation is used up.
            Outcome::Failed => (generation + 1) << NUMBER | UNKNOWN,
        };
        for unit in &self.units[first..first + count] {
            debug_assert_ne!(unit.load(Ordering::Relaxed) & WRITE, 0, "it was never begun");
            unit.store(state, Ordering::Release);
        }
    }

    /// Lets a read of `count` units from `first` on begin: what [`Generations::expected`] says
    /// about them holds until it ends. False where a write is in flight on one of them, or 1023
    /// reads; nothing is claimed then.
    #[must_use]
    pub fn begin_read(&self, first: usize, count: usize) -> bool {
        let units = &self.units[first..first + count];
        let refused = units.iter().position(|unit| !share(unit));
        if let Some(index) = refused {
            release(&units[..index]);
        }
        refused.is_none()
    }

    /// Ends a read that [`Generations::begin_read`] let begin.
    pub fn end_read(&self, first: usize, count: usize) {
        release(&self.units[first..first + count]);
    }

    /// What this unit must hold.
    #[must_use]
    #[inline]
    pub fn expected(&self, unit: usize) -> Known {
        let state = self.units[unit].load(Ordering::Acquire);
        if state & (WRITE | UNKNOWN) != 0 {
            return Known::Unknown;
        }
        match state >> NUMBER {
            0 => Known::Never,
            number => Known::Generation(number - 1),
        }
    }

    /// The units with a known generation, ascending: those to read back.
    pub fn written_units(&self) -> impl Iterator<Item = usize> + '_ {
        let written = |unit: &usize| matches!(self.expected(*unit), Known::Generation(_));
        (0..self.units.len()).filter(written)
    }
}

/// Claims a unit for a write; gives its newest write number, or none where it is in use.
fn claim(unit: &AtomicU32) -> Option<u32> {
    let free = |state: u32| (state & (WRITE | READS) == 0).then_some(state | WRITE);
    let before = unit.fetch_update(Ordering::Acquire, Ordering::Relaxed, free).ok()?;
    Some(before >> NUMBER)
}

/// Adds a read to a unit that has no write and room for one more.
fn share(unit: &AtomicU32) -> bool {
    let more = |state: u32| (state & WRITE == 0 && state & READS < READS).then_some(state + 1);
    unit.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).is_ok()
}

fn release(units: &[AtomicU32]) {
    for unit in units {
        let before = unit.fetch_sub(1, Ordering::Release);
        debug_assert_ne!(before & READS, 0, "no read was in flight");
    }
}

/// The first write number that none of these units has; they are claimed, so none will change.
fn unused(units: &[AtomicU32]) -> u32 {
    let taken =
        |number: &u32| units.iter().any(|unit| unit.load(Ordering::Relaxed) >> NUMBER == *number);
    // There are more numbers than units in any request.
    (1..=LAST_NUMBER).find(|number| !taken(number)).unwrap_or(LAST_NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_begin_again_without_repeating_one_in_place() {
        let table = Generations::new(3);
        let written = |unit, generation| {
            assert!(table.begin_write(unit, 1).is_some());
            table.end_write(unit, 1, generation, Outcome::Written);
        };
        written(0, LAST_NUMBER - 1);
        written(1, 0);
        assert_eq!(table.begin_write(0, 3), Some(1));
        table.end_write(0, 3, 1, Outcome::Written);
        assert_eq!(table.begin_write(0, 3), Some(2));
    }

    #[test]
    fn a_unit_has_room_for_1023_reads() {
        let table = Generations::new(1);
        assert!((0..1023).all(|_| table.begin_read(0, 1)));
        assert!(!table.begin_read(0, 1));
        table.end_read(0, 1);
        assert!(table.begin_read(0, 1));
        assert_eq!(table.expected(0), Known::Never);
    }

    #[test]
    fn what_a_failed_write_left_is_unknown_until_the_next_one() {
        let table = Generations::new(2);
        assert_eq!(table.begin_write(0, 2), Some(0));
        table.end_write(0, 2, 0, Outcome::Failed);
        assert_eq!(table.expected(0), Known::Unknown);
        assert_eq!(table.written_units().count(), 0);
        assert_eq!(table.begin_write(1, 1), Some(1));
        table.end_write(1, 1, 1, Outcome::Written);
        assert_eq!(table.written_units().collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn a_first_write_is_known_and_so_it_is_in_a_larger_table() {
        let table = Generations::new(2);
        assert_eq!(table.begin_write(0, 1), Some(0));
        table.end_write(0, 1, 0, Outcome::Written);
        let table = table.grown(3);
        let known: Vec<_> = (0..3).map(|unit| table.expected(unit)).collect();
        assert_eq!(known, [Known::Generation(0), Known::Never, Known::Never]);
        assert_eq!(table.written_units().collect::<Vec<_>>(), [0]);
    }
}
