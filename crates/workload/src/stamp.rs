//! What a verified block holds. Every `unit` bytes of it carry a stamp that says where they
//! belong, which write they are from and whose, so that a read can tell misplaced, stale, foreign,
//! torn and corrupt data apart.
//!
//! ```text
//! byte 0       8        16           20    24     32     n-24   n-16         n-12   n-8     n
//!      | magic | offset | generation | n  | seed | body | seed | generation | tail | check |
//! ```
//!
//! Numbers are little-endian. The body is noise that follows from the stamp (`body.rs`): no
//! storage can compress it or find two equal. `tail` is a second magic number, `check` a number
//! that follows from the stamp too. So every bit of a unit is known once its stamp is, and a check
//! compares all of them; a checksum would cost more and prove less.
//!
//! A unit has 4 KiB, the usual page and sector, or less where blocks ask for it, down to a sector
//! of 512 B. Left out: what each unit must hold; that is for [`generations`](crate::generations).

mod body;
mod damage;
mod diagnosis;

pub use damage::Damage;

use body::Body;

/// The largest unit in bytes; blocks that are multiples of it use it.
pub const UNIT_MAX: usize = 4096;
/// The smallest unit in bytes.
pub const UNIT_MIN: usize = 512;

const MAGIC: [u8; 8] = *b"iopath.2";
const TAIL_MAGIC: [u8; 4] = *b"htap";
/// Bytes in front of the body.
const HEAD: usize = 32;
/// Bytes behind it.
const TAIL: usize = 24;

/// Which write the bytes of a unit are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Where the unit lies on its target, in bytes.
    pub offset: u64,
    /// Which write of this unit it is.
    pub generation: u32,
    /// Whose write: the seed of the study.
    pub seed: u64,
}

/// What a read may find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The write that was acknowledged last.
    Exactly(Stamp),
    /// Any whole stamp for that place: data of an earlier run.
    Anything {
        /// Where the unit lies on its target, in bytes.
        offset: u64,
        /// The only seed that will do.
        seed: Option<u64>,
    },
}

/// Blocks that cannot be stamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a block of {block} B cannot be stamped: it is not a multiple of {min} B; use another block \
     or no verification",
    min = UNIT_MIN
)]
pub struct NoUnit {
    /// Bytes of one request.
    pub block: u64,
}

/// The unit of stamps for a block: the largest power of two up to [`UNIT_MAX`] that divides it.
/// Streams of several blocks on one target use the smallest of their units, which divides all.
pub fn unit_of(block: u64) -> Result<usize, NoUnit> {
    if block == 0 || !block.is_multiple_of(UNIT_MIN as u64) {
        return Err(NoUnit { block });
    }
    Ok(1 << block.trailing_zeros().min(UNIT_MAX.trailing_zeros()))
}

/// Stamps `unit`, whose length is a power of two from [`UNIT_MIN`] to [`UNIT_MAX`].
///
/// # Panics
/// Where the length is another.
pub fn fill(unit: &mut [u8], stamp: Stamp) {
    put(unit, stamp);
}

/// [`fill`] with vectors of 32 B: half of the time.
///
/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub fn fill_avx2(unit: &mut [u8], stamp: Stamp) {
    put(unit, stamp);
}

/// Compiled anew into each of its callers, for the instructions that they may use.
#[inline(always)]
fn put(unit: &mut [u8], stamp: Stamp) {
    assert_unit(unit.len());
    let length = unit.len() as u32;
    let tail = unit.len() - TAIL;
    unit[..8].copy_from_slice(&MAGIC);
    unit[8..16].copy_from_slice(&stamp.offset.to_le_bytes());
    unit[16..20].copy_from_slice(&stamp.generation.to_le_bytes());
    unit[20..24].copy_from_slice(&length.to_le_bytes());
    unit[24..32].copy_from_slice(&stamp.seed.to_le_bytes());
    let body = Body::of(stamp);
    body.fill(&mut unit[HEAD..tail]);
    unit[tail..tail + 8].copy_from_slice(&stamp.seed.to_le_bytes());
    unit[tail + 8..tail + 12].copy_from_slice(&stamp.generation.to_le_bytes());
    unit[tail + 12..tail + 16].copy_from_slice(&TAIL_MAGIC);
    unit[tail + 16..].copy_from_slice(&body.key().to_le_bytes());
}

