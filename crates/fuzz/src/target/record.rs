//! The decoder of records, and what readers do with a record that it lets through.

use iopath_record::{
    DecodeError, Record, decode, encode, from_json, merge_latencies, merge_phases, to_json,
};

/// First bytes of a zstd frame (RFC 8878, section 3.1.1).
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A file is fed as text and compressed, so that both get damaged.
pub(super) fn forms(input: Vec<u8>) -> Vec<Vec<u8>> {
    let packed = zstd::encode_all(input.as_slice(), 3).expect("from memory to memory");
    vec![input, packed]
}

pub(super) fn feed(input: &[u8]) -> String {
    let found = if input.starts_with(&ZSTD_MAGIC) {
        decode(input)
    } else {
        from_json(&String::from_utf8_lossy(input))
    };
    match found {
        Ok(record) => use_everything(&record),
        Err(error) => refusal(&error),
    }
}

/// What analysis does with a record must not panic, and the record must survive being written.
pub(super) fn use_everything(record: &Record) -> String {
    let again = from_json(&to_json(record)).expect("what was read can be written and read");
    assert_eq!(again, *record, "text changes the record");
    let again = decode(&encode(record)).expect("what was read can be packed and read");
    assert_eq!(again, *record, "compressing changes the record");
    let merged = merge_phases(record.streams.iter().flat_map(|stream| &stream.phases));
    let latencies = merge_latencies(merged.iter().flat_map(|totals| &totals.latency));
    let histograms = latencies.iter().map(|latency| &latency.histogram).chain(&record.heat);
    let mut filled = 0;
    for histogram in histograms {
        let quantile = histogram.quantile_ns(0.999);
        assert_eq!(quantile.is_some(), histogram.count() > 0, "a quantile of nothing");
        assert_eq!(quantile.is_some(), histogram.mean_ns().is_some(), "a mean of nothing");
        filled += u32::from(quantile.is_some());
    }
    for series in &record.series {
        assert_eq!(series.values().count(), record.instants_ns.len(), "a series of another length");
    }
    let Record { technique, entities, streams, .. } = record;
    let sizes = (entities.len().min(8), streams.len(), merged.len(), filled > 0);
    format!("read: {:?} {sizes:?}", std::mem::discriminant(technique))
}

/// The sort of refusal, without what was quoted from the input.
fn refusal(error: &DecodeError) -> String {
    match error {
        DecodeError::TooLarge => "too large".to_owned(),
        DecodeError::NotCompressed(error) => format!("not compressed: {error}"),
        DecodeError::NotText { .. } => "not text".to_owned(),
        DecodeError::UnknownFormat { .. } => "another format".to_owned(),
        DecodeError::Malformed(error) => format!("malformed: {}", plain(&error.to_string())),
        // Sets of rules would be as many as there are subsets.
        DecodeError::Invalid(broken) => format!("invalid: {}", broken[0].what),
    }
}

/// The message up to what it quotes, and what was expected instead; no numbers.
fn plain(message: &str) -> String {
    let head = message.split(['`', '"', '(']).next().unwrap_or_default();
    let expected = message.rsplit_once(", expected ").map_or("", |(_, expected)| expected);
    let letters = head.chars().chain(expected.chars());
    letters.filter(|letter| letter.is_ascii_alphabetic() || *letter == ' ').collect()
}
