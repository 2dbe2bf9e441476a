//! Random numbers: one source for each stream and purpose, so that no draw for one purpose moves
//! those of another. Sources are xoshiro256++; whole numbers are drawn without bias and, nearly
//! always, without division (Lemire: Fast random integer generation in an interval, ACM TOMACS
//! 29, 2019).

use std::convert::Infallible;

use iopath_units::Ratio;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng, TryRng};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What the numbers of a source are for.
#[derive(Clone, Copy, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Purpose {
    /// Where requests go.
    Offsets,
    /// Whether they read or write.
    Operations,
    /// When they come.
    Arrivals,
    /// How long they are served.
    Service,
    /// Which of several ways they take.
    Ways,
    /// Whether a cache has what they want.
    Hits,
    /// In which order streams start.
    Order,
}

/// A seeded sequence of 64-bit numbers; distributions of the crate `rand_distr` draw from it too.
#[derive(Clone, Debug)]
pub struct Source(Xoshiro256PlusPlus);

impl Source {
    /// The source of one stream, or of one component that is simulated, for one purpose.
    #[must_use]
    pub fn of(seed: u64, stream: &str, purpose: Purpose) -> Self {
        // The purpose is hashed first and apart: no name can imitate it.
        let purpose: &str = purpose.into();
        let seed = xxh3_64_with_seed(purpose.as_bytes(), seed);
        Self(Xoshiro256PlusPlus::seed_from_u64(xxh3_64_with_seed(stream.as_bytes(), seed)))
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A whole number in 0..`end`, each equally likely. `end` is not 0.
    #[inline]
    pub fn below(&mut self, end: u64) -> u64 {
        debug_assert_ne!(end, 0, "an empty range holds no number");
        let mut product = u128::from(self.next()) * u128::from(end);
        if (product as u64) < end {
            // 2^64 mod `end` of the products would make some results likelier: draw again.
            let surplus = end.wrapping_neg() % end;
            while (product as u64) < surplus {
                product = u128::from(self.next()) * u128::from(end);
            }
        }
        (product >> 64) as u64
    }

    /// A number in (0, 1] in steps of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1u64 << 53) as f64;
        ((self.next() >> 11) + 1) as f64 * STEP
    }
}

/// Lets a [`Source`] be drawn from as any other source of the crates around `rand`.
impl TryRng for Source {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        // The upper half is the better one (Blackman, Vigna).
        Ok((self.next() >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(bytes)
    }
}

/// A decision that is yes for a given share of the draws.
#[derive(Clone, Copy, Debug)]
pub struct Coin {
    /// The share times 2^63: the largest share, 1, fits as well.
    bound: u64,
}

impl Coin {
    /// Yes for this share; for all from 1 on.
    #[must_use]
    pub fn new(share: Ratio) -> Self {
        let share = share.0.min(Ratio::ONE.0);
        let bound = (u128::from(share) << 63) / u128::from(Ratio::ONE.0);
        Self { bound: bound as u64 }
    }

    /// The next decision.
    #[inline]
    #[must_use]
    pub fn toss(self, source: &mut Source) -> bool {
        source.next() >> 1 < self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_and_purposes_have_sources_of_their_own() {
        let first = |seed, stream, purpose| Source::of(seed, stream, purpose).next();
        let all = [
            first(1, "a", Purpose::Offsets),
            first(1, "a", Purpose::Operations),
            first(1, "a", Purpose::Arrivals),
            first(1, "a", Purpose::Service),
            first(1, "a", Purpose::Ways),
            first(1, "a", Purpose::Hits),
            first(1, "b", Purpose::Offsets),
            first(2, "a", Purpose::Offsets),
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one), "source {index} repeats another");
        }
        assert_eq!(all[0], first(1, "a", Purpose::Offsets));
    }

    #[test]
    fn no_bias_where_the_range_is_not_a_power_of_two() {
        // With three quarters of 2^64 a plain multiplication gives every third value twice.
        let end = 3 << 62;
        let mut source = Source::of(1, "s", Purpose::Offsets);
        let mut by_rest = [0u32; 3];
        for _ in 0..30_000 {
            by_rest[(source.below(end) % 3) as usize] += 1;
        }
        // Standard deviation is sqrt(30000 × 1/3 × 2/3) = 82; 5 of them are allowed.
        assert!(by_rest.iter().all(|n| n.abs_diff(10_000) < 410), "{by_rest:?}");
    }

    #[test]
    fn all_and_none_are_certain() {
        let mut source = Source::of(1, "s", Purpose::Operations);
        for _ in 0..1000 {
            assert!(Coin::new(Ratio::ONE).toss(&mut source));
            assert!(!Coin::new(Ratio(0)).toss(&mut source));
        }
    }
}
