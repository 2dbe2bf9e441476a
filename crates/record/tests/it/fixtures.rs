//! Records of every format version that was ever written open for ever.

use iopath_record::{
    BadKind, BoundKind, Counter, Latency, Layer, Measure, Phase, PhaseTotals, Record, Technique,
    from_json, to_json,
};
use iopath_units::Action;
use serde_json::Value;

pub(crate) const TWO_STREAMS: &str = include_str!("../fixtures/v1/two-streams.json");
const ANALYTIC: &str = include_str!("../fixtures/v1/analytic.json");
pub(crate) const BOUNDS: &str = include_str!("../fixtures/v2/bounds.json");
const EMULATED: &str = include_str!("../fixtures/v3/emulated.json");
const OBSERVED: &str = include_str!("../fixtures/v4/observed.json");
const SAMPLED: &str = include_str!("../fixtures/v5/sampled.json");
pub(crate) const VERIFIED: &str = include_str!("../fixtures/v6/verified.json");
const FLUSHED: &str = include_str!("../fixtures/v7/flushed.json");
const FLUSHING: &str = include_str!("../fixtures/v8/flushing.json");
const TRIMMED: &str = include_str!("../fixtures/v9/trimmed.json");
const LEAST: &str = include_str!("../fixtures/v2/least.json");

pub(crate) fn two_streams() -> Record {
    from_json(TWO_STREAMS).expect("a fixture of format 1 opens")
}

pub(crate) fn bounds() -> Record {
    from_json(BOUNDS).expect("a fixture of format 2 opens")
}

#[test]
fn a_measurement_of_format_1_means_what_it_meant() {
    let record = two_streams();
    assert_eq!(
        record.technique,
        Technique::Measurement { engine: "uring".to_owned(), emulated: None }
    );
    assert_eq!(record.case.levels["depth"], "32");
    assert_eq!(record.entities[3].layer, Layer::Device);
    assert_eq!(record.entities[3].limits[0].per_sec, 6_800_000_000);
    assert_eq!(record.series[0].counter, Counter::ReadBytes);
    let values: Vec<u64> = record.series[0].values().collect();
    assert_eq!(values, [778_213_376, 795_207_680, 812_308_480]);
    let window = &record.streams[0].phases[1];
    assert_eq!((window.phase, window.read_bytes), (Phase::Window, 16_185));
    assert_eq!(window.latency[0].histogram.quantile_ns(0.9), Some(43_775));
    assert_eq!(record.events[1].entity, None);
}

#[test]
fn the_least_record_of_format_1_opens_and_prints_as_it_was() {
    let record = from_json(ANALYTIC).expect("a fixture of format 1 opens");
    assert_eq!(record.technique, Technique::Analytic);
    assert_eq!(to_json(&record), ANALYTIC.trim_end());
}

#[test]
fn a_record_of_format_1_is_written_as_format_1() {
    let text = to_json(&two_streams());
    assert!(text.starts_with("{\"format\":1,"), "{text}");
    assert!(!text.contains("bounds") && !text.contains("curve"), "{text}");
}

#[test]
fn bounds_of_format_2_mean_what_they_meant() {
    let record = bounds();
    assert_eq!((record.format, &record.technique), (2, &Technique::Analytic));
    let kinds: Vec<BoundKind> = record.bounds.iter().map(|bound| bound.kind).collect();
    assert_eq!(kinds, [BoundKind::FreeSplit, BoundKind::FixedSplit]);
    let fixed = &record.bounds[1];
    assert_eq!((fixed.bytes_per_sec, fixed.operations_milli_per_sec), (2_400_000_000, 2_288_818));
    let dearest = fixed.binding[0];
    assert_eq!(record.entities[dearest.of.entity.0 as usize].name, "disk[0]");
    assert_eq!(dearest.gain_ppm, 1_000_000);
    assert_eq!(fixed.upgrades[0].raise[0].to_per_sec, 1_500_000_000);
    assert_eq!(fixed.upgrades[0].then_binds, [record.bounds[0].binding[0].of]);
    assert_eq!((record.curve[1].load_ppm, record.curve[1].response_ns), (500_000, 1_747_626));
}

