//! What a reader of the figures must know, found in the figures themselves. Each kind has a
//! section in `docs/warnings.md`; the record's own warnings come first.

use std::collections::BTreeMap;

use iopath_record::Warning;
use iopath_study::unindexed;
use iopath_units::{ByteRate, Human, Nanos, System};

use crate::findings::Trial;
use crate::judges::intensity;
use crate::judges::limit::rate;
use crate::judges::observed::Observed;
use crate::statistics::{jain, mean};
use crate::thresholds::trials::{
    HOLES_SHARE, OTHER_LOAD_SHARE, OTHER_TRAFFIC_RATIO, SHORT_WINDOW_NS, SKEW_SHARE, STALL_SHARE,
    STEAL_SHARE, UNFAIR_JAIN, UNFAIR_RATE_SHARE, UNFAIR_STREAMS,
};
use crate::usage::counters::{Span, Spans};
use crate::usage::pass::{Part, Pass};

/// The record's warnings, each once, and those found here.
pub(crate) fn all(trial: &Trial<'_, '_>) -> Vec<Warning> {
    let observed = Observed::of(trial.passes);
    let mut warnings: Vec<Warning> = Vec::new();
    for warning in trial.passes.iter().flat_map(|pass| &pass.record.warnings) {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    let found = [
        bad_blocks(trial),
        window(trial),
        skew(trial),
        failures(trial),
        longest(trial),
        steal(&observed),
        other_load(&observed),
        others(trial.passes, &observed),
        shared_region(trial, &observed),
        unfair(trial),
        missed_rate(&observed),
        intensities(trial),
        direct_refused(&trial.passes[0]),
        holes_or_cache(&observed),
        not_precise(trial),
    ];
    // What the record says already, it says with more knowledge.
    let known: Vec<String> = warnings.iter().map(|warning| warning.kind.clone()).collect();
    warnings.extend(found.into_iter().flatten().filter(|warning| !known.contains(&warning.kind)));
    warnings
}

fn warning(kind: &str, text: impl Into<String>) -> Option<Warning> {
    Some(Warning { kind: kind.to_owned(), text: text.into() })
}

fn window(trial: &Trial<'_, '_>) -> Option<Warning> {
    let without = |pass: &&Pass<'_>| pass.window.is_none() && !pass.record.streams.is_empty();
    let empty = trial.passes.iter().filter(without).count();
    let shortest = shortest(trial);
    if empty > 0 {
        let text = format!(
            "in {empty} of {} passes there was no time in which every stream was active: they \
             have no de-skewed figures",
            trial.passes.len()
        );
        return warning("empty-window", text);
    }
    let length = shortest.filter(|length| *length < SHORT_WINDOW_NS)?;
    let text = format!(
        "every stream was active for only {}: the figures are mostly beginning and end",
        Nanos(length).human(System::Decimal)
    );
    warning("short-window", text)
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
    let text = format!(
        "streams began up to {:.0} ms and ended up to {:.0} ms apart, {:.0} % of the window: \
         use the de-skewed figures",
        skew.front as f64 / 1e6,
        skew.back as f64 / 1e6,
        share * 100.0
    );
    if mean > 0.0 && share > SKEW_SHARE { warning("skew", text) } else { None }
}

fn failures(trial: &Trial<'_, '_>) -> Option<Warning> {
    let counted = trial.passes.iter().flat_map(|pass| pass.phases(Part::Whole));
    let failed: u64 = counted.map(|totals| totals.failed).sum();
    let text = format!("{failed} requests failed: their latencies and bytes are not counted");
    if failed > 0 { warning("failed-requests", text) } else { None }
}

fn bad_blocks(trial: &Trial<'_, '_>) -> Option<Warning> {
    let found = trial.bad_blocks();
    let text = match found.are_unwritten() {
        true => format!("verification met {found}: they cannot be verified"),
        false => format!("verification found {found}: the storage does not keep what it is given"),
    };
    if found.is_empty() { None } else { warning("bad-blocks", text) }
}

fn longest(trial: &Trial<'_, '_>) -> Option<Warning> {
    let window = shortest(trial)?;
    let max = trial.latency.max_ns;
    let text = format!(
        "the slowest request took {} of a window of {}: something stalled once, and another pass \
         may differ much",
        Nanos(max).human(System::Decimal),
        Nanos(window).human(System::Decimal)
    );
    if max as f64 >= window as f64 * STALL_SHARE { warning("long-stall", text) } else { None }
}

fn steal(observed: &Observed) -> Option<Warning> {
    let share = observed.processors.as_ref()?.steal;
    let text = format!(
        "the hypervisor gave {:.1} % of the processor time to others: latencies contain their work",
        share * 100.0
    );
    if share > STEAL_SHARE { warning("cpu-steal", text) } else { None }
}

fn other_load(observed: &Observed) -> Option<Warning> {
    let processors = observed.processors.as_ref()?;
    let share = processors.busy - processors.steal - processors.own?;
    let text = format!(
        "other processes and interrupts used {:.0} % of the processor time: on a quiet machine \
         the figures may be better",
        share * 100.0
    );
    if share > OTHER_LOAD_SHARE { warning("other-load", text) } else { None }
}

fn others(passes: &[Pass<'_>], observed: &Observed) -> Option<Warning> {
    // A relation tells how much must reappear below; without copies it is as much as above.
    let carriers = &passes[0].counters.carriers;
    let relations = passes[0].record.relations.iter();
    let copies = relations
        .filter(|relation| !carriers.contains(&relation.upper))
        .map(|relation| relation.read_copies_ppm.max(relation.write_copies_ppm) as f64 / 1e6);
    let above: f64 = observed.application_bytes.iter().sum::<f64>() * copies.fold(1.0, f64::max);
    let below: Option<f64> =
        observed.devices.iter().map(|device| Some(device.bytes?.iter().sum::<f64>())).sum();
    let share = below.filter(|_| above > 0.0)? / above;
    // Nobody else is on the path of a model; what it moves besides, the study describes.
    let names: Vec<_> = observed.devices.iter().map(|device| device.name.as_str()).collect();
    let text = format!(
        "{} moved {share:.2} times what this measurement asked for: readahead, or other processes \
         were using it",
        names.join(", ")
    );
    if !observed.is_model && share > OTHER_TRAFFIC_RATIO {
        warning("other-traffic", text)
    } else {
        None
    }
}

/// Streams that read one region one after another mostly re-read what the first has fetched.
fn shared_region(trial: &Trial<'_, '_>, observed: &Observed) -> Option<Warning> {
    let pass = &trial.passes[0];
    let count = observed.streams.len() / observed.targets.len().max(1);
    let is_shared = pass.fact("workload.region") == Some("shared")
        || pass.record.case.levels.get("region").is_some_and(|level| level == "shared");
    let read = observed.application_bytes[0];
    let below: Option<f64> = observed.devices.iter().map(|device| Some(device.bytes?[0])).sum();
    let seen = below.filter(|_| read > 0.0 && !observed.devices.is_empty());
    let share = seen.map(|seen| {
        format!("; the devices saw {:.0} % of the bytes read", (100.0 * seen / read).min(100.0))
    });
    let text = format!(
        "{count} streams, one region: the first to read a block fetches it, the others may find \
         it in a cache on the way{}",
        share.unwrap_or_default()
    );
    if count > 1 && is_shared { warning("shared-region", text) } else { None }
}

/// Streams that are declared alike and fall into groups: some get less than half of the mean.
fn unfair(trial: &Trial<'_, '_>) -> Option<Warning> {
    let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for stream in trial.streams() {
        let group = unindexed(&stream.name);
        groups.entry(group).or_default().extend(stream.throughput_bytes_per_sec);
    }
    let uneven = groups.iter().filter_map(|(name, rates)| {
        let index =
            jain(rates).filter(|index| *index < UNFAIR_JAIN && rates.len() >= UNFAIR_STREAMS)?;
        let half = mean(rates)? * UNFAIR_RATE_SHARE;
        let (slow, rest): (Vec<f64>, Vec<f64>) = rates.iter().partition(|rate| **rate < half);
        let told = |mean: f64| ByteRate(mean.round() as u64).human(System::Decimal);
        let (of_slow, of_rest) = (told(mean(&slow)?), told(mean(&rest)?));
        Some(format!(
            "{} of the {} streams of {name} got {of_slow} on average, the others {of_rest}: Jain's \
             index is {index:.2}",
            slow.len(),
            rates.len()
        ))
    });
    let texts: Vec<String> = uneven.collect();
    if texts.is_empty() { None } else { warning("unfair", texts.join("; ")) }
}

fn missed_rate(observed: &Observed) -> Option<Warning> {
    let line = rate::reached(observed).filter(|line| line.value < line.threshold)?;
    warning("rate-missed", format!("{}; latency from the intended start grows", line.text))
}

/// Sub-streams that had not their share of the requests.
fn intensities(trial: &Trial<'_, '_>) -> Option<Warning> {
    let all = intensity::of(trial.passes);
    let missed = all.iter().filter(|one| one.kept == Some(false));
    let number =
        |value: Option<f64>| value.map_or("unknown".to_owned(), |value| format!("{value:.3}"));
    let each = missed.map(|one| {
        let (ratio, variation) = (number(one.ratio), number(one.coefficient_of_variation));
        format!("{} ({ratio} of it, variation {variation})", one.stream)
    });
    let each: Vec<String> = each.collect();
    let text = format!(
        "{} of {} sub-streams did not keep their intensity within 5 % and with a variation of 0.2 \
         at most: {}",
        each.len(),
        all.len(),
        each.join(", ")
    );
    if each.is_empty() { None } else { warning("intensity-missed", text) }
}

/// Direct reads that ended before the devices.
fn holes_or_cache(observed: &Observed) -> Option<Warning> {
    let is_direct = observed.targets.iter().all(|t| t.cache.as_deref() == Some("direct"));
    let below: Option<f64> = observed.devices.iter().map(|device| Some(device.bytes?[0])).sum();
    let read = observed.application_bytes[0];
    if !is_direct || observed.devices.is_empty() || observed.engine == "null" || read <= 0.0 {
        return None;
    }
    let share = below? / read;
    let text = format!(
        "the devices saw {:.1} % of the bytes read: holes, compression, deduplication or a cache \
         below",
        100.0 * share
    );
    if share < HOLES_SHARE { warning("holes-or-cache", text) } else { None }
}

/// Repeated until precise, and it never was.
fn not_precise(trial: &Trial<'_, '_>) -> Option<Warning> {
    let wanted: f64 = trial.passes[0].fact("workload.until_ci_percent")?.parse().ok()?;
    let reached = trial.confidence();
    let is_reached = reached.is_some_and(|found| found.half_width_percent <= wanted);
    let reached = reached.map_or_else(
        || "is not known".to_owned(),
        |found| format!("is {:.1} % after {} passes", found.half_width_percent, found.passes),
    );
    let text = format!(
        "half the width of the 95 % interval was to be {wanted} % of the mean at most and {reached}"
    );
    if is_reached { None } else { warning("not-precise", text) }
}

fn direct_refused(pass: &Pass<'_>) -> Option<Warning> {
    let keys = pass.record.environment.iter();
    let refused = keys.filter(|(_, value)| *value == "buffered (direct refused)");
    let names: Vec<_> = refused
        .filter_map(|(key, _)| key.strip_prefix("target.")?.strip_suffix(".cache"))
        .collect();
    let text = format!(
        "{}: the file system refuses direct I/O, so requests went through the page cache",
        names.join(", ")
    );
    if names.is_empty() { None } else { warning("direct-refused", text) }
}

#[cfg(test)]
mod tests {
    use crate::findings::analyse::analyse;
    use crate::sample::Sample;
    use iopath_record::{BadBlocks, BadKind, Record};

    fn kinds(record: Record) -> Vec<String> {
        let findings = analyse(&[record]).unwrap();
        findings.warnings.into_iter().map(|warning| warning.kind).collect()
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
        let source = include_str!("warnings.rs");
        let calls = source.split("warning(\"").skip(1);
        let kinds: Vec<_> = calls.filter_map(|rest| rest.split('"').next()).collect();
        assert!(kinds.len() >= 10, "{kinds:?}");
        for kind in
            kinds.into_iter().filter(|kind| kind.chars().all(|c| c.is_alphabetic() || c == '-'))
        {
            assert!(guide.contains(&format!("\n### `{kind}`\n")), "{kind}");
        }
    }

    #[test]
    fn streams_of_one_region_are_told_with_what_the_device_saw() {
        let sample = Sample { streams: 64, device_share: 0.02, ..Sample::new() };
        let mut record = sample.record();
        record.environment.insert("workload.region".to_owned(), "shared".to_owned());
        let findings = analyse(&[record]).unwrap();
        let text = &findings.warnings[0].text;
        assert!(text.starts_with("64 streams, one region"), "{text}");
        assert!(text.ends_with("the devices saw 2 % of the bytes read"), "{text}");
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
        let told = found.iter().find(|warning| warning.kind == "unfair").unwrap();
        let text = "6 of the 8 streams of reader got 13.11 MB/s on average, the others 131.1 MB/s: \
                    Jain's index is 0.41";
        assert_eq!(told.text, text);
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
        let kinds: Vec<_> = findings.warnings.iter().map(|w| w.kind.as_str()).collect();
        assert_eq!(kinds, ["direct-refused", "not-huge", "cpu-steal"]);
    }
}
