//! The networks of a case: that of the beginning, and what each set of failed parts leaves of it.

use std::collections::BTreeSet;

use iopath_path::{ComponentId, Hops, Network, Routes};
use iopath_study::{Case, PartId};
use typed_arena::Arena;

/// Makes networks that live as long as the world that uses them.
#[derive(Clone, Copy)]
pub(crate) struct Networks<'a> {
    pub case: &'a Case,
    intact: &'a Network,
    networks: &'a Arena<Network>,
    routes: &'a Arena<Routes>,
}

/// Does something with the networks of a case.
pub(crate) fn of<T>(case: &Case, network: &Network, run: impl FnOnce(Networks<'_>) -> T) -> T {
    let (networks, routes) = (Arena::new(), Arena::new());
    run(Networks { case, intact: network, networks: &networks, routes: &routes })
}

impl<'a> Networks<'a> {
    /// What requests find without these parts.
    pub(crate) fn without(&self, parts: &BTreeSet<PartId>) -> Hops<'a> {
        let network = match parts.is_empty() {
            true => self.intact.clone(),
            false => self.intact.degraded(&self.case.system, parts),
        };
        let routes = self.routes.alloc(Routes::new(&self.case.system, &network));
        Hops::new(self.case, self.networks.alloc(network), routes)
    }

    /// What is gone with some parts: not what a partner takes over.
    pub(crate) fn gone(&self, parts: &[PartId]) -> Vec<ComponentId> {
        let parts = parts.iter().copied().collect();
        let left = self.intact.degraded(&self.case.system, &parts);
        let components = left.components.iter().zip(&self.intact.components);
        let gone =
            (0..).zip(components).filter(|(_, (left, intact))| left.removed && !intact.removed);
        gone.map(|(at, _)| ComponentId(at)).collect()
    }
}
