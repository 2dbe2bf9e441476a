//! What a volume, a file system or a file lies on.

use iopath_study::{Class, PartId, System};

/// What is named, else the media that stand inside; without the spares, which stand last.
#[must_use]
pub fn members(system: &System, id: PartId) -> Vec<PartId> {
    let mut members = with_spares(system, id);
    let spares = system.count(id, "spares").unwrap_or(0);
    let spares = usize::try_from(spares).unwrap_or(usize::MAX);
    members.truncate(members.len().saturating_sub(spares));
    members
}

/// The same, the spares behind the members.
pub(crate) fn with_spares(system: &System, id: PartId) -> Vec<PartId> {
    let named = &system.part(id).members;
    match system.class(id) {
        Class::Volume if named.is_empty() => {
            let is_member =
                |id: &PartId| matches!(system.class(*id), Class::Medium | Class::Volume);
            system.children(id).filter(is_member).collect()
        }
        Class::Volume | Class::File => named.to_vec(),
        Class::Host
        | Class::Controller
        | Class::Switch
        | Class::Expander
        | Class::Initiator
        | Class::Adapter
        | Class::Structure
        | Class::Medium
        | Class::Software => Vec::new(),
    }
}