#[test]
fn the_least_record_of_format_2_opens_and_prints_as_it_was() {
    let record = from_json(LEAST).expect("a fixture of format 2 opens");
    assert_eq!(to_json(&record), LEAST.trim_end());
}

#[test]
fn an_emulated_measurement_of_format_3_means_what_it_meant() {
    let record = from_json(EMULATED).expect("a fixture of format 3 opens");
    let Technique::Measurement { emulated: Some(emulated), .. } = &record.technique else {
        panic!("{:?}", record.technique)
    };
    assert_eq!((emulated.scale, emulated.stretch), (32, 1));
    let lag = record.series.last().expect("a series");
    assert_eq!((lag.counter, lag.first), (Counter::LagBytes, 131_072));
    assert_eq!(from_json(&to_json(&record)).expect("a record"), record);
}

#[test]
fn what_is_counted_either_way_since_format_4_means_what_it_meant() {
    let record = from_json(OBSERVED).expect("a fixture of format 4 opens");
    assert_eq!((record.format, &record.technique), (4, &Technique::Observation));
    let last = |series: &iopath_record::Series| (series.counter, series.values().last());
    let counted: Vec<_> = record.series.iter().map(last).collect();
    let expected = [(Counter::MovedBytes, Some(1_624_200_000)), (Counter::Completed, Some(3_089))];
    assert_eq!(counted, expected);
    assert_eq!(to_json(&record), OBSERVED.trim_end());
}

#[test]
fn what_goes_wrong_beside_the_bytes_since_format_5_means_what_it_meant() {
    let record = from_json(SAMPLED).expect("a fixture of format 5 opens");
    assert_eq!((record.format, &record.technique), (5, &Technique::Observation));
    let last = |series: &iopath_record::Series| (series.counter, series.values().last());
    let counted: Vec<_> = record.series.iter().map(last).collect();
    let expected = [
        (Counter::Errors, Some(3)),
        (Counter::Timeouts, Some(1)),
        (Counter::Interrupts, Some(6_602)),
        (Counter::LocalPages, Some(116)),
        (Counter::RemotePages, Some(24)),
        (Counter::ReadBytes, Some(1_052_672)),
    ];
    assert_eq!(counted, expected);
    assert_eq!(record.series[1].missing, [1]);
    assert_eq!(to_json(&record), SAMPLED.trim_end());
}

#[test]
fn bad_blocks_since_format_6_mean_what_they_meant() {
    let record = from_json(VERIFIED).expect("a fixture of format 6 opens");
    let blocks = &record.bad_blocks;
    assert_eq!(blocks.to_string(), "5 bad blocks (1 stale, 1 misplaced, 3 unreadable)");
    let first = &blocks.listed[0];
    assert_eq!((first.kind, first.offset_bytes), (BadKind::Misplaced, 1 << 20));
    assert_eq!((first.wanted_generation, first.found_generation), (Some(0), Some(4)));
    assert_eq!(first.found_offset_bytes, Some(0));
    assert_eq!(to_json(&record), VERIFIED.trim_end());
}

#[test]
fn flushes_since_format_7_mean_what_they_meant() {
    let record = from_json(FLUSHED).expect("a fixture of format 7 opens");
    assert_eq!(record.format, 7);
    let phases = record.streams.iter().flat_map(|stream| &stream.phases);
    let count = |what| -> u64 {
        let kept = phases.clone().flat_map(|phase| &phase.latency).filter(|one| one.what == what);
        kept.map(|one| one.histogram.count()).sum()
    };
    let [flushes, commits, intended] =
        [Latency::Flush, Latency::Commit, Latency::IntendedCommit].map(count);
    assert_eq!((flushes, commits, intended), (160, 160, 160));
    let counted: Vec<Counter> = record.series.iter().map(|series| series.counter).collect();
    for counter in [Counter::FlushOperations, Counter::FlushNs, Counter::DiscardOperations] {
        assert!(counted.contains(&counter), "{counted:?}");
    }
    assert_eq!(to_json(&record), FLUSHED.trim_end());
}

