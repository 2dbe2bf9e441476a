//! Made trials of one load at several depths.

use super::*;
use crate::findings::analyse::analyse;
use crate::sample::Sample;

/// Depth of each of two streams, times the usual rate, how busy the device is.
type At = (u64, u64, f64);

fn trial((index, (depth, speed, busy)): (u32, &At)) -> (CaseText, DepthPoint) {
    let in_flight = 2.0 * *depth as f64 * busy / 2.0;
    let sample = Sample { trial: index, depth: *depth, speed: *speed, ..Sample::new() };
    let sample = Sample { device_busy: *busy, device_in_flight: in_flight, ..sample };
    let mut record = sample.record();
    record.case.text = format!(
        "workload {{\n    streams \"a\" block=\"128 KiB\" depth={depth}\n}}\n\
         vary {{\n    factor \"depth\" of=\"a.depth\" {depth}\n}}\n"
    );
    record.case.levels.insert("depth".to_owned(), depth.to_string());
    let point = point(&record).unwrap();
    (record.case, point)
}

fn point(record: &Record) -> Option<DepthPoint> {
    let passes = [record.clone()];
    DepthPoint::of(&passes, &analyse(&passes).unwrap())
}

fn of(all: &[At]) -> Vec<Depths> {
    let trials: Vec<_> = (0..).zip(all).map(trial).collect();
    let pairs: Vec<_> = trials.iter().map(|(case, point)| (case, point.clone())).collect();
    depths(&pairs)
}

fn one(all: &[At]) -> Depths {
    let [found] = of(all).try_into().unwrap();
    found
}

#[test]
fn a_rate_that_stays_while_devices_rest_is_a_throttle() {
    let found = one(&[(16, 1, 0.3), (4, 1, 0.3), (8, 1, 0.31)]);
    assert_eq!((found.verdict, found.flat_from), (DepthVerdict::Throttled, Some(8)));
    let depths: Vec<u64> = found.points.iter().map(|point| point.depth).collect();
    assert_eq!(depths, [8, 16, 32], "of both streams, by rising depth");
    assert!((found.flat_operations_per_sec.unwrap() - 2000.0).abs() < 1.0, "{found:?}");
    assert_eq!(found.levels.keys().collect::<Vec<_>>(), ["block"], "shared levels only");
    let Fact::DepthRate { from: 8, to: 32, change: DepthChange::Stays { longer, more } } =
        found.evidence[0].fact
    else {
        unreachable!("{found:?}")
    };
    assert!((longer - 4.0).abs() < 0.05 && (more - 4.0).abs() < 0.05, "{found:?}");
    assert!(found.evidence[0].value < 5e-4, "{found:?}");
}

#[test]
fn a_busy_device_is_full_and_a_rising_rate_is_not() {
    let full = one(&[(2, 1, 0.95), (4, 2, 0.99), (8, 2, 0.99), (16, 2, 0.99)]);
    assert_eq!((full.verdict, full.flat_from), (DepthVerdict::Saturated, Some(8)));
    let rising = one(&[(2, 1, 0.2), (4, 2, 0.4), (8, 4, 0.8)]);
    assert_eq!((rising.verdict, rising.flat_from), (DepthVerdict::Rising, None));
    let Fact::DepthRate { change: DepthChange::Grew { times }, .. } = rising.evidence[0].fact
    else {
        unreachable!("{rising:?}")
    };
    assert!((times - 4.0).abs() < 5e-3, "{rising:?}");
}

#[test]
fn a_rate_that_falls_at_the_end_does_not_rise() {
    let falling = one(&[(2, 1, 0.2), (4, 4, 0.8), (8, 3, 0.6)]);
    assert_eq!((falling.verdict, falling.flat_from), (DepthVerdict::Falling, None));
    let Fact::DepthRate { from: 8, to: 16, change: DepthChange::Fell { times } } =
        falling.evidence[0].fact
    else {
        unreachable!("{falling:?}")
    };
    assert!((times - 0.75).abs() < 5e-3, "{falling:?}");
}

