//! What a reader of the figures must know, found in the figures themselves. Each kind has a
//! section in `docs/warnings.md`; the record's own warnings come first. It leaves out words: those
//! are in `report`.

use std::collections::BTreeMap;

use iopath_record::{Fact, Phase, PhaseTotals, TargetFact};
use iopath_study::unindexed;

use crate::findings::{Trial, UnfairStreams, Warning};
use crate::judges::intensity;
use crate::judges::limit::rate;
use crate::judges::metrics::TrialMetrics;
use crate::statistics::{jain, mean};
use crate::thresholds::trials::{
    BACKLOG_SHARE, CLOCK_BOUND_SHARE, HOLES_SHARE, OTHER_LOAD_SHARE, OTHER_TRAFFIC_RATIO,
    SHORT_WINDOW_NS, SKEW_SHARE, STALL_SHARE, STEAL_SHARE, UNFAIR_JAIN, UNFAIR_RATE_SHARE,
    UNFAIR_STREAMS,
};
use crate::usage::counters::{Span, Spans};
use crate::usage::pass::{Part, Pass};

/// The record's warnings, each once, and those found here.
pub(crate) fn all(trial: &Trial<'_, '_>) -> Vec<Warning> {
    let metrics = TrialMetrics::of(trial.passes);
    let mut warnings: Vec<Warning> = Vec::new();
    for own in trial.passes.iter().flat_map(|pass| &pass.record.warnings) {
        let own = Warning::Recorded(own.clone());
        if !warnings.contains(&own) {
            warnings.push(own);
        }
    }
    let found = [
        bad_blocks(trial),
        window(trial),
        skew(trial),
        clock_bound(trial),
        failures(trial),
        longest(trial),
        trial.passes.iter().find_map(backlog),
        steal(&metrics),
        other_load(&metrics),
        others(trial.passes, &metrics),
        shared_region(trial, &metrics),
        unfair(trial),
        missed_rate(&metrics),
        intensities(trial),
        direct_refused(&trial.passes[0]),
        holes_or_cache(&metrics),
        not_precise(trial),
    ];
    // What the record says already, it says with more knowledge.
    let known: Vec<String> = warnings.iter().map(|own| own.kind().to_owned()).collect();
    let is_new = |found: &Warning| !known.iter().any(|kind| kind == found.kind());
    warnings.extend(found.into_iter().flatten().filter(is_new));
    warnings
}

fn window(trial: &Trial<'_, '_>) -> Option<Warning> {
    let without = |pass: &&Pass<'_>| pass.window.is_none() && !pass.record.streams.is_empty();
    let empty = trial.passes.iter().filter(without).count();
    if empty > 0 {
        return Some(Warning::EmptyWindow { empty, passes: trial.passes.len() });
    }
    let length_ns = shortest(trial).filter(|length| *length < SHORT_WINDOW_NS)?;
    Some(Warning::ShortWindow { length_ns })
}

/// Length of the shortest window of all epochs.
fn shortest(trial: &Trial<'_, '_>) -> Option<u64> {
    let windows = trial.passes.iter().filter_map(|pass| pass.window.as_ref());
    windows.flat_map(Spans::iter).map(Span::length_ns).min()
}

fn skew(trial: &Trial<'_, '_>) -> Option<Warning> {
    let skew = trial.skew();
    let mean = trial.window_ns as f64 / trial.passes.len() as f64;
    let share = skew.front.max(skew.back) as f64 / mean;
    let warning = Warning::Skew { front_ns: skew.front, back_ns: skew.back, share };
    (mean > 0.0 && share > SKEW_SHARE).then_some(warning)
}

/// Edges of the window are agreed instants, so they are off by as much as clocks are.
fn clock_bound(trial: &Trial<'_, '_>) -> Option<Warning> {
    let told = trial.passes.iter().filter_map(|pass| pass.fact(Fact::ClockBound));
    let bound_ns = told.filter_map(|text| text.parse::<u64>().ok()).max()?;
    let share = bound_ns as f64 / shortest(trial)? as f64;
    (share > CLOCK_BOUND_SHARE).then_some(Warning::ClockBound { bound_ns, share })
}

