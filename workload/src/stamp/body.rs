//! The random bytes of a stamped unit. Each word depends on the stamp and its own place only, so
//! that any of them can be computed again without the others.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::Stamp;

/// What `SplitMix64` adds to its state for each number.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Bytes of one word.
pub(super) const WORD: usize = 8;

/// Fills `body`, a whole number of words.
pub(super) fn fill(body: &mut [u8], stamp: Stamp) {
    let mut words = from(stamp, 0);
    for word in body.chunks_exact_mut(WORD) {
        word.copy_from_slice(&words.next_u64().to_le_bytes());
    }
}

/// Whether the word at `index` of `body` is that of the stamp.
pub(super) fn has_word(body: &[u8], index: usize, stamp: Stamp) -> bool {
    body[index * WORD..][..WORD] == from(stamp, index).next_u64().to_le_bytes()
}

/// The first byte of `body` that is not the stamp's.
pub(super) fn first_difference(body: &[u8], stamp: Stamp) -> Option<usize> {
    let mut words = from(stamp, 0);
    body.chunks_exact(WORD).enumerate().find_map(|(index, word)| {
        let wanted = words.next_u64().to_le_bytes();
        let byte = word.iter().zip(wanted).position(|(found, wanted)| *found != wanted)?;
        Some(index * WORD + byte)
    })
}

/// The words of the stamp's body from `index` on.
fn from(stamp: Stamp, index: usize) -> SplitMix64 {
    // Mixed after each part: stamps that differ in one bit have nothing in common.
    let mixed = |state: u64| SplitMix64::seed_from_u64(state).next_u64();
    let state = mixed(stamp.seed).wrapping_add(stamp.offset);
    let state = mixed(mixed(state).wrapping_add(u64::from(stamp.generation)));
    SplitMix64::seed_from_u64(state.wrapping_add(STEP.wrapping_mul(index as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_can_be_computed_alone() {
        let stamp = Stamp { offset: 4096, generation: 3, seed: 9 };
        let mut body = [0; 456];
        fill(&mut body, stamp);
        for index in 0..body.len() / WORD {
            assert!(has_word(&body, index, stamp), "word {index}");
        }
        let other = Stamp { generation: 4, ..stamp };
        assert!(!has_word(&body, 0, other));
        assert_eq!(first_difference(&body, stamp), None);
        body[17] ^= 1;
        assert_eq!(first_difference(&body, stamp), Some(17));
    }
}
