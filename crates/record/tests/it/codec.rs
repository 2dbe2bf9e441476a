//! What is written is read back; what is not a record is refused with a reason.

use iopath_record::codec::MAX_TEXT_BYTES;
use iopath_record::{
    BadKind, DecodeError, EntityId, Kind, Record, decode, encode, from_json, merge_phases, to_json,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::fixtures::{TWO_STREAMS, VERIFIED, bounds, two_streams};
use crate::generate::record;

proptest! {
    #[test]
    fn a_record_comes_back_as_it_was(record in record()) {
        let text = to_json(&record);
        prop_assert!(!text.contains('\n'));
        prop_assert_eq!(&from_json(&text).map_err(|error| error.to_string()), &Ok(record.clone()));
        prop_assert_eq!(&decode(&encode(&record)).map_err(|error| error.to_string()), &Ok(record));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes);
        prop_assert!(from_json(&text).is_err());
        prop_assert!(decode(&bytes).is_err());
        prop_assert!(decode(&zstd::encode_all(bytes.as_slice(), 1).unwrap()).is_err());
    }

    #[test]
    fn a_cut_record_is_refused(record in record(), part in 0.0..1.0_f64) {
        let bytes = encode(&record);
        let cut = (bytes.len() as f64 * part) as usize;
        prop_assert!(decode(&bytes[..cut]).is_err());
    }

    /// What passes validation can be added up and asked for quantiles without a panic.
    #[test]
    fn a_changed_number_is_refused_or_harmless(at in any::<usize>(), number in numbers()) {
        let changed = with_number(at, &number);
        if let Ok(record) = from_json(&changed) {
            use_everything(&record);
        }
    }
}

