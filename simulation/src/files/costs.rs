//! What a request costs the processors and the memory of its machine.

use crate::core::Ps;
use crate::plan::PlannedEnd;
use crate::task::Doing;
use crate::world::World;

impl World<'_> {
    /// A processor does what a request of a file costs, or several do that share it, while memory
    /// is crossed; then the request does what `then` says.
    pub(super) fn pay(&mut self, id: u32, then: Doing) {
        let PlannedEnd::File(end) = self.plans.plan(self.tasks[id].plan).end else { return };
        let [first, last] = end.costs;
        let mut done = self.now;
        for one in &self.plans.uses[first as usize..last as usize] {
            let service = self.varying.draw(one.row, one.service);
            let station = &mut self.stations[one.row as usize];
            let shares = if end.is_spread { station.servers() } else { 1 };
            for _ in 0..shares {
                let share = Ps(service.0 / u64::from(shares));
                done = done.max(station.serve(self.now, share).end);
            }
        }
        self.tasks[id].doing = then;
        self.events.push(done, id);
    }
}
