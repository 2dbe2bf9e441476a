//! Who held the lock of each range of a file last, and what it costs to have it revoked
//! ([`iopath_path::Revoke`]).
//!
//! A stream that asks takes all locks that its request touches, when its thread sends it. A lock
//! that another stream wrote under, or that a writer wants and others have read under, is revoked
//! first: time of its thread, before the request goes out. Before the first round a file is as
//! rounds before would have left it: what is read behind a writer was read, and streams that share
//! a range held its locks in turn.
//!
//! Left out: waiting for a range in flight; of what was not asked for yet, a read that meets
//! locks of its own and of others leaves all of them as read by several; a lock of a whole file is
//! taken when a write is sent, not when its turn comes.

use std::collections::BTreeMap;
use std::ops::Range;

use iopath_path::{ComponentId, Rivals, Users};
use iopath_study::Case;
use iopath_units::Op;

use crate::core::Ps;
use crate::plan::Plans;
use crate::streams::{Stream, Streams};

/// The locks of all files whose locks have a price.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    /// Of each stream; none for those that pay nothing.
    streams: Vec<Option<OfStream>>,
    files: Vec<File>,
}

/// What a stream has of the locks of its file.
#[derive(Clone, Copy, Debug)]
struct OfStream {
    file: u32,
    /// Bytes that are locked together; none where the whole file is.
    unit: Option<u64>,
    each: Ps,
    unheld: Unheld,
}

/// Who held what was not asked for yet.
#[derive(Clone, Copy, Debug)]
enum Unheld {
    /// The stream itself.
    Own,
    /// Those that read behind it.
    Others,
    /// Those that share it in turn: which of how many the stream is.
    InTurn(u64, u64),
}

/// Who held a range last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    One {
        stream: u32,
        wrote: bool,
    },
    /// Several that read.
    Several,
}

/// Ranges of a file by their first lock, each with its end.
#[derive(Debug, Default)]
struct File(BTreeMap<u64, (u64, Holder)>);

impl Locks {
    pub(crate) fn new(case: &Case, streams: &Streams, plans: &Plans<'_>) -> Self {
        let mut locks = Self { streams: vec![None; streams.all.len()], files: Vec::new() };
        let users = Users::new(case, streams.all.iter().map(|one| (one.case, one.epoch)));
        let mut files: BTreeMap<ComponentId, u32> = BTreeMap::new();
        for (at, stream) in streams.all.iter().enumerate() {
            let place = stream.place.component();
            let revoke = place.and_then(|place| plans.hops().revoke(stream.to, place));
            let Some(revoke) = revoke else { continue };
            let rivals = users.rivals(case, stream.case, stream.epoch, revoke.unit);
            let next = files.len() as u32;
            let file = *files.entry(stream.to).or_insert(next);
            let (each, unheld) = (Ps::from_secs_f64(revoke.each_s), unheld(&rivals, stream));
            locks.streams[at] = Some(OfStream { file, unit: revoke.unit, each, unheld });
        }
        locks.files.resize_with(files.len(), File::default);
        locks
    }

    /// A stream takes the locks of a request; what it takes to have them revoked.
    #[inline]
    pub(crate) fn take(&mut self, stream: u32, op: Op, bytes: Range<u64>) -> Ps {
        let Some(Some(of)) = self.streams.get(stream as usize) else { return Ps::ZERO };
        let locks = match of.unit {
            None => 0..1,
            Some(unit) => bytes.start / unit..bytes.end.div_ceil(unit),
        };
        let file = &mut self.files[of.file as usize];
        Ps(of.each.0.saturating_mul(file.take(stream, op, of.unheld, locks)))
    }
}

fn unheld(rivals: &Rivals, stream: &Stream) -> Unheld {
    let place = rivals.all.iter().position(|one| *one == stream.case);
    match (place, rivals.leader) {
        _ if rivals.is_alone() => Unheld::Own,
        (_, Some(leader)) if leader == stream.case => Unheld::Others,
        (_, Some(_)) | (None, None) => Unheld::Own,
        (Some(place), None) => Unheld::InTurn(place as u64, rivals.all.len() as u64),
    }
}

impl Unheld {
    /// How many of these locks somebody else held.
    fn by_others(self, locks: &Range<u64>) -> u64 {
        let count = locks.end - locks.start;
        match self {
            Self::Own => 0,
            Self::Others => count,
            Self::InTurn(place, of) => {
                let below = |end: u64| (end + of - 1 - place) / of;
                count - (below(locks.end) - below(locks.start))
            }
        }
    }
}