#[test]
fn limits_of_flushes_since_format_8_mean_what_they_meant() {
    let record = from_json(FLUSHING).expect("a fixture of format 8 opens");
    assert_eq!(record.format, 8);
    let [_, flush] = &record.entities[0].limits[..] else { panic!("{:?}", record.entities[0]) };
    assert_eq!(
        (flush.measure, flush.per_sec, flush.tokens),
        (Measure::FlushNs, 1_000_000_000, None)
    );
    let closed = record.bounds.iter().find(|bound| bound.kind == BoundKind::ClosedLoop).unwrap();
    assert_eq!((closed.binding[0].of.entity.0, closed.binding[0].of.limit), (0, 1));
    assert_eq!(to_json(&record), FLUSHING.trim_end());
}

#[test]
fn trims_since_format_9_mean_what_they_meant() {
    let record = from_json(TRIMMED).expect("a fixture of format 9 opens");
    assert_eq!(record.format, 9);
    let [stream] = &record.streams[..] else { panic!("{:?}", record.streams) };
    assert_eq!(stream.action, Action::Trim);
    let sum = |of: fn(&PhaseTotals) -> u64| stream.phases.iter().map(of).sum::<u64>();
    assert_eq!(sum(|one| one.trim_bytes), 262_144);
    assert_eq!((sum(|one| one.write_bytes), sum(|one| one.completed)), (0, 4));
    assert_eq!(to_json(&record), TRIMMED.trim_end());
}

/// Whoever adds a counter, a phase or a layer says in the page what it counts.
#[test]
fn the_page_names_every_word_of_the_format() {
    let page = include_str!("../../../../docs/record.md");
    let counters = words_of(include_str!("../../src/series.rs"), "Counter");
    let kinds = words_of(include_str!("../../src/bound.rs"), "BoundKind");
    let bad = words_of(include_str!("../../src/bad_blocks.rs"), "BadKind");
    let fields = [TWO_STREAMS, BOUNDS, EMULATED, VERIFIED, TRIMMED]
        .into_iter()
        .flat_map(|text| fields_of(&serde_json::from_str(text).expect("JSON")));
    for word in counters.into_iter().chain(kinds).chain(bad).chain(fields) {
        assert!(page.contains(&format!("`{word}`")), "docs/record.md does not explain {word}");
    }
}

/// The variants of an enum, as they are written in JSON.
fn words_of(source: &str, name: &str) -> Vec<String> {
    source
        .split_once(&format!("pub enum {name} {{"))
        .and_then(|(_, rest)| rest.split_once('}'))
        .map(|(body, _)| body)
        .expect("the source holds the enum")
        .lines()
        .filter_map(|line| line.trim().strip_suffix(','))
        .map(kebab)
        .collect()
}

fn kebab(name: &str) -> String {
    let dashed = name.chars().map(|letter| match letter.is_uppercase() {
        true => format!("-{}", letter.to_lowercase()),
        false => letter.to_string(),
    });
    dashed.collect::<String>().trim_start_matches('-').to_owned()
}

/// The names of all fields, but for levels and facts, whose names are free.
fn fields_of(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => fields.iter().flat_map(named_field).collect(),
        Value::Array(items) => items.iter().flat_map(fields_of).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn named_field((name, value): (&String, &Value)) -> Vec<String> {
    let free = matches!(name.as_str(), "levels" | "environment");
    let below = if free { Vec::new() } else { fields_of(value) };
    [vec![name.clone()], below].concat()
}
