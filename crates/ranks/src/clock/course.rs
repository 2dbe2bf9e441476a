//! `Course`: the offset of one rank over a whole run.
//!
//! Between batches the offset may do anything that [`rate`](super::rate) allows, so each batch's
//! interval widens with the distance from it, and the offset is within all of them at once: that is
//! the bound. Drift that two batches show is no promise for what lies between them, so it goes into
//! the estimate only: straight between batches, continued beyond them, and moved to within the
//! bound where it leaves it.
//!
//! ```text
//!   ┌╲            ╱┐
//!   │ ╲╲ ____  ╱╱  │     │ batches, narrow; ╲╱ the limit of the rate
//!   └╱             ╲┘    estimates: from middle to middle
//! ```
//!
//! A batch that is much wider than the narrowest, such as one during a pass, narrows the bound but
//! does not draw the estimate: its middle is off by how unequal its two ways were.

use thiserror::Error;

use super::{Offset, difference, drift_ns};

/// The offset of a rank against the root over time. It is never without a bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    /// In order of time, each narrowed by all others. None for the root's own clock.
    knots: Vec<Offset>,
    /// Those that draw the estimate.
    narrow: Vec<Offset>,
}

/// No clock within the limit of the rate can have been in all intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a clock was set or slewed by more than {} ppm: {apart_ns} ns between two comparisons, or \
     within one, are not explained; do not let chrony or ntpd step clocks during a run",
    super::RATE_LIMIT_PPM
)]
pub struct Contradiction {
    pub apart_ns: u64,
}

impl Course {
    /// The root's own: no offset, no error.
    #[must_use]
    pub fn of_root() -> Self {
        Self { knots: Vec::new(), narrow: Vec::new() }
    }

    /// Of a rank, by its first batch.
    ///
    /// # Errors
    ///
    /// The batch contradicts itself: a clock was set meanwhile.
    pub fn new(first: Offset) -> Result<Self, Contradiction> {
        let mut course = Self::of_root();
        course.add(first)?;
        Ok(course)
    }

    /// Takes another batch in, of any time.
    ///
    /// # Errors
    ///
    /// It contradicts the others, and is not taken in.
    pub fn add(&mut self, offset: Offset) -> Result<(), Contradiction> {
        let mut knots = self.knots.clone();
        let place = knots.partition_point(|knot| knot.at_ns <= offset.at_ns);
        knots.insert(place, offset);
        for index in 1..knots.len() {
            knots[index] = narrowed(knots[index], knots[index - 1]);
        }
        for index in (1..knots.len()).rev() {
            knots[index - 1] = narrowed(knots[index - 1], knots[index]);
        }
        let gaps = knots.iter().map(|knot| knot.low_ns.saturating_sub(knot.high_ns));
        let apart = gaps.max().and_then(|gap| u64::try_from(gap).ok()).unwrap_or(0);
        if apart > 0 {
            return Err(Contradiction { apart_ns: apart });
        }
        self.narrow = narrow(&knots);
        self.knots = knots;
        Ok(())
    }

    /// What the root's clock shows when the rank's own shows `local_ns`, by estimate. Negative
    /// where the root was not up yet.
    #[must_use]
    pub fn to_root(&self, local_ns: u64) -> i64 {
        local_ns.cast_signed().saturating_add(self.offset_ns(local_ns))
    }

    /// What the rank's own clock shows when the root's shows `root_ns`, by the same estimate.
    #[must_use]
    pub fn to_local(&self, root_ns: i64) -> i64 {
        let start = self.knots.last().map_or(0, |knot| knot.at_ns);
        let mut local = root_ns.saturating_sub(self.offset_ns(start));
        // Each step leaves a thousandth of the error, the limit of the rate.
        for _ in 0..STEPS {
            local = root_ns.saturating_sub(self.offset_ns(u64::try_from(local).unwrap_or(0)));
        }
        local
    }

    /// How far the truth is from [`to_root`](Self::to_root) at most.
    #[must_use]
    pub fn bound_ns(&self, local_ns: u64) -> u64 {
        let range = self.range(local_ns);
        let estimate = self.offset_ns(local_ns);
        range.low_ns.abs_diff(estimate).max(range.high_ns.abs_diff(estimate))
    }

