//! From a rank's axis to the root's: a straight line.

use serde::{Deserialize, Serialize};

/// The instant `t` of a rank is `t + offset + t × rate` of the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AxisMap {
    /// The root's axis at the rank's 0.
    pub offset_ns: i64,
    /// How much faster the root's clock runs, in billionths.
    pub rate_ppb: i64,
}

impl AxisMap {
    /// An instant on the root's axis, rounded down. What lies before its 0 is at 0: nothing of a
    /// pass happens before it, so that this is within the error of clocks.
    #[must_use]
    pub fn map(self, at_ns: u64) -> u64 {
        let at = i128::from(at_ns);
        let drift = (at * i128::from(self.rate_ppb)).div_euclid(1_000_000_000);
        let there = at + i128::from(self.offset_ns) + drift;
        u64::try_from(there.max(0)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_moves_by_offset_and_rate_and_never_before_the_beginning() {
        assert_eq!(AxisMap::default().map(7), 7);
        let map = AxisMap { offset_ns: -100, rate_ppb: 2_000 };
        assert_eq!(map.map(0), 0);
        assert_eq!(map.map(1_000_000_000), 1_000_001_900);
        assert_eq!(AxisMap { rate_ppb: -1, ..map }.map(1_000), 899);
        assert_eq!(AxisMap { offset_ns: 1, rate_ppb: 0 }.map(u64::MAX), u64::MAX);
    }
}
