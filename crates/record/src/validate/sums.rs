//! Totals fit into 64 bits when they are added up over the whole record.
//!
//! So readers add without checks. The bound is generous: 2^64 ns of time in flight are 64 streams
//! at depth 32 for 104 days.

use super::Check;
use crate::{Histogram, PhaseTotals, Record};

type Field<T> = (&'static str, fn(&T) -> u64);

const TOTALS: [Field<PhaseTotals>; 14] = [
    ("submitted", |totals| totals.submitted),
    ("completed", |totals| totals.completed),
    ("failed", |totals| totals.failed),
    ("operations_ppm", |totals| totals.operations_ppm),
    ("read_bytes", |totals| totals.read_bytes),
    ("write_bytes", |totals| totals.write_bytes),
    ("trim_bytes", |totals| totals.trim_bytes),
    ("in_flight_ns", |totals| totals.in_flight_ns),
    ("join_wait_ns", |totals| totals.join_wait_ns),
    ("pool_wait_ns", |totals| totals.pool_wait_ns),
    ("idle_ns", |totals| totals.idle_ns),
    ("user_ns", |totals| totals.user_ns),
    ("system_ns", |totals| totals.system_ns),
    ("to_ns - from_ns", |totals| totals.to_ns.saturating_sub(totals.from_ns)),
];

pub(super) fn check(check: &mut Check, record: &Record) {
    let phases = || record.streams.iter().flat_map(|stream| &stream.phases);
    for (name, field) in TOTALS {
        let place = format!("streams (sum of {name})");
        check.require(fits(phases().map(field)), place, "exceeds 64 bits");
    }
    // Read and written bytes are added to one another, and so are the two processor times.
    let bytes = phases().flat_map(|totals| [totals.read_bytes, totals.write_bytes]);
    check.require(fits(bytes), "streams (sum of all bytes)", "exceeds 64 bits");
    let cpu = phases().flat_map(|totals| [totals.user_ns, totals.system_ns]);
    check.require(fits(cpu), "streams (sum of processor time)", "exceeds 64 bits");
    let latency = phases().flat_map(|totals| &totals.latency).map(|latency| &latency.histogram);
    histograms(check, latency, "latency");
    histograms(check, record.heat.iter(), "heat");
}

fn histograms<'a>(
    check: &mut Check,
    all: impl Iterator<Item = &'a Histogram> + Clone,
    place: &str,
) {
    let counts = all.clone().flat_map(|histogram| &histogram.buckets).map(|(_, count)| *count);
    check.require(fits(counts), format!("{place} (sum of counts)"), "exceeds 64 bits");
    let sums = all.map(|histogram| histogram.sum_ns);
    check.require(fits(sums), format!("{place} (sum of sum_ns)"), "exceeds 64 bits");
}

fn fits(mut values: impl Iterator<Item = u64>) -> bool {
    values.try_fold(0, u64::checked_add).is_some()
}
