//! Several parts of a pass, or several passes, seen as one.
//!
//! Totals add, times become the span from the earliest to the latest, histograms add by bucket
//! ([`Histogram::merge`]). All of it is associative and commutative, so the order in which streams
//! or passes are merged does not matter; the empty list is neutral. Sums stop at 2^64-1.
//! It leaves out whole records of several hosts: see [`hosts`](crate::hosts).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use iopath_units::Op;

use crate::{Histogram, Latency, LatencyHistogram, Phase, PhaseTotals};

impl PhaseTotals {
    /// Adds what another stream did, in the same phase. The phase's name stays: whoever adds up
    /// different phases says so himself. Times of different passes lie on different axes; there
    /// only the totals and histograms of the result mean something.
    pub fn merge(&mut self, other: &Self) {
        self.from_ns = self.from_ns.min(other.from_ns);
        self.to_ns = self.to_ns.max(other.to_ns);
        for (mine, theirs) in [
            (&mut self.submitted, other.submitted),
            (&mut self.completed, other.completed),
            (&mut self.failed, other.failed),
            (&mut self.operations_ppm, other.operations_ppm),
            (&mut self.read_bytes, other.read_bytes),
            (&mut self.write_bytes, other.write_bytes),
            (&mut self.trim_bytes, other.trim_bytes),
            (&mut self.in_flight_ns, other.in_flight_ns),
            (&mut self.join_wait_ns, other.join_wait_ns),
            (&mut self.pool_wait_ns, other.pool_wait_ns),
            (&mut self.idle_ns, other.idle_ns),
            (&mut self.user_ns, other.user_ns),
            (&mut self.system_ns, other.system_ns),
        ] {
            *mine = mine.saturating_add(theirs);
        }
        self.latency = merge_latencies(self.latency.iter().chain(&other.latency));
    }
}

/// The totals of many streams or passes, phase by phase, in the order of time.
#[must_use]
pub fn merge_phases<'a>(all: impl IntoIterator<Item = &'a PhaseTotals>) -> Vec<PhaseTotals> {
    let mut merged: BTreeMap<Phase, PhaseTotals> = BTreeMap::new();
    for totals in all {
        match merged.entry(totals.phase) {
            Entry::Vacant(free) => {
                let latency = merge_latencies(&totals.latency);
                free.insert(PhaseTotals { latency, ..totals.clone() });
            }
            Entry::Occupied(mut taken) => taken.get_mut().merge(totals),
        }
    }
    merged.into_values().collect()
}

/// One histogram for each kind of latency and operation, in that order.
#[must_use]
pub fn merge_latencies<'a>(
    all: impl IntoIterator<Item = &'a LatencyHistogram>,
) -> Vec<LatencyHistogram> {
    let mut merged: BTreeMap<(Latency, Op), Histogram> = BTreeMap::new();
    for latency in all {
        merged.entry((latency.what, latency.op)).or_default().merge(&latency.histogram);
    }
    let named = |((what, op), histogram)| LatencyHistogram { what, op, histogram };
    merged.into_iter().map(named).collect()
}
