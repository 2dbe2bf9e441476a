//! Relays: no schedule of completions brings one to a stop, or breaks what lockstep and following
//! promise.

use iopath_workload::behind::{Lag, Relay, Side, Turn};
use proptest::prelude::*;

/// What a side has in flight and how much is left for it, beside the relay that is tested.
#[derive(Clone, Debug)]
struct Runner {
    side: Side,
    block: u64,
    depth: usize,
    left: u64,
    issued: u64,
    /// Position of each in flight.
    flying: Vec<u64>,
    /// By request: whether it is done.
    done: Vec<bool>,
    has_ended: bool,
}

impl Runner {
    fn new(side: Side, (block, depth): (u64, usize), bytes: u64) -> Self {
        let left = bytes / block;
        let (flying, done) = (Vec::new(), Vec::new());
        Self { side, block, depth, left, issued: 0, flying, done, has_ended: false }
    }

    /// The contiguous part, found the slow way.
    fn published(&self) -> u64 {
        self.done.iter().take_while(|is_done| **is_done).count() as u64 * self.block
    }
}

#[derive(Clone, Debug)]
struct Race {
    relay: Relay,
    lags: Vec<Lag>,
    region: u64,
    runners: Vec<Runner>,
    now_ns: u64,
}

impl Race {
    fn turn(&self, at: usize) -> Turn {
        self.relay.turn(self.runners[at].side, self.now_ns)
    }

    fn can_issue(&self, at: usize) -> bool {
        let runner = &self.runners[at];
        let has_room = runner.flying.len() < runner.depth && !runner.has_ended;
        has_room && runner.left > 0 && self.turn(at) == Turn::Now
    }

    fn issue(&mut self, at: usize) {
        let runner = &mut self.runners[at];
        self.relay.issued(runner.side, runner.issued % self.region);
        runner.flying.push(runner.issued);
        runner.issued += runner.block;
        runner.done.push(false);
        runner.left -= 1;
    }

    fn complete(&mut self, at: usize, which: usize) {
        let runner = &mut self.runners[at];
        let position = runner.flying.remove(which % runner.flying.len());
        runner.done[(position / runner.block) as usize] = true;
        self.relay.completed(runner.side, position % self.region, self.now_ns);
    }

    /// Ends whoever has nothing to do any more, as a lane does.
    fn end(&mut self) {
        // The end of one may be that of another.
        for at in (0..self.runners.len()).cycle().take(3 * self.runners.len()) {
            let never = self.turn(at) == Turn::Never;
            let runner = &mut self.runners[at];
            let has_work = runner.left > 0 && !never;
            if !has_work && runner.flying.is_empty() && !runner.has_ended {
                runner.has_ended = true;
                self.relay.ended(runner.side);
            }
        }
    }

    /// What must hold at every instant.
    fn check(&self) {
        let writer = &self.runners[0];
        let published = writer.published();
        for (place, (follower, lag)) in self.runners[1..].iter().zip(&self.lags).enumerate() {
            assert!(follower.issued <= published, "ahead of the published position");
            let lag_bytes = published - follower.published();
            assert_eq!(self.relay.lag_bytes(place), lag_bytes);
            if *lag == Lag::Record && !follower.has_ended {
                assert!(writer.flying.len() <= 1, "one record at a time");
                let both = !writer.flying.is_empty() && !follower.flying.is_empty();
                assert!(!both, "of a pair one moves at a time");
                let ahead = writer.issued - follower.published();
                assert!(ahead < writer.block + follower.block && ahead <= self.region);
            }
        }
    }

    /// Runs to the end, choosing by `choices`; every state must have a way on.
    fn run(mut self, choices: &[(usize, usize)]) -> Vec<Runner> {
        for (choice, which) in choices.iter().cycle() {
            self.now_ns += 1;
            self.end();
            if self.runners.iter().all(|runner| runner.has_ended) {
                return self.runners;
            }
            let all = 0..self.runners.len();
            let issues = all.clone().filter(|at| self.can_issue(*at)).map(|at| (at, true));
            let comes = |at: &usize| !self.runners[*at].flying.is_empty();
            let moves: Vec<_> = issues.chain(all.filter(comes).map(|at| (at, false))).collect();
            assert!(!moves.is_empty(), "stuck: {self:?}");
            let (at, is_issue) = moves[choice % moves.len()];
            if is_issue {
                self.issue(at);
            } else {
                self.complete(at, *which);
            }
            self.check();
        }
        unreachable!("choices are never used up")
    }
}

