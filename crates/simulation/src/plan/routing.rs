//! What is found on the way while the same parts are known to have failed, and which way is taken.

use std::collections::BTreeMap;
use std::rc::Rc;

use iopath_path::{ComponentId, Departure, FlushEnd, Hops, Network, Place};

use super::{Plan, PlanId, Plans};

/// One network with what was asked of it so far.
pub(crate) struct Routing<'a> {
    pub hops: Hops<'a>,
    pub(super) known: BTreeMap<Departure, PlanId>,
    /// What flushes from a place end at.
    pub(super) flushed: BTreeMap<(Place, ComponentId), Rc<[FlushEnd]>>,
    /// The turns of the ways from a place to an end.
    pub(super) turns_of: BTreeMap<(Place, ComponentId), u32>,
}

impl<'a> Routing<'a> {
    pub(super) fn on(hops: Hops<'a>) -> Self {
        Self { hops, known: BTreeMap::new(), flushed: BTreeMap::new(), turns_of: BTreeMap::new() }
    }
}

impl<'a> Plans<'a> {
    /// The network of the beginning; the others have the same components, rows and pools.
    pub(crate) fn network(&self) -> &Network {
        self.routings[0].hops.network()
    }

    /// One more, behind those that are there.
    pub(crate) fn add(&mut self, hops: Hops<'a>) {
        self.routings.push(Routing::on(hops));
    }

    /// Which of them holds now.
    pub(crate) fn current(&self) -> usize {
        self.now
    }

    /// What is found now.
    pub(crate) fn hops(&self) -> &Hops<'a> {
        &self.routings[self.now].hops
    }

    /// From now on requests find what is on this network.
    pub(crate) fn go_over(&mut self, network: usize) {
        self.now = network;
    }

    pub(super) fn routing(&mut self) -> &mut Routing<'a> {
        &mut self.routings[self.now]
    }

    /// The way that a request of a plan takes now.
    #[inline]
    pub(crate) fn take_way(&mut self, id: PlanId) -> u16 {
        let Plan { turns, bytes, .. } = self.plans[id.0 as usize];
        turns.map_or(0, |turns| self.turns.take(turns, bytes))
    }

    /// A request is no longer on its way.
    #[inline]
    pub(crate) fn give_way_back(&mut self, id: PlanId, way: u16) {
        let Plan { turns, bytes, .. } = self.plans[id.0 as usize];
        if let Some(turns) = turns {
            self.turns.give_back(turns, way, bytes);
        }
    }
}
