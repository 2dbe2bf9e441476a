//! What the thread of a stream does itself, on one processor of its machine.
//!
//! * Before a request goes out it spends what the machine and a direct file system ask for each
//!   request, pins its pages where they are not, and prepares its bytes (`cost request`, `pin`,
//!   `prepare`). Locks of its file that other streams hold it has revoked first (`cost revoke`).
//! * Each part that leaves the machine, or the request where nothing splits it there, it hands over
//!   one after the other (`cost part`). So a
//!   request of b bytes in n parts that each take a time t has all parts below after
//!   b/prepare + n·part, and is done at t after the last.
//!
//! A stream has one thread, whatever its depth; with `engine="threads"` each request has its own.
//! What goes through a page cache is copied instead,
//! and others transfer for it; each of several requests at once has a thread of its own there.
//! Left out: other threads that take the processor away meanwhile.
//!
//! All of it is time in the kernel, and the stream's ([`Totals::works`]): what a measurement counts
//! as its threads' own. What threads of the file system copy for it (`prefetch`) is not.
//!
//! [`Totals::works`]: crate::totals::Totals::works

use iopath_path::{ComponentId, Place};
use iopath_units::Op;

use crate::core::Ps;
use crate::plan::Plans;
use crate::task::Doing;
use crate::world::World;

/// No thread's: what is done in the background.
pub(crate) const NOBODY: u32 = u32::MAX;

/// What a thread spends on one kind of request.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    /// The processors that it runs on; none where nothing is spent.
    row: Option<u32>,
    /// Before the request goes out.
    before: Ps,
    /// On each part of it that leaves the machine.
    part: Ps,
}

impl Spent {
    /// By a thread at a place, on requests of its target. Those that are whole are not split where
    /// they begin.
    pub(crate) fn on(
        (from, to): (Place, ComponentId),
        (op, bytes): (Op, u64),
        (plans, is_whole): (&Plans<'_>, bool),
    ) -> Self {
        let Some(place) = from.component() else { return Self::default() };
        let hops = plans.hops();
        let before = hops.before((to, place), op, bytes);
        let issue = hops.thread((to, place), bytes);
        let row = before.map(|before| before.row).or(issue.map(|issue| issue.row));
        let row = row.or_else(|| hops.revoke(to, place).map(|revoke| revoke.row));
        let before_s = before.map_or(0.0, |before| before.amount);
        let [prepare_s, part_s] = issue.map_or([0.0; 2], |issue| [issue.prepare_s, issue.part_s]);
        // What is not split is handed over as one part.
        let own_s = if is_whole { part_s } else { 0.0 };
        Self {
            row: row.map(|row| row.0),
            before: Ps::from_secs_f64(before_s + prepare_s + own_s),
            part: Ps::from_secs_f64(part_s),
        }
    }
}

/// The thread of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Thread {
    /// On the request that it sent last.
    spent: Spent,
    /// When it has done all that it has to do. It stays 0 where each request has its own thread.
    free_at: Ps,
}

impl World<'_> {
    /// The thread of a stream sends a request.
    #[inline]
    pub(crate) fn send(&mut self, id: u32, (stream, spent): (u32, Spent)) {
        self.threads[stream as usize].spent = spent;
        let task = &self.tasks[id];
        let bytes = self.plans.plan(task.plan).bytes;
        let revokes = self.locks.take(stream, task.op, task.offset..task.offset + bytes);
        let span = revokes + spent.before;
        if span == Ps::ZERO {
            return self.hold(id, 0);
        }
        let begins = self.work(stream, span);
        self.tasks[id].doing = Doing::Beginning;
        self.events.push(begins + span, id);
    }

    /// When a thread begins to work for a span: once it is free, and a processor is.
    fn work(&mut self, stream: u32, span: Ps) -> Ps {
        let is_one = !self.has_thread_per_request;
        let thread = &mut self.threads[stream as usize];
        let free = thread.spent.row.map(|row| self.stations[row as usize].serve(self.now, span));
        let begins = free.map_or(self.now, |served| served.start).max(thread.free_at);
        if is_one {
            thread.free_at = begins + span;
        }
        self.works(stream, (begins, begins + span));
        begins
    }

    /// A thread of a stream is on a processor.
    #[inline]
    pub(crate) fn works(&mut self, stream: u32, span: (Ps, Ps)) {
        if span.1 > span.0 {
            self.streams.all[stream as usize].totals.works(&self.edges, span, self.now);
        }
    }

    /// What a thread takes for each part of a request.
    #[inline]
    pub(crate) fn part_time(&self, thread: u32) -> Ps {
        self.threads.get(thread as usize).map_or(Ps::ZERO, |thread| thread.spent.part)
    }

    /// Hands parts over, one after the other.
    pub(crate) fn hand_over(&mut self, thread: u32, parts: &[u32]) {
        let each = self.part_time(thread);
        let begins = self.work(thread, Ps(each.0 * parts.len() as u64));
        for (place, part) in (1..).zip(parts) {
            self.events.push(begins + Ps(each.0 * place), *part);
        }
    }
}
