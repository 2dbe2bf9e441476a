//! Processor time of parity: what a volume of a level with parity takes of the processors of the
//! machine or controller that has it, for each byte written, by `cost parity`.
//!
//! Where the volume says how many threads do that work (`parity-threads`; md(4) has one, raid5d,
//! unless `group_thread_cnt` says more), each of them has the time of one processor, too. They run
//! on all sockets of a machine of which only the sockets state processors.
//!
//! Left out: what is computed besides of old data that is read for a small write, and of the rest
//! of a row for a lost member.

use iopath_study::Class;
use iopath_units::Op;

use super::hop::{Hops, request};
use super::layout::nearest_row;
use super::{Builder, Request};
use crate::network::{Charge, ComponentId, RowId};
use crate::routes::Place;
use crate::rows::{CPUS, PARITY_THREADS};
use crate::volume::Geometry;

impl Builder<'_> {
    /// What the parity of a request costs where its volume is.
    pub(super) fn parity(
        &self,
        volume: ComponentId,
        place: Option<ComponentId>,
        request: &Request,
    ) -> Vec<Charge> {
        let Some(place) = place else { return Vec::new() };
        let amount = self.parity_s(volume, place, request);
        let mut charges = self.kernel_threads(place, amount);
        let is_thread = |row: &&RowId| self.network.row(**row).property == PARITY_THREADS;
        let threads = self.network.component(volume).rows.iter().find(is_thread);
        let threads = threads.filter(|_| !charges.is_empty());
        charges.extend(threads.map(|row| Charge { row: *row, amount }));
        charges
    }

    /// Processor time of threads of the kernel, which run on any socket: where only these state
    /// their processors, each has its share of it.
    fn kernel_threads(&self, place: ComponentId, seconds: f64) -> Vec<Charge> {
        let own = self.processors(place, seconds);
        if !own.is_empty() || seconds <= 0.0 {
            return own;
        }
        let sockets = self.layout.sockets(place).iter();
        let left = sockets.filter(|socket| !self.network.component(**socket).removed);
        let rows: Vec<RowId> =
            left.filter_map(|socket| nearest_row(self.network, *socket, CPUS)).collect();
        let all: f64 = rows.iter().map(|row| self.network.row(*row).capacity).sum();
        let share = |row: &RowId| seconds * self.network.row(*row).capacity / all;
        rows.iter().map(|row| Charge { row: *row, amount: share(row) }).collect()
    }

    /// Seconds of one processor.
    fn parity_s(&self, volume: ComponentId, place: ComponentId, request: &Request) -> f64 {
        let has_parity = self.volumes[volume.0 as usize].as_ref().and_then(|(_, shape)| *shape);
        let has_parity = has_parity.is_some_and(|shape| {
            matches!(self.shapes.volumes[shape].geometry, Geometry::Parity(_))
        });
        // An adapter has processors of its own; a host's compute for its own volumes only.
        let cost = match self.layout.class(place) {
            Class::Host => self.layout.nearest(place, "cost"),
            _ => self.layout.software(place, "cost"),
        };
        let rate = cost.and_then(|cost| self.system().byte_rate(cost, "parity"));
        match (request.asked.op, rate) {
            (Op::Write, Some(rate)) if has_parity => request.asked.bytes as f64 / rate.0 as f64,
            _ => 0.0,
        }
    }
}

impl Hops<'_> {
    /// What it costs to compute the parity of so many bytes for a volume that is split at a place.
    pub(crate) fn parity(&mut self, volume: ComponentId, at: Place, bytes: u64) -> Vec<Charge> {
        match self.builder.shape(volume) {
            Ok(_) => self.builder.parity(volume, at.component(), &request(Op::Write, bytes)),
            Err(_) => Vec::new(),
        }
    }
}