/// A newer iopath, or somebody else, may know more kinds.
#[test]
fn an_unknown_kind_of_entity_is_kept() {
    let text = TWO_STREAMS.replace(r#""kind": "stream""#, r#""kind": "Light-Bulb 2""#);
    let record = from_json(&text).unwrap();
    assert_eq!(record.entities[0].kind, Kind::Other("Light-Bulb 2".to_owned()));
    assert!(to_json(&record).contains(r#""kind":"Light-Bulb 2""#));
    assert_eq!(decode(&encode(&record)).unwrap(), record);
}

/// What cannot be counted cannot be compared with what was: such a limit is no limit.
#[test]
fn an_unknown_word_of_a_limit_is_refused() {
    for (word, other) in [(r#""bytes""#, r#""furlongs""#), (r#""read""#, r#""sideways""#)] {
        assert!(TWO_STREAMS.contains(word));
        let refused = from_json(&TWO_STREAMS.replace(word, other));
        assert!(matches!(refused, Err(DecodeError::Malformed(_))), "{refused:?}");
    }
}

fn numbers() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<u64>().prop_map(|n| n.to_string()),
        any::<i64>().prop_map(|n| n.to_string()),
        (0_u32..5000).prop_map(|n| n.to_string()),
        Just("1e400".to_owned()),
        Just("0.5".to_owned()),
    ]
}

/// The fixture with one of its numbers replaced.
fn with_number(at: usize, number: &str) -> String {
    let digit = |letter: char| letter.is_ascii_digit();
    let starts: Vec<usize> = TWO_STREAMS
        .char_indices()
        .filter(|(place, letter)| digit(*letter) && !TWO_STREAMS[..*place].ends_with(digit))
        .map(|(place, _)| place)
        .collect();
    let start = starts[at % starts.len()];
    let rest = TWO_STREAMS[start..].trim_start_matches(digit);
    format!("{}{number}{rest}", &TWO_STREAMS[..start])
}

fn use_everything(record: &Record) {
    let phases = record.streams.iter().flat_map(|stream| &stream.phases);
    let merged = merge_phases(phases);
    for histogram in merged.iter().flat_map(|totals| &totals.latency).map(|part| &part.histogram) {
        assert!(histogram.quantile_ns(0.99).is_none() || histogram.mean_ns().is_some());
    }
    for histogram in &record.heat {
        assert_eq!(histogram.quantile_ns(0.5).is_some(), !histogram.buckets.is_empty());
    }
    for series in &record.series {
        assert_eq!(series.values().count(), record.instants_ns.len());
    }
}

fn refusal(text: &str) -> String {
    from_json(text).expect_err("a text that is no record").to_string()
}

#[test]
fn an_unknown_field_is_named() {
    let text = TWO_STREAMS.replacen("\"seed\": 42", "\"seed\": 42, \"mood\": 1", 1);
    assert!(refusal(&text).contains("unknown field `mood`"), "{}", refusal(&text));
    let text = TWO_STREAMS.replacen("\"uring\"", "\"uring\", \"mood\": 1", 1);
    assert!(refusal(&text).contains("unknown field `mood`"), "{}", refusal(&text));
}

#[test]
fn a_later_format_is_told_from_a_broken_one() {
    let later = TWO_STREAMS.replacen("\"format\": 1", "\"format\": 10, \"mood\": 1", 1);
    let said = "record format 10 is not known: this program reads formats 1 to 9";
    assert!(refusal(&later).starts_with(said), "{}", refusal(&later));
    for unknown in [0, 10] {
        let same = TWO_STREAMS.replacen("\"format\": 1", &format!("\"format\": {unknown}"), 1);
        let error = from_json(&same).expect_err("a format that is not known");
        assert!(matches!(error, DecodeError::UnknownFormat { found } if found == unknown));
    }
    for known in 1..=8 {
        let strange = format!("\"format\": {known}, \"mood\": 1");
        let strange = TWO_STREAMS.replacen("\"format\": 1", &strange, 1);
        assert!(matches!(from_json(&strange), Err(DecodeError::Malformed(_))));
    }
    assert!(matches!(from_json("{}"), Err(DecodeError::Malformed(_))));
    assert!(matches!(from_json("[1]"), Err(DecodeError::Malformed(_))));
}

#[test]
fn a_small_file_that_unpacks_to_a_large_one_is_refused() {
    let zeros = std::io::Read::take(std::io::repeat(b' '), MAX_TEXT_BYTES + 1);
    let bomb = zstd::encode_all(zeros, 1).unwrap();
    assert!(bomb.len() < 100_000);
    assert!(matches!(decode(&bomb), Err(DecodeError::TooLarge)));
}

#[test]
fn what_is_no_text_is_refused_with_the_place() {
    let bytes = zstd::encode_all([b'{', 0xff].as_slice(), 1).unwrap();
    assert!(matches!(decode(&bytes), Err(DecodeError::NotText { at: 1 })));
    assert!(matches!(decode(b"{}"), Err(DecodeError::NotCompressed(_))));
    let mut trailing = encode(&two_streams());
    trailing.extend(b"more");
    assert!(matches!(decode(&trailing), Err(DecodeError::NotCompressed(_))));
}

#[test]
fn deep_nesting_is_refused() {
    assert!(matches!(from_json(&"[".repeat(1 << 20)), Err(DecodeError::Malformed(_))));
}

/// Every rule: a change that breaks it, and the place that is named.
#[test]
fn every_broken_rule_is_named() {
    type Change = fn(&mut Record);
    let cases: [(&str, Change); 34] = [
        ("case.levels: has an entry without", |r| drop(r.case.levels.insert("".into(), "".into()))),
        ("environment: has an entry without", |r| drop(r.environment.insert("".into(), "".into()))),
        ("entities[2]: has no name", |r| r.entities[2].name.clear()),
        ("entities[2]: stands for nothing", |r| r.entities[2].count = 0),
        ("entities[4].parent: names", |r| r.entities[4].parent = Some(EntityId(5))),
        ("entities: has a cycle", |r| r.entities[3].parent = Some(EntityId(4))),
        ("relations[0].upper: names", |r| r.relations[0].upper = EntityId(5)),
        ("relations[0].lower: names an entity that", |r| r.relations[0].lower[0] = EntityId(5)),
        ("relations[0].lower: names an entity twice", |r| {
            r.relations[0].lower = vec![EntityId(4); 2];
        }),
        ("relations[0]: has nothing below", |r| r.relations[0].lower.clear()),
        ("relations: form a cycle", |r| r.relations[0].lower.push(EntityId(2))),
        ("instants_ns: does not ascend", |r| r.instants_ns[1] = 0),
        ("series[1].entity: names", |r| r.series[1].entity = EntityId(5)),
        ("series[1]: is a second series", |r| r.series[1].counter = r.series[0].counter),
        ("series[1]: has not one value", |r| r.series[1].steps.truncate(1)),
        ("series[1]: falls below", |r| r.series[1].steps[1] = -33),
        ("series[1].missing: names", |r| r.series[1].missing = vec![3]),
        ("series[1].missing: does not", |r| r.series[1].missing = vec![1, 1]),
        ("streams[1].entity: names", |r| r.streams[1].entity = EntityId(5)),
        ("streams[1]: is a second", |r| r.streams[1].entity = EntityId(0)),
        ("streams[0]: has its last", |r| r.streams[0].last_done_ns = 3),
        ("streams[0].phases: are not", |r| r.streams[0].phases.swap(0, 1)),
        ("streams[0].phases[1]: ends", |r| r.streams[0].phases[1].to_ns = 2_599),
        ("streams[0].phases[1]: begins", |r| r.streams[0].phases[1].from_ns = 2_599),
        ("streams[1].phases[0].latency[1]: is a second", |r| {
            let copy = r.streams[1].phases[0].latency[0].clone();
            r.streams[1].phases[0].latency.push(copy);
        }),
        ("latency[0].histogram: has its minimum or", |r| {
            r.streams[1].phases[0].latency[0].histogram.max_ns = 440_000;
        }),
        ("latency[0].histogram: has a sum", |r| {
            r.streams[1].phases[0].latency[0].histogram.sum_ns = 44_001;
        }),
        ("heat: is not", |r| drop(r.heat.pop())),
        ("heat[0]: does not ascend", |r| r.heat[0].buckets.swap(0, 1)),
        ("heat[0]: names a bucket", |r| r.heat[0].buckets[1].0 = 3_712),
        ("heat[0]: has an empty bucket", |r| r.heat[0].buckets[1].1 = 0),
        ("heat[0]: has its minimum", |r| r.heat[0].max_ns = 1),
        ("heat[0]: is empty but", |r| r.heat[0].buckets.clear()),
        ("events[0]: names", |r| r.events[0].entity = Some(EntityId(5))),
    ];
    for (expected, change) in cases {
        refuses(two_streams(), expected, change);
    }
}

/// The same of what format 2 added.
#[test]
fn every_broken_rule_of_bounds_is_named() {
    type Change = fn(&mut Record);
    let cases: [(&str, Change); 13] = [
        ("format: is 1, which has neither", |r| r.format = 1),
        ("bounds: are not each kind once", |r| r.bounds.swap(0, 1)),
        ("bounds[0].binding[0]: names a limit that", |r| {
            r.bounds[0].binding[0].of.entity = EntityId(7);
        }),
        ("bounds[0].binding[0]: names a limit that", |r| r.bounds[0].binding[0].of.limit = 1),
        ("bounds[0].binding[1]: names a limit a second", |r| {
            let copy = r.bounds[0].binding[0];
            r.bounds[0].binding.push(copy);
        }),
        ("bounds[0].upgrades: are more", |r| {
            let copy = r.bounds[0].upgrades[0].clone();
            r.bounds[0].upgrades = vec![copy; 4];
        }),
        ("bounds[0].upgrades[0]: raises nothing", |r| r.bounds[0].upgrades[0].raise.clear()),
        ("bounds[0].upgrades[0].raise[0]: names a limit that", |r| {
            r.bounds[0].upgrades[0].raise[0].of.limit = 9;
        }),
        ("bounds[0].upgrades[0].then_binds[0]: names a limit that", |r| {
            r.bounds[0].upgrades[0].then_binds[0].entity = EntityId(0);
        }),
        ("bounds[1].leaves_out[0]: is not a word", |r| {
            r.bounds[1].leaves_out[0] = "Readahead: of vxfs".to_owned();
        }),
        ("bounds[1].leaves_out[0]: is not a word", |r| r.bounds[1].leaves_out[0].truncate(9)),
        ("curve: does not ascend", |r| r.curve[1].load_ppm = r.curve[0].load_ppm),
        ("curve: does not ascend", |r| r.curve.swap(0, 1)),
    ];
    for (expected, change) in cases {
        refuses(bounds(), expected, change);
    }
}

/// The same of what format 6 added.
#[test]
fn every_broken_rule_of_bad_blocks_is_named() {
    type Change = fn(&mut Record);
    let cases: [(&str, Change); 4] = [
        ("format: is below 6", |r| r.format = 5),
        ("bad_blocks.listed: lists too many", |r| {
            let copy = r.bad_blocks.listed[0].clone();
            r.bad_blocks.listed = vec![copy; 1_001];
        }),
        ("bad_blocks.counts.torn: counts a kind", |r| {
            r.bad_blocks.counts.insert(BadKind::Torn, 0);
        }),
        ("bad_blocks: lists more of a kind", |r| r.bad_blocks.counts.clear()),
    ];
    for (expected, change) in cases {
        let record = from_json(VERIFIED).unwrap();
        refuses(record, expected, change);
    }
}

fn refuses(mut record: Record, expected: &str, change: fn(&mut Record)) {
    change(&mut record);
    let found = record.validate();
    let named = found.iter().any(|rule| rule.to_string().contains(expected));
    assert!(named, "{expected} is not among {found:?}");
    assert!(matches!(from_json(&to_json(&record)), Err(DecodeError::Invalid(_))));
}

#[test]
fn totals_that_overflow_together_are_refused() {
    type Change = fn(&mut Record);
    let cases: [(&str, Change); 5] = [
        ("sum of read_bytes", |r| r.streams[0].phases[0].read_bytes = u64::MAX),
        ("sum of all bytes", |r| r.streams[0].phases[0].write_bytes = u64::MAX),
        ("sum of processor time", |r| r.streams[0].phases[0].user_ns = u64::MAX - 9_000),
        ("heat (sum of counts)", |r| r.heat[0].buckets[0].1 = u64::MAX),
        ("heat (sum of sum_ns)", |r| r.heat[0].sum_ns = u64::MAX),
    ];
    for (expected, change) in cases {
        let mut record = two_streams();
        change(&mut record);
        let message = refusal(&to_json(&record));
        assert!(message.contains(expected), "{expected} is not in {message}");
    }
}
