//! What a request costs the processors and the memory of its machine.

use crate::plan::PlannedEnd;
use crate::task::Doing;
use crate::world::World;

impl World<'_> {
    /// One processor does what a request of a file costs it, while memory is crossed; then the
    /// request does what `then` says.
    pub(super) fn pay(&mut self, id: u32, then: Doing) {
        let PlannedEnd::File(end) = self.plans.plan(self.tasks[id].plan).end else { return };
        let [first, last] = end.costs;
        let mut done = self.now;
        for one in &self.plans.uses[first as usize..last as usize] {
            let service = self.varying.draw(one.row, one.service);
            done = done.max(self.stations[one.row as usize].serve(self.now, service).end);
        }
        self.tasks[id].doing = then;
        self.events.push(done, id);
    }
}
