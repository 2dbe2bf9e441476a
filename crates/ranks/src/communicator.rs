//! `Communicator`: one rank's side of a run.
//!
//! It takes in whatever arrives, in every call that waits or looks: answers what others ask of the
//! clocks, keeps what they say of the pass that runs, and sets aside what is the caller's. So no
//! rank waits for another that waits for it. Everything here sleeps between looks, so that ranks
//! which wait leave the processors to those that work.
//!
//! Instants that a caller gives and gets are on its own clock; what is sent is on the root's. Left
//! out: what a rank's data mean, and a rank that died, which whoever started the ranks ends with
//! all others.

mod pass;
mod silence;

use std::collections::VecDeque;
use std::time::Duration;

use crate::clock::{self, Asking, Contradiction, Course, Effort, Unsynchronised};
use crate::phases::{Said, Table, There};
use crate::{Inbox, Link, Lost, ROOT};

pub use pass::{Begin, LastPass};
pub use silence::Silent;

/// First bytes of messages; those of the clocks are in `clock`.
const PHASE: u8 = 1;
const DATA: u8 = 2;

/// Between two looks of who waits. Chosen: a thousandth of a processor.
const NAP: Duration = Duration::from_millis(1);

/// A rank's side of a run.
pub struct Communicator {
    inbox: Inbox,
    clock: Box<dyn Fn() -> u64>,
    /// What others sent to the caller.
    data: VecDeque<(u32, Vec<u8>)>,
    /// Of the root: that of each rank; of another: its own only.
    courses: Vec<Course>,
    /// A comparison during a pass, which takes as long as the root's looks.
    asking: Option<Asking>,
    /// The first thing that went wrong with them.
    contradiction: Option<Contradiction>,
    table: Table,
    silence: silence::Silence,
    pass: pass::State,
}

impl Communicator {
    /// Over a link; `clock` gives nanoseconds of `CLOCK_MONOTONIC`.
    #[must_use]
    pub fn new(link: Box<dyn Link>, clock: Box<dyn Fn() -> u64>) -> Self {
        let ranks = link.size() as usize;
        Self {
            inbox: Inbox::new(link),
            data: VecDeque::new(),
            courses: vec![Course::of_root(); ranks],
            asking: None,
            contradiction: None,
            table: Table::of(ranks),
            silence: silence::Silence::of(ranks, clock()),
            pass: pass::State::default(),
            clock,
        }
    }

    #[must_use]
    pub fn rank(&self) -> u32 {
        self.inbox.rank()
    }

    #[must_use]
    pub fn size(&self) -> u32 {
        self.inbox.size()
    }

    #[must_use]
    pub fn is_root(&self) -> bool {
        self.rank() == ROOT
    }

