//! Records as text and as bytes: one promised format, not two.
//!
//! The format is JSON (RFC 8259) as `docs/record.md` describes it. [`encode`] is that same text,
//! compressed with zstd (RFC 8878); whoever has `zstd -d` has the text. What is read is checked
//! whole before anybody sees it: version, size, then every rule of [`Record::validate`].
//! Every version up to [`Record::FORMAT`] is read, and written again as the version that it is.
//! It leaves out files and streams of bytes.

use std::io::Read;

use serde::Deserialize;
use thiserror::Error;

use crate::Record;
use crate::validate::{BrokenRule, listed};

/// Longest text that is read: 256 MiB, fifty times a record of 64 streams, 200 entities and
/// 300 instants. Chosen; it keeps a small file from filling the memory when it is unpacked.
pub const MAX_TEXT_BYTES: u64 = 256 << 20;

/// Levels above 3 cost several times the processor time for a few percent (chosen).
const ZSTD_LEVEL: i32 = 3;

/// Why bytes or a text are not a record.
#[derive(Debug, Error)]
pub enum DecodeError {
    /// More text than [`MAX_TEXT_BYTES`].
    #[error("a record of more than {} MiB of text is not read", MAX_TEXT_BYTES >> 20)]
    TooLarge,
    /// The bytes are not a whole zstd stream.
    #[error("not a compressed record, or truncated: {0}")]
    NotCompressed(std::io::Error),
    /// What was compressed is not UTF-8.
    #[error("not a record: byte {at} of the text is not UTF-8")]
    NotText {
        /// Position of the first bad byte.
        at: usize,
    },
    /// The record says that it is of a version that this program does not know.
    #[error(
        "record format {found} is not known: this program reads formats 1 to {known}; \
         use the iopath that wrote it, or a newer one",
        known = Record::FORMAT
    )]
    UnknownFormat {
        /// What the record says.
        found: u64,
    },
    /// Not JSON, or not the fields of the format.
    #[error("not a record of formats 1 to {known}: {0}", known = Record::FORMAT)]
    Malformed(serde_json::Error),
    /// The right fields with values that cannot be.
    #[error("the record contradicts itself: {text}", text = listed(.0))]
    Invalid(Vec<BrokenRule>),
}

/// The record as one line of JSON.
#[must_use]
pub fn to_json(record: &Record) -> String {
    serde_json::to_string(record).expect("a record holds nothing that JSON cannot say")
}

/// The record that a JSON text holds.
///
/// # Errors
/// [`DecodeError`]: too long, another version, not the format, or in contradiction to itself.
pub fn from_json(text: &str) -> Result<Record, DecodeError> {
    if text.len() as u64 > MAX_TEXT_BYTES {
        return Err(DecodeError::TooLarge);
    }
    let record: Record = serde_json::from_str(text).map_err(|error| not_ours(text, error))?;
    if !is_known(record.format.into()) {
        return Err(DecodeError::UnknownFormat { found: record.format.into() });
    }
    let broken = record.validate();
    if broken.is_empty() { Ok(record) } else { Err(DecodeError::Invalid(broken)) }
}

/// The record as compressed JSON.
#[must_use]
pub fn encode(record: &Record) -> Vec<u8> {
    zstd::encode_all(to_json(record).as_bytes(), ZSTD_LEVEL)
        .expect("compressing from memory to memory meets no file")
}

/// The record that compressed JSON holds.
///
/// # Errors
/// [`DecodeError`]: as [`from_json`], or not compressed.
pub fn decode(bytes: &[u8]) -> Result<Record, DecodeError> {
    let unpacked = zstd::Decoder::with_buffer(bytes).map_err(DecodeError::NotCompressed)?;
    let mut text = Vec::new();
    unpacked.take(MAX_TEXT_BYTES + 1).read_to_end(&mut text).map_err(DecodeError::NotCompressed)?;
    if text.len() as u64 > MAX_TEXT_BYTES {
        return Err(DecodeError::TooLarge);
    }
    let text = String::from_utf8(text)
        .map_err(|error| DecodeError::NotText { at: error.utf8_error().valid_up_to() })?;
    from_json(&text)
}

/// A later version may have any other fields, so that its number explains more than the first
/// field that is strange.
fn not_ours(text: &str, error: serde_json::Error) -> DecodeError {
    #[derive(Deserialize)]
    struct Version {
        format: u64,
    }
    match serde_json::from_str(text) {
        Ok(Version { format }) if !is_known(format) => DecodeError::UnknownFormat { found: format },
        Ok(_) | Err(_) => DecodeError::Malformed(error),
    }
}

fn is_known(format: u64) -> bool {
    (1..=u64::from(Record::FORMAT)).contains(&format)
}