impl File {
    /// How many of these locks are revoked from others.
    fn take(&mut self, stream: u32, op: Op, unheld: Unheld, locks: Range<u64>) -> u64 {
        let wrote = op == Op::Write;
        let mut revoked = 0;
        for (piece, holder) in self.remove(&locks) {
            let count = piece.end - piece.start;
            let others = match holder {
                None => unheld.by_others(&piece),
                Some(Holder::One { stream: other, .. }) if other == stream => 0,
                Some(Holder::One { wrote: under_write, .. }) if wrote || under_write => count,
                Some(Holder::Several) if wrote => count,
                Some(Holder::One { .. } | Holder::Several) => 0,
            };
            revoked += others;
            let next = match holder {
                _ if wrote => Holder::One { stream, wrote },
                Some(Holder::One { stream: other, wrote }) if other == stream => {
                    Holder::One { stream, wrote }
                }
                None if others == 0 => Holder::One { stream, wrote },
                None | Some(Holder::One { .. } | Holder::Several) => Holder::Several,
            };
            self.insert(piece, next);
        }
        revoked
    }

    /// Takes out all of a range: its pieces in order, those that were never held too.
    fn remove(&mut self, range: &Range<u64>) -> Vec<(Range<u64>, Option<Holder>)> {
        self.cut(range.start);
        self.cut(range.end);
        let mut pieces = Vec::new();
        let mut at = range.start;
        while let Some((&start, &(end, holder))) = self.0.range(at..range.end).next() {
            if start > at {
                pieces.push((at..start, None));
            }
            pieces.push((start..end, Some(holder)));
            self.0.remove(&start);
            at = end;
        }
        if at < range.end {
            pieces.push((at..range.end, None));
        }
        pieces
    }

    /// Lets no range go across a place.
    fn cut(&mut self, at: u64) {
        let Some((_, (end, holder))) = self.0.range_mut(..at).next_back() else { return };
        if *end > at {
            let behind = (*end, *holder);
            *end = at;
            self.0.insert(at, behind);
        }
    }

    /// Puts a range in, as one with its neighbours where the same holds them.
    fn insert(&mut self, range: Range<u64>, holder: Holder) {
        let (mut start, mut end) = (range.start, range.end);
        let before = self.0.range(..start).next_back().map(|(at, (end, by))| (*at, *end, *by));
        if let Some((at, _, _)) = before.filter(|(_, end, by)| *end == start && *by == holder) {
            start = at;
        }
        if let Some(&(behind, _)) = self.0.get(&end).filter(|(_, by)| *by == holder) {
            self.0.remove(&end);
            end = behind;
        }
        self.0.insert(start, (end, holder));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lock by lock: what was read since it was written, and by whom, the writer included.
    #[derive(Clone)]
    struct Plain {
        wrote: bool,
        holders: Vec<u32>,
    }

    fn take(plain: &mut [Plain], (stream, op): (u32, Op), locks: Range<u64>) -> u64 {
        let mut revoked = 0;
        for one in &mut plain[locks.start as usize..locks.end as usize] {
            let others = one.holders.iter().any(|holder| *holder != stream);
            match op {
                Op::Write => {
                    revoked += u64::from(others);
                    *one = Plain { wrote: true, holders: vec![stream] };
                }
                Op::Read if others && one.wrote => {
                    revoked += 1;
                    one.wrote = false;
                    one.holders.push(stream);
                }
                Op::Read => one.holders.push(stream),
            }
        }
        revoked
    }

    proptest! {
        #[test]
        fn ranges_are_revoked_as_lock_by_lock(
            requests in prop::collection::vec((0_u32..3, any::<bool>(), 0_u64..20, 1_u64..9), 1..60)
        ) {
            let mut file = File::default();
            let mut plain = vec![Plain { wrote: false, holders: Vec::new() }; 32];
            for (stream, reads, start, count) in requests {
                let op = if reads { Op::Read } else { Op::Write };
                let (unheld, locks) = (Unheld::Own, start..start + count);
                let wanted = take(&mut plain, (stream, op), locks.clone());
                prop_assert_eq!(file.take(stream, op, unheld, locks), wanted);
                let ends = file.0.iter().map(|(start, (end, _))| (*start, *end));
                let ends: Vec<(u64, u64)> = ends.collect();
                prop_assert!(ends.windows(2).all(|two| two[0].1 <= two[1].0));
            }
        }

        #[test]
        fn streams_that_share_a_range_held_its_locks_in_turn(
            place in 0_u64..4, more in 1_u64..4, start in 0_u64..50, count in 0_u64..50
        ) {
            let of = place + more;
            let others = (start..start + count).filter(|lock| lock % of != place).count() as u64;
            let locks = start..start + count;
            prop_assert_eq!(Unheld::InTurn(place, of).by_others(&locks), others);
        }
    }
}
