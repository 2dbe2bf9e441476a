//! A one-to-one map of ranks to blocks, so that popular blocks do not lie side by side.
//!
//! Two rounds of an odd multiplication and a shift mix the numbers of as many bits as the last
//! block needs; both steps can be undone, so the mix is one-to-one. A result outside the region
//! is mixed again until it falls inside (cycle walking; Black, Rogaway: Ciphers with arbitrary
//! finite domains, CT-RSA 2002), which takes less than two turns on average.
//!
//! This hides nothing from anybody: it is no cipher.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A one-to-one map of 0..blocks to itself.
#[derive(Clone, Debug)]
pub(super) struct Scatter {
    blocks: u64,
    mask: u64,
    shift: u32,
    factors: [u64; 2],
    shifted: u64,
}

impl Scatter {
    /// The map for this many blocks, at least 1, and this seed.
    pub(super) fn new(blocks: u64, seed: u64) -> Self {
        let bits = u64::BITS - (blocks - 1).leading_zeros();
        let mut keys = SplitMix64::seed_from_u64(seed);
        Self {
            blocks,
            mask: u64::MAX.checked_shr(u64::BITS - bits).unwrap_or(0),
            shift: bits.div_ceil(2),
            factors: [keys.next_u64() | 1, keys.next_u64() | 1],
            shifted: keys.next_u64(),
        }
    }

    /// The block of the `rank`-th most popular, counted from 0.
    #[inline]
    pub(super) fn place(&self, rank: u64) -> u64 {
        let mut at = rank;
        loop {
            at = self.mixed(at);
            if at < self.blocks {
                return at;
            }
        }
    }

    #[inline]
    fn mixed(&self, at: u64) -> u64 {
        let at = at.wrapping_mul(self.factors[0]).wrapping_add(self.shifted) & self.mask;
        let at = (at ^ (at >> self.shift)).wrapping_mul(self.factors[1]) & self.mask;
        at ^ (at >> self.shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_has_one_rank() {
        for blocks in (1..200).chain([255, 256, 257, 4095, 4096, 4097]) {
            let scatter = Scatter::new(blocks, blocks);
            let mut seen: Vec<u64> = (0..blocks).map(|rank| scatter.place(rank)).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..blocks), "{blocks} blocks");
        }
    }

    #[test]
    fn popular_blocks_are_spread() {
        // Of 16 ranks on 2^20 blocks, a random map would put two within 1000 blocks with
        // probability 16 × 15 × 1000 / 2^20 = 0.23; half of them within 1000 never.
        let scatter = Scatter::new(1 << 20, 7);
        let mut places: Vec<u64> = (0..16).map(|rank| scatter.place(rank)).collect();
        places.sort_unstable();
        let near = places.windows(2).filter(|pair| pair[1] - pair[0] < 1000).count();
        assert!(near < 8, "{places:?}");
    }
}
