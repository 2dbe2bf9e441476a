//! `Threads`: a link between threads of one process, with the delays of a network if wanted.
//!
//! ```text
//! send ──due = now + drawn delay──▶ channel ──▶ pending[from] ──due has come──▶ try_receive
//! ```
//!
//! Messages of one sender stay in order: none is due before its predecessor. Delays come from a
//! seeded generator for each sender; how long a message really takes is never less than was drawn,
//! and more by what the receiver sleeps between two polls. A message to oneself is not delayed.
//! Nothing is ever lost, and a link is gone when its `Threads` is dropped.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::link::{Link, Lost};

/// How long messages take. The two ways differ where a network is asymmetric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delays {
    pub to_root: Span,
    /// From the root, and between followers.
    pub from_root: Span,
    pub seed: u64,
}

/// Times between two, drawn evenly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub least_ns: u64,
    pub most_ns: u64,
}

/// One thread's end.
#[derive(Debug)]
pub struct Threads {
    rank: u32,
    /// By rank; none to oneself, so that the last one left sees its channel close.
    outgoing: Vec<Option<Sender<Sent>>>,
    incoming: Receiver<Sent>,
    /// What has come and is not due yet, by sender.
    pending: Vec<VecDeque<Sent>>,
    delaying: Option<Delaying>,
}

impl Threads {
    /// The ends of `size` threads, by rank, between which messages take no time.
    #[must_use]
    pub fn world(size: u32) -> Vec<Self> {
        Self::connected(size, &|_| None)
    }

    /// Ends between which messages take time, by the clock `now`, which is the same for all.
    #[must_use]
    pub fn delayed(size: u32, delays: Delays, now: fn() -> u64) -> Vec<Self> {
        Self::connected(size, &|rank| Some(Delaying::new(rank, size, delays, now)))
    }

    fn connected(size: u32, delaying: &dyn Fn(u32) -> Option<Delaying>) -> Vec<Self> {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
        let others = |rank: u32| {
            let ranked = (0..size).zip(&senders);
            ranked.map(|(to, sender)| (to != rank).then(|| sender.clone())).collect()
        };
        let ends = (0..size).zip(receivers).map(|(rank, incoming)| Self {
            rank,
            outgoing: others(rank),
            incoming,
            pending: (0..size).map(|_| VecDeque::new()).collect(),
            delaying: delaying(rank),
        });
        ends.collect()
    }

    /// Moves what has come to where it waits for its time. True where no more can come.
    fn collect(&mut self) -> bool {
        loop {
            match self.incoming.try_recv() {
                Ok(sent) => self.pending[sent.from as usize].push_back(sent),
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => return self.outgoing.len() > 1,
            }
        }
    }
}

impl Link for Threads {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        u32::try_from(self.outgoing.len()).expect("made for a size of 32 bits")
    }

    fn send(&mut self, to: u32, message: &[u8]) -> Result<(), Lost> {
        let Some(sender) = self.outgoing.get(to as usize) else {
            return Err(Lost::NoSuchRank { rank: to, size: self.size() });
        };
        let mut sent = Sent { from: self.rank, due_ns: 0, message: message.to_vec() };
        let Some(sender) = sender else {
            self.pending[to as usize].push_back(sent);
            return Ok(());
        };
        sent.due_ns = self.delaying.as_mut().map_or(0, |delaying| delaying.due(to));
        sender.send(sent).map_err(|_| Lost::Rank(to))
    }

    fn try_receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, Lost> {
        let is_closed = self.collect();
        let now = self.delaying.as_ref().map_or(0, |delaying| (delaying.now)());
        let first = self.pending.iter().flat_map(VecDeque::front).min_by_key(|sent| sent.due_ns);
        match first {
            Some(sent) if sent.due_ns <= now => {
                let from = sent.from;
                Ok(self.pending[from as usize].pop_front().map(|sent| (from, sent.message)))
            }
            None if is_closed => Err(Lost::Everyone),
            Some(_) | None => Ok(None),
        }
    }
}

/// A message on its way.
#[derive(Debug)]
struct Sent {
    from: u32,
    due_ns: u64,
    message: Vec<u8>,
}

/// When the messages of one sender are due.
#[derive(Debug)]
struct Delaying {
    delays: Delays,
    now: fn() -> u64,
    draws: Xoshiro256PlusPlus,
    /// Of the message before, by receiver.
    last_due: Vec<u64>,
}

impl Delaying {
    fn new(rank: u32, size: u32, delays: Delays, now: fn() -> u64) -> Self {
        let draws = Xoshiro256PlusPlus::seed_from_u64(delays.seed ^ u64::from(rank) << 32);
        Self { delays, now, draws, last_due: vec![0; size as usize] }
    }

    fn due(&mut self, to: u32) -> u64 {
        let span = if to == 0 { self.delays.to_root } else { self.delays.from_root };
        let width = span.most_ns.saturating_sub(span.least_ns).saturating_add(1);
        let due = (self.now)() + span.least_ns + self.draws.next_u64() % width;
        let last = &mut self.last_due[to as usize];
        *last = due.max(*last);
        *last
    }
}
