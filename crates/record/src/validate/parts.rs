//! The rules of series, streams and histograms; which they are stands in `docs/record.md`.
//!
//! It leaves out sums over the whole record: see `sums`.

use std::collections::BTreeSet;

use super::{Check, ascending};
use iopath_units::Action;

use crate::histogram::{BUCKETS, bucket_of};
use crate::{Histogram, PhaseTotals, Series, StreamTotals};

pub(super) fn series(check: &mut Check, all: &[Series]) {
    let mut seen = BTreeSet::new();
    for (index, series) in all.iter().enumerate() {
        let place = format!("series[{index}]");
        check.entity(series.entity, format!("{place}.entity"));
        let new = seen.insert((series.entity, series.counter));
        check.require(new, &place, "is a second series of the same counter");
        let one_an_instant = series.steps.len() + 1 == check.instants;
        check.require(one_an_instant, &place, "has not one value for each instant");
        check.require(stays_in_range(series), &place, "falls below 0 or exceeds 64 bits");
        let instants = check.instants;
        let exist = series.missing.iter().all(|instant| (*instant as usize) < instants);
        check.require(exist, format!("{place}.missing"), "names an instant that does not exist");
        let ordered = ascending(series.missing.iter());
        check.require(ordered, format!("{place}.missing"), "does not ascend");
    }
}

fn stays_in_range(series: &Series) -> bool {
    let mut steps = series.steps.iter();
    steps.try_fold(series.first, |value, step| value.checked_add_signed(*step)).is_some()
}

pub(super) fn streams(check: &mut Check, all: &[StreamTotals]) {
    let mut seen = BTreeSet::new();
    for (index, stream) in all.iter().enumerate() {
        let place = format!("streams[{index}]");
        check.entity(stream.entity, format!("{place}.entity"));
        check.require(seen.insert(stream.entity), &place, "is a second stream of one entity");
        let ordered = stream.first_done_ns <= stream.last_done_ns;
        check.require(ordered, &place, "has its last completion before its first");
        phases(check, stream, &place);
    }
}

fn phases(check: &mut Check, stream: &StreamTotals, place: &str) {
    let ordered = ascending(stream.phases.iter().map(|totals| totals.phase));
    check.require(ordered, format!("{place}.phases"), "are not each once and in order");
    let mut end = 0;
    for (index, totals) in stream.phases.iter().enumerate() {
        let place = format!("{place}.phases[{index}]");
        check.require(totals.from_ns <= totals.to_ns, &place, "ends before it begins");
        check.require(end <= totals.from_ns, &place, "begins before the phase before it ends");
        end = totals.to_ns;
        let moved = totals.read_bytes > 0 || totals.write_bytes > 0;
        let is_its_own = (stream.action == Action::Transfer || !moved)
            && (stream.action == Action::Trim || totals.trim_bytes == 0);
        check.require(is_its_own, &place, "has bytes of an operation that its stream does not do");
        latencies(check, totals, &place);
    }
}

fn latencies(check: &mut Check, totals: &PhaseTotals, place: &str) {
    let mut seen = BTreeSet::new();
    for (index, latency) in totals.latency.iter().enumerate() {
        let place = format!("{place}.latency[{index}]");
        let new = seen.insert((latency.what, latency.op));
        check.require(new, &place, "is a second histogram of the same latency");
        histogram(check, &latency.histogram, &format!("{place}.histogram"));
        exact_parts(check, &latency.histogram, &format!("{place}.histogram"));
    }
}

/// The form of a histogram, which quantiles and merging rely on.
pub(super) fn histogram(check: &mut Check, histogram: &Histogram, place: &str) {
    let buckets = &histogram.buckets;
    check.require(ascending(buckets.iter().map(|(bucket, _)| bucket)), place, "does not ascend");
    let exist = buckets.iter().all(|(bucket, _)| (*bucket as usize) < BUCKETS);
    check.require(exist, place, "names a bucket that does not exist");
    let counted = buckets.iter().all(|(_, count)| *count > 0);
    check.require(counted, place, "has an empty bucket");
    check.require(histogram.min_ns <= histogram.max_ns, place, "has its minimum above its maximum");
    let is_default = *histogram == Histogram::default();
    check.require(!buckets.is_empty() || is_default, place, "is empty but has a sum or an extreme");
}

/// Least and greatest value lie in the outermost buckets, and so the sum between their multiples.
/// Not asked of heat, whose counts and extremes may be read while streams go on counting.
fn exact_parts(check: &mut Check, histogram: &Histogram, place: &str) {
    let (Some(first), Some(last)) = (histogram.buckets.first(), histogram.buckets.last()) else {
        return;
    };
    let inside = bucket_of(histogram.min_ns) == first.0 as usize
        && bucket_of(histogram.max_ns) == last.0 as usize;
    check.require(inside, place, "has its minimum or maximum outside its outermost buckets");
    let count: u128 = histogram.buckets.iter().map(|(_, count)| u128::from(*count)).sum();
    let least = u128::from(histogram.min_ns) * count;
    let most = u128::from(histogram.max_ns) * count;
    let possible = (least..=most).contains(&u128::from(histogram.sum_ns));
    check.require(possible, place, "has a sum that its values cannot have");
}