#[test]
fn what_intervals_cover_neither_rises_nor_falls() {
    let verdict = |rates: [f64; 2], half: Option<f64>| {
        let mut trials: Vec<_> = (0..).zip(&[(2, 1, 0.2), (4, 1, 0.2)]).map(trial).collect();
        for ((_, point), rate) in trials.iter_mut().zip(rates) {
            let least = point.bytes_per_sec;
            point.operations_per_sec *= rate;
            point.bytes_per_sec = least * rate;
            point.half_width_bytes_per_sec = half.map(|half| half * least);
        }
        let pairs: Vec<_> = trials.iter().map(|(case, point)| (case, point.clone())).collect();
        depths(&pairs)[0].verdict
    };
    for (rates, changes) in
        [([1.0, 1.4], DepthVerdict::Rising), ([1.4, 1.0], DepthVerdict::Falling)]
    {
        assert_eq!(verdict(rates, Some(0.19)), changes);
        assert_eq!(verdict(rates, Some(0.21)), DepthVerdict::Unclear);
        assert_eq!(verdict(rates, None), changes, "one pass says nothing of itself");
    }
}

#[test]
fn only_the_last_doubling_says_whether_a_rate_still_rises() {
    let verdict = |half: f64| {
        let rates = [(1, 1.0), (32, 10.0), (64, 10.6)];
        let made: Vec<At> = rates.iter().map(|(depth, _)| (*depth, 1, 0.2)).collect();
        let mut trials: Vec<_> = (0..).zip(&made).map(trial).collect();
        for ((_, point), (_, rate)) in trials.iter_mut().zip(rates) {
            let least = point.bytes_per_sec;
            point.operations_per_sec *= rate;
            point.bytes_per_sec *= rate;
            point.half_width_bytes_per_sec = Some(half * least);
        }
        let pairs: Vec<_> = trials.iter().map(|(case, point)| (case, point.clone())).collect();
        depths(&pairs)[0].verdict
    };
    assert_eq!(verdict(0.25), DepthVerdict::Rising);
    assert_eq!(verdict(1.0), DepthVerdict::Unclear, "though it rose before");
}

#[test]
fn what_has_another_reason_or_none_is_no_throttle() {
    let points = |cause, latency: f64, rate: f64| {
        let mut trials: Vec<_> = (0..).zip(&[(4, 1, 0.3), (8, 1, 0.3)]).map(trial).collect();
        trials[1].1.cause = cause;
        trials[1].1.latency_ns_mean *= latency;
        trials[1].1.operations_per_sec *= rate;
        let pairs: Vec<_> = trials.iter().map(|(case, point)| (case, point.clone())).collect();
        depths(&pairs)[0].verdict
    };
    assert_eq!(points(Cause::Unknown, 1.0, 1.0), DepthVerdict::Throttled);
    assert_eq!(points(Cause::Cpu, 1.0, 1.0), DepthVerdict::Elsewhere);
    assert_eq!(points(Cause::Unknown, 0.6, 1.0), DepthVerdict::Flat, "time does not follow");
    assert_eq!(points(Cause::Unknown, 1.0, 1.03), DepthVerdict::Flat, "the rate varies");
}

#[test]
fn only_trials_that_differ_in_nothing_else_are_compared() {
    assert_eq!(of(&[(4, 1, 0.3)]), [], "one trial");
    assert_eq!(of(&[(4, 1, 0.3), (4, 1, 0.3)]), [], "one depth");
    let mut trials: Vec<_> = (0..).zip(&[(4, 1, 0.3), (8, 1, 0.3)]).map(trial).collect();
    trials[1].0.text = trials[1].0.text.replace("128 KiB", "64 KiB");
    let pairs: Vec<_> = trials.iter().map(|(case, point)| (case, point.clone())).collect();
    assert_eq!(depths(&pairs), []);
    // A text that tells no depth may be of a load with more streams.
    for (case, _) in &mut trials {
        case.text = "study \"a\"".to_owned();
    }
    let pairs: Vec<_> = trials.iter().map(|(case, point)| (case, point.clone())).collect();
    assert_eq!(depths(&pairs), []);
}

#[test]
fn a_wanted_rate_and_a_model_have_no_point() {
    let open = Sample { wanted_per_sec: Some(1000), ..Sample::new() }.record();
    assert_eq!(point(&open), None);
    let mut model = Sample::new().record();
    model.technique = Technique::Analytic;
    assert_eq!(point(&model), None);
}
