//! A group of a rig as limits of a throttle group of QEMU, and what cannot be said in them.
//!
//! Law: docs/throttle.txt and util/throttle.c of QEMU. A leaky bucket runs out at the rate. Without
//! more words it holds 100 ms of the rate; with `max` and `max-length` it holds max × length, at
//! least one second of the rate, and the length is in whole seconds. The peak is held to `max` only
//! when the length is more than one second. A rate of 0 is none at all, and 10^15 is the largest.

use iopath_path::{Burst, Direction};
use serde_json::{Map, Value, json};

use crate::rig::{Counts, Group};

/// The largest value that a throttle group takes (THROTTLE_VALUE_MAX in include/qemu/throttle.h).
const LARGEST: f64 = 1e15;
/// What a bucket holds without a burst, in seconds of its rate (util/throttle.c).
const CREDIT_SECONDS: f64 = 0.1;
/// A burst whose tokens or rate differ by more than this is noted: chosen, half of what a
/// measurement is to agree by.
const EXACT: f64 = 0.025;

/// What the emulation does otherwise than the rig says.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// The rate is beyond any limit, so there is none.
    Unlimited { group: String },
    /// The rate is not a whole number, and so small that this matters.
    Rounded {
        group: String,
        /// As the rig has it, per second.
        wanted: f64,
        /// As it is, per second.
        made: u64,
    },
    /// The bucket of a burst is smaller than one second of the rate: it is as near as can be.
    Bucket {
        group: String,
        /// Tokens as the rig has them.
        wanted: f64,
        /// As they are.
        made: f64,
    },
    /// The rate of a burst is another; infinite where nothing holds it.
    Peak {
        group: String,
        /// As the rig has it, per second.
        wanted: f64,
        /// As it is, per second.
        made: f64,
    },
    /// Media that are files have their own delay, which nothing adds to.
    Latency { device: String },
}

impl std::fmt::Display for Note {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unlimited { group } => write!(out, "{group} has no limit: it is beyond 1e15 /s"),
            Self::Rounded { group, wanted, made } => {
                write!(out, "{group} allows {made} /s, not {wanted}: rates are whole numbers")
            }
            Self::Bucket { group, wanted, made } => {
                write!(out, "the burst of {group} has {made:.0} tokens, not {wanted:.0}")
            }
            Self::Peak { group, wanted, made } if made.is_infinite() => {
                write!(out, "the burst of {group} is immediate, not at {wanted:.0} /s")
            }
            Self::Peak { group, wanted, made } => {
                write!(out, "the burst of {group} comes at {made:.0} /s, not at {wanted:.0}")
            }
            Self::Latency { device } => {
                write!(out, "{device} has no delay: only null media support one")
            }
        }
    }
}

/// A bucket larger than the usual one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bucket {
    max: u64,
    length_seconds: u64,
}

/// The limits of a group; `None` where it needs none. Its rate is above zero.
pub(crate) fn limits(group: &Group, notes: &mut Vec<Note>) -> Option<Value> {
    if group.per_sec > LARGEST {
        notes.push(Note::Unlimited { group: group.name.clone() });
        return None;
    }
    let rate = group.per_sec.round().max(1.0);
    if apart(rate, group.per_sec) {
        let (group, wanted) = (group.name.clone(), group.per_sec);
        notes.push(Note::Rounded { group, wanted, made: rate as u64 });
    }
    let row = row(group);
    let mut limits = Map::new();
    limits.insert(row.clone(), json!(rate as u64));
    if let Some(bucket) = group.burst.and_then(|burst| bucket(&group.name, rate, burst, notes)) {
        limits.insert(format!("{row}-max"), json!(bucket.max));
        limits.insert(format!("{row}-max-length"), json!(bucket.length_seconds));
    }
    Some(Value::Object(limits))
}

fn row(group: &Group) -> String {
    let counts = match group.counts {
        Counts::Bytes => "bps",
        Counts::Operations => "iops",
    };
    let direction = match group.direction {
        Direction::Read => "read",
        Direction::Write => "write",
        Direction::Both => "total",
    };
    format!("{counts}-{direction}")
}

