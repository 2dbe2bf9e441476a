//! Data that grow: when a build is full.
//!
//! As much is added each month. Left out: growth by a share of what there is, and of the load.

use iopath_units::Bytes;

/// What is stored today, and what each month adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// What is stored today.
    pub today: Bytes,
    /// What is added each month: above zero.
    pub monthly: Bytes,
}

impl Growth {
    /// Months until this capacity is full; 0 where it is already.
    #[must_use]
    pub fn months_until_full(self, usable: Bytes) -> f64 {
        usable.0.saturating_sub(self.today.0) as f64 / self.monthly.0 as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_free_lasts_by_the_month() {
        let growth = Growth { today: Bytes(60), monthly: Bytes(8) };
        assert_eq!(growth.months_until_full(Bytes(100)), 5.0);
        assert_eq!(growth.months_until_full(Bytes(50)), 0.0);
    }
}
