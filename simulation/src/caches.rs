//! Caches in front of volumes.

use iopath_path::CacheEnd;

use crate::task::{Doing, Owner};
use crate::world::{Made, World};

impl World<'_> {
    /// A request comes to the cache in front of its volume.
    pub(crate) fn meet_cache(&mut self, id: u32, _end: CacheEnd) {
        let task = &mut self.tasks[id];
        if task.hit {
            return self.ended(id);
        }
        let (plan, op, offset) = (task.plan, task.op, task.offset);
        let bytes = self.plans.plan(plan).bytes;
        let Some(below) = self.plans.behind(plan, (op, bytes)) else { return self.ended(id) };
        let task = &mut self.tasks[id];
        task.doing = Doing::Waiting;
        task.pending = 1;
        self.make(Made { plan: below, offset, hit: false, owner: Owner::Task(id) });
    }
}
