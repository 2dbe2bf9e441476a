//! What a request costs the processors and the memory of its machine.

use iopath_path::{Measure, RowId};

use crate::core::Ps;
use crate::plan::PlannedEnd;
use crate::task::{Doing, Owner};
use crate::world::World;

impl World<'_> {
    /// A processor does what a request of a file costs, or several do that share it, while memory
    /// is crossed; then the request does what `then` says.
    pub(super) fn pay(&mut self, id: u32, then: Doing) {
        let PlannedEnd::File(end) = self.plans.plan(self.tasks[id].plan).end else { return };
        let [first, last] = end.costs;
        let stream = match self.tasks[id].owner {
            Owner::Stream(stream) if !end.is_spread => Some(stream),
            _ => None,
        };
        let mut done = self.now;
        for at in first as usize..last as usize {
            let one = &self.plans.uses[at];
            let is_processor = self.plans.network().row(RowId(one.row)).measure == Measure::Busy;
            let service = self.varying.draw(one.row, one.service);
            let station = &mut self.stations[one.row as usize];
            let shares = if end.is_spread { station.servers() } else { 1 };
            for _ in 0..shares {
                let share = Ps(service.0 / u64::from(shares));
                let served = station.serve(self.now, share);
                done = done.max(served.end);
                if let Some(stream) = stream.filter(|_| is_processor) {
                    self.streams.all[stream as usize].totals.works(
                        &self.edges,
                        (served.start, served.end),
                        self.now,
                    );
                }
            }
        }
        self.tasks[id].doing = then;
        self.events.push(done, id);
    }
}
