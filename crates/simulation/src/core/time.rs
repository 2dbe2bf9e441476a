//! Simulated time in whole picoseconds.
//!
//! At 63 GB/s 4 KiB take 65 ns: whole nanoseconds would lose up to 1.5 % a stage. 64 bits of
//! picoseconds are 213 days. Sums that leave this range stay at its end.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use iopath_units::Nanos;

const PER_NANO: u64 = 1_000;
const PER_SECOND: f64 = 1e12;

/// A moment since the start of a simulation, or a span, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ps(pub u64);

impl Ps {
    /// The start; no time at all.
    pub const ZERO: Self = Self(0);
    /// The end of time, 213 days after the start.
    pub const MAX: Self = Self(u64::MAX);

    /// The nearest picosecond; `ZERO` for what is negative or no number, `MAX` for what is beyond.
    #[must_use]
    pub fn from_secs_f64(seconds: f64) -> Self {
        // `as` saturates at both ends and takes NaN for 0.
        Self((seconds * PER_SECOND).round() as u64)
    }

    /// In seconds.
    #[must_use]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PER_SECOND
    }

    /// Whole nanoseconds, rounded down.
    #[must_use]
    pub fn as_nanos(self) -> Nanos {
        Nanos(self.0 / PER_NANO)
    }

    /// The first whole nanosecond that is not before it.
    #[must_use]
    pub fn next_nano(self) -> Self {
        Self(self.0.div_ceil(PER_NANO).saturating_mul(PER_NANO))
    }

    /// The span times a factor, to the nearest picosecond.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor).round() as u64)
    }
}

impl From<Nanos> for Ps {
    fn from(span: Nanos) -> Self {
        Self(span.0.saturating_mul(PER_NANO))
    }
}

impl Add for Ps {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Ps {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Ps {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Ps {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Ps {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_to_the_nearest_picosecond() {
        for (seconds, ps) in [
            (0.0, 0),
            (1.0, 1_000_000_000_000),
            (4096.0 / 63e9, 65_016),
            (0.6e-12, 1),
            (0.4e-12, 0),
            (-1.0, 0),
            (f64::NAN, 0),
            (1e9, u64::MAX),
            (f64::INFINITY, u64::MAX),
        ] {
            assert_eq!(Ps::from_secs_f64(seconds), Ps(ps), "{seconds} s");
        }
        assert_eq!(Ps(1_500_000_000_000).as_secs_f64(), 1.5);
        assert_eq!(Ps(65_016).scaled(0.5), Ps(32_508));
    }

    #[test]
    fn nanoseconds_are_a_thousand_picoseconds() {
        assert_eq!(Ps::from(Nanos(3)), Ps(3_000));
        assert_eq!(Ps::from(Nanos(u64::MAX)), Ps::MAX);
        assert_eq!(Ps(3_999).as_nanos(), Nanos(3));
        for (time, whole) in [(0, 0), (1, 1_000), (3_000, 3_000), (3_001, 4_000)] {
            assert_eq!(Ps(time).next_nano(), Ps(whole));
        }
        assert_eq!(Ps::MAX.next_nano(), Ps::MAX);
    }

    #[test]
    fn time_ends_where_its_range_ends() {
        assert_eq!(Ps::MAX + Ps(1), Ps::MAX);
        assert_eq!(Ps(1) - Ps(2), Ps::ZERO);
        assert_eq!([Ps(1), Ps(2), Ps::MAX].into_iter().sum::<Ps>(), Ps::MAX);
        let mut time = Ps(5);
        time += Ps(3);
        time -= Ps(2);
        assert_eq!(time, Ps(6));
    }
}
