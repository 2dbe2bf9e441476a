//! Laws within the streams' totals: what completes was submitted, shares add up to wholes, and
//! Little's law (Operations Research 9, 1961): mean in flight = throughput × mean latency.

use iopath_record::{Histogram, Latency, Limit, Measure, StreamTotals};

use super::{Ceiling, Law, LawCheck, Most, name_of};
use crate::judges::evidence::RateOf;
use crate::thresholds::audit::{
    ARRIVAL_ERRORS, BATCH_TOLERANCE, CLOCK_READING_NS, ROUNDING_TOLERANCE, SHORT_PASS_NS,
    WANTED_RATE_TOLERANCE,
};
use crate::usage::pass::{Part, Pass, bytes, phases};

pub(super) fn check(pass: &Pass<'_>) -> Vec<LawCheck> {
    let mut checks = Vec::new();
    for stream in &pass.record.streams {
        let name = name_of(pass.record, stream.entity);
        checks.push(completions(name, stream));
        checks.push(operations(name, stream));
        checks.extend(histograms(name, stream));
        checks.extend(little(name, stream));
        checks.push(phase_order(name, stream));
        checks.extend(capacities(pass, stream));
    }
    checks.extend(heat(pass));
    checks
}

/// At the end of no phase have more requests come home than went out.
fn completions(name: &str, stream: &StreamTotals) -> LawCheck {
    let (mut out, mut home, mut worst) = (0u64, 0u64, (0u64, 0u64));
    for totals in &stream.phases {
        out += totals.submitted;
        home += totals.completed + totals.failed;
        if home.saturating_sub(out) >= worst.0.saturating_sub(worst.1) {
            worst = (home, out);
        }
    }
    let law = Most { law: Law::Completions, value: worst.0 as f64, most: worst.1 as f64 };
    law.check(name)
}

/// Requests counted by their shares of time add up to requests counted whole.
fn operations(name: &str, stream: &StreamTotals) -> LawCheck {
    let shares: u64 = stream.phases.iter().map(|totals| totals.operations_ppm).sum();
    let whole: u64 = stream.phases.iter().map(|totals| totals.completed).sum();
    let value = (shares as f64 / 1e6 - whole as f64).abs();
    let law = Most { law: Law::Shares, value, most: whole as f64 * ROUNDING_TOLERANCE + 1.0 };
    law.check(name)
}

/// Every completed request is in a histogram once.
fn histograms(name: &str, stream: &StreamTotals) -> Option<LawCheck> {
    let completed: u64 = stream.phases.iter().map(|totals| totals.completed).sum();
    let counted: u64 = totals(stream).map(Histogram::count).sum();
    let law = Most { law: Law::Histograms, value: counted.abs_diff(completed) as f64, most: 0.0 };
    (counted > 0).then(|| law.check(name))
}

/// Over a whole pass nothing straddles an edge, so both sides are the same sum of latencies.
fn little(name: &str, stream: &StreamTotals) -> Option<LawCheck> {
    let in_flight: u64 = stream.phases.iter().map(|totals| totals.in_flight_ns).sum();
    let latencies: u64 = totals(stream).map(|histogram| histogram.sum_ns).sum();
    let failed: u64 = stream.phases.iter().map(|totals| totals.failed).sum();
    if in_flight == 0 || latencies == 0 || failed > 0 {
        return None;
    }
    let completed: u64 = stream.phases.iter().map(|totals| totals.completed).sum();
    let value = (in_flight as f64 / latencies as f64 - 1.0).abs();
    let most = BATCH_TOLERANCE + completed as f64 * CLOCK_READING_NS / latencies as f64;
    let law = Most { law: Law::Little, value, most };
    Some(law.check(name))
}

/// The phases follow one another in time.
fn phase_order(name: &str, stream: &StreamTotals) -> LawCheck {
    let ends = stream.phases.windows(2);
    let overlaps = ends.filter(|pair| pair[1].from_ns < pair[0].to_ns).count();
    let backwards = stream.phases.iter().filter(|totals| totals.to_ns < totals.from_ns).count();
    let law = Most { law: Law::Phases, value: (overlaps + backwards) as f64, most: 0.0 };
    law.check(name)
}

/// What is done stays within the limits of the study: slots and rates.
fn capacities(pass: &Pass<'_>, stream: &StreamTotals) -> Vec<LawCheck> {
    let Some(entity) = pass.record.entities.get(stream.entity.0 as usize) else {
        return Vec::new();
    };
    let checks = entity.limits.iter().filter_map(|limit| match limit.tokens {
        Some(tokens) => slots(&entity.name, stream, tokens),
        None => rate(pass, stream, limit),
    });
    checks.collect()
}