fn failures(trial: &Trial<'_, '_>) -> Option<Warning> {
    let counted = trial.passes.iter().flat_map(|pass| pass.phases(Part::Whole));
    let failed: u64 = counted.map(|totals| totals.failed).sum();
    (failed > 0).then_some(Warning::FailedRequests(failed))
}

fn bad_blocks(trial: &Trial<'_, '_>) -> Option<Warning> {
    Some(trial.bad_blocks()).filter(|found| !found.is_empty()).map(Warning::BadBlocks)
}

fn longest(trial: &Trial<'_, '_>) -> Option<Warning> {
    let window_ns = shortest(trial)?;
    let max_ns = trial.latency.max_ns;
    let is_long = max_ns as f64 >= window_ns as f64 * STALL_SHARE;
    is_long.then_some(Warning::LongStall { max_ns, window_ns })
}

/// Streams of which more and more requests wait: an open loop that asks for more than there is.
fn backlog(pass: &Pass<'_>) -> Option<Warning> {
    let seconds = pass.window.as_ref()?.length_ns() as f64 / 1e9;
    let phases = || pass.streams.iter().flat_map(|stream| &stream.phases);
    let earlier = phases().filter(|one| matches!(one.phase, Phase::WarmUp | Phase::Ramp));
    let left = |before: u64, one: &PhaseTotals| {
        (before + one.submitted).saturating_sub(one.completed + one.failed)
    };
    let before = earlier.fold(0, left);
    let after = pass.phases(Part::Window).fold(before, left);
    let completed: u64 = pass.phases(Part::Window).map(|one| one.completed).sum();
    let grown = after.saturating_sub(before) as f64;
    (completed > 0 && grown > BACKLOG_SHARE * completed as f64).then(|| Warning::Backlog {
        before,
        after,
        completed_per_sec: completed as f64 / seconds,
    })
}

fn steal(metrics: &TrialMetrics) -> Option<Warning> {
    let share = metrics.processors.as_ref()?.steal;
    (share > STEAL_SHARE).then_some(Warning::CpuSteal(share))
}

fn other_load(metrics: &TrialMetrics) -> Option<Warning> {
    let processors = metrics.processors.as_ref()?;
    let share = processors.busy - processors.steal - processors.own?;
    (share > OTHER_LOAD_SHARE).then_some(Warning::OtherLoad(share))
}

