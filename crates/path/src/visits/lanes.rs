//! Visits from several starts at once: streams that come to one volume from many hosts walk the
//! same legs below it, and walking them together reads each leg once.
//!
//! Each start has a lane, in which the same numbers are added in the same order as if it walked
//! alone.

use std::ops::{AddAssign, Mul};

/// How many starts walk together: chosen, a cache line of numbers.
pub const LANES: usize = 8;

/// A number for each start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lanes(pub [f64; LANES]);

impl Lanes {
    /// A number of one start; the others have none.
    #[must_use]
    pub fn one(lane: usize, amount: f64) -> Self {
        let mut lanes = Self::default();
        lanes.0[lane] = amount;
        lanes
    }
}

impl AddAssign for Lanes {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        for (sum, amount) in self.0.iter_mut().zip(other.0) {
            *sum += amount;
        }
    }
}

impl Mul<f64> for Lanes {
    type Output = Self;

    /// Of a lane with none there is none, also of what is without end.
    #[inline]
    fn mul(self, factor: f64) -> Self {
        Self(self.0.map(|amount| if amount == 0.0 { 0.0 } else { amount * factor }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_summed_each_for_itself() {
        let mut sum = Lanes::one(0, 2.0) * 0.5;
        sum += Lanes::one(7, 3.0) * f64::INFINITY;
        assert_eq!(sum.0, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, f64::INFINITY]);
    }
}