/// Over the whole pass, because an edge between phases that one stream tells late may lie within
/// what another has counted already.
fn slots(name: &str, stream: &StreamTotals, tokens: u64) -> Option<LawCheck> {
    let from = stream.phases.iter().map(|totals| totals.from_ns).min()?;
    let to = stream.phases.iter().map(|totals| totals.to_ns).max()?;
    let in_flight: u64 = stream.phases.iter().map(|totals| totals.in_flight_ns).sum();
    let long = to.checked_sub(from).filter(|span| *span >= SHORT_PASS_NS)?;
    let value = in_flight as f64 / long as f64;
    let law = Most {
        law: Law::Capacity(Ceiling::Slots),
        value,
        most: tokens as f64 * (1.0 + BATCH_TOLERANCE),
    };
    Some(law.check(name))
}

fn rate(pass: &Pass<'_>, stream: &StreamTotals, limit: &Limit) -> Option<LawCheck> {
    // Since go, because what a warm-up left undone is made up for later.
    let whole = || phases(stream, Part::Whole);
    let operations: f64 = whole().map(|totals| totals.operations_ppm as f64 / 1e6).sum();
    let (measure, moved) = match limit.measure {
        Measure::Operations => (RateOf::Requests, operations),
        Measure::Bytes => (RateOf::Bytes, whole().map(bytes).sum::<u64>() as f64),
        Measure::BusyNs | Measure::FlushNs | Measure::Requests => return None,
    };
    let seconds = stream.last_done_ns.max(pass.measured.hull().to_ns) as f64 / 1e9;
    // A stream's share of a rate is kept in whole units a second.
    let allowed = (limit.per_sec + 1) as f64
        * (1.0 + WANTED_RATE_TOLERANCE + ARRIVAL_ERRORS / operations.max(1.0).sqrt());
    let law = Most {
        law: Law::Capacity(Ceiling::WantedRate(measure)),
        value: moved / seconds,
        most: allowed,
    };
    (seconds > 0.0).then(|| law.check(name_of(pass.record, stream.entity)))
}

/// The histograms over time hold what the streams completed.
fn heat(pass: &Pass<'_>) -> Option<LawCheck> {
    let heat: u64 = pass.record.heat.iter().map(Histogram::count).sum();
    let all = || pass.phases(Part::Whole);
    let completed: u64 = all().map(|totals| totals.completed).sum();
    let failed: u64 = all().map(|totals| totals.failed).sum();
    let value = heat.abs_diff(completed) as f64;
    let law = Most { law: Law::Total, value, most: failed as f64 };
    (!pass.record.heat.is_empty()).then(|| law.check("all streams"))
}

fn totals(stream: &StreamTotals) -> impl Iterator<Item = &Histogram> {
    let kept = stream.phases.iter().flat_map(|totals| &totals.latency);
    kept.filter(|kept| kept.what == Latency::Total).map(|kept| &kept.histogram)
}

#[cfg(test)]
mod tests {
    use crate::judges::audit::{audit, broken};
    use crate::sample::Sample;
    use iopath_record::{Kind, Record};

    #[test]
    fn each_false_total_breaks_its_law() {
        let window = 1;
        assert_eq!(broken(|r| r.streams[0].phases[window].submitted = 1), ["completions"]);
        assert_eq!(broken(|r| r.streams[0].phases[window].operations_ppm /= 2), ["shares"]);
        assert_eq!(broken(|r| r.streams[0].phases[window].from_ns = 0), ["phases"]);
        assert_eq!(broken(|r| r.heat[2].buckets[0].1 += 1), ["total"]);
        let twice = |r: &mut Record| r.streams[0].phases[window].latency[0].histogram.sum_ns *= 2;
        assert_eq!(broken(twice), ["little"]);
        let one_more =
            |r: &mut Record| r.streams[0].phases[window].latency[0].histogram.buckets[0].1 += 1;
        assert_eq!(broken(one_more), ["histograms"]);
    }

    #[test]
    fn more_in_flight_than_the_depth_breaks_the_capacity() {
        let stream =
            |r: &mut Record| r.entities.iter().position(|e| e.kind == Kind::Stream).unwrap();
        let shallow = |r: &mut Record| {
            let at = stream(r);
            r.entities[at].limits[0].tokens = Some(1);
        };
        assert_eq!(broken(shallow), ["capacity"]);
    }

    #[test]
    fn more_than_the_wanted_rate_breaks_the_capacity() {
        let law = |per_sec| {
            let wanted_per_sec = Some(per_sec);
            let record = Sample { wanted_per_sec, ..Sample::new() }.record();
            audit(&record).iter().all(|check| check.holds)
        };
        assert!(law(1000));
        assert!(!law(500));
    }

    #[test]
    fn a_share_of_a_rate_may_have_been_cut_to_a_whole_request_a_second() {
        let holds = |per_sec_ppm: u64| {
            let mut record = Sample { wanted_per_sec: Some(1), ..Sample::new() }.record();
            for totals in record.streams.iter_mut().flat_map(|stream| &mut stream.phases) {
                let seconds = (totals.to_ns - totals.from_ns) / 1_000_000_000;
                totals.operations_ppm = seconds * per_sec_ppm;
            }
            audit(&record)
                .iter()
                .filter(|check| check.law.name() == "capacity")
                .all(|check| check.holds)
        };
        assert!(holds(1_900_000), "1.9 a second is kept as 1");
        assert!(!holds(4_000_000));
    }
}
