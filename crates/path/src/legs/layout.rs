//! Who lies on whom, and which software stands where: looked up once for all legs.

use std::collections::BTreeMap;

use iopath_study::{Class, PartId, System};

use crate::network::{ComponentId, Network, RowId};
use crate::rows::CPUS;

/// The parts of a system by what legs ask for.
pub(super) struct Layout<'a> {
    system: &'a System,
    classes: Vec<Class>,
    /// Caches, costs and the like by what they stand in; the first of a kind.
    software: BTreeMap<(ComponentId, &'static str), ComponentId>,
    /// Controllers by what they stand in.
    controllers: BTreeMap<ComponentId, Vec<ComponentId>>,
    /// Sockets that state processors, by the machine that they are in.
    sockets: BTreeMap<ComponentId, Vec<ComponentId>>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(system: &'a System) -> Self {
        let classes = system.ids().map(|id| system.class(id)).collect();
        let (software, controllers, sockets) = Default::default();
        let mut layout = Self { system, classes, software, controllers, sockets };
        for id in system.ids() {
            let Some(parent) = system.part(id).parent.map(ComponentId::from) else { continue };
            let component = ComponentId::from(id);
            if system.kind(id) == "socket"
                && system.value(id, CPUS).is_some()
                && let Some(host) = layout.host(parent)
            {
                layout.sockets.entry(host).or_default().push(component);
            }
            match layout.class(component) {
                Class::Software => {
                    layout.software.entry((parent, system.kind(id))).or_insert(component);
                }
                Class::Controller => layout.controllers.entry(parent).or_default().push(component),
                Class::Host
                | Class::Switch
                | Class::Expander
                | Class::Initiator
                | Class::Adapter
                | Class::Structure
                | Class::Medium
                | Class::Volume
                | Class::File => {}
            }
        }
        layout
    }

    pub(super) fn system(&self) -> &'a System {
        self.system
    }

    pub(super) fn class(&self, id: ComponentId) -> Class {
        self.classes[id.0 as usize]
    }

    /// What of one kind stands in a part.
    pub(super) fn software(&self, parent: ComponentId, kind: &'static str) -> Option<PartId> {
        self.software.get(&(parent, kind)).map(|component| (*component).into())
    }

    /// What of one kind stands in a part or in what contains it, the nearest first.
    pub(super) fn nearest(&self, place: ComponentId, kind: &'static str) -> Option<PartId> {
        self.outwards(place).find_map(|up| self.software(up, kind))
    }

    /// The cache in front of the volumes of a place: its own, or that of the box around it. That of
    /// a machine is in front of its own volumes only.
    pub(super) fn cache(&self, place: ComponentId) -> Option<ComponentId> {
        let is_within = |up: &ComponentId| *up == place || self.class(*up) != Class::Host;
        let within = self.outwards(place).take_while(is_within);
        let mut caches = within.filter_map(|up| self.software(up, "cache"));
        caches.next().map(ComponentId::from)
    }

    /// The cache of the other controller of a pair. Controllers of one container are paired in
    /// their order.
    pub(super) fn partner(&self, cache: ComponentId) -> Option<ComponentId> {
        let controller = self.parent(cache)?;
        let pair = self.controllers.get(&self.parent(controller)?)?;
        let at = pair.iter().position(|one| *one == controller)?;
        let partner = self.software(*pair.get(at ^ 1)?, "cache")?;
        Some(partner.into())
    }

    /// The machine that a part is, or is in.
    pub(super) fn host(&self, id: ComponentId) -> Option<ComponentId> {
        self.outwards(id).find(|up| self.class(*up) == Class::Host)
    }

    /// The sockets that state processors, of the machine of a place.
    pub(super) fn sockets(&self, place: ComponentId) -> &[ComponentId] {
        let host = self.host(place);
        host.and_then(|host| self.sockets.get(&host)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn parent(&self, id: ComponentId) -> Option<ComponentId> {
        self.system.part(id.into()).parent.map(ComponentId::from)
    }

    fn outwards(&self, id: ComponentId) -> impl Iterator<Item = ComponentId> {
        std::iter::successors(Some(id), |up| self.parent(*up))
    }
}

/// The row of a property that a component or the nearest around it has.
pub(super) fn nearest_row(network: &Network, place: ComponentId, property: &str) -> Option<RowId> {
    let outwards = std::iter::successors(Some(place), |up| network.component(*up).parent);
    let mut rows = outwards.flat_map(|up| &network.component(up).rows);
    rows.find(|row| network.row(**row).property == property).copied()
}
