//! `Offset`: the interval that holds the offset at one moment.

/// What the root's clock shows more than the rank's own, when the rank's own shows `at_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offset {
    pub at_ns: u64,
    pub low_ns: i64,
    pub high_ns: i64,
}

impl Offset {
    /// The estimate: right where the shortest way there is as long as the shortest way back.
    #[must_use]
    pub fn middle_ns(&self) -> i64 {
        self.low_ns.midpoint(self.high_ns)
    }

    /// How far the truth is from the middle at most.
    #[must_use]
    pub fn bound_ns(&self) -> u64 {
        self.low_ns.abs_diff(self.high_ns).div_ceil(2)
    }

    #[must_use]
    pub fn contains(&self, offset_ns: i64) -> bool {
        (self.low_ns..=self.high_ns).contains(&offset_ns)
    }
}
