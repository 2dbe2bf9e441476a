//! Stamps on written blocks, and their check when they are read.
//!
//! Every unit of a target has a generation that is known exactly, because a request claims its
//! units before it is issued: writes alone, reads together. A request that meets a claim waits
//! until the other is done. So a difference is damage and never a race of our own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

use iopath_units::Op;
use iopath_workload::Request;
use iopath_workload::generations::{Generations, Known, Outcome};
use iopath_workload::stamp::{self, Damage, Expected, Stamp};

use crate::slots::Slot;

/// The knowledge about one target, shared by all lanes that use it.
#[derive(Clone)]
pub(crate) struct Checker {
    generations: Arc<Generations>,
    unit: u64,
    bytes: u64,
    seed: u64,
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
    pub(crate) fn new(bytes: u64, unit: u32, seed: u64) -> Self {
        let seed = unique(seed);
        let units = usize::try_from(bytes / u64::from(unit)).unwrap_or(usize::MAX);
        Self { generations: Arc::new(Generations::new(units)), unit: u64::from(unit), bytes, seed }
    }

    /// Whether the target has not grown since the checker was made.
    pub(crate) fn covers(&self, bytes: u64) -> bool {
        bytes <= self.bytes
    }

    /// Claims a request's units; gives the generation that a write shall carry (0 for a read), or
    /// nothing while another request holds one of them.
    pub(crate) fn claim(&self, request: &Request) -> Option<u32> {
        let (first, count) = self.units(request.offset, request.bytes);
        match request.op {
            Op::Write => self.generations.begin_write(first, count),
            Op::Read => self.generations.begin_read(first, count).then_some(0),
        }
    }

    /// Stamps the data of a write.
    pub(crate) fn stamp(&self, data: &mut [u8], offset: u64, generation: u32) {
        let seed = self.seed;
        let unit = self.unit as usize;
        for (offset, data) in (offset..).step_by(unit).zip(data.chunks_exact_mut(unit)) {
            stamp::fill(data, Stamp { offset, generation, seed });
        }
    }

    /// Checks the data of a read, or notes that a write is done, and gives the claim back.
    pub(crate) fn settle(&self, slot: &Slot, data: &[u8]) -> Result<(), Damage> {
        let (first, count) = self.units(slot.offset, slot.bytes);
        match slot.op {
            Op::Write => {
                self.generations.end_write(first, count, slot.generation, Outcome::Written);
                Ok(())
            }
            Op::Read => {
                let checked = self.check(slot.offset, data);
                self.generations.end_read(first, count);
                checked
            }
        }
    }

    /// Gives back the claim of a failed request: what its units hold is unknown after a write.
    pub(crate) fn abandon(&self, slot: &Slot) {
        let (first, count) = self.units(slot.offset, slot.bytes);
        match slot.op {
            Op::Write => {
                self.generations.end_write(first, count, slot.generation, Outcome::Failed);
            }
            Op::Read => self.generations.end_read(first, count),
        }
    }

    /// Checks data at `offset` against what is known of each of its units.
    pub(crate) fn check(&self, offset: u64, data: &[u8]) -> Result<(), Damage> {
        let unit = self.unit as usize;
        for (offset, data) in (offset..).step_by(unit).zip(data.chunks_exact(unit)) {
            let expected = match self.generations.expected((offset / self.unit) as usize) {
                Known::Generation(generation) => {
                    Expected::Exactly(Stamp { offset, generation, seed: self.seed })
                }
                Known::Never => Expected::Anything { offset, seed: None },
                Known::Unknown => continue,
            };
            stamp::check(data, expected)?;
        }
        Ok(())
    }

    /// The units that were written, as offsets in ascending order.
    pub(crate) fn written_offsets(&self) -> impl Iterator<Item = u64> + '_ {
        self.generations.written_units().map(|unit| unit as u64 * self.unit)
    }

    /// The seed that its stamps carry.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// Bytes of one unit.
    pub(crate) fn unit_bytes(&self) -> u64 {
        self.unit
    }

    fn units(&self, offset: u64, bytes: u32) -> (usize, usize) {
        ((offset / self.unit) as usize, (u64::from(bytes) / self.unit) as usize)
    }
}
