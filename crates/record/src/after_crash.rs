//! What a target held after a crash, against the journal of the run that wrote it: how many units
//! are as they were, which writes are lost that no flush covers, and what is damaged.
//!
//! It leaves out how a unit is judged; that is `iopath-workload`'s `journal`.

use serde::{Deserialize, Serialize};

use crate::{BadBlocks, LISTED_BLOCKS};

/// One target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AfterCrash {
    /// The target's path or name.
    pub target: String,
    /// Bytes that one stamp covers.
    pub unit_bytes: u64,
    /// Of all that were checked, those of which an acknowledged flush covers a write.
    pub flushed_units: u64,
    /// Units that hold the last write that completed, or a newer one.
    pub intact_units: u64,
    /// Units that do not hold the last write that completed, which no flush covers.
    pub lost: LostWrites,
    /// Units that hold parts of writes that were not flushed.
    pub torn: LostWrites,
    /// Units that do not hold what an acknowledged flush covers, or hold what belongs elsewhere.
    pub bad_blocks: BadBlocks,
}

/// Units whose last writes are gone, as they were not flushed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostWrites {
    /// How many.
    pub units: u64,
    /// The first [`LISTED_BLOCKS`] of them.
    pub listed: Vec<LostWrite>,
}

/// One of them. Generations count the writes of a unit from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostWrite {
    /// Where it lies on the target.
    pub offset_bytes: u64,
    /// The newest write that completed.
    pub completed_generation: u32,
    /// The newest that an acknowledged flush covers; none where there is none.
    pub durable_generation: Option<u32>,
    /// The write that is there; none where it is no whole one of the run.
    pub found_generation: Option<u32>,
}

impl LostWrites {
    /// Counts a unit, and lists it while there is room.
    pub fn add(&mut self, write: LostWrite) {
        self.units += 1;
        if self.listed.len() < LISTED_BLOCKS {
            self.listed.push(write);
        }
    }
}

impl AfterCrash {
    /// A target of which nothing is counted yet.
    #[must_use]
    pub fn new(target: &str, unit_bytes: u64) -> Self {
        Self {
            target: target.to_owned(),
            unit_bytes,
            flushed_units: 0,
            intact_units: 0,
            lost: LostWrites::default(),
            torn: LostWrites::default(),
            bad_blocks: BadBlocks::default(),
        }
    }

    /// How many units were checked: those with a write that completed.
    #[must_use]
    pub fn units(&self) -> u64 {
        self.intact_units + self.lost.units + self.torn.units + self.bad_blocks.total()
    }

    /// Whether nothing of the run is there, as on another device, or on one that was written since.
    #[must_use]
    pub fn is_strange(&self) -> bool {
        let of_run = |write: &LostWrite| write.found_generation.is_some();
        let has_older = self.lost.listed.iter().any(of_run);
        !self.bad_blocks.is_empty() && self.intact_units + self.torn.units == 0 && !has_older
    }
}
