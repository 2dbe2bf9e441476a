//! Which stream of the case an open file stands for.
//!
//! The case's streams are those that a file system knows apart, reads ahead of and gives locks to.
//! A process that opens a file is the one of its streams that does what the file is opened for, and
//! that the fewest are already.

use iopath_study::Case;

use crate::abi::{ACCESS_MODE, READ_ONLY, WRITE_ONLY};
use crate::exports::Export;

/// Streams, and how many have a file open as each.
#[derive(Debug)]
pub(crate) struct Opens {
    /// Of each file.
    seats: Vec<Vec<Seat>>,
    opened: u64,
}

#[derive(Clone, Copy, Debug)]
struct Seat {
    /// The stream's number in the world.
    stream: u32,
    reads: bool,
    writes: bool,
    users: u32,
}

/// Above it a handle has the count of all that were opened.
const STREAM_BITS: u32 = 32;

impl Opens {
    /// `streams` are those of the world, by their positions in the case.
    pub(crate) fn new(case: &Case, exports: &[Export], streams: &[usize]) -> Self {
        let seat = |at: &usize| {
            let stream = streams.iter().position(|one| one == at)?;
            let reads = case.streams[*at].reads.0;
            Some(Seat {
                stream: stream as u32,
                reads: reads > 0,
                writes: reads < 1_000_000,
                users: 0,
            })
        };
        let seats = exports.iter().map(|one| one.streams.iter().filter_map(seat).collect());
        Self { seats: seats.collect(), opened: 0 }
    }

    /// Somebody opens a file: its handle, which names the stream.
    pub(crate) fn open(&mut self, file: usize, flags: u32) -> Option<u64> {
        let does = |seat: &Seat| match flags & ACCESS_MODE {
            READ_ONLY => seat.reads,
            WRITE_ONLY => seat.writes,
            _ => seat.reads && seat.writes,
        };
        let seat =
            self.seats.get_mut(file)?.iter_mut().min_by_key(|one| (!does(one), one.users))?;
        seat.users += 1;
        self.opened += 1;
        Some(self.opened << STREAM_BITS | u64::from(seat.stream))
    }

    pub(crate) fn close(&mut self, handle: u64) {
        let stream = stream_of(handle);
        let seats = self.seats.iter_mut().flatten();
        for seat in seats.filter(|seat| seat.stream == stream) {
            seat.users = seat.users.saturating_sub(1);
        }
    }
}

/// The stream of a handle.
#[inline]
pub(crate) fn stream_of(handle: u64) -> u32 {
    handle as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ_WRITE: u32 = 2;

    #[test]
    fn each_is_the_stream_that_does_what_it_is_opened_for_and_has_the_fewest() {
        let seat = |stream, reads, writes| Seat { stream, reads, writes, users: 0 };
        let seats = vec![vec![seat(4, false, true), seat(5, true, false), seat(6, true, false)]];
        let mut opens = Opens { seats, opened: 0 };
        let mut open = |flags| opens.open(0, flags).map(stream_of);
        assert_eq!(
            [open(READ_ONLY), open(READ_ONLY), open(READ_ONLY)],
            [Some(5), Some(6), Some(5)]
        );
        assert_eq!([open(WRITE_ONLY), open(READ_WRITE)], [Some(4), Some(4)]);
        assert_eq!(opens.open(1, READ_ONLY), None);
        let again = opens.open(0, READ_ONLY).unwrap();
        opens.close(again);
        assert_eq!(opens.open(0, READ_ONLY).map(stream_of), Some(stream_of(again)));
    }
}
