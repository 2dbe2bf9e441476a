//! Distributions of latencies over the passes of a trial: by operation, from the issue and from the
//! intended start, and as nines.
//!
//! A point says how long the slowest of so many requests takes: of 1,000 requests one takes longer
//! than the 99.9th percentile. Its axis is logarithmic in the share that is slower, so each nine is
//! as wide as the one before (the axis of HdrHistogram's plots, G. Tene).
//! The part is that of the findings: the window where there was one. It leaves out the order in
//! time, which the record's heat has.

use iopath_record::{Histogram, Latency, Record};
use iopath_units::{Action, Op};

use crate::findings::LatencyOf;
use crate::usage::pass::{Part, Pass};

/// Points of a curve in each nine: chosen.
const POINTS: i32 = 8;

/// Nines of which a curve has points: more than any count of requests reaches.
const NINES: i32 = 18;

/// Latencies of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// From when to when.
    pub what: Latency,
    /// What the requests did.
    pub action: Action,
    /// Of reads or of writes, where they moved data.
    pub op: Op,
    /// How many took how long.
    pub histogram: Histogram,
}

/// The distributions of total and intended latency, of flushes and commits of a trial, of the
/// requests that its findings are of; only those that hold something.
#[must_use]
pub fn distributions(passes: &[&Record], of: LatencyOf) -> Vec<Distribution> {
    let part = match of {
        LatencyOf::Window => Part::Window,
        LatencyOf::Counted => Part::Counted,
    };
    let passes: Vec<Pass<'_>> = passes.iter().map(|record| Pass::of(record)).collect();
    let kinds = Latency::OF_REQUESTS.into_iter().chain(Latency::OF_FLUSHES);
    let transfers = kinds.flat_map(|what| {
        Op::BOTH.map(|op| {
            let histogram = sum(&passes, |pass| pass.latency(part, what, Some(op)));
            Distribution { what, action: Action::Transfer, op, histogram }
        })
    });
    let others = Action::OTHERS.into_iter().flat_map(|action| {
        Latency::OF_REQUESTS.map(|what| {
            let histogram = sum(&passes, |pass| pass.acted(part, what, action));
            Distribution { what, action, op: Op::Write, histogram }
        })
    });
    transfers.chain(others).filter(|one| one.histogram.count() > 0).collect()
}

fn sum(passes: &[Pass<'_>], of: impl Fn(&Pass<'_>) -> Histogram) -> Histogram {
    let mut all = Histogram::default();
    passes.iter().for_each(|pass| all.merge(&of(pass)));
    all
}

/// Where the curves of these have points: one request in so many is slower. From 1 (the fastest)
/// in equal factors, and the number of requests of each, where its slowest is.
#[must_use]
pub fn places(all: &[Distribution]) -> Vec<f64> {
    let counts = || all.iter().map(|one| one.histogram.count() as f64);
    let most = counts().fold(0.0, f64::max);
    let steps = (0..NINES * POINTS).map(|step| 10f64.powf(f64::from(step) / f64::from(POINTS)));
    let mut places: Vec<f64> = steps.filter(|place| *place <= most).chain(counts()).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

impl Distribution {
    /// The latency above which one request in so many is, in ns; none where there are not so many
    /// requests.
    #[must_use]
    pub fn exceeded_by_one_in(&self, requests: f64) -> Option<f64> {
        let count = self.histogram.count() as f64;
        if requests > count {
            return None;
        }
        // Both ends are known exactly, what is between within 0.8 %.
        match (requests <= 1.0, requests >= count) {
            (_, true) => Some(self.histogram.max_ns as f64),
            (true, false) => Some(self.histogram.min_ns as f64),
            (false, false) => {
                self.histogram.quantile_ns(1.0 - 1.0 / requests).map(|known| known as f64)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Sample, equal};

    #[test]
    fn a_curve_rises_from_the_fastest_request_to_the_slowest() {
        let mut histogram = equal(1_000, 900);
        histogram.merge(&equal(5_000, 90));
        histogram.merge(&equal(90_000, 10));
        let one = Distribution {
            what: Latency::Total,
            action: Action::Transfer,
            op: Op::Read,
            histogram,
        };
        let places = places(std::slice::from_ref(&one));
        let curve: Vec<f64> = places.iter().filter_map(|at| one.exceeded_by_one_in(*at)).collect();
        assert_eq!((places.len(), curve.len()), (25, 25));
        assert!(curve.is_sorted(), "{curve:?}");
        assert_eq!((curve[0], curve[24]), (1_000.0, 90_000.0));
        assert_eq!(one.exceeded_by_one_in(1_001.0), None);
        assert_eq!(one.exceeded_by_one_in(50.0).map(|ns| (ns / 5_000.0).round()), Some(1.0));
    }

    #[test]
    fn a_trial_has_a_distribution_of_each_operation_over_all_passes() {
        let pass = |pass| Sample { pass, write_percent: 25, ..Sample::new() }.record();
        let (one, two) = (pass(0), pass(1));
        let count = |passes: &[&Record]| -> Vec<u64> {
            let all = distributions(passes, LatencyOf::Window);
            all.iter().map(|one| one.histogram.count()).collect()
        };
        let single = count(&[&one]);
        assert_eq!(single.len(), 2, "reads and writes");
        assert_eq!(count(&[&one, &two]), [2 * single[0], 2 * single[1]]);
    }
}