/// The tokens are kept where they can be; the rate of the burst then follows from whole seconds.
fn bucket(name: &str, rate: f64, burst: Burst, notes: &mut Vec<Note>) -> Option<Bucket> {
    let usual = rate * CREDIT_SECONDS;
    // Between the two sizes that there are, the one that is nearer as a factor.
    if burst.tokens < (usual * rate).sqrt() {
        note_tokens(name, burst.tokens, usual, notes);
        return None;
    }
    let seconds = (burst.tokens / burst.rate).round().max(1.0);
    let longest = (burst.tokens / rate).floor().max(1.0);
    let length = seconds.min(longest);
    let max = (burst.tokens / length).round().clamp(rate, LARGEST);
    note_tokens(name, burst.tokens, max * length, notes);
    let peak = if length > 1.0 { max } else { f64::INFINITY };
    if burst.rate.is_finite() && apart(peak, burst.rate) {
        notes.push(Note::Peak { group: name.to_owned(), wanted: burst.rate, made: peak });
    }
    Some(Bucket { max: max as u64, length_seconds: length as u64 })
}

fn note_tokens(name: &str, wanted: f64, made: f64, notes: &mut Vec<Note>) {
    if apart(made, wanted) {
        notes.push(Note::Bucket { group: name.to_owned(), wanted, made });
    }
}

fn apart(made: f64, wanted: f64) -> bool {
    (made - wanted).abs() > EXACT * wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(per_sec: f64, burst: Option<(f64, f64)>) -> Group {
        Group {
            name: "g".to_owned(),
            counts: Counts::Bytes,
            direction: Direction::Read,
            per_sec,
            burst: burst.map(|(tokens, rate)| Burst { tokens, rate }),
        }
    }

    fn made(group: &Group) -> (Option<Value>, Vec<Note>) {
        let mut notes = Vec::new();
        (limits(group, &mut notes), notes)
    }

    #[test]
    fn a_row_is_named_for_what_it_counts_and_in_which_direction() {
        let rows = [
            (Counts::Bytes, Direction::Read, "bps-read"),
            (Counts::Bytes, Direction::Write, "bps-write"),
            (Counts::Bytes, Direction::Both, "bps-total"),
            (Counts::Operations, Direction::Read, "iops-read"),
            (Counts::Operations, Direction::Write, "iops-write"),
            (Counts::Operations, Direction::Both, "iops-total"),
        ];
        for (counts, direction, row) in rows {
            let group = Group { counts, direction, ..group(8e6, None) };
            assert_eq!(made(&group), (Some(json!({row: 8_000_000})), Vec::new()));
        }
    }

    #[test]
    fn rates_are_whole_numbers_and_never_none_at_all() {
        assert_eq!(made(&group(1_000.4, None)), (Some(json!({"bps-read": 1_000})), Vec::new()));
        let (limits, notes) = made(&group(0.2, None));
        assert_eq!(limits, Some(json!({"bps-read": 1})));
        assert_eq!(notes, [Note::Rounded { group: "g".into(), wanted: 0.2, made: 1 }]);
        for beyond in [f64::INFINITY, 2e15] {
            let (limits, notes) = made(&group(beyond, None));
            assert_eq!((limits, notes.len()), (None, 1));
        }
    }

    #[test]
    fn a_burst_keeps_its_tokens_and_where_seconds_are_whole_its_rate() {
        let bucket = |max: u64, length: u64| {
            let words = ("bps-read", "bps-read-max", "bps-read-max-length");
            Some(json!({words.0: 1_000, words.1: max, words.2: length}))
        };
        let exact = made(&group(1e3, Some((120e3, 2e3))));
        assert_eq!(exact, (bucket(2_000, 60), Vec::new()));
        let (limits, notes) = made(&group(1e3, Some((7e3, 2.8e3))));
        assert_eq!(limits, bucket(2_333, 3));
        assert!(matches!(notes[..], [Note::Peak { .. }]), "{notes:?}");
        let at_once = made(&group(1e3, Some((7e3, f64::INFINITY))));
        assert_eq!(at_once, (bucket(7_000, 1), Vec::new()));
    }

    #[test]
    fn a_burst_below_a_second_is_as_near_as_there_is_a_bucket() {
        let (limits, notes) = made(&group(1e3, Some((200.0, f64::INFINITY))));
        assert_eq!(limits, Some(json!({"bps-read": 1_000})));
        let expected = Note::Bucket { group: "g".into(), wanted: 200.0, made: 100.0 };
        assert_eq!(notes, [expected]);
        let (limits, notes) = made(&group(1e3, Some((700.0, 5e3))));
        let second = json!({"bps-read": 1_000, "bps-read-max": 1_000, "bps-read-max-length": 1});
        assert_eq!(limits, Some(second));
        assert_eq!(notes.len(), 2, "{notes:?}");
    }
}
