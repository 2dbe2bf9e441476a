//! What verification found: blocks that did not hold what was written to them. All are counted by
//! kind; the first of them are listed with their place.
//!
//! It leaves out how a kind is distinguished from the others; that is `iopath-workload`'s `stamp`.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How many bad blocks are listed (chosen: enough to see a pattern, 200 kB of text at most).
pub const LISTED_BLOCKS: usize = 1_000;

/// The bad blocks of a pass, or of several together. A block is counted once a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BadBlocks {
    /// How many of each kind.
    pub counts: BTreeMap<BadKind, u64>,
    /// The first [`LISTED_BLOCKS`] that were found.
    pub listed: Vec<BadBlock>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BadBlock {
    /// What is wrong with it.
    pub kind: BadKind,
    /// The target's path or name.
    pub target: String,
    /// Where it lies on the target.
    pub offset_bytes: u64,
    /// Which write it must hold, where that is known; 0 is the first write of a block.
    pub wanted_generation: Option<u32>,
    /// Which write it holds, where it has a whole stamp.
    pub found_generation: Option<u32>,
    /// For which offset its content was written, where it has a whole stamp.
    pub found_offset_bytes: Option<u64>,
    /// The same in words.
    pub what: String,
}

/// What is wrong with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BadKind {
    /// Whole and in place, but an older write: the last one was lost.
    Stale,
    /// Whole, but it belongs somewhere else.
    Misplaced,
    /// Whole and in place, but of another run or another target.
    Foreign,
    /// Its front and its end are from different writes.
    Torn,
    /// Bytes that no write left like this.
    Corrupt,
    /// It has no stamp.
    Unstamped,
    /// It was stamped for blocks of another size.
    OtherUnit,
    /// The kernel could not read it.
    Unreadable,
}

impl BadKind {
    /// Its name, as in text and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Misplaced => "misplaced",
            Self::Foreign => "foreign",
            Self::Torn => "torn",
            Self::Corrupt => "corrupt",
            Self::Unstamped => "unstamped",
            Self::OtherUnit => "other-unit",
            Self::Unreadable => "unreadable",
        }
    }
}

impl BadBlocks {
    /// Counts a block, and lists it while there is room.
    pub fn add(&mut self, block: BadBlock) {
        *self.counts.entry(block.kind).or_default() += 1;
        self.list(block);
    }

    /// Adds those that were found later.
    pub fn merge(&mut self, later: Self) {
        for (kind, count) in later.counts {
            let sum = self.counts.entry(kind).or_default();
            *sum = sum.saturating_add(count);
        }
        later.listed.into_iter().for_each(|block| self.list(block));
    }

    /// One that the run wrote is listed also where there is no more room: it alone shows that a
    /// write was lost, where all others were never written.
    fn list(&mut self, block: BadBlock) {
        if self.listed.len() < LISTED_BLOCKS {
            self.listed.push(block);
        } else if let Some(last) = self.listed.last_mut()
            && last.wanted_generation.is_none()
            && block.wanted_generation.is_some()
        {
            *last = block;
        }
    }

    /// How many there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Whether nothing says that storage lost or changed a write: all of them are without a stamp
    /// of this size of block, and none of those listed was written by the run.
    #[must_use]
    pub fn are_unwritten(&self) -> bool {
        let is_strange = |kind: &BadKind| matches!(kind, BadKind::Unstamped | BadKind::OtherUnit);
        !self.is_empty()
            && self.counts.keys().all(is_strange)
            && self.listed.iter().all(|block| block.wanted_generation.is_none())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty() && self.listed.is_empty()
    }
}

impl fmt::Display for BadBlocks {
    /// `3 bad blocks (2 stale, 1 torn)`, or `3 blocks without a usable stamp (3 unstamped)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total();
        let of = |(kind, count): (&BadKind, &u64)| format!("{count} {}", kind.name());
        let kinds: Vec<String> = self.counts.iter().map(of).collect();
        let plural = if total == 1 { "" } else { "s" };
        let kinds = kinds.join(", ");
        match self.are_unwritten() {
            true => write!(f, "{total} block{plural} without a usable stamp ({kinds})"),
            false => write!(f, "{total} bad block{plural} ({kinds})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(kind: BadKind) -> BadBlock {
        BadBlock {
            kind,
            target: "/data".to_owned(),
            offset_bytes: 0,
            wanted_generation: Some(1),
            found_generation: None,
            found_offset_bytes: None,
            what: "…".to_owned(),
        }
    }

    #[test]
    fn all_are_counted_and_the_first_thousand_listed() {
        let mut blocks = BadBlocks::default();
        (0..900).for_each(|_| blocks.add(block(BadKind::Torn)));
        let mut later = BadBlocks::default();
        (0..1_200).for_each(|_| later.add(block(BadKind::Stale)));
        assert_eq!(later.listed.len(), LISTED_BLOCKS);
        blocks.merge(later);
        assert_eq!(blocks.to_string(), "2100 bad blocks (1200 stale, 900 torn)");
        assert_eq!(blocks.listed.len(), LISTED_BLOCKS);
        assert_eq!(blocks.listed[899].kind, BadKind::Torn);
        assert_eq!(blocks.listed[900].kind, BadKind::Stale);
    }

    #[test]
    fn blocks_that_no_run_wrote_accuse_no_storage() {
        let of = |kind, wanted_generation| BadBlock { wanted_generation, ..block(kind) };
        let found = |blocks: &[BadBlock]| {
            let mut all = BadBlocks::default();
            blocks.iter().for_each(|one| all.add(one.clone()));
            all
        };
        let strange = found(&[of(BadKind::Unstamped, None), of(BadKind::OtherUnit, None)]);
        assert!(strange.are_unwritten());
        let said = "2 blocks without a usable stamp (1 unstamped, 1 other-unit)";
        assert_eq!(strange.to_string(), said);
        for other in [of(BadKind::Unstamped, Some(0)), of(BadKind::Torn, None)] {
            let lost = found(&[of(BadKind::Unstamped, None), other]);
            assert!(!lost.are_unwritten(), "{lost}");
        }
        assert!(!BadBlocks::default().are_unwritten());
    }
}
