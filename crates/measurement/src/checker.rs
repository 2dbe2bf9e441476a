//! Stamps on written blocks, and their check when they are read.
//!
//! Every unit of a target has a generation that is known exactly, because a request claims its
//! units before it is issued: writes alone, reads together. A request that meets a claim waits
//! until the other is done. So a difference is damage and never a race of our own.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use iopath_record::BadBlocks;
use iopath_units::Op;
use iopath_workload::Request;
use iopath_workload::generations::{Generations, Known, Outcome};
use iopath_workload::journal::{Durable, Ticket};
use iopath_workload::stamp::{self, Damage, Expected, Stamp};

use crate::bad::{self, Found};
use crate::journal::OwnJournal;
use crate::readback::Judge;
use crate::slots::Slot;

/// The knowledge about one target, shared by all workers that use it.
#[derive(Clone)]
pub(crate) struct Checker {
    generations: Arc<Generations>,
    found: Arc<Found>,
    /// What messages call the target.
    target: Arc<str>,
    unit: u64,
    bytes: u64,
    /// What its stamps carry.
    pub seed: u64,
    /// What is known after a crash; none of what vanishes with the program.
    journal: Option<Arc<OwnJournal>>,
    /// When what this worker writes is on stable storage.
    durable: Durable,
}

/// A seed that no other checker of this machine has: the study's, the time and a number.
fn unique(seed: u64) -> u64 {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let number = MADE.fetch_add(1, Relaxed) << 32 | u64::from(std::process::id());
    let mixed = seed.rotate_left(17) ^ (now.as_nanos() as u64) ^ number.rotate_left(32);
    // The finisher of SplitMix64 (Steele, Lea, Flood 2014) spreads every bit over all.
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Checker {
    /// A checker for a target of `bytes` whose requests are whole multiples of `unit`. Its stamps
    /// carry a seed of their own, so that neither another target's data nor an earlier run's can
    /// pass for what this one wrote.
    pub(crate) fn new(target: &str, bytes: u64, unit: u32, seed: u64) -> Self {
        let unit = u64::from(unit);
        Self {
            generations: Arc::new(Generations::new(units_in(bytes, unit))),
            found: Arc::default(),
            target: target.into(),
            unit,
            bytes,
            seed: unique(seed),
            journal: None,
            durable: Durable::WhenFlushed,
        }
    }

    /// The same knowledge of a target that may have grown to `bytes`. Fails where its journal
    /// cannot grow.
    pub(crate) fn covering(self, bytes: u64) -> io::Result<Self> {
        if bytes <= self.bytes {
            return Ok(self);
        }
        let units = bytes / self.unit;
        let grown = self.journal.as_ref().map(|journal| journal.grown(units)).transpose()?;
        let generations = Arc::new(self.generations.grown(units_in(bytes, self.unit)));
        Ok(Self { generations, bytes, journal: grown.map(Arc::new), ..self })
    }

    /// Keeps a journal from now on; nothing may be written yet.
    pub(crate) fn keep(&mut self, journal: OwnJournal) {
        self.journal = Some(Arc::new(journal));
    }

    /// Whether nothing that must be there after a crash has been written.
    pub(crate) fn may_begin_journal(&self) -> bool {
        self.journal.is_none() && self.generations.written_units().next().is_none()
    }

    /// For a worker whose writes are durable then.
    pub(crate) fn for_writes(self, durable: Durable) -> Self {
        Self { durable, ..self }
    }

    /// Its journal is removed: the target will be written without it, or all is well.
    pub(crate) fn discard_journal(&self) {
        self.journal.iter().for_each(|journal| journal.discard());
    }

    /// A flush of the whole target begins; it covers all writes that have completed.
    pub(crate) fn begin_flush(&self) -> Ticket {
        self.journal.as_ref().map(|own| own.journal().epochs.begin_flush()).unwrap_or_default()
    }

    /// It was acknowledged.
    pub(crate) fn flush_acknowledged(&self, ticket: Ticket) {
        self.journal.iter().for_each(|own| own.journal().epochs.acknowledge(ticket));
    }

    /// It failed.
    pub(crate) fn flush_failed(&self) {
        self.journal.iter().for_each(|own| own.journal().epochs.fail());
    }

    /// Claims a request's units; gives the generation that a write shall carry (0 for a read), or
    /// nothing while another request holds one of them.
    pub(crate) fn claim(&self, request: &Request) -> Option<u32> {
        let (first, count) = self.units(request.offset, request.bytes);
        match request.op {
            Op::Write => self.begin_write(first, count),
            Op::Read => self.generations.begin_read(first, count).then_some(0),
        }
    }

    /// Stamps data and has it written outside of a pass, which makes its units known.
    pub(crate) fn fill(
        &self,
        data: &mut [u8],
        offset: u64,
        write: impl FnOnce(&mut [u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let (first, count) = self.units(offset, u32::try_from(data.len()).unwrap_or(u32::MAX));
        let claimed = self.begin_write(first, count);
        let generation = claimed.ok_or(io::ErrorKind::ResourceBusy)?;
        self.stamp(data, offset, generation);
        let written = write(data);
        let outcome = if written.is_ok() { Outcome::Written } else { Outcome::Failed };
        self.end_write((first, count), generation, outcome);
        written
    }

    fn begin_write(&self, first: usize, count: usize) -> Option<u32> {
        let generation = self.generations.begin_write(first, count)?;
        self.journal.iter().for_each(|own| own.journal().issue(first, count, generation));
        Some(generation)
    }

    /// A write that failed stays issued in the journal: it may be there in part.
    fn end_write(&self, (first, count): (usize, usize), generation: u32, outcome: Outcome) {
        if let (Some(own), Outcome::Written) = (&self.journal, outcome) {
            // Before the claim is given back: only who has it may say what became of the unit.
            own.journal().complete(first, count, self.durable);
        }
        self.generations.end_write(first, count, generation, outcome);
    }

    /// Stamps the data of a write.
    pub(crate) fn stamp(&self, data: &mut [u8], offset: u64, generation: u32) {
        let seed = self.seed;
        let unit = self.unit as usize;
        for (offset, data) in (offset..).step_by(unit).zip(data.chunks_exact_mut(unit)) {
            fill_unit(data, Stamp { offset, generation, seed });
        }
    }

    /// Checks the data of a read, or notes that a write is done, and gives the claim back. False
    /// where the data is wrong, which is noted.
    pub(crate) fn settle(&self, slot: &Slot, data: &[u8]) -> bool {
        let (first, count) = self.units(slot.offset, slot.bytes);
        match slot.op {
            Op::Write => {
                self.end_write((first, count), slot.generation, Outcome::Written);
                true
            }
            Op::Read => {
                let is_sound = self.check(slot.offset, data);
                self.generations.end_read(first, count);
                is_sound
            }
        }
    }

    /// Gives back the claim of a failed request: what its units hold is unknown after a write.
    pub(crate) fn abandon(&self, slot: &Slot) {
        let (first, count) = self.units(slot.offset, slot.bytes);
        match slot.op {
            Op::Write => {
                self.end_write((first, count), slot.generation, Outcome::Failed);
            }
            Op::Read => self.generations.end_read(first, count),
        }
    }

    /// Checks each unit of data at `offset` against what is known of it. False where any is
    /// wrong; all that are, are noted.
    pub(crate) fn check(&self, offset: u64, data: &[u8]) -> bool {
        let unit = self.unit as usize;
        let mut is_sound = true;
        for (offset, data) in (offset..).step_by(unit).zip(data.chunks_exact(unit)) {
            let expected = match self.generations.expected((offset / self.unit) as usize) {
                Known::Generation(generation) => {
                    Expected::Exactly(Stamp { offset, generation, seed: self.seed })
                }
                Known::Never => Expected::Anything { offset, seed: None },
                Known::Unknown => continue,
            };
            if let Err(damage) = check_unit(data, expected) {
                let unit = (offset / self.unit) as usize;
                self.found.add(unit, || bad::block(&self.target, expected, &damage));
                is_sound = false;
            }
        }
        is_sound
    }

    /// The bad blocks that were found since this was asked last.
    pub(crate) fn take_found(&self) -> BadBlocks {
        self.found.take()
    }

    fn units(&self, offset: u64, bytes: u32) -> (usize, usize) {
        ((offset / self.unit) as usize, (u64::from(bytes) / self.unit) as usize)
    }
}

/// What the run wrote, when it is read back.
impl Judge for Checker {
    fn unit_bytes(&self) -> u64 {
        self.unit
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn offsets(&self) -> impl Iterator<Item = u64> {
        self.generations.written_units().map(|unit| unit as u64 * self.unit)
    }

    fn check(&self, offset: u64, data: &[u8]) {
        Self::check(self, offset, data);
    }

    fn unreadable(&self, offset: u64, what: String) {
        let unit = (offset / self.unit) as usize;
        let wanted_generation = match self.generations.expected(unit) {
            Known::Generation(generation) => Some(generation),
            Known::Never | Known::Unknown => None,
        };
        self.found.add(unit, || bad::unreadable(&self.target, offset, wanted_generation, what));
    }
}

/// [`stamp::fill`] with the widest vectors that this processor has.
fn fill_unit(unit: &mut [u8], stamp: Stamp) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions that the function is compiled to.
        return unsafe { stamp::fill_avx2(unit, stamp) };
    }
    stamp::fill(unit, stamp);
}

/// [`stamp::check`] in the same way.
pub(crate) fn check_unit(unit: &[u8], expected: Expected) -> Result<Stamp, Damage> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions that the function is compiled to.
        return unsafe { stamp::check_avx2(unit, expected) };
    }
    stamp::check(unit, expected)
}

