//! Comparing clocks between passes: one follower after the other, each alone with the root.
//!
//! ```text
//! root:      TURN to 1 ─▶ answers … DONE of 1 ─▶ TURN to 2 ─▶ answers … DONE of 2 ─▶ …
//! follower:  sleeps until TURN, asks …, DONE
//! ```
//!
//! The root and the follower whose turn it is poll without sleeping, as a sleep would be part of
//! what they measure; they yield the processor at every poll, so that two of them get on where they
//! share one. The others sleep between polls, the longer the more they are, so that 64 ranks on 2
//! processors do not disturb the two. All ranks call this at the same point of the run; messages of
//! other kinds that come meanwhile stay in the [`Inbox`].

use std::time::Duration;

use thiserror::Error;

use super::wire::Said;
use super::{Asking, Effort, Now, Offset, answer, is_turn};
use crate::link::{Link, Lost};
use crate::{Inbox, ROOT};

/// An offset that a rank told the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reported {
    pub rank: u32,
    pub offset: Offset,
}

/// Clocks could not be compared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unsynchronised {
    #[error(transparent)]
    Lost(#[from] Lost),
    #[error("rank {rank} said nothing for {seconds} s while clocks were compared: does it hang?")]
    Silent { rank: u32, seconds: u64 },
}

/// The root's part: a turn for each follower. What they found, in the order they told.
///
/// # Errors
///
/// A rank is gone, silent, or of another build.
pub fn lead(inbox: &mut Inbox, now: Now, effort: &Effort) -> Result<Vec<Reported>, Unsynchronised> {
    let mut reported = Vec::new();
    for rank in (0..inbox.size()).filter(|rank| *rank != ROOT) {
        inbox.send(rank, &Said::Turn.to_bytes())?;
        serve(inbox, now, Silence::new(rank, now, effort.patience_ns), &mut reported)?;
    }
    Ok(reported)
}

/// A follower's part: waits for its turn and takes it. Its own offset.
///
/// # Errors
///
/// The root is gone, silent, or of another build.
pub fn follow(inbox: &mut Inbox, now: Now, effort: &Effort) -> Result<Offset, Unsynchronised> {
    // Every rank before this one may take as long as a silent one.
    let patience = effort.patience_ns.saturating_mul(u64::from(inbox.size()));
    let silence = Silence::new(ROOT, now, patience);
    loop {
        match inbox.try_receive_clock()? {
            Some((_, message)) if is_turn(&message) => return take_turn(inbox, now, effort),
            Some(_) => {}
            None => {
                silence.check(now)?;
                std::thread::sleep(NAP.saturating_mul(inbox.size()));
            }
        }
    }
}

/// A follower's part once it has received the message that [`is_turn`]. Its own offset.
///
/// # Errors
///
/// As [`follow`].
pub fn take_turn(inbox: &mut Inbox, now: Now, effort: &Effort) -> Result<Offset, Unsynchronised> {
    let mut asking = Asking::start(inbox, now, *effort)?;
    let mut silence = Silence::new(ROOT, now, effort.patience_ns);
    loop {
        let Some((_, message)) = inbox.try_receive_clock()? else {
            silence.check(now)?;
            std::thread::yield_now();
            continue;
        };
        silence.end(now);
        if let Some(offset) = asking.take(inbox, now, &message)? {
            return Ok(offset);
        }
    }
}

/// Between polls of who waits for its turn, for each rank there is. Chosen: a poll of MPI after a
/// sleep costs some 5 µs, so all ranks together take a tenth of a processor; of 64 ranks each
/// begins its turn 2 ms late.
const NAP: Duration = Duration::from_micros(50);

/// Answers until the rank whose turn it is has finished.
fn serve(
    inbox: &mut Inbox,
    now: Now,
    mut silence: Silence,
    reported: &mut Vec<Reported>,
) -> Result<(), Unsynchronised> {
    loop {
        let Some((from, message)) = inbox.try_receive_clock()? else {
            silence.check(now)?;
            std::thread::yield_now();
            continue;
        };
        let told = answer(inbox, now, from, &message)?;
        reported.extend(told.map(|offset| Reported { rank: from, offset }));
        if from == silence.rank {
            silence.end(now);
            if told.is_some() {
                return Ok(());
            }
        }
    }
}

/// How long a rank has said nothing.
struct Silence {
    rank: u32,
    since_ns: u64,
    patience_ns: u64,
}

impl Silence {
    fn new(rank: u32, now: Now, patience_ns: u64) -> Self {
        Self { rank, since_ns: now(), patience_ns }
    }

    fn end(&mut self, now: Now) {
        self.since_ns = now();
    }

    fn check(&self, now: Now) -> Result<(), Unsynchronised> {
        let elapsed = now().saturating_sub(self.since_ns);
        if elapsed < self.patience_ns {
            return Ok(());
        }
        Err(Unsynchronised::Silent { rank: self.rank, seconds: elapsed / 1_000_000_000 })
    }
}
