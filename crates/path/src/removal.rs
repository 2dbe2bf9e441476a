//! `--without`: what is gone, who takes over, and which volumes that leaves.
//!
//! * What a removed part contains is gone with it, but what a controller owns: that moves to the
//!   other controllers of its container, in turn, with its media. The shelf stays when its
//!   controller fails.
//! * A volume that a removed controller splits (`at`) moves likewise.
//! * A volume is gone when it can no longer be read; with enough redundancy it goes on degraded.
//! * A spare is no member: without it a volume is as before, and says how many are left.
//!
//! How long a rebuild takes at least is in `rebuild`. Left out: the load that a rebuild is for the
//! streams that go on.

mod spares;

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::{Class, PartId, System};

use crate::members::{members, with_spares};
use crate::network::{ComponentId, Loss, Network};
use crate::removal::spares::Spares;
use crate::volume::{Geometry, Volume};

/// Removes parts and what is gone with them.
pub(crate) fn remove(system: &System, removed: &BTreeSet<PartId>, network: &mut Network) {
    if removed.is_empty() {
        return;
    }
    for id in system.ids() {
        let gone = |up: PartId| network.components[up.0].removed;
        network.components[id.0].removed =
            removed.contains(&id) || system.part(id).parent.is_some_and(gone);
    }
    let is_gone = |id: &PartId| network.components[id.0].removed;
    let controllers = system.ids().filter(|id| system.class(*id) == Class::Controller);
    let gone: Vec<PartId> = controllers.filter(is_gone).collect();
    for controller in gone {
        hand_over(system, removed, controller, network);
    }
    let mut done = BTreeMap::new();
    for id in system.ids() {
        let class = system.class(id);
        if matches!(class, Class::Volume | Class::File) {
            settle(system, id, network, &mut done);
        }
    }
}

/// Whether a volume can be read without these members, and those that it lacks already.
pub(crate) fn survives(
    system: &System,
    id: PartId,
    members: &[PartId],
    missing: &BTreeSet<u32>,
) -> bool {
    match Volume::read(system, id, members) {
        Ok(volume) => Volume { missing: missing.clone(), ..volume }.is_whole(),
        // What is wrong with its members is told elsewhere, whatever is missing.
        Err(_) => true,
    }
}

/// Moves what a removed controller owned to those that are left of its container.
fn hand_over(
    system: &System,
    removed: &BTreeSet<PartId>,
    controller: PartId,
    network: &mut Network,
) {
    let Some(container) = system.part(controller).parent else { return };
    let is_left =
        |id: &PartId| system.class(*id) == Class::Controller && !network.components[id.0].removed;
    let partners: Vec<PartId> = system.children(container).filter(is_left).collect();
    if partners.is_empty() {
        return;
    }
    // The first in turn is the one behind it.
    let behind = partners.iter().position(|partner| *partner > controller).unwrap_or(0);
    let owned = owned(system, removed, controller, network);
    for (turn, id) in owned.into_iter().enumerate() {
        let to = ComponentId::from(partners[(behind + turn) % partners.len()]);
        network.components[id.0].place = Some(to);
        if system.is_inside(id, controller) {
            restore(system, removed, id, network);
        }
        network.losses.push(Loss::Moved { volume: id.into(), to });
    }
}

/// What a controller owns: outermost volumes and media in it, and volumes that it splits.
fn owned(
    system: &System,
    removed: &BTreeSet<PartId>,
    controller: PartId,
    network: &Network,
) -> Vec<PartId> {
    let keeps_data = |id: PartId| matches!(system.class(id), Class::Volume | Class::Medium);
    let is_outermost = |id: PartId| {
        keeps_data(id) && system.is_inside(id, controller) && !system.ancestors(id).any(keeps_data)
    };
    let place = Some(ComponentId::from(controller));
    let is_split_there = |id: PartId| {
        let component = &network.components[id.0];
        component.place == place && Class::of(component.kind) == Class::Volume
    };
    let owned = system.ids().filter(|id| is_outermost(*id) || is_split_there(*id));
    owned.filter(|id| !removed.contains(id)).collect()
}

/// A part and what it contains are there after all, but what is removed itself.
fn restore(system: &System, removed: &BTreeSet<PartId>, id: PartId, network: &mut Network) {
    network.components[id.0].removed = removed.contains(&id);
    if !network.components[id.0].removed {
        let children: Vec<PartId> = system.children(id).collect();
        for child in children {
            restore(system, removed, child, network);
        }
    }
}