/// Reads the stamp of `unit` and compares it with what must be there.
///
/// # Panics
/// Where the length is no power of two from [`UNIT_MIN`] to [`UNIT_MAX`].
pub fn check(unit: &[u8], expected: Expected) -> Result<Stamp, Damage> {
    compare(unit, expected)
}

/// [`check`] with vectors of 32 B: half of the time.
///
/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
pub fn check_avx2(unit: &[u8], expected: Expected) -> Result<Stamp, Damage> {
    compare(unit, expected)
}

/// Compiled anew into each of its callers, for the instructions that they may use.
#[inline(always)]
fn compare(unit: &[u8], expected: Expected) -> Result<Stamp, Damage> {
    assert_unit(unit.len());
    let Some(found) = whole(unit) else { return Err(diagnosis::of(unit, expected)) };
    let (offset, seed) = match expected {
        Expected::Exactly(wanted) => (wanted.offset, Some(wanted.seed)),
        Expected::Anything { offset, seed } => (offset, seed),
    };
    if found.offset != offset {
        return Err(Damage::Misplaced { wanted: offset, found });
    }
    if let Some(wanted) = seed.filter(|seed| *seed != found.seed) {
        return Err(Damage::Foreign { wanted, found });
    }
    match expected {
        Expected::Exactly(wanted) if wanted.generation != found.generation => {
            Err(Damage::Stale { wanted, found })
        }
        Expected::Exactly(_) | Expected::Anything { .. } => Ok(found),
    }
}

/// The stamp of a unit in which nothing is wrong.
#[inline(always)]
fn whole(unit: &[u8]) -> Option<Stamp> {
    let (stamp, at) = (head(unit), unit.len() - TAIL);
    let body = Body::of(stamp);
    let intact = unit[..8] == MAGIC
        && number_u32(unit, 20) as usize == unit.len()
        && tail(unit, stamp.offset) == stamp
        && unit[at + 12..at + 16] == TAIL_MAGIC
        && number_u64(unit, at + 16) == body.key()
        && body.is(&unit[HEAD..at]);
    intact.then_some(stamp)
}

/// What the front of a unit says, right or wrong.
fn head(unit: &[u8]) -> Stamp {
    let (offset, seed) = (number_u64(unit, 8), number_u64(unit, 24));
    Stamp { offset, generation: number_u32(unit, 16), seed }
}

/// What the end of a unit at `offset` says, right or wrong; the offset stands in front only.
fn tail(unit: &[u8], offset: u64) -> Stamp {
    let at = unit.len() - TAIL;
    Stamp { offset, generation: number_u32(unit, at + 8), seed: number_u64(unit, at) }
}

fn number_u64(unit: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|byte| unit[at + byte]))
}

fn number_u32(unit: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|byte| unit[at + byte]))
}

fn assert_unit(bytes: usize) {
    assert!(is_unit(bytes), "a unit of {bytes} B was never offered");
}

fn is_unit(bytes: usize) -> bool {
    bytes.is_power_of_two() && (UNIT_MIN..=UNIT_MAX).contains(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_divide_their_block() {
        for (block, unit) in
            [(512, 512), (1024, 1024), (1536, 512), (4096, 4096), (6144, 2048), (1 << 20, 4096)]
        {
            assert_eq!(unit_of(block), Ok(unit), "{block}");
        }
        for block in [0, 1, 511, 1000, 4097] {
            assert_eq!(unit_of(block), Err(NoUnit { block }));
        }
    }
}
