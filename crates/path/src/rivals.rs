//! Streams that use the same range of a file at the same time, and how often the lock of a range
//! passes from one to another (`cost revoke`).
//!
//! With locks of u bytes, requests of b bytes at multiples of b touch (b + u - gcd(b, u)) / u of
//! them on average, and one where the whole file is locked. Of these were held last by another
//! stream:
//!
//! * **a writer and who reads behind it, by one record**: all that a turn touches, which is the
//!   larger of both blocks, once for each side; the writer takes back what was read the round
//!   before;
//! * **following freely**: each is read after it was written, so the reader has each revoked once;
//!   how much the writer takes back depends on how far behind the reader is;
//! * **n streams of one declaration at random**: n - 1 of n, of what is read those that were
//!   written;
//! * **n writers of one declaration that lock the whole file**, with one request in flight each:
//!   all, as they take turns;
//! * streams on ranges of their own, or that all read: none.
//!
//! Left out: other sharing, where that depends on the order of the requests: only a simulation
//! knows.

use std::collections::BTreeMap;

use iopath_study::case::{Case, Pacing, Pattern, Sharing, Stream};
use iopath_units::{Op, Ratio};

use crate::legs::gcd;

/// The streams on each target, of each time.
#[derive(Debug, Default)]
pub struct Users(BTreeMap<(usize, u32), Vec<usize>>);

/// Streams that use the same range, by their positions in the case, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rivals {
    /// The stream that was asked for, and the others.
    pub all: Vec<usize>,
    /// The one that all others read behind.
    pub leader: Option<usize>,
}

impl Users {
    /// Of streams by their positions in the case, each with when it runs.
    #[must_use]
    pub fn new(case: &Case, running: impl Iterator<Item = (usize, u32)>) -> Self {
        let mut users: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
        for (stream, epoch) in running {
            users.entry((case.streams[stream].target, epoch)).or_default().push(stream);
        }
        Self(users)
    }

    /// Those that use the same range as a stream; `unit` is what is locked together, the whole file
    /// where it is none. A stream is alone where nobody writes.
    #[must_use]
    pub fn rivals(&self, case: &Case, stream: usize, epoch: u32, unit: Option<u64>) -> Rivals {
        let one = &case.streams[stream];
        let users = self.0.get(&(one.target, epoch)).map_or(&[][..], Vec::as_slice);
        let meets = |other: &&usize| unit.is_none() || overlap(one, &case.streams[**other]);
        let mut all: Vec<usize> = users.iter().filter(meets).copied().collect();
        if all.iter().all(|at| case.streams[*at].reads == Ratio::ONE) {
            all = vec![stream];
        }
        let leader = leader(case, &all);
        Rivals { all, leader }
    }
}

impl Rivals {
    /// Whether a stream has the range for itself.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.all.len() < 2
    }

    /// Locks that are revoked for a request of a stream, on average; none where only a simulation
    /// knows.
    pub(crate) fn revokes(
        &self,
        case: &Case,
        stream: usize,
        op: Op,
        unit: Option<u64>,
    ) -> Option<f64> {
        let one = &case.streams[stream];
        match self.leader {
            _ if self.is_alone() => Some(0.0),
            Some(leader) if leader == stream => self.taken_back(case, one, unit),
            Some(_) => {
                let turn = self.turn(case).map(|turn| touched(turn, unit) / turn as f64);
                let each = turn.unwrap_or_else(|| unit.map_or(0.0, |unit| 1.0 / unit as f64));
                // Who reads it first has it revoked, for all.
                Some(one.block.0 as f64 * each / (self.all.len() - 1) as f64)
            }
            None => self.alike(case, one, op, unit),
        }
    }

    /// What a writer takes back from who read behind it.
    fn taken_back(&self, case: &Case, writer: &Stream, unit: Option<u64>) -> Option<f64> {
        let turn = self.turn(case)?;
        Some(writer.block.0 as f64 * touched(turn, unit) / turn as f64)
    }

    /// Bytes of a turn in lockstep; none without, or where it has no fixed size.
    fn turn(&self, case: &Case) -> Option<u64> {
        let streams = || self.all.iter().map(|at| &case.streams[*at]);
        let turn = streams().map(|one| one.block.0).max().filter(|turn| *turn > 0)?;
        let fits = |one: &Stream| {
            let in_step = one.modelled.behind.as_ref().is_none_or(|behind| behind.lockstep);
            in_step && turn.is_multiple_of(one.block.0)
        };
        streams().all(fits).then_some(turn)
    }

    /// Of streams of one declaration, all of them alike.
    fn alike(&self, case: &Case, one: &Stream, op: Op, unit: Option<u64>) -> Option<f64> {
        if self.all.iter().any(|at| case.streams[*at].group != one.group) {
            return None;
        }
        let writes = 1.0 - one.reads.as_f64();
        if unit.is_none() {
            let in_turn = one.depth == 1 && writes == 1.0 && matches!(one.pacing, Pacing::Closed);
            return in_turn.then_some(1.0);
        }
        let others = (self.all.len() - 1) as f64 / self.all.len() as f64;
        let held = if op == Op::Read { others * writes } else { others };
        (one.pattern == Pattern::Random).then(|| held * touched(one.block.0, unit))
    }
}

/// Whether two streams of one target may ask for the same bytes.
fn overlap(one: &Stream, other: &Stream) -> bool {
    let [one, other] = [one.region, other.region];
    let are_own = one.sharing == Sharing::Own && other.sharing == Sharing::Own;
    !are_own || one.count != other.count || one.index == other.index
}

/// The one that all others read behind.
fn leader(case: &Case, all: &[usize]) -> Option<usize> {
    let stream = |at: &usize| &case.streams[*at];
    let group = all.iter().find_map(|at| stream(at).modelled.behind.as_ref());
    let group = &group?.group;
    let mut leaders = all.iter().filter(|at| stream(at).group == *group);
    let (leader, rest) = (leaders.next()?, leaders.next());
    let follows = |at: &usize| {
        let behind = stream(at).modelled.behind.as_ref();
        at == leader || behind.is_some_and(|behind| behind.group == *group)
    };
    (rest.is_none() && all.iter().all(follows)).then_some(*leader)
}

/// Locks that requests of a size touch on average.
fn touched(bytes: u64, unit: Option<u64>) -> f64 {
    let Some(unit) = unit else { return 1.0 };
    (bytes as f64 + unit as f64 - gcd(bytes, unit) as f64) / unit as f64
}
