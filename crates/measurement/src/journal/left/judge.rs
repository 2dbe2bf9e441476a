//! The units of a target after a crash, each against its journal, and what they come to.

use std::cell::RefCell;

use iopath_record::{AfterCrash, BadBlock, LostWrite};
use iopath_workload::journal::{Journal, Lacking, Past, Verdict, judge};
use iopath_workload::stamp::{Damage, Expected, Stamp};

use super::LeftJournal;
use crate::bad;
use crate::checker::check_unit;
use crate::readback::Judge;

/// Judges one target.
pub(super) struct OfJournal<'j> {
    journal: Journal<'j>,
    unit_bytes: u64,
    seed: u64,
    label: &'j str,
    lacking: Lacking,
    found: RefCell<AfterCrash>,
}

impl<'j> OfJournal<'j> {
    pub(super) fn new(left: &'j LeftJournal, label: &'j str, lacking: Lacking) -> Self {
        let unit_bytes = left.header.unit_bytes;
        Self {
            journal: left.mapped.journal(),
            unit_bytes,
            seed: left.header.seed,
            label,
            lacking,
            found: RefCell::new(AfterCrash::new(label, unit_bytes)),
        }
    }

    pub(super) fn end(self) -> AfterCrash {
        self.found.into_inner()
    }

    fn past(&self, offset: u64) -> Option<Past> {
        self.journal.past((offset / self.unit_bytes) as usize)
    }

    fn note(&self, offset: u64, past: &Past, verdict: Verdict, bad: impl FnOnce() -> BadBlock) {
        let mut found = self.found.borrow_mut();
        let lost = |found_generation| LostWrite {
            offset_bytes: offset,
            completed_generation: past.completed,
            durable_generation: past.durable,
            found_generation,
        };
        found.flushed_units += u64::from(past.durable.is_some());
        match verdict {
            Verdict::Intact => found.intact_units += 1,
            Verdict::Lost(generation) => found.lost.add(lost(generation)),
            Verdict::Torn => found.torn.add(lost(None)),
            Verdict::Damaged => found.bad_blocks.add(bad()),
        }
    }

    /// A block that does not hold what a flush covered. A whole stamp is an older write, or one
    /// that was never issued.
    fn block(&self, past: &Past, place: Stamp, found: Result<Stamp, Damage>) -> BadBlock {
        let wanted = Stamp { generation: past.durable.unwrap_or(past.issued), ..place };
        let damage = match found {
            Ok(found) => Damage::Stale { wanted, found },
            Err(damage) => damage,
        };
        let mut block = bad::block(self.label, Expected::Exactly(wanted), &damage);
        if let Some(durable) = past.durable {
            block.what += &format!("; a flush of generation {durable} was acknowledged");
        }
        block
    }
}

impl Judge for OfJournal<'_> {
    fn unit_bytes(&self) -> u64 {
        self.unit_bytes
    }

    fn bytes(&self) -> u64 {
        self.journal.units.len() as u64 * self.unit_bytes
    }

    fn offsets(&self) -> impl Iterator<Item = u64> {
        let known = (0..self.journal.units.len()).filter(|unit| self.journal.past(*unit).is_some());
        known.map(|unit| unit as u64 * self.unit_bytes)
    }

    fn check(&self, offset: u64, data: &[u8]) {
        let Some(past) = self.past(offset) else { return };
        let place = Stamp { offset, generation: 0, seed: self.seed };
        let found = check_unit(data, Expected::Anything { offset, seed: Some(self.seed) });
        let verdict = judge(&past, self.lacking, place, found);
        self.note(offset, &past, verdict, || self.block(&past, place, found));
    }

    fn unreadable(&self, offset: u64, what: String) {
        let Some(past) = self.past(offset) else { return };
        let block = || bad::unreadable(self.label, offset, past.durable, what);
        self.note(offset, &past, past.broken(self.lacking), block);
    }
}
