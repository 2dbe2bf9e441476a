//! Which host builds a volume or a file system: a script runs on one.
//!
//! It is the host or array in which the study splits it (`at`), else the host that has its devices,
//! else the one from which streams use it. What several hosts use over devices that are in none of
//! them may be built by any.

use std::collections::BTreeMap;

use iopath_study::{Case, PartId, System};

use crate::stack;

/// The machines of all that is built, where the study says one.
pub(crate) struct Hosts<'a> {
    case: &'a Case,
    of: BTreeMap<PartId, PartId>,
}

impl<'a> Hosts<'a> {
    /// Of all volumes and file systems of a case.
    pub(crate) fn of(case: &'a Case) -> Self {
        let mut hosts = Self { case, of: BTreeMap::new() };
        let volumes = stack::volumes(&case.system).into_iter().map(|one| one.id);
        let file_systems = stack::file_systems(&case.system).into_iter().map(|one| one.id);
        for id in volumes.chain(file_systems) {
            let machine = hosts.machine(id);
            hosts.of.extend(machine.map(|machine| (id, machine)));
        }
        hosts
    }

    /// The names of those that build some of these, each once.
    pub(crate) fn names(&self, built: &[PartId]) -> Vec<&'a str> {
        self.each_once(built.iter().filter_map(|id| self.of.get(id).copied()))
    }

    /// The hosts that have the members of a volume, by their names.
    pub(crate) fn of_members(&self, id: PartId) -> Vec<&'a str> {
        let members = self.case.system.part(id).members.iter();
        self.each_once(members.filter_map(|member| self.has(*member)))
    }

    fn each_once(&self, machines: impl Iterator<Item = PartId>) -> Vec<&'a str> {
        let mut all: Vec<PartId> = machines.collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter().map(|id| self.case.system.part(id).name.as_str()).collect()
    }

    /// Whether there is a host of this name, and something that any may build.
    pub(crate) fn any_builds(&self, name: &str, built: &[PartId]) -> bool {
        let system = &self.case.system;
        let is_host = |id: PartId| system.kind(id) == "host" && system.part(id).name == name;
        system.ids().any(is_host) && built.iter().any(|id| !self.of.contains_key(id))
    }

    /// Whether a machine of this name builds it.
    pub(crate) fn builds(&self, name: &str, id: PartId) -> bool {
        self.of.get(&id).is_none_or(|machine| self.case.system.part(*machine).name == name)
    }

    fn machine(&self, id: PartId) -> Option<PartId> {
        let part = self.case.system.part(id);
        if let Some(place) = part.place {
            return Some(outermost(&self.case.system, place));
        }
        let below = || part.members.iter().map(|member| self.has(*member));
        one(below()).or_else(|| one(self.users(id)))
    }

    /// The host that has a device, or that builds a volume.
    fn has(&self, id: PartId) -> Option<PartId> {
        let outer = outermost(&self.case.system, id);
        let is_host = self.case.system.kind(outer) == "host";
        self.of.get(&id).copied().or_else(|| is_host.then_some(outer))
    }

    /// Where the streams run that use it.
    fn users(&self, id: PartId) -> impl Iterator<Item = Option<PartId>> {
        let targets = &self.case.targets;
        let uses = move |target: usize| {
            targets.get(target).is_some_and(|target| self.lies_on(target.part, id))
        };
        let streams = self.case.streams.iter().filter(move |stream| uses(stream.target));
        streams.map(|stream| stream.modelled.on.map(|on| outermost(&self.case.system, on)))
    }

    fn lies_on(&self, upper: PartId, lower: PartId) -> bool {
        upper == lower
            || self.case.system.part(upper).members.iter().any(|id| self.lies_on(*id, lower))
    }
}

fn outermost(system: &System, id: PartId) -> PartId {
    system.ancestors(id).last().unwrap_or(id)
}

/// What all of them are, where there are any.
fn one(mut all: impl Iterator<Item = Option<PartId>>) -> Option<PartId> {
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}
