//! The window over which a record of rates counts, and whole numbers that add up.
//!
//! A record holds counts, not rates. Over 1000 s a rate keeps a thousandth of its unit; sums of
//! parts are rounded together, so that they add up to the rounded total: three times 195 MB/s is
//! 585 MB/s exactly, and so is a third of it three times.

/// Seconds of the longest window (chosen: a thousandth of a byte per second is enough).
const LONGEST_S: u64 = 1000;

/// Nanoseconds in a second.
pub(crate) const SECOND: u64 = 1_000_000_000;

/// The length of a window in seconds: the longest of 1000, 100, 10 and 1 in which nothing that is
/// summed over all streams, at most so much per second, comes near 64 bits.
pub(crate) fn length_s(most_per_sec: f64) -> u64 {
    let fits = |seconds: &u64| most_per_sec * (*seconds as f64) < (u64::MAX / 4) as f64;
    let longest = std::iter::successors(Some(LONGEST_S), |seconds| Some(seconds / 10));
    longest.take_while(|seconds| *seconds > 0).find(fits).unwrap_or(1)
}

/// Rounds parts so that their sum is the rounded sum.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounder {
    exact: f64,
    given: u64,
}

impl Rounder {
    /// The next part.
    pub(crate) fn next(&mut self, part: f64) -> u64 {
        self.exact += part;
        let sum = self.exact.round() as u64;
        let next = sum.saturating_sub(self.given);
        self.given += next;
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up() {
        let mut rounder = Rounder::default();
        let parts: Vec<u64> = (0..7).map(|_| rounder.next(820e9 / 7.0)).collect();
        assert_eq!(parts.iter().sum::<u64>(), 820_000_000_000);
        assert!(parts.iter().all(|part| part.abs_diff(117_142_857_143) <= 1), "{parts:?}");
    }

    #[test]
    fn absurd_loads_have_a_shorter_window() {
        assert_eq!(length_s(2e10), 1000);
        assert_eq!(length_s(1e17), 10);
        assert_eq!(length_s(1e30), 1);
    }
}
