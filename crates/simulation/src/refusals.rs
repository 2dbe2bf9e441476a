//! Requests of a world that is fed which will never find a way: each ends, so that nothing waits.
//!
//! One from outside is refused. One that a cache or a file system has sent by itself ends too: what
//! waits for it is lost with it, looks for a way of its own and is refused in turn, and so is a
//! flush for which it wrote. What it was to write stays nowhere.

use std::ops::Range;

use crate::task::{Owner, Task, Unit};
use crate::world::World;

impl World<'_> {
    /// Whether what finds no way will find none.
    pub(crate) fn is_refused(&self) -> bool {
        self.streams.is_fed && !self.failures.may_return()
    }

    /// Ends a request for which there is no way, and none will be.
    pub(crate) fn end_without_way(&mut self, task: Task) {
        match task.owner {
            Owner::Stream(stream) => return self.refuse(stream, &task),
            Owner::Fetch(fetch) => return self.fetch_ended(fetch),
            Owner::Destage(front) => {
                let bytes = self.plans.plan(task.plan).bytes;
                return self.destage_ended(front, task.offset..task.offset + bytes);
            }
            Owner::Rebuild(at) => return self.end_rebuild(at),
            Owner::Task(upper) | Owner::Reader(upper) => self.tasks[upper].is_lost = true,
            Owner::Unit(unit) => self.lose_readers(unit),
            Owner::Behind(piece) => self.lose_flushes(piece),
            Owner::Synced(_)
            | Owner::Flush(_)
            | Owner::Asked(_)
            | Owner::Commit(_)
            | Owner::Nobody => {}
        }
        self.tell_owner(task);
    }

    /// What was to be fetched is nowhere.
    fn fetch_ended(&mut self, fetch: u32) {
        for waiter in self.caches.waiters(fetch) {
            self.tasks[waiter].is_lost = true;
        }
        self.fetch_over(fetch);
    }

    /// What was to go to the media does not arrive.
    fn destage_ended(&mut self, front: u32, range: Range<u64>) {
        for flush in self.caches.flushes(front) {
            self.tasks[flush].is_lost = true;
        }
        self.forget_leaving(front, &range);
        self.destage_over(front, range);
    }

    /// Reads that wait for what is read ahead do not get it.
    fn lose_readers(&mut self, unit: Unit) {
        for reader in self.waiting_readers(unit.stream) {
            self.tasks[reader].is_lost = true;
        }
    }
}
