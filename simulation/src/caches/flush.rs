//! Requests to flush: what was answered shall be on the media.
//!
//! With `flush="on-sync"` a flush is done when all that is dirty of its volumes at that moment is
//! on the media, and meanwhile writes to them wait: "a flush stalls the cache". Otherwise it is
//! done at once, as behind a battery. What the command itself costs on its way is left out.
//!
//! Who flushes names a volume, or anything over volumes: a stripe, a mirror, what a file system
//! lies on. The caches nearest to it are flushed; those behind them are media to these.

use iopath_path::{ComponentId, members};

use crate::task::{Doing, Owner, Task};
use crate::world::World;

impl World<'_> {
    /// Flushes a volume, or all that it lies on; the owner is told when it is done, never before
    /// this returns.
    #[expect(dead_code, reason = "file systems flush; they come next")]
    pub(crate) fn flush(&mut self, to: ComponentId, owner: Owner) {
        let mut task = Task::new(Doing::Told, self.now, Vec::new());
        task.owner = owner;
        task.pending = 1;
        let id = self.tasks.insert(task);
        self.flush_below(id, to);
        self.flush_part_done(id);
    }

    fn flush_below(&mut self, id: u32, to: ComponentId) {
        let Some(front) = self.caches.front_of[to.0 as usize] else {
            for member in members(&self.caches.case.system, to.into()) {
                self.flush_below(id, member.into());
            }
            return;
        };
        let (one, cache) = self.caches.both(front);
        if !cache.stated.flushes {
            return;
        }
        // What is older was flushed by whoever wrote it.
        cache.older = 0;
        one.flushes.push(id);
        self.tasks[id].pending += 1;
        self.make_room(front);
        self.destage(front);
        self.end_flush(front);
    }

    /// Ends the flushes of a volume when nothing of it is left.
    pub(super) fn end_flush(&mut self, front: u32) {
        let one = &mut self.caches.fronts[front as usize];
        if one.flushes.is_empty() || !one.dirty.is_empty() || one.destaging > 0 {
            return;
        }
        let (flushes, held) = (std::mem::take(&mut one.flushes), std::mem::take(&mut one.held));
        for id in flushes {
            self.flush_part_done(id);
        }
        self.caches.cache(front).waiting.extend(held);
        self.make_room(front);
        self.press(front);
    }

    fn flush_part_done(&mut self, id: u32) {
        let task = &mut self.tasks[id];
        task.pending -= 1;
        if task.pending == 0 {
            self.events.push(self.now, id);
        }
    }
}
