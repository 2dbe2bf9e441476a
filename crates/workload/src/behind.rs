//! Reading behind writing: who of a writer and its followers may issue next.
//!
//! All of them go through the same region in sequence, round after round. A position counts the
//! bytes since the first round began, so it does not start again at the region's end, and blocks of
//! different sizes compare. What is published is the contiguous part: a position passes a request
//! when it and all before it are done, whatever the order in which they come home.
//!
//! * **Follow**: the writer never waits. A follower issues what lies below the published position.
//!   A writer that is faster by a whole region writes over what was not read yet; the follower then
//!   reads the newer bytes, and its lag says so.
//! * **Lockstep**, by one record: the writer has one request in flight at most, and issues the next
//!   when the follower has read all that it can of what is there: of the two one moves at a time.
//!   With different blocks the smaller side takes several turns. The writer is then ahead by less
//!   than both blocks together, which is never more than a region.
//!
//! Nobody has the same bytes in flight twice: who has gone round waits for its own oldest request.
//! Whoever ends lets the other go: a follower reads up to what was published and ends, too; a
//! writer in lockstep ends when nobody is left to read. Left out: the clock, threads, how a side
//! waits, and requests that failed, which are never passed.

mod pairing;

use std::collections::VecDeque;

pub use pairing::{Follower, Pairing, pairings};

/// One writer and all that follow it.
#[derive(Clone, Debug)]
pub struct Relay {
    /// Bytes of one round.
    region: u64,
    writer: Runner,
    followers: Vec<(Runner, Lag)>,
}

/// How closely a follower follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lag {
    /// The writer waits until its record is read.
    Record,
    /// The writer goes on; the follower reads up to its published position.
    Follow,
}

/// One side of a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Who leads.
    Writer,
    /// Who follows, by its place.
    Follower(usize),
}

/// Whether a side may issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// At once.
    Now,
    /// When another has moved.
    Later,
    /// Nothing can come any more.
    Never,
}

/// The requests of one side.
#[derive(Clone, Debug)]
struct Runner {
    block: u64,
    /// Position behind the last request issued.
    issued: u64,
    /// Position behind the contiguous part that is done.
    done: u64,
    /// Issued and not passed, in order: offset, and whether it is done.
    outstanding: VecDeque<(u64, bool)>,
    /// When its position moved last, and how long after the time before.
    moved_ns: u64,
    gap_ns: u64,
    has_ended: bool,
}

impl Runner {
    fn new(block: u64, depth: u32) -> Self {
        let outstanding = VecDeque::with_capacity(depth as usize);
        let (issued, done, moved_ns, gap_ns) = (0, 0, 0, 0);
        Self { block, issued, done, outstanding, moved_ns, gap_ns, has_ended: false }
    }

    /// Whether its next request lies below a position.
    fn fits_below(&self, position: u64) -> bool {
        self.issued + self.block <= position
    }

    fn completed(&mut self, offset: u64, at_ns: u64) {
        let mine = |(at, is_done): &&mut (u64, bool)| *at == offset && !*is_done;
        if let Some((_, is_done)) = self.outstanding.iter_mut().find(mine) {
            *is_done = true;
        }
        let before = self.done;
        while self.outstanding.front().is_some_and(|(_, is_done)| *is_done) {
            self.outstanding.pop_front();
            self.done += self.block;
        }
        if self.done > before {
            self.gap_ns = at_ns.saturating_sub(self.moved_ns);
            self.moved_ns = at_ns.max(self.moved_ns);
        }
    }
}

impl Relay {
    /// A relay over a region of so many bytes, whose sides have these blocks (bytes) and depths.
    #[must_use]
    pub fn new(region: u64, writer: (u64, u32), followers: &[((u64, u32), Lag)]) -> Self {
        let runner = |(block, depth)| Runner::new(block, depth);
        let followers = followers.iter().map(|(ends, lag)| (runner(*ends), *lag)).collect();
        Self { region, writer: runner(writer), followers }
    }

    /// Whether a side may issue its next request at an instant. In lockstep that is never before
    /// the instant of the completion that lets it go, however late a clock was read.
    #[must_use]
    pub fn turn(&self, side: Side, at_ns: u64) -> Turn {
        let (runner, turn) = match side {
            Side::Writer => (&self.writer, self.turn_of_writer(at_ns)),
            Side::Follower(at) => (&self.followers[at].0, self.turn_of_follower(at, at_ns)),
        };
        let has_gone_round = !runner.fits_below(runner.done + self.region);
        if turn == Turn::Now && has_gone_round { Turn::Later } else { turn }
    }

    fn turn_of_writer(&self, at_ns: u64) -> Turn {
        let in_step = || self.followers.iter().filter(|(_, lag)| *lag == Lag::Record);
        if in_step().next().is_none() {
            return Turn::Now;
        }
        let left = || in_step().map(|(follower, _)| follower).filter(|one| !one.has_ended);
        if left().next().is_none() {
            return Turn::Never;
        }
        let moves = |one: &Runner| !one.outstanding.is_empty() || one.moved_ns > at_ns;
        let reads = |one: &Runner| moves(one) || one.fits_below(self.writer.done);
        if moves(&self.writer) || left().any(reads) { Turn::Later } else { Turn::Now }
    }

    fn turn_of_follower(&self, place: usize, at_ns: u64) -> Turn {
        let (follower, lag) = &self.followers[place];
        let writer = &self.writer;
        if follower.fits_below(writer.done) {
            let is_fresh = *lag == Lag::Follow || writer.moved_ns <= at_ns;
            if is_fresh { Turn::Now } else { Turn::Later }
        } else if writer.has_ended {
            Turn::Never
        } else {
            Turn::Later
        }
    }

    /// A side issued a request at an offset of the target.
    pub fn issued(&mut self, side: Side, offset: u64) {
        let runner = self.runner(side);
        runner.issued += runner.block;
        runner.outstanding.push_back((offset, false));
    }

    /// A request of a side is done.
    pub fn completed(&mut self, side: Side, offset: u64, at_ns: u64) {
        self.runner(side).completed(offset, at_ns);
    }

    /// A side issues nothing any more.
    pub fn ended(&mut self, side: Side) {
        self.runner(side).has_ended = true;
    }

    /// How far a follower is behind what the writer has published, in bytes.
    #[must_use]
    pub fn lag_bytes(&self, place: usize) -> u64 {
        // What it has read, the writer had published before.
        self.writer.done - self.followers[place].0.done
    }

    /// When a side that was told [`Turn::Later`] with requests of its own in flight should look
    /// again, if none of them is done before: `None` where only these can let it go.
    #[must_use]
    pub fn look_after_ns(&self, side: Side) -> Option<u64> {
        match side {
            Side::Writer => None,
            Side::Follower(at) => {
                (self.followers[at].1 == Lag::Follow).then_some(self.writer.gap_ns)
            }
        }
    }

    fn runner(&mut self, side: Side) -> &mut Runner {
        match side {
            Side::Writer => &mut self.writer,
            Side::Follower(place) => &mut self.followers[place].0,
        }
    }
}
