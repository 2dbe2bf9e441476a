//! Latencies over time: each histogram of a rank is added, whole, to the interval of the merged
//! record in which the middle of its own interval lies.
//!
//! Counts are never divided, so all requests are in the sum. Ranks sample at the same times but for
//! some milliseconds, so an interval of one rank is nearly always that of another.

use super::instants::Instants;
use super::parts::Parts;
use crate::Histogram;

/// None where a rank has requests and no heat.
pub(super) fn of(parts: &Parts, instants: &Instants) -> Vec<Histogram> {
    let intervals = instants.all_ns.len().saturating_sub(1);
    let lacks = parts.ranks.iter().any(|part| {
        let has_streams = part.record.streams.iter().any(|stream| !stream.phases.is_empty());
        has_streams && part.record.heat.is_empty()
    });
    if lacks || intervals == 0 || parts.ranks.iter().all(|part| part.record.heat.is_empty()) {
        return Vec::new();
    }
    let mut all = vec![Histogram::default(); intervals];
    for part in &parts.ranks {
        for (edges, heat) in part.record.instants_ns.windows(2).zip(&part.record.heat) {
            let middle = edges[0] + (edges[1].saturating_sub(edges[0])) / 2;
            // Interval 0 begins at instant 0.
            let interval = instants.all_ns.partition_point(|at| *at <= middle).saturating_sub(1);
            all[interval.min(intervals - 1)].merge(heat);
        }
    }
    all
}
