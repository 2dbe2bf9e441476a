//! The messages about clocks: a first byte that says which, then numbers, lowest byte first.
//!
//! | first byte | from, to | numbers |
//! |---|---|---|
//! | `PING` | follower, root | t1 |
//! | `PONG` | root, follower | t1, t2, t3 |
//! | `TURN` | root, follower | |
//! | `DONE` | follower, root | at, low and high of the offset |
//!
//! Other messages of a run must begin with other bytes. All ranks run one build, so there is no
//! version: what is not understood is refused.

use super::Offset;
use crate::link::Lost;

const PING: u8 = 0xC1;
const PONG: u8 = 0xC2;
const TURN: u8 = 0xC3;
const DONE: u8 = 0xC4;

/// A message about clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Ping { t1_ns: u64 },
    Pong { t1_ns: u64, t2_ns: u64, t3_ns: u64 },
    Turn,
    Done(Offset),
}

/// Whether this module answers for the message.
#[must_use]
pub fn is_clock_message(message: &[u8]) -> bool {
    matches!(message.first(), Some(&(PING | PONG | TURN | DONE)))
}

/// Whether the root asks this rank to compare clocks now, with [`take_turn`](super::take_turn).
#[must_use]
pub fn is_turn(message: &[u8]) -> bool {
    message == [TURN]
}

impl Said {
    pub(super) fn to_bytes(self) -> Vec<u8> {
        match self {
            Self::Ping { t1_ns } => packed(PING, &[t1_ns]),
            Self::Pong { t1_ns, t2_ns, t3_ns } => packed(PONG, &[t1_ns, t2_ns, t3_ns]),
            Self::Turn => packed(TURN, &[]),
            Self::Done(Offset { at_ns, low_ns, high_ns }) => {
                packed(DONE, &[at_ns, low_ns.cast_unsigned(), high_ns.cast_unsigned()])
            }
        }
    }

    pub(super) fn read(from: u32, message: &[u8]) -> Result<Self, Lost> {
        let garbled = Lost::Garbled(from);
        let Some((kind, rest)) = message.split_first() else {
            return Err(garbled);
        };
        let (chunks, []) = rest.as_chunks::<8>() else {
            return Err(garbled);
        };
        let numbers: Vec<u64> = chunks.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
        match (*kind, numbers.as_slice()) {
            (PING, &[t1_ns]) => Ok(Self::Ping { t1_ns }),
            (PONG, &[t1_ns, t2_ns, t3_ns]) => Ok(Self::Pong { t1_ns, t2_ns, t3_ns }),
            (TURN, []) => Ok(Self::Turn),
            (DONE, &[at_ns, low, high]) => {
                let (low_ns, high_ns) = (low.cast_signed(), high.cast_signed());
                Ok(Self::Done(Offset { at_ns, low_ns, high_ns }))
            }
            _ => Err(garbled),
        }
    }
}

fn packed(kind: u8, numbers: &[u64]) -> Vec<u8> {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    std::iter::once(kind).chain(bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_read_as_it_was_said() {
        let offset = Offset { at_ns: u64::MAX, low_ns: i64::MIN, high_ns: -1 };
        let all = [
            Said::Ping { t1_ns: 7 },
            Said::Pong { t1_ns: 1, t2_ns: 2, t3_ns: u64::MAX },
            Said::Turn,
            Said::Done(offset),
        ];
        for said in all {
            let bytes = said.to_bytes();
            assert!(is_clock_message(&bytes));
            assert_eq!(is_turn(&bytes), said == Said::Turn);
            assert_eq!(Said::read(1, &bytes), Ok(said));
            assert_eq!(Said::read(1, &[&bytes, [0].as_slice()].concat()), Err(Lost::Garbled(1)));
        }
    }

    #[test]
    fn other_messages_are_not_taken_for_those() {
        assert!(!is_clock_message(b""));
        assert!(!is_clock_message(b"{}"));
        assert_eq!(Said::read(2, b""), Err(Lost::Garbled(2)));
    }
}
