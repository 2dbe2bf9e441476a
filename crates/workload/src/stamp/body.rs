//! The random bytes of a stamped unit: a piece of one noise block, each word of it XORed with a
//! key, where piece and keys follow from the stamp. Filling and checking cost one pass over the
//! bytes with vector instructions, and any word can be computed again without the others.
//!
//! The noise is the output of `SplitMix64` (Steele, Lea, Flood: Fast splittable pseudorandom
//! number generators, OOPSLA 2014), so it does not compress; keys of 128 bits and 512 pieces
//! leave no run of bytes that two units share, so it does not deduplicate either.

use super::Stamp;

/// What `SplitMix64` adds to its state for each number.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Bytes of one word.
pub(super) const WORD: usize = 8;
/// Words of the noise block; it stays in the first-level cache.
const NOISE_WORDS: usize = 1024;
/// A piece begins at one of so many words; the longest body fits behind the last of them.
const STARTS: u64 = 512;
/// Bytes for which the two keys serve together.
const PAIR: usize = 2 * WORD;

static NOISE: [u64; NOISE_WORDS] = noise();

/// The body of one stamp.
pub(super) struct Body {
    start: usize,
    keys: [u64; 2],
}

impl Body {
    #[inline]
    pub(super) fn of(stamp: Stamp) -> Self {
        // Mixed after each part: stamps that differ in one bit have nothing in common.
        let mixed = finish(stamp.seed.wrapping_add(STEP)).wrapping_add(stamp.offset);
        let first = finish(finish(mixed).wrapping_add(u64::from(stamp.generation)));
        let second = finish(first.wrapping_add(STEP));
        Self { start: (second % STARTS) as usize, keys: [first, second] }
    }

    /// A number that follows from the stamp as the body does.
    pub(super) fn key(&self) -> u64 {
        self.keys[0]
    }

    /// Fills `bytes`, a whole number of words.
    #[inline(always)]
    pub(super) fn fill(&self, bytes: &mut [u8]) {
        let [even, odd] = self.keys;
        let (pairs, noise) = (bytes.chunks_exact_mut(PAIR), NOISE[self.start..].chunks_exact(2));
        for (pair, noise) in pairs.zip(noise) {
            pair[..WORD].copy_from_slice(&(noise[0] ^ even).to_le_bytes());
            pair[WORD..].copy_from_slice(&(noise[1] ^ odd).to_le_bytes());
        }
        let last = bytes.len() / PAIR * PAIR;
        if let Some(word) = bytes.get_mut(last..last + WORD) {
            word.copy_from_slice(&self.word(last / WORD));
        }
    }

    /// Whether `bytes`, a whole number of words, are those of the stamp.
    #[inline(always)]
    pub(super) fn is(&self, bytes: &[u8]) -> bool {
        let [even, odd] = self.keys;
        let (pairs, noise) = (bytes.chunks_exact(PAIR), NOISE[self.start..].chunks_exact(2));
        let last = pairs.remainder();
        // Both sums over everything: a branch in the loop would keep it from vector registers.
        let (mut differs, mut differs_odd) = (0, 0);
        for (pair, noise) in pairs.zip(noise) {
            differs |= number(&pair[..WORD]) ^ noise[0] ^ even;
            differs_odd |= number(&pair[WORD..]) ^ noise[1] ^ odd;
        }
        let words = bytes.len() / WORD;
        differs | differs_odd == 0 && (last.is_empty() || last == self.word(words - 1))
    }

    /// Whether the word at `index` of `bytes` is that of the stamp.
    pub(super) fn has_word(&self, bytes: &[u8], index: usize) -> bool {
        bytes[index * WORD..][..WORD] == self.word(index)
    }

    /// The first byte of `bytes` that is not the stamp's.
    pub(super) fn first_difference(&self, bytes: &[u8]) -> Option<usize> {
        bytes.chunks_exact(WORD).enumerate().find_map(|(index, word)| {
            let wanted = self.word(index);
            let byte = word.iter().zip(wanted).position(|(found, wanted)| *found != wanted)?;
            Some(index * WORD + byte)
        })
    }

    fn word(&self, index: usize) -> [u8; WORD] {
        (NOISE[self.start + index] ^ self.keys[index % 2]).to_le_bytes()
    }
}

/// The finisher of `SplitMix64`: every bit of the result depends on every bit of the state.
const fn finish(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

const fn noise() -> [u64; NOISE_WORDS] {
    let mut words = [0; NOISE_WORDS];
    let (mut index, mut state) = (0, STEP);
    while index < NOISE_WORDS {
        words[index] = finish(state);
        state = state.wrapping_add(STEP);
        index += 1;
    }
    words
}

// As a call of its own, which it was, it kept the comparison from vector registers.
#[inline(always)]
fn number(word: &[u8]) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|byte| word[byte]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_can_be_computed_alone() {
        let stamp = Stamp { offset: 4096, generation: 3, seed: 9 };
        for length in [456, 4040] {
            let mut bytes = vec![0; length];
            let body = Body::of(stamp);
            body.fill(&mut bytes);
            for index in 0..bytes.len() / WORD {
                assert!(body.has_word(&bytes, index), "word {index}");
            }
            let other = Body::of(Stamp { generation: 4, ..stamp });
            assert!(!other.has_word(&bytes, 0));
            assert_eq!(body.first_difference(&bytes), None);
            for at in [0, 17, length - 1] {
                assert!(body.is(&bytes));
                bytes[at] ^= 1;
                assert_eq!(body.first_difference(&bytes), Some(at));
                assert!(!body.is(&bytes), "{at}");
                bytes[at] ^= 1;
            }
        }
    }
}
