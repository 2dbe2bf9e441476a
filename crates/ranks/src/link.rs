//! `Link`: what ranks need of whatever carries their messages.
//!
//! The law: a message arrives whole, at most once, and after those that the same rank sent earlier
//! to the same receiver; nothing is said of messages from different ranks. Sending waits for
//! nobody, so two ranks that send to each other first and receive later cannot lock each other up.
//! What messages mean, and how long to wait for one, is the caller's.

use thiserror::Error;

/// Whole messages between the ranks of one run. Used by one thread of each rank.
pub trait Link {
    /// Of this process, from 0; rank 0 is the root.
    fn rank(&self) -> u32;

    /// How many ranks there are.
    fn size(&self) -> u32;

    /// Hands a message over without waiting for the receiver to take it.
    ///
    /// # Errors
    ///
    /// The receiver is known to be gone, or there is no such rank.
    fn send(&mut self, to: u32, message: &[u8]) -> Result<(), Lost>;

    /// The next message that has arrived, with the rank that sent it; none where none has.
    ///
    /// # Errors
    ///
    /// Nothing can arrive any more.
    fn try_receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, Lost>;

    /// What this process will end with, once everything is said. Of use to a carrier that cannot
    /// always let a process go.
    fn leave(&mut self, _exit_code: i32) {}
}

/// Messages cannot pass any more.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Lost {
    #[error("rank {0} is gone: see what it said last, and begin the run again")]
    Rank(u32),
    #[error("there is no rank {rank} among {size}: ranks count from 0")]
    NoSuchRank { rank: u32, size: u32 },
    #[error("every other rank is gone: see what they said last, and begin the run again")]
    Everyone,
    #[error("rank {0} sent what this version does not know: run one build on every host")]
    Garbled(u32),
    /// In the words of what carries the messages.
    #[error("messages between ranks do not pass: {0}")]
    Carrier(String),
}

impl<L: Link + ?Sized> Link for Box<L> {
    fn rank(&self) -> u32 {
        (**self).rank()
    }

    fn size(&self) -> u32 {
        (**self).size()
    }

    fn send(&mut self, to: u32, message: &[u8]) -> Result<(), Lost> {
        (**self).send(to, message)
    }

    fn try_receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, Lost> {
        (**self).try_receive()
    }

    fn leave(&mut self, exit_code: i32) {
        (**self).leave(exit_code);
    }
}