fn others(passes: &[Pass<'_>], metrics: &TrialMetrics) -> Option<Warning> {
    // A relation tells how much must reappear below; without copies it is as much as above.
    let carriers = &passes[0].counters.carriers;
    let relations = passes[0].record.relations.iter();
    let copies = relations
        .filter(|relation| !carriers.contains(&relation.upper))
        .map(|relation| relation.read_copies_ppm.max(relation.write_copies_ppm) as f64 / 1e6);
    let above: f64 = metrics.application_bytes.iter().sum::<f64>() * copies.fold(1.0, f64::max);
    let below: Option<f64> =
        metrics.devices.iter().map(|device| Some(device.bytes?.iter().sum::<f64>())).sum();
    let ratio = below.filter(|_| above > 0.0)? / above;
    let devices = metrics.devices.iter().map(|device| device.name.clone()).collect();
    // Nobody else is on the path of a model; what it moves besides, the study describes.
    let is_more = !metrics.is_model && ratio > OTHER_TRAFFIC_RATIO;
    is_more.then_some(Warning::OtherTraffic { devices, ratio })
}

fn shared_region(trial: &Trial<'_, '_>, metrics: &TrialMetrics) -> Option<Warning> {
    let pass = &trial.passes[0];
    let streams = metrics.streams.len() / metrics.targets.len().max(1);
    let is_shared = pass.fact(Fact::Region) == Some("shared")
        || pass.record.case.levels.get("region").is_some_and(|level| level == "shared");
    let read = metrics.application_bytes[0];
    let below: Option<f64> = metrics.devices.iter().map(|device| Some(device.bytes?[0])).sum();
    let seen = below.filter(|_| read > 0.0 && !metrics.devices.is_empty());
    let at_devices = seen.map(|seen| seen / read);
    (streams > 1 && is_shared).then_some(Warning::SharedRegion { streams, at_devices })
}

fn unfair(trial: &Trial<'_, '_>) -> Option<Warning> {
    let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for stream in trial.streams() {
        let group = unindexed(&stream.name);
        groups.entry(group).or_default().extend(stream.throughput_bytes_per_sec);
    }
    let uneven = groups.into_iter().filter_map(|(name, rates)| {
        let jain =
            jain(&rates).filter(|index| *index < UNFAIR_JAIN && rates.len() >= UNFAIR_STREAMS)?;
        let half = mean(&rates)? * UNFAIR_RATE_SHARE;
        let (slow, rest): (Vec<f64>, Vec<f64>) = rates.iter().partition(|rate| **rate < half);
        let (slow_bytes_per_sec, other_bytes_per_sec) = (mean(&slow)?, mean(&rest)?);
        let (streams, slow) = (rates.len(), slow.len());
        Some(UnfairStreams { name, streams, slow, slow_bytes_per_sec, other_bytes_per_sec, jain })
    });
    let uneven: Vec<UnfairStreams> = uneven.collect();
    (!uneven.is_empty()).then_some(Warning::Unfair(uneven))
}

fn missed_rate(metrics: &TrialMetrics) -> Option<Warning> {
    let line = rate::reached(metrics).filter(|line| line.value < line.threshold)?;
    Some(Warning::RateMissed(line))
}

fn intensities(trial: &Trial<'_, '_>) -> Option<Warning> {
    let all = intensity::of(trial.passes);
    let sub_streams = all.len();
    let missed: Vec<_> = all.into_iter().filter(|one| one.kept == Some(false)).collect();
    (!missed.is_empty()).then_some(Warning::IntensityMissed { missed, sub_streams })
}

fn holes_or_cache(metrics: &TrialMetrics) -> Option<Warning> {
    let is_direct = metrics.targets.iter().all(|t| t.cache.as_deref() == Some("direct"));
    let below: Option<f64> = metrics.devices.iter().map(|device| Some(device.bytes?[0])).sum();
    let read = metrics.application_bytes[0];
    if !is_direct || metrics.devices.is_empty() || metrics.engine == "null" || read <= 0.0 {
        return None;
    }
    let share = below? / read;
    (share < HOLES_SHARE).then_some(Warning::HolesOrCache(share))
}

fn not_precise(trial: &Trial<'_, '_>) -> Option<Warning> {
    let wanted_percent: f64 = trial.passes[0].fact(Fact::UntilCi)?.parse().ok()?;
    let reached = trial.confidence();
    let is_reached = reached.is_some_and(|found| found.half_width_percent <= wanted_percent);
    (!is_reached).then_some(Warning::NotPrecise { wanted_percent, reached })
}

fn direct_refused(pass: &Pass<'_>) -> Option<Warning> {
    let caches = TargetFact::Cache.of_each(&pass.record.environment);
    let refused = caches.filter(|(_, value)| *value == TargetFact::DIRECT_REFUSED);
    let names: Vec<String> = refused.map(|(name, _)| name.to_owned()).collect();
    (!names.is_empty()).then_some(Warning::DirectRefused(names))
}

#[cfg(test)]
mod tests {
    use iopath_record::{BadBlocks, BadKind, Record};
    use strum::VariantNames;

    use super::*;
    use crate::findings::analyse::analyse;
    use crate::sample::Sample;

    fn kinds(record: Record) -> Vec<String> {
        let findings = analyse(&[record]).unwrap();
        findings.warnings.iter().map(|warning| warning.kind().to_owned()).collect()
    }

    fn changed(change: impl FnOnce(&mut Record)) -> Vec<String> {
        let mut record = Sample::new().record();
        change(&mut record);
        kinds(record)
    }

    #[test]
    fn a_clean_record_has_no_warning() {
        assert_eq!(kinds(Sample::new().record()), Vec::<String>::new());
    }

    #[test]
    fn each_kind_has_its_cause() {
        let of = |sample: Sample| kinds(sample.record());
        assert_eq!(of(Sample { window: false, ..Sample::new() }), ["empty-window"]);
        assert_eq!(of(Sample { machine_steal: 0.03, ..Sample::new() }), ["cpu-steal"]);
        assert_eq!(of(Sample { machine_busy: 0.5, ..Sample::new() }), ["other-load"]);
        assert_eq!(of(Sample { device_share: 1.2, ..Sample::new() }), ["other-traffic"]);
        let refused = Sample { cache: "buffered (direct refused)", ..Sample::new() };
        assert_eq!(of(refused), ["direct-refused"]);
        assert_eq!(of(Sample { wanted_per_sec: Some(1100), ..Sample::new() }), ["rate-missed"]);
        assert_eq!(of(Sample { device_share: 0.001, ..Sample::new() }), ["holes-or-cache"]);
        let wish = |r: &mut Record| {
            r.environment.insert("workload.until_ci_percent".to_owned(), "2".to_owned());
        };
        assert_eq!(changed(wish), ["not-precise"]);
        let apart = |bound_ns: &'static str| {
            changed(move |r| r.environment.extend([Fact::ClockBound.is(bound_ns)]))
        };
        assert_eq!(apart("50000"), [""; 0]);
        assert_eq!(apart("200000000"), ["clock-bound"]);
        assert_eq!(changed(|r| r.streams[0].first_issue_ns = 1_100_000_000), ["skew"]);
        assert_eq!(changed(|r| r.streams[0].phases[1].failed = 1)[0], "failed-requests");
        let counts = [(BadKind::Stale, 2)].into();
        let found = BadBlocks { counts, listed: Vec::new() };
        assert_eq!(changed(move |r| r.bad_blocks = found.clone())[0], "bad-blocks");
        let stalled = |r: &mut Record| {
            r.streams[0].phases[1].latency[0].histogram.max_ns = 1_000_000_000;
        };
        assert_eq!(changed(stalled), ["long-stall"]);
        let short = |r: &mut Record| {
            for stream in &mut r.streams {
                stream.phases[1].to_ns = 2_900_000_000;
            }
        };
        assert!(changed(short).contains(&"short-window".to_owned()));
    }

    #[test]
    fn each_kind_is_told_in_the_guide() {
        let guide = include_str!("../../../../docs/warnings.md");
        // A record's own kinds are those of who made it.
        for kind in Warning::VARIANTS.iter().filter(|kind| **kind != "recorded") {
            assert!(guide.contains(&format!("\n### `{kind}`\n")), "{kind}");
        }
    }

    #[test]
    fn streams_of_one_region_are_told_with_what_the_device_saw() {
        let sample = Sample { streams: 64, device_share: 0.02, ..Sample::new() };
        let mut record = sample.record();
        record.environment.insert("workload.region".to_owned(), "shared".to_owned());
        let found = analyse(&[record]).unwrap().warnings.swap_remove(0);
        let Warning::SharedRegion { streams, at_devices } = found else { panic!("{found:?}") };
        assert_eq!((streams, at_devices.map(|share| (share * 100.0).round())), (64, Some(2.0)));
    }

    #[test]
    fn streams_that_fall_into_groups_are_told() {
        let uneven = |slow: u64| {
            let mut record = Sample { streams: 8, ..Sample::new() }.record();
            for stream in &mut record.streams[..6] {
                stream.phases[1].read_bytes /= slow;
            }
            analyse(&[record]).unwrap().warnings
        };
        let found = uneven(10);
        let groups = found.iter().find_map(|warning| {
            if let Warning::Unfair(groups) = warning { Some(groups) } else { None }
        });
        let [group] = groups.unwrap().as_slice() else { panic!("{found:?}") };
        assert_eq!((group.name.as_str(), group.slow, group.streams), ("reader", 6, 8));
        let ratio = group.other_bytes_per_sec / group.slow_bytes_per_sec;
        assert!((ratio - 10.0).abs() < 1e-3, "{group:?}");
        assert!((group.jain - 0.41).abs() < 0.005, "{group:?}");
        assert!(uneven(1).is_empty());
    }

    #[test]
    fn the_record_s_own_warnings_come_first_and_once() {
        let cache = "buffered (direct refused)";
        let mut record = Sample { machine_steal: 0.03, cache, ..Sample::new() }.record();
        let own =
            |kind: &str| iopath_record::Warning { kind: kind.to_owned(), text: "t".to_owned() };
        record.warnings.extend([own("direct-refused"), own("not-huge")]);
        let findings = analyse(&[record.clone(), record]).unwrap();
        let kinds: Vec<_> = findings.warnings.iter().map(Warning::kind).collect();
        assert_eq!(kinds, ["direct-refused", "not-huge", "cpu-steal"]);
    }
}
