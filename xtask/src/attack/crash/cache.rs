//! A disk with a volatile cache: what was not flushed may be gone when power fails, write by write
//! and sector by sector. One that lies drops a write that it was told to flush.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use super::super::disk::{Refusal, UNIT};
use super::super::faults::Medium;
use crate::limits::Draw;

/// Sectors are written whole.
const SECTOR: usize = 512;

/// A write that no flush has come to.
struct Pending {
    at: usize,
    data: Vec<u8>,
}

/// A flush that does not keep what it promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lie {
    /// At the first flush from this one on that covers a write which was surely acknowledged.
    pub from_flush: u64,
    /// Which of these writes it drops, by a number that is taken modulo how many there are.
    pub which: usize,
}

/// The disk.
pub(super) struct Cached {
    /// What it has when power fails.
    stable: Vec<u8>,
    /// What readers are given.
    seen: Vec<u8>,
    length: usize,
    pending: Vec<Pending>,
    /// The last writes, which may not have been acknowledged; as many as are in flight at most.
    recent: VecDeque<Range<usize>>,
    in_flight: usize,
    lie: Option<Lie>,
    /// Blocks that a lie dropped.
    dropped: BTreeSet<u64>,
    /// Those of them that were written again.
    rewritten: BTreeSet<u64>,
    flushes: u64,
    /// When it told the lie.
    lied_at: Option<u64>,
    is_down: bool,
}

/// What a loss of power has done; blocks by number.
pub(super) struct Fate {
    /// Blocks that hold something else than what was written last.
    pub changed: BTreeSet<u64>,
    /// Blocks whose last write may not have been acknowledged.
    pub unsure: BTreeSet<u64>,
    /// Blocks that a flush should have kept, and did not.
    pub dropped: BTreeSet<u64>,
    /// Those of them that were written again.
    pub rewritten: BTreeSet<u64>,
}

impl Cached {
    /// An empty file with room for `bytes`, for a program with so many writes in flight at most.
    pub(super) fn new(bytes: usize, in_flight: usize, lie: Option<Lie>) -> Self {
        Self {
            stable: vec![0; bytes],
            seen: vec![0; bytes],
            length: 0,
            pending: Vec::new(),
            recent: VecDeque::new(),
            in_flight,
            lie,
            dropped: BTreeSet::new(),
            rewritten: BTreeSet::new(),
            flushes: 0,
            lied_at: None,
            is_down: false,
        }
    }

    /// How many flushes it was asked for.
    pub(super) fn flushes(&self) -> u64 {
        self.flushes
    }

    /// Whether the flush that lied was acknowledged: a program that waits for one before it asks
    /// for the next has asked for two since.
    pub(super) fn has_lied(&self) -> bool {
        self.lied_at.is_some_and(|at| self.flushes >= at + 2)
    }

    /// Power fails. Nothing is written from now on.
    pub(super) fn fail(&mut self, draw: &mut Draw) -> Fate {
        for write in std::mem::take(&mut self.pending) {
            match draw.within(0, 3) {
                0 => {}
                1 => put(&mut self.stable, write.at, &write.data),
                _ => {
                    for (index, sector) in write.data.chunks(SECTOR).enumerate() {
                        if draw.within(0, 1) == 0 {
                            put(&mut self.stable, write.at + index * SECTOR, sector);
                        }
                    }
                }
            }
        }
        let pairs = self.seen.chunks(UNIT).zip(self.stable.chunks(UNIT));
        let changed = (0..).zip(pairs).filter(|(_, (before, after))| before != after);
        let changed = changed.map(|(unit, _)| unit).collect();
        let unsure = self.recent.iter().flat_map(units).collect();
        self.seen.copy_from_slice(&self.stable);
        self.is_down = true;
        let (dropped, rewritten) = (self.dropped.clone(), self.rewritten.clone());
        Fate { changed, unsure, dropped, rewritten }
    }

    /// Position of the pending write that a lie drops now.
    fn victim(&mut self) -> Option<usize> {
        let lie = self.lie.filter(|lie| self.flushes >= lie.from_flush)?;
        let acknowledged = self.pending.len().saturating_sub(self.in_flight);
        let victim = lie.which.checked_rem(acknowledged)?;
        (self.lie, self.lied_at) = (None, Some(self.flushes));
        Some(victim)
    }
}

