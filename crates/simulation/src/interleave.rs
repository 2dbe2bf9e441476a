//! Large requests that take turns: links carry the frames of all requests that are under way, and
//! not one request after the other.
//!
//! At the slowest stage of its way (where those that wait are) a large request is served in turns
//! of [`TURN`]; each one queues behind the turns of others that have come meanwhile. So requests
//! that come together end together, as under processor sharing, and a small one does not wait for
//! all of a large one. The other stages serve it in one piece as its first turn passes, and it has
//! crossed when its last turn has. Without others the turns follow one another, and nothing
//! changes.
//!
//! Elsewhere turns are taken into account without an event for each: behind others the first piece
//! waits for a turn of each of them and not for all that they have, so it goes on after that share
//! of the queue; the end is that of service in order of arrival, by which all of the queue is done.
//!
//! Turns cost events, and among requests of like sizes they only change who is first: so
//! they are taken where the largest requests of a case are [`UNLIKE`] times the smallest.

use iopath_study::Case;
use iopath_units::Bytes;

use crate::core::Ps;
use crate::task::{Doing, Task};
use crate::world::World;

/// Bytes of a turn: chosen. Frames are smaller, but some tens of them a turn share as evenly.
const TURN: Bytes = Bytes(128 << 10);

/// Turns of one request at most: chosen, as each is an event.
const MOST: u64 = 8;

/// How many times the smallest the largest requests are where they take turns: chosen.
const UNLIKE: u64 = 8;

/// Which requests of a case take turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interleaving {
    /// Bytes of a turn.
    turn: u64,
    /// Whether small requests meet large ones.
    pub are_mixed: bool,
}

impl Interleaving {
    pub(crate) fn of(case: &Case) -> Self {
        let turn = case.system.scale.size(TURN).0;
        let sizes = || case.streams.iter().map(|stream| stream.block.0);
        let (least, most) = (sizes().min().unwrap_or(1), sizes().max().unwrap_or(1));
        Self { turn, are_mixed: most > turn && most / least.max(1) >= UNLIKE }
    }

    /// In how many turns a request would be served.
    pub(crate) fn turns(&self, bytes: u64) -> u32 {
        (bytes / self.turn).clamp(1, MOST) as u32
    }
}

impl World<'_> {
    /// The first piece of a large request comes to the stage where it takes turns.
    pub(crate) fn begin_turns(&mut self, id: u32, stage: u32) {
        let (open, end) = self.serve_turn(stage);
        let turns = self.plans.stages[stage as usize].turns;
        let task = &mut self.tasks[id];
        task.all_here = task.all_here.max(end);
        task.first_here = open;
        task.is_in_turns = true;
        task.doing = Doing::Crossing(stage + 1);
        self.events.push(open, id);
        let left = turns - 1;
        let next = Task::new(Doing::Turn { of: id, stage, left }, self.now);
        let next = self.tasks.insert(next);
        self.events.push(end, next);
    }

    /// A turn is over: the next one queues, or the request has had all of them.
    pub(crate) fn turn_over(&mut self, turn: u32, (of, stage, left): (u32, u32, u32)) {
        if left > 0 {
            let (_, end) = self.serve_turn(stage);
            self.tasks[turn].doing = Doing::Turn { of, stage, left: left - 1 };
            self.events.push(end, turn);
            return;
        }
        self.tasks.remove(turn);
        let task = &mut self.tasks[of];
        task.is_in_turns = false;
        if task.doing == Doing::Waiting {
            task.doing = Doing::Crossed;
            self.crossed(of);
        }
    }

    /// Serves one turn at every row of a stage: when its first piece goes on, and when it ends.
    fn serve_turn(&mut self, stage: u32) -> (Ps, Ps) {
        let stage = &self.plans.stages[stage as usize];
        let turns = u64::from(stage.turns);
        let (mut open, mut end) = (self.now, self.now);
        for one in &self.plans.uses[stage.uses.start as usize..stage.uses.end as usize] {
            let service = self.varying.draw(one.row, Ps(one.service.0 / turns));
            let served = self.stations[one.row as usize].serve(self.now, service);
            open = open.max(served.start + one.first.min(service));
            end = end.max(served.end);
        }
        (open, end)
    }
}