/// Finds out whether a volume is gone, its members before it.
fn settle(
    system: &System,
    id: PartId,
    network: &mut Network,
    done: &mut BTreeMap<PartId, bool>,
) -> bool {
    if let Some(gone) = done.get(&id) {
        return *gone;
    }
    let members = members(system, id);
    let mut missing = BTreeSet::new();
    for (position, member) in (0_u32..).zip(&members) {
        if settle(system, *member, network, done) {
            missing.insert(position);
        }
    }
    let component = &network.components[id.0];
    let place = component.place.filter(|place| network.component(*place).removed);
    let volume = ComponentId::from(id);
    let mut gone = component.removed;
    if !gone && !survives(system, id, &members, &missing) {
        gone = true;
        let text = match below(system, id, &members, network) {
            Some(text) => text,
            None => format!("{}{}", lost(system, id, &members, &missing), why(system, id)),
        };
        network.losses.push(Loss::Gone { volume, text });
    } else if let Some(place) = place.filter(|_| !gone) {
        gone = true;
        let name = &network.component(place).name;
        let text = format!("{} was split at {name}, which is removed", system.part(id).name);
        network.losses.push(Loss::Gone { volume, text });
    } else if !gone && !missing.is_empty() {
        let spares = spares(system, id, members.len(), network, done);
        let rebuilt = rebuilt(system, id, &members);
        let (lost, kept) = (lost(system, id, &members, &missing), kept(id, network));
        let left = spares.left().map(|left| format!("; {left}")).unwrap_or_default();
        let text = format!("{lost} and goes on{rebuilt}{kept}{left}");
        network.losses.push(Loss::Degraded { volume, text });
    } else if !gone {
        let spares = spares(system, id, members.len(), network, done);
        let text = spares.told(system, id);
        network.losses.extend(text.map(|text| Loss::Spare { volume, text }));
    }
    let component = &mut network.components[id.0];
    component.removed = gone;
    component.missing = missing;
    done.insert(id, gone);
    gone
}

/// Finds out which spares of a volume, which stand behind its members, are gone.
fn spares(
    system: &System,
    id: PartId,
    members: usize,
    network: &mut Network,
    done: &mut BTreeMap<PartId, bool>,
) -> Spares {
    let all = with_spares(system, id).split_off(members);
    let count = all.len();
    let gone = all.into_iter().filter(|spare| settle(system, *spare, network, done)).collect();
    Spares { count, gone }
}

/// Where a read finds what was on a lost member, and what that costs, as `split` does it: of a row
/// with parity as many members as it has blocks of data, whether one of these or all are asked for.
fn rebuilt(system: &System, id: PartId, members: &[PartId]) -> String {
    let Ok(volume) = Volume::read(system, id, members) else { return String::new() };
    match &volume.geometry {
        Geometry::Parity(parity) => format!(
            ": a read of a lost block takes {} of other members, one of a whole row as many as \
             before",
            parity.data(volume.members)
        ),
        Geometry::Mirror | Geometry::StripedMirrors { .. } => {
            ": reads of lost blocks go to their copy".to_owned()
        }
        Geometry::Whole
        | Geometry::Stripe { .. }
        | Geometry::Concat { .. }
        | Geometry::Scattered { .. } => String::new(),
    }
}

/// What of a volume that has lost members is as before, and so makes its loss look cheap.
fn kept(id: PartId, network: &Network) -> &'static str {
    match network.components[id.0].rows.is_empty() {
        true => "",
        false => "; ratings stated for it as a whole are assumed to hold",
    }
}

/// A file or file system is gone for the reason of what it lies on.
fn below(system: &System, id: PartId, members: &[PartId], network: &Network) -> Option<String> {
    if system.class(id) != Class::File {
        return None;
    }
    network.losses.iter().find_map(|loss| match loss {
        Loss::Gone { volume, text } if members.contains(&(*volume).into()) => Some(text.clone()),
        Loss::Gone { .. }
        | Loss::Moved { .. }
        | Loss::Reserve { .. }
        | Loss::Degraded { .. }
        | Loss::Spare { .. }
        | Loss::Stopped { .. } => None,
    })
}

/// "vol[0] has lost fastt[3].controller[0].lun", of several the first and how many more.
pub(crate) fn lost(
    system: &System,
    id: PartId,
    members: &[PartId],
    missing: &BTreeSet<u32>,
) -> String {
    let name = &system.part(id).name;
    let mut names = missing.iter().map(|at| system.part(members[*at as usize]).name.as_str());
    let first = names.next().unwrap_or("nothing");
    match names.count() {
        0 => format!("{name} has lost {first}"),
        more => format!("{name} has lost {first} and {more} more of {}", members.len()),
    }
}

/// Why a volume does not survive its losses.
pub(crate) fn why(system: &System, id: PartId) -> &'static str {
    match (system.kind(id), system.count(id, "level")) {
        ("stripe", _) => ": a stripe has no redundancy",
        ("concat", _) => ": a concatenation has no redundancy",
        ("mirror", _) => ": no side of the mirror is left",
        ("lun" | "raid", Some(1)) => ": no copy is left",
        ("lun" | "raid", Some(10)) => ": no side of a pair is left",
        ("lun" | "raid", Some(3..=5)) => ": its parity tolerates one loss",
        ("lun" | "raid", Some(6 | 60)) if system.count(id, "parity") == Some(3) => {
            ": triple parity tolerates three losses per group"
        }
        ("lun" | "raid", Some(6)) => ": its parity tolerates two losses",
        ("lun" | "raid", Some(50)) => ": parity tolerates one loss per group",
        ("lun" | "raid", Some(60)) => ": parity tolerates two losses per group",
        ("lun" | "raid", _) => ": level 0 has no redundancy",
        _ => ", which holds its data",
    }
}
