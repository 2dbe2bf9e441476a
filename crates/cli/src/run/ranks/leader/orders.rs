//! Orders that are under way, each with where its answer goes.
//!
//! Who says nothing any more gets none, and whoever asked does what it had.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender};

use iopath_record::Record;

use super::super::messages::{ToRank, ToRoot};
use super::super::order::Order;
use super::Leader;

/// An order with where its answer goes; without an answer whoever asked does it.
pub(crate) struct Asked {
    pub rank: u32,
    pub order: Order,
    pub answer: Sender<Record>,
}

/// Orders that are under way.
pub(crate) struct Orders<'a> {
    leader: &'a Leader,
    asked: Receiver<Asked>,
    under_way: BTreeMap<u64, (u32, Sender<Record>)>,
    next: u64,
    /// Nothing passes between ranks any more.
    is_lost: bool,
}

impl<'a> Orders<'a> {
    pub(super) fn new(leader: &'a Leader, asked: Receiver<Asked>) -> Self {
        Self { leader, asked, under_way: BTreeMap::new(), next: 0, is_lost: false }
    }

    /// Sends what was asked, and hands out what was answered.
    pub(crate) fn carry(&mut self) {
        while let Ok(Asked { rank, order, answer }) = self.asked.try_recv() {
            let id = self.next;
            self.next += 1;
            let message = ToRank::Simulate { id, order };
            if self.is_here(rank) && self.leader.tell_one(rank, &message).is_ok() {
                self.under_way.insert(id, (rank, answer));
            }
        }
        while let Some((_, ToRoot::Simulated { id, record })) = self.heard() {
            if let (Some((_, answer)), Some(record)) = (self.under_way.remove(&id), record) {
                // Who asked is there until it is answered.
                let _ = answer.send(*record);
            }
        }
        let (leader, is_lost) = (self.leader, self.is_lost);
        self.under_way.retain(|_, (rank, _)| !is_lost && leader.is_here(*rank));
    }

    fn is_here(&self, rank: u32) -> bool {
        !self.is_lost && self.leader.is_here(rank)
    }

    fn heard(&mut self) -> Option<(u32, ToRoot)> {
        let heard = self.leader.heard();
        self.is_lost |= heard.is_err();
        heard.ok().flatten()
    }
}
