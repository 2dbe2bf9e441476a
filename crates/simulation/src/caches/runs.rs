//! Sequential streams as a cache sees them, and how far it reads ahead of each.
//!
//! A request that begins where an earlier one ended makes a run; the ends of the last [`KEPT`]
//! requests that continued none are kept, the one not used for the longest time gives way. Of a
//! run that is known, requests may overtake one another within what is read ahead.
//!
//! Ahead of a run, up to `read-ahead-size` are read, in two pieces: when one is used up, the next
//! is asked for while the other one serves (two buffers; the least with which the media need not
//! wait for the reader). Pieces end at whole rows of the volume. What would refute it: a reader
//! alone whose rate still rises with a read-ahead of more than two pieces' time on the media.

/// How many runs a cache follows in each volume: assumed, about the streams of one array.
const KEPT: usize = 64;

/// A run that was not used for so many requests rests, and is given no room in the cache: chosen,
/// several rounds of as many streams as are followed.
const RESTS: u32 = 4 * KEPT as u32;

/// The runs of one volume.
#[derive(Debug, Default)]
pub(super) struct Runs {
    all: Vec<Run>,
    clock: u32,
    /// How many of them are read ahead of, and do not rest.
    pub known: u64,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    /// Where it is known to have been.
    start: u64,
    /// Where its next request begins.
    next: u64,
    /// Where reading ahead has got to.
    ahead: u64,
    is_known: bool,
    /// Whether it is one of those that are read ahead of and do not rest.
    counts: bool,
    used: u32,
}

/// How much is read ahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Bytes in front of a reader; nothing is read ahead where there are none.
    pub size: u64,
    /// Pieces end at multiples of this.
    pub row: u64,
}

impl Reach {
    /// Where a piece ends that begins at a place.
    pub(super) fn piece(&self, from: u64) -> u64 {
        (from + (self.size / 2).max(1)).next_multiple_of(self.row)
    }
}

impl Runs {
    /// Takes note of a request and tells what is to be read ahead: one piece or several.
    pub(super) fn note(&mut self, (start, end): (u64, u64), reach: Reach) -> Option<(u64, u64)> {
        self.clock = self.clock.wrapping_add(1);
        let clock = self.clock;
        self.let_rest();
        let Some(run) = self.all.iter_mut().find(|run| run.holds(start, end, reach.size)) else {
            self.begin(start, end);
            return None;
        };
        run.used = clock;
        if end <= run.next {
            return None;
        }
        self.known += u64::from(!run.counts);
        (run.next, run.is_known, run.counts) = (end, true, true);
        run.ahead = run.ahead.max(end);
        if reach.size == 0 {
            return None;
        }
        let from = run.ahead;
        while run.ahead - end <= reach.size / 2 {
            run.ahead = reach.piece(run.ahead);
        }
        (from < run.ahead).then_some((from, run.ahead))
    }

    fn begin(&mut self, start: u64, end: u64) {
        let (is_known, counts, used) = (false, false, self.clock);
        let run = Run { start, next: end, ahead: end, is_known, counts, used };
        if self.all.len() < KEPT {
            return self.all.push(run);
        }
        let age = |one: &&mut Run| self.clock.wrapping_sub(one.used);
        if let Some(oldest) = self.all.iter_mut().max_by_key(age) {
            self.known -= u64::from(oldest.counts);
            *oldest = run;
        }
    }

    /// Looks at one run after the other, one a request, whether it rests.
    fn let_rest(&mut self) {
        let at = self.clock as usize % self.all.len().max(1);
        let Some(run) = self.all.get_mut(at) else { return };
        if run.counts && self.clock.wrapping_sub(run.used) > RESTS {
            run.counts = false;
            self.known -= 1;
        }
    }
}

impl Run {
    /// Whether a request belongs to it: continues it, or overtook or repeats what did.
    #[inline]
    fn holds(&self, start: u64, end: u64, reach: u64) -> bool {
        let slack = if self.is_known { reach } else { 0 };
        let least = self.start.max(self.next.saturating_sub(reach.max(end - start)));
        start >= least && start <= self.next + slack && end <= self.next + slack + (end - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AHEAD: Reach = Reach { size: 32, row: 8 };

    #[test]
    fn two_requests_make_a_run_and_each_half_that_is_used_brings_another() {
        let mut runs = Runs::default();
        let read: Vec<_> = (0..12).map(|at| runs.note((4 * at, 4 * at + 4), AHEAD)).collect();
        let some = |from, to| Some((from, to));
        let expected = [None, some(8, 40), None, None, None, some(40, 56), None, None, None];
        assert_eq!(read[..9], expected);
        assert_eq!(read[9..], [some(56, 72), None, None]);
    }

    #[test]
    fn others_in_between_and_repeated_requests_change_nothing() {
        let (mut alone, mut among) = (Runs::default(), Runs::default());
        for at in 0..40 {
            let request = (4 * at, 4 * at + 4);
            let expected = alone.note(request, AHEAD);
            assert_eq!(among.note(request, AHEAD), expected, "{at}");
            assert_eq!(among.note(request, AHEAD), None, "the same once more");
            assert_eq!(among.note((100_000 + 64 * at, 100_004 + 64 * at), AHEAD), None);
        }
    }

    #[test]
    fn a_run_that_is_not_used_rests_until_it_goes_on() {
        let mut runs = Runs::default();
        for start in [0, 4, 1000, 1004] {
            runs.note((start, start + 4), AHEAD);
        }
        assert_eq!(runs.known, 2);
        for at in 2..2 + 2 * u64::from(RESTS) {
            runs.note((4 * at, 4 * at + 4), AHEAD);
        }
        assert_eq!(runs.known, 1);
        runs.note((1008, 1012), AHEAD);
        assert_eq!(runs.known, 2);
    }

    #[test]
    fn a_run_that_is_not_used_is_forgotten() {
        let mut runs = Runs::default();
        runs.note((0, 4), AHEAD);
        for at in 1..=KEPT as u64 {
            runs.note((1000 * at, 1000 * at + 4), AHEAD);
        }
        assert_eq!(runs.note((4, 8), AHEAD), None);
        assert_eq!(runs.all.len(), KEPT);
    }
}