    /// This rank's clock.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        (self.clock)()
    }

    /// Sends the caller's data to another rank.
    ///
    /// # Errors
    ///
    /// The rank is gone.
    pub fn send(&mut self, to: u32, data: &[u8]) -> Result<(), Lost> {
        self.inbox.send(to, &[&[DATA], data].concat())
    }

    /// Says what this process will end with, once everything is said.
    pub fn leave(&mut self, exit_code: i32) {
        self.inbox.leave(exit_code);
    }

    /// The next data that another rank has sent; none where none came within the time, or the
    /// caller wants no more.
    ///
    /// # Errors
    ///
    /// Nothing can arrive any more.
    pub fn receive(
        &mut self,
        within: Duration,
        wants_more: &dyn Fn() -> bool,
    ) -> Result<Option<(u32, Vec<u8>)>, Lost> {
        let limit_ns = self.now_ns().saturating_add(within.as_nanos() as u64);
        loop {
            // What a rank has sent counts, even if it is gone by now.
            let looked = self.look();
            if let Some(data) = self.data.pop_front() {
                return Ok(Some(data));
            }
            looked?;
            if !wants_more() || self.now_ns() >= limit_ns {
                return Ok(None);
            }
            std::thread::sleep(NAP);
        }
    }

    /// Compares the clocks of all ranks with the root's. Called by the root; the others take their
    /// turns whenever they look.
    ///
    /// # Errors
    ///
    /// A rank is gone or silent, or a clock was set.
    pub fn synchronise(&mut self) -> Result<(), Unsynchronised> {
        let clock = &self.clock;
        let compared = clock::lead(&mut self.inbox, &|| clock(), &Effort::BETWEEN_PASSES);
        if let Err(Unsynchronised::Silent { rank, .. }) = compared {
            self.silence.give_up(rank, self.now_ns());
        }
        let reported = compared?;
        for offset in reported {
            self.silence.heard(offset.rank, self.now_ns());
            self.learn(offset.rank as usize, offset.offset);
        }
        Ok(())
    }

    /// How a rank's clock went, against the root's.
    #[must_use]
    pub fn course(&self, rank: u32) -> &Course {
        &self.courses[rank as usize]
    }

    /// Where clocks contradict themselves.
    #[must_use]
    pub fn contradiction(&self) -> Option<Contradiction> {
        self.contradiction
    }

    fn learn(&mut self, rank: usize, offset: clock::Offset) {
        let known = &mut self.courses[rank];
        let learned = match *known == Course::of_root() {
            true => Course::new(offset).map(|course| *known = course),
            false => known.add(offset),
        };
        if let Err(contradiction) = learned {
            // The clock was set: what is known from now on is the newest.
            *known = Course::new(offset).unwrap_or_else(|_| known.clone());
            self.contradiction.get_or_insert(contradiction);
        }
    }

    /// Takes in whatever has arrived, and says what follows from it.
    fn look(&mut self) -> Result<(), Lost> {
        while let Some((from, message)) = self.inbox.try_receive()? {
            let now_ns = self.now_ns();
            self.silence.heard(from, now_ns);
            match message.split_first() {
                Some((&DATA, data)) => self.data.push_back((from, data.to_vec())),
                Some((&PHASE, said)) => self.heed(from, read(from, said)?, now_ns),
                _ => self.compare(from, &message)?,
            }
        }
        if self.is_root() {
            self.conclude()?;
        }
        self.show_life()
    }

    /// A message about clocks.
    fn compare(&mut self, from: u32, message: &[u8]) -> Result<(), Lost> {
        let Self { clock, inbox, .. } = self;
        let now = || clock();
        if clock::is_turn(message) {
            self.asking = None;
            let turn = clock::take_turn(inbox, &now, &Effort::BETWEEN_PASSES);
            let offset = turn.map_err(|error| Lost::Carrier(error.to_string()))?;
            let own = self.rank() as usize;
            self.learn(own, offset);
        } else if let Some(asking) = &mut self.asking {
            if let Some(offset) = asking.take(inbox, &now, message)? {
                self.asking = None;
                let own = self.rank() as usize;
                self.learn(own, offset);
            }
        } else if let Some(offset) = clock::answer(inbox, &now, from, message)? {
            self.learn(from as usize, offset);
        }
        Ok(())
    }

    fn say(&mut self, to: u32, said: Said) -> Result<(), Lost> {
        let text = serde_json::to_vec(&said).map_err(|error| Lost::Carrier(error.to_string()))?;
        self.inbox.send(to, &[&[PHASE], &text[..]].concat())
    }

    fn others(&self) -> impl Iterator<Item = u32> + use<> {
        (0..self.size()).filter(|rank| *rank != ROOT)
    }

    /// This rank's clock at an instant of the root's.
    fn to_local(&self, root_ns: u64) -> u64 {
        let own = &self.courses[self.rank() as usize];
        u64::try_from(own.to_local(root_ns.cast_signed())).unwrap_or(0)
    }

    fn to_root(&self, local_ns: u64) -> u64 {
        let own = &self.courses[self.rank() as usize];
        u64::try_from(own.to_root(local_ns)).unwrap_or(0)
    }
}

fn read(from: u32, said: &[u8]) -> Result<Said, Lost> {
    serde_json::from_slice(said).map_err(|error| {
        Lost::Carrier(format!("rank {from} runs another build, or its message is torn: {error}"))
    })
}

/// No streams run, and none will.
const ENDED: There = There { all_done: true, ..NOTHING };

/// Nothing is known of the pass.
const NOTHING: There = There {
    opens_ns: None,
    finished_ns: None,
    stop_ns: None,
    all_done: false,
    moved: crate::phases::Moved { bytes: 0, operations: 0 },
    late_ns: 0,
};