    /// The interval that holds the offset when the rank's own clock shows `local_ns`.
    #[must_use]
    pub fn range(&self, local_ns: u64) -> Offset {
        let next = self.knots.partition_point(|knot| knot.at_ns <= local_ns);
        let before = next.checked_sub(1).map(|index| moved(self.knots[index], local_ns));
        let after = self.knots.get(next).map(|knot| moved(*knot, local_ns));
        match (before, after) {
            (Some(one), Some(other)) => both(one, other),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => Offset { at_ns: local_ns, low_ns: 0, high_ns: 0 },
        }
    }

    /// By how much the rank's clock gained on the root's, in billionths, where the batches are
    /// far enough apart to tell.
    #[must_use]
    pub fn drift_ppb(&self) -> Option<i64> {
        let (first, last) = (self.narrow.first()?, self.narrow.last()?);
        let elapsed = i128::from(last.at_ns.abs_diff(first.at_ns));
        let least = i128::from(last.low_ns) - i128::from(first.high_ns);
        let most = i128::from(last.high_ns) - i128::from(first.low_ns);
        let can_tell = elapsed > 0 && (least > 0 || most < 0);
        // The offset is the root's clock less the rank's: where that falls, the rank's gained.
        let ppb = || i64::try_from(-(least + most).saturating_mul(500_000_000) / elapsed).ok();
        can_tell.then(ppb).flatten()
    }

    /// When the clocks were compared, with what that left of the offset.
    pub(super) fn knots(&self) -> &[Offset] {
        &self.knots
    }

    /// The estimate of the offset.
    pub(super) fn offset_ns(&self, local_ns: u64) -> i64 {
        let range = self.range(local_ns);
        self.drawn_ns(local_ns).clamp(range.low_ns, range.high_ns)
    }

    /// The line through the narrow batches.
    fn drawn_ns(&self, local_ns: u64) -> i64 {
        let next = self.narrow.partition_point(|knot| knot.at_ns <= local_ns);
        let before = next.checked_sub(1).map(|index| self.narrow[index]);
        match (before, self.narrow.get(next)) {
            (Some(one), Some(other)) => between(one, *other, local_ns),
            (Some(one), None) => self.continued(one, local_ns),
            (None, Some(other)) => self.continued(*other, local_ns),
            (None, None) => 0,
        }
    }

    fn continued(&self, from: Offset, local_ns: u64) -> i64 {
        let elapsed = i128::from(difference(local_ns, from.at_ns));
        let change = -elapsed * i128::from(self.drift_ppb().unwrap_or(0)) / 1_000_000_000;
        from.middle_ns().saturating_add(i64::try_from(change).unwrap_or(0))
    }
}

/// By how much a busy scheduler may widen a batch that is as good as another. Chosen: less than the
/// millisecond of a poll.
const BUSY_NS: u64 = 100_000;

/// Of a search that gains a factor of a thousand each: enough for an error of a day.
const STEPS: u32 = 6;

fn narrow(knots: &[Offset]) -> Vec<Offset> {
    let narrowest = knots.iter().map(Offset::bound_ns).min().unwrap_or(0);
    let limit = narrowest.saturating_mul(2).saturating_add(BUSY_NS);
    knots.iter().copied().filter(|knot| knot.bound_ns() <= limit).collect()
}

/// The same offset as it may be at another time.
fn moved(knot: Offset, at_ns: u64) -> Offset {
    let drift = drift_ns(knot.at_ns.abs_diff(at_ns));
    let low_ns = knot.low_ns.saturating_sub(drift);
    Offset { at_ns, low_ns, high_ns: knot.high_ns.saturating_add(drift) }
}

fn both(one: Offset, other: Offset) -> Offset {
    let low_ns = one.low_ns.max(other.low_ns);
    Offset { at_ns: one.at_ns, low_ns, high_ns: one.high_ns.min(other.high_ns) }
}

fn narrowed(knot: Offset, by: Offset) -> Offset {
    both(knot, moved(by, knot.at_ns))
}

/// On the line between the middles of two.
fn between(one: Offset, other: Offset, at_ns: u64) -> i64 {
    let whole = i128::from(other.at_ns - one.at_ns);
    let part = i128::from(at_ns - one.at_ns);
    let change = i128::from(other.middle_ns()) - i128::from(one.middle_ns());
    one.middle_ns().saturating_add(i64::try_from(change.saturating_mul(part) / whole).unwrap_or(0))
}
