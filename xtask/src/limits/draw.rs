//! Choices of a case, all of them made by its seed.

use std::hash::{DefaultHasher, Hash, Hasher};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The choices of one case.
pub(crate) struct Draw(Xoshiro256PlusPlus);

impl Draw {
    /// Of the case of a family that has this seed.
    pub(crate) fn of(family: &str, seed: u64) -> Self {
        let mut hasher = DefaultHasher::new();
        (family, seed).hash(&mut hasher);
        Self(Xoshiro256PlusPlus::seed_from_u64(hasher.finish()))
    }

    /// One of them.
    pub(crate) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[(self.0.next_u64() % of.len() as u64) as usize]
    }

    /// A number from `least` to `most`.
    pub(crate) fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.0.next_u64() % (most - least + 1)
    }
}
