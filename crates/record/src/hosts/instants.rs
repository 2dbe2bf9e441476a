//! One list of instants for all ranks, and where each rank's samples lie in it.
//!
//! ```text
//! rank 0   0----------|----------|----------|------|
//! rank 1   0-----------|---------|-----------|------|
//! merged   0----------|----------|----------|-------|
//! ```
//!
//! The instants are those of the lowest rank that sampled; the last is the latest end of all. A
//! cumulative counter of another rank is taken on the straight line between its two samples around
//! an instant, so it never leaves them.

use super::parts::Parts;

/// The instants, and how each part meets them.
pub(super) struct Instants {
    pub all_ns: Vec<u64>,
    /// Of each part, the samples around each instant; empty where it did not sample.
    pub places: Vec<Vec<Place>>,
    /// The longest time from an instant to the nearest sample, of each part.
    off_ns: Vec<u64>,
}

/// Where an instant lies among the samples of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The sample at or before it.
    pub at: usize,
    /// How far it is on the way to the next, in parts of 2^32; 0 at the sample itself.
    pub share: u64,
    /// The last sample lies before the instant before this one: nobody looked any more.
    pub is_over: bool,
}

/// A rest of the last interval that is shorter than this part of it is no interval of its own
/// (chosen: ranks end within milliseconds, and rates of such intervals are noise).
const SHORT_REST: u64 = 2;

impl Instants {
    pub(super) fn of(parts: &Parts) -> Self {
        let sampled = || parts.ranks.iter().map(|part| part.record.instants_ns.as_slice());
        let own = sampled().find(|instants| !instants.is_empty()).unwrap_or_default();
        let end = sampled().filter_map(<[u64]>::last).max().copied().unwrap_or(0);
        let all_ns = until(own, end);
        let met: Vec<_> = sampled().map(|own| met(&all_ns, own)).collect();
        let off_ns = met.iter().map(|(_, off_ns)| *off_ns).collect();
        Self { all_ns, places: met.into_iter().map(|(places, _)| places).collect(), off_ns }
    }

    /// How far an instant may be from when its counters were read, over all parts.
    pub(super) fn error_ns(&self, parts: &Parts) -> u64 {
        let of = |(part, off_ns): (&super::OfRank, &u64)| {
            let own = part.record.clock.error_ns.saturating_add(part.bound_ns);
            own.saturating_add(*off_ns)
        };
        parts.ranks.iter().zip(&self.off_ns).map(of).max().unwrap_or(0)
    }
}

/// The instants from 0 to an end.
fn until(own: &[u64], end: u64) -> Vec<u64> {
    if own.is_empty() {
        return Vec::new();
    }
    let mut all = vec![0];
    for at in own.iter().copied().filter(|at| *at < end) {
        if all.last().is_some_and(|last| *last < at) {
            all.push(at);
        }
    }
    if let [.., before, last] = all[..]
        && (end - last) < (last - before) / SHORT_REST
    {
        all.pop();
    }
    if end > 0 {
        all.push(end);
    }
    all
}

/// Where a part's samples meet the instants, and how far the nearest sample is at most.
fn met(all_ns: &[u64], sampled: &[u64]) -> (Vec<Place>, u64) {
    let Some(last) = sampled.len().checked_sub(1) else { return (Vec::new(), 0) };
    let mut places = Vec::with_capacity(all_ns.len());
    let mut off_ns = 0;
    for (index, instant) in all_ns.iter().enumerate() {
        let at = sampled.partition_point(|sample| sample <= instant).saturating_sub(1);
        let before = index.checked_sub(1).map(|index| all_ns[index]);
        let is_over = at == last && before.is_some_and(|before| sampled[last] <= before);
        // Totals at the end are the rank's own, whatever clocks say.
        let is_end = index + 1 == all_ns.len();
        let at = if is_end { last } else { at };
        let next = sampled.get(at + 1).filter(|_| sampled[at] < *instant);
        places.push(Place {
            at,
            share: next.map_or(0, |next| share(sampled[at], *next, *instant)),
            is_over,
        });
        let nearest = next.map_or(u64::MAX, |next| next.abs_diff(*instant));
        if !is_over {
            off_ns = off_ns.max(nearest.min(sampled[at].abs_diff(*instant)));
        }
    }
    (places, off_ns)
}

/// How far an instant is from one sample to the next, in parts of 2^32.
fn share(from: u64, to: u64, instant: u64) -> u64 {
    let (gone, whole) = (u128::from(instant - from), u128::from((to - from).max(1)));
    ((gone << 32) / whole) as u64
}
