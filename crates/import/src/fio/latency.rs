//! Latencies of a job: means, percentiles, and with `json+` whole distributions.
//!
//! fio's buckets (64 an octave, `plat_idx_to_val` of stat.c: a key is the middle of its bucket)
//! are ours, so nothing is lost.

use std::collections::BTreeMap;

use iopath_record::histogram::{bounds_of, bucket_of};
use iopath_record::{Histogram, Latency, LatencyHistogram};
use iopath_units::Op;
use serde_json::Value;

use crate::imported::{Imported, Note};

const KINDS: [(&str, Latency); 3] =
    [("slat_ns", Latency::Submit), ("clat_ns", Latency::Complete), ("lat_ns", Latency::Total)];

/// The mean time of a request: of `lat`, else of `clat` and `slat` together.
pub(super) fn mean_ns(way: &Value) -> Option<f64> {
    let of = |name: &str| {
        let in_ns = way.get(format!("{name}_ns")).and_then(|one| one.get("mean"));
        let in_us = || way.get(name).and_then(|one| one.get("mean")?.as_f64());
        in_ns.and_then(Value::as_f64).or_else(|| Some(in_us()? * 1e3))
    };
    of("lat").or_else(|| Some(of("clat")? + of("slat").unwrap_or_default()))
}

/// Distributions of both ways, where the output is `json+`.
pub(super) fn histograms(ways: [&Value; 2]) -> Vec<LatencyHistogram> {
    let mut all = Vec::new();
    for (way, op) in ways.into_iter().zip([Op::Read, Op::Write]) {
        for (name, what) in KINDS {
            let histogram = way.get(name).and_then(histogram);
            all.extend(histogram.map(|histogram| LatencyHistogram { what, op, histogram }));
        }
    }
    all
}

/// The distribution of a job's flushes, where the output is `json+`.
pub(super) fn flushes(job: &Value) -> Option<LatencyHistogram> {
    let histogram = histogram(job.get("sync")?.get("lat_ns")?)?;
    Some(LatencyHistogram { what: Latency::Flush, op: Op::Write, histogram })
}

fn histogram(value: &Value) -> Option<Histogram> {
    let mut buckets: BTreeMap<u32, u64> = BTreeMap::new();
    for (key, count) in value.get("bins")?.as_object()? {
        let bucket = u32::try_from(bucket_of(key.parse().ok()?)).ok()?;
        let kept = buckets.entry(bucket).or_default();
        *kept = kept.checked_add(count.as_u64()?)?;
    }
    buckets.retain(|_, count| *count > 0);
    let (first, last) = (*buckets.first_key_value()?.0, *buckets.last_key_value()?.0);
    let extreme = |name: &str, bucket: u32| {
        let (from, to) = bounds_of(bucket as usize);
        let value = value.get(name).and_then(Value::as_u64);
        value.unwrap_or(from).clamp(from, to - 1)
    };
    let (min_ns, max_ns) = (extreme("min", first), extreme("max", last));
    let count = buckets.values().try_fold(0u64, |sum, count| sum.checked_add(*count))?;
    let mean = value.get("mean").and_then(Value::as_f64)?;
    let (least, most) = (min_ns.checked_mul(count)?, max_ns.checked_mul(count)?);
    let sum_ns = ((mean * count as f64).round() as u64).clamp(least, most.max(least));
    Some(Histogram { buckets: buckets.into_iter().collect(), sum_ns, min_ns, max_ns })
}

/// Percentiles as facts: a record holds distributions, and a few points are none.
pub(super) fn percentiles(name: &str, ways: [&Value; 2], imported: &mut Imported) {
    for (way, op) in ways.into_iter().zip(["read", "write"]) {
        for (kind, unit) in [("lat_ns", 1), ("clat_ns", 1), ("clat", 1000)] {
            let Some(value) = way.get(kind).filter(|value| value.get("bins").is_none()) else {
                continue;
            };
            for point in ["50.000000", "90.000000", "99.000000", "99.900000"] {
                let found = value.get("percentile").and_then(|all| all.get(point)?.as_u64());
                if let Some(found) = found {
                    let point = point.trim_end_matches('0').trim_end_matches('.');
                    let what = kind.trim_end_matches("_ns");
                    let fact = format!("import.fio.{name}.{op}.{what}_ns_p{point}");
                    imported.fact(fact, found.saturating_mul(unit).to_string());
                    note_once(imported);
                }
            }
        }
    }
}

fn note_once(imported: &mut Imported) {
    let text = "latency percentiles are facts only (import.fio.JOB.…), as plain JSON has no \
                histograms: run fio with --output-format=json+";
    let note = Note::all(text);
    if !imported.notes.contains(&note) {
        imported.notes.push(note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flushes_have_a_distribution_where_there_are_bins() {
        let job = serde_json::json!({"sync": {"total_ios": 0, "lat_ns": {
            "min": 1000, "max": 2000, "mean": 1500.0, "N": 2, "bins": {"1000": 1, "2000": 1}}}});
        let found = flushes(&job).expect("a distribution");
        assert_eq!((found.what, found.op, found.histogram.count()), (Latency::Flush, Op::Write, 2));
        assert_eq!((found.histogram.min_ns, found.histogram.sum_ns), (1000, 3000));
        assert!(flushes(&serde_json::json!({"sync": {"lat_ns": {"N": 2, "mean": 1.5}}})).is_none());
        assert!(flushes(&serde_json::json!({"read": {}})).is_none());
    }
}