fn units_in(bytes: u64, unit: u64) -> usize {
    usize::try_from(bytes / unit).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: u32 = 4096;

    #[test]
    fn wide_vectors_do_what_narrow_ones_do() {
        for bytes in [512, 1024, 2048, 4096] {
            let stamp = Stamp { offset: 8192, generation: 3, seed: 11 };
            let (mut wide, mut narrow) = (vec![0; bytes], vec![1; bytes]);
            fill_unit(&mut wide, stamp);
            stamp::fill(&mut narrow, stamp);
            assert_eq!(wide, narrow);
            let expected = Expected::Exactly(stamp);
            assert_eq!(check_unit(&wide, expected), Ok(stamp));
            for at in 0..bytes {
                wide[at] ^= 0x40;
                assert_eq!(check_unit(&wide, expected), stamp::check(&wide, expected), "{at}");
                assert!(check_unit(&wide, expected).is_err(), "{at}");
                wide[at] ^= 0x40;
            }
        }
    }

    /// What an earlier run stamped for the same place is whole, and yet not what was filled in.
    #[test]
    fn what_the_run_filled_is_checked_exactly() {
        let [ours, other] = [(); 2].map(|()| Checker::new("/data", 1 << 20, UNIT, 7));
        let (mut data, mut stranger) = (vec![0; UNIT as usize], vec![0; UNIT as usize]);
        ours.fill(&mut data, 0, |_| Ok(())).unwrap();
        other.fill(&mut stranger, 0, |_| Ok(())).unwrap();
        assert!(ours.check(0, &data));
        assert!(!ours.check(0, &stranger));
        let found = ours.take_found();
        assert_eq!(found.to_string(), "1 bad block (1 foreign)");
        assert_eq!(found.listed[0].wanted_generation, Some(0));
        assert!(ours.check(u64::from(UNIT), &stamped(&other, u64::from(UNIT))), "never filled");
    }

    fn stamped(checker: &Checker, offset: u64) -> Vec<u8> {
        let mut data = vec![0; UNIT as usize];
        checker.stamp(&mut data, offset, 0);
        data
    }

    #[test]
    fn a_fill_that_fails_leaves_its_units_unknown() {
        let checker = Checker::new("/data", 1 << 20, UNIT, 7);
        let mut data = vec![0; 2 * UNIT as usize];
        checker.fill(&mut data, 0, |_| Err(io::ErrorKind::Other.into())).unwrap_err();
        assert_eq!(checker.offsets().count(), 0);
        assert!(checker.check(0, &[0; UNIT as usize]), "anything may be there");
    }
}
