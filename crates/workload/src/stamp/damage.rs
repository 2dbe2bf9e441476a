//! What is wrong with a unit, in words that say where to look.

use super::Stamp;

/// What is wrong with a unit that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// No stamp at all.
    #[error("no stamp at offset {offset}")]
    Unstamped { offset: u64 },
    /// A stamp of another length, from a run with other blocks.
    #[error(
        "offset {offset} was stamped in units of {found} B, but is read in units of {wanted} B; \
         read it with the block size used for writing"
    )]
    OtherUnit {
        offset: u64,
        /// Bytes of a unit of this run.
        wanted: usize,
        /// Bytes of a unit of the stamp.
        found: usize,
    },
    /// A whole unit that belongs somewhere else.
    #[error(
        "misplaced data: offset {wanted} holds data written for offset {} (generation {})",
        found.offset, found.generation
    )]
    Misplaced { wanted: u64, found: Stamp },
    /// A whole unit of another write than the last one acknowledged.
    #[error(
        "stale data at offset {}: generation {} is there, but generation {} was written last",
        wanted.offset, found.generation, wanted.generation
    )]
    Stale { wanted: Stamp, found: Stamp },
    /// A whole unit that another run wrote.
    #[error(
        "foreign data at offset {}: it was written with seed {}, not {wanted}",
        found.offset, found.seed
    )]
    Foreign { wanted: u64, found: Stamp },
    /// The front of one write and the end of another.
    #[error(
        "torn data at offset {offset}: generation {} of seed {} up to byte {at} of the unit, \
         generation {} of seed {} at its end",
        head.generation, head.seed, tail.generation, tail.seed
    )]
    Torn {
        offset: u64,
        /// Whose write the front is.
        head: Stamp,
        /// Whose write the end is.
        tail: Stamp,
        /// The first byte of the unit that is not the front's.
        at: usize,
    },
    /// Bytes that no write left like this.
    #[error("corrupt data at offset {offset}{}", in_words(*first_bad_byte))]
    Corrupt {
        offset: u64,
        /// The first wrong byte of the unit, where it can be told.
        first_bad_byte: Option<usize>,
    },
}

fn in_words(first_bad_byte: Option<usize>) -> String {
    match first_bad_byte {
        Some(byte) => format!(": byte {byte} of the unit is the first wrong one"),
        None => String::new(),
    }
}