impl Medium for Cached {
    fn length(&self) -> usize {
        self.length
    }

    fn room(&self) -> usize {
        self.seen.len()
    }

    fn resize(&mut self, length: usize) -> bool {
        let fits = length <= self.room();
        if fits {
            self.length = length;
        }
        fits
    }

    fn read(&mut self, at: usize, bytes: usize) -> Result<Vec<u8>, Refusal> {
        let end = (at + bytes).min(self.length);
        Ok(self.seen[at.min(end)..end].to_vec())
    }

    fn write(&mut self, at: usize, data: &[u8]) -> Result<(), Refusal> {
        let end = at + data.len();
        if self.is_down {
            return Err(Refusal::Failed);
        }
        if end > self.room() {
            return Err(Refusal::NoSpace);
        }
        self.length = self.length.max(end);
        put(&mut self.seen, at, data);
        self.pending.push(Pending { at, data: data.to_vec() });
        self.recent.push_back(at..end);
        if self.recent.len() > self.in_flight {
            self.recent.pop_front();
        }
        let again = units(&(at..end)).filter(|unit| self.dropped.contains(unit));
        self.rewritten.extend(again);
        Ok(())
    }

    fn flush(&mut self) {
        self.flushes += 1;
        let victim = self.victim();
        for (index, Pending { at, data }) in std::mem::take(&mut self.pending).iter().enumerate() {
            let range = *at..at + data.len();
            if victim == Some(index) {
                self.dropped.extend(units(&range));
                continue;
            }
            put(&mut self.stable, *at, data);
            self.rewritten.extend(units(&range).filter(|unit| self.dropped.contains(unit)));
        }
    }
}

fn put(bytes: &mut [u8], at: usize, data: &[u8]) {
    bytes[at..at + data.len()].copy_from_slice(data);
}

/// The blocks that a range of bytes touches.
fn units(range: &Range<usize>) -> impl Iterator<Item = u64> + use<> {
    (range.start / UNIT) as u64..range.end.div_ceil(UNIT) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(disk: &mut Cached, unit: usize, byte: u8) {
        disk.write(unit * UNIT, &[byte; UNIT]).unwrap();
    }

    fn numbers(units: &BTreeSet<u64>) -> Vec<u64> {
        units.iter().copied().collect()
    }

    #[test]
    fn only_what_was_not_flushed_may_be_lost() {
        let mut changed = 0;
        for seed in 0..32 {
            let mut disk = Cached::new(8 * UNIT, 1, None);
            (0..8).for_each(|unit| written(&mut disk, unit, 1));
            disk.flush();
            (0..3).for_each(|unit| written(&mut disk, unit, 2));
            let fate = disk.fail(&mut Draw::of("cache", seed));
            assert!(fate.changed.iter().all(|unit| *unit < 3), "{:?}", fate.changed);
            assert_eq!(numbers(&fate.unsure), [2]);
            let after = disk.read(0, 8 * UNIT).unwrap();
            for (unit, data) in after.chunks(UNIT).enumerate() {
                let is_kept = data.iter().all(|byte| *byte == if unit < 3 { 2 } else { 1 });
                assert_eq!(is_kept, !fate.changed.contains(&(unit as u64)));
            }
            changed += fate.changed.len();
            assert!(disk.write(0, &[3; UNIT]).is_err(), "it is down");
        }
        assert!(changed > 0);
    }

    #[test]
    fn a_lie_drops_one_write_that_was_acknowledged() {
        let mut disk = Cached::new(8 * UNIT, 1, Some(Lie { from_flush: 2, which: 4 }));
        (0..8).for_each(|unit| written(&mut disk, unit, 1));
        disk.flush();
        assert_eq!(disk.lied_at, None);
        (0..4).for_each(|unit| written(&mut disk, unit, 2));
        disk.flush();
        assert!(disk.lied_at.is_some() && !disk.has_lied());
        disk.flush();
        disk.flush();
        assert!(disk.has_lied());
        let fate = disk.fail(&mut Draw::of("cache", 1));
        assert_eq!(numbers(&fate.dropped), [1]);
        assert_eq!(numbers(&fate.changed), [1]);
        assert!(fate.rewritten.is_empty());
    }
}