/// A race of blocks that are multiples of 4 KiB, over a region that both fill, and rounds of it.
fn race() -> impl Strategy<Value = Race> {
    let ends = || (1..6_u64, 1..5_usize);
    let lag = prop_oneof![Just(Lag::Record), Just(Lag::Follow)];
    let followers = prop::collection::vec((ends(), lag, 1..4_u64), 1..4);
    (ends(), 1..4_u64, followers, 1..4_u64).prop_map(|(writer, times, followers, rounds)| {
        let region = 60 * times;
        let as_relay = |(block, depth): (u64, usize)| (block, depth as u32);
        let relays: Vec<_> = followers.iter().map(|(e, lag, _)| (as_relay(*e), *lag)).collect();
        let relay = Relay::new(region, as_relay(writer), &relays);
        let mut runners = vec![Runner::new(Side::Writer, writer, region * rounds)];
        for (place, (ends, _, rounds)) in followers.iter().enumerate() {
            runners.push(Runner::new(Side::Follower(place), *ends, region * rounds));
        }
        let lags = followers.iter().map(|(_, lag, _)| *lag).collect();
        Race { relay, lags, region, runners, now_ns: 0 }
    })
}

proptest! {
    #[test]
    fn no_schedule_stops_a_relay(
        race in race(),
        choices in prop::collection::vec((0..64_usize, 0..64_usize), 1..200),
    ) {
        let lags = race.lags.clone();
        let wanted: Vec<u64> = race.runners.iter().map(|one| one.left * one.block).collect();
        let runners = race.run(&choices);
        let written = runners[0].published();
        for (place, follower) in runners[1..].iter().enumerate() {
            // Each reads all that it wants of what was written.
            let most = wanted[place + 1].min(written);
            prop_assert_eq!(follower.published(), most / follower.block * follower.block);
        }
        if lags.iter().all(|lag| *lag == Lag::Follow) {
            prop_assert_eq!(written, wanted[0], "followers never hold the writer");
        }
    }
}

#[test]
fn what_is_published_is_the_contiguous_part() {
    let mut relay = Relay::new(100, (10, 4), &[((10, 1), Lag::Follow)]);
    let follower = Side::Follower(0);
    for offset in [0, 10, 20] {
        relay.issued(Side::Writer, offset);
    }
    relay.completed(Side::Writer, 20, 5);
    relay.completed(Side::Writer, 10, 6);
    assert_eq!((relay.turn(follower, 9), relay.lag_bytes(0)), (Turn::Later, 0));
    relay.completed(Side::Writer, 0, 9);
    assert_eq!((relay.turn(follower, 9), relay.lag_bytes(0)), (Turn::Now, 30));
    assert_eq!(relay.look_after_ns(follower), Some(9));
}

#[test]
fn nobody_moves_at_an_instant_before_what_lets_it_go() {
    let mut relay = Relay::new(100, (10, 1), &[((10, 1), Lag::Record)]);
    relay.issued(Side::Writer, 0);
    assert_eq!(relay.turn(Side::Writer, 1), Turn::Later);
    relay.completed(Side::Writer, 0, 100);
    // A clock that was read before is read again first.
    assert_eq!(relay.turn(Side::Follower(0), 99), Turn::Later);
    assert_eq!(relay.turn(Side::Follower(0), 100), Turn::Now);
    relay.issued(Side::Follower(0), 0);
    assert_eq!(relay.turn(Side::Writer, 150), Turn::Later);
    relay.completed(Side::Follower(0), 0, 200);
    assert_eq!(relay.turn(Side::Writer, 199), Turn::Later);
    assert_eq!(relay.turn(Side::Writer, 200), Turn::Now);
}

#[test]
fn who_ends_lets_the_other_go() {
    let ends = [((10, 1), Lag::Record), ((10, 1), Lag::Follow)];
    let mut relay = Relay::new(100, (10, 1), &ends);
    relay.issued(Side::Writer, 0);
    relay.completed(Side::Writer, 0, 1);
    assert_eq!(relay.turn(Side::Writer, 2), Turn::Later);
    relay.ended(Side::Follower(0));
    assert_eq!(relay.turn(Side::Writer, 2), Turn::Never, "nobody is left to read in step");
    relay.ended(Side::Writer);
    assert_eq!(relay.turn(Side::Follower(1), 2), Turn::Now, "what is there is read");
    relay.issued(Side::Follower(1), 0);
    assert_eq!(relay.turn(Side::Follower(1), 2), Turn::Never);
}

#[test]
fn nobody_overtakes_itself_by_a_round() {
    let mut relay = Relay::new(20, (10, 8), &[((10, 8), Lag::Follow)]);
    relay.issued(Side::Writer, 0);
    relay.issued(Side::Writer, 10);
    assert_eq!(relay.turn(Side::Writer, 1), Turn::Later);
    relay.completed(Side::Writer, 10, 1);
    assert_eq!(relay.turn(Side::Writer, 1), Turn::Later, "the first is still in flight");
    relay.completed(Side::Writer, 0, 2);
    assert_eq!(relay.turn(Side::Writer, 2), Turn::Now);
}
