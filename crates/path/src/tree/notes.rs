//! What follows from a declaration, in words: on what a volume lies and how, what it holds, what
//! streams do.

use std::collections::BTreeMap;

use iopath_study::case::{After, Pacing, Pattern, Prepare, Sharing, Stream, SyncMode};
use iopath_study::source::Origin;
use iopath_study::value::Value;
use iopath_study::{Case, Class, PartId, System};
use iopath_units::{Bytes, Human, Ratio, System as Units};

use super::{Node, Property};
use crate::capacity::{Room, active};
use crate::select::select;
use crate::volume::{Geometry, Parity, Volume};

/// Notes on the parts of a declaration.
pub(super) fn of(system: &System, room: &Room, parts: &[PartId]) -> Vec<String> {
    let first = parts[0];
    if !matches!(system.class(first), Class::Volume | Class::File) {
        return Vec::new();
    }
    let mut notes: Vec<String> = members(system, parts).into_iter().collect();
    let members = active(system, first);
    notes.extend(Volume::read(system, first, &members).ok().and_then(|volume| layout(&volume)));
    let places: Vec<PartId> = parts.iter().filter_map(|part| system.part(*part).place).collect();
    if !places.is_empty() {
        notes.push(format!("split at {}", select(system, &places)));
    }
    let holds = room.computed(first).filter(|_| system.class(first) == Class::Volume);
    notes.extend(holds.map(|bytes| format!("room for {}", Bytes(bytes).human(Units::Decimal))));
    notes
}

/// What a volume lies on; nothing where its disks stand inside it.
fn members(system: &System, parts: &[PartId]) -> Option<String> {
    let first = &system.part(parts[0]).members;
    if first.is_empty() {
        return None;
    }
    if system.kind(parts[0]) == "mirror" {
        let side = |side: usize| {
            let of = parts.iter().filter_map(|part| system.part(*part).members.get(side));
            select(system, &of.copied().collect::<Vec<_>>())
        };
        let sides: Vec<String> = (0..first.len()).map(side).collect();
        return Some(sides.join(" with "));
    }
    let all: Vec<PartId> =
        parts.iter().flat_map(|part| system.part(*part).members.iter()).copied().collect();
    let over = select(system, &all);
    Some(match first.len() {
        1 => format!("on {over}"),
        count => format!("over {over} ({count})"),
    })
}

/// How it is laid out, where that is more than its properties say.
fn layout(volume: &Volume) -> Option<String> {
    match &volume.geometry {
        Geometry::Parity(parity) => Some(stripes(volume, *parity)),
        Geometry::StripedMirrors { segment } => {
            Some(format!("{} pairs × {}", volume.members / 2, Bytes(*segment)))
        }
        Geometry::Stripe { unit } if volume.members > 1 => Some(format!(
            "{} members × {} = {} a row",
            volume.members,
            Bytes(*unit),
            Bytes(unit.saturating_mul(u64::from(volume.members)))
        )),
        Geometry::Stripe { .. }
        | Geometry::Whole
        | Geometry::Concat { .. }
        | Geometry::Mirror
        | Geometry::Scattered { .. } => None,
    }
}

fn stripes(volume: &Volume, parity: Parity) -> String {
    let (data, full) = (parity.data(volume.members), parity.stripe(volume.members));
    let redundant = ["P", "P+Q", "P+Q+R"][(parity.parity.clamp(1, 3) - 1) as usize];
    let groups = match parity.groups {
        1 => String::new(),
        groups => format!("{groups} groups of "),
    };
    format!("{groups}{data}+{redundant} × {} = {} a stripe", Bytes(parity.segment), Bytes(full))
}

/// One node for the streams of each declaration.
pub(super) fn streams(case: &Case) -> Vec<Node> {
    let mut groups: Vec<Vec<&Stream>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for stream in &case.streams {
        let place = *places.entry(&stream.group).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[place].push(stream);
    }
    groups.iter().map(|streams| group(case, streams)).collect()
}

fn group(case: &Case, streams: &[&Stream]) -> Node {
    let first = streams[0];
    let said = |name, value| Property { name, value, origin: Origin::Unstated };
    let mut properties = vec![said("depth", Value::Count(u64::from(first.depth)))];
    if !first.action.is_of_files() {
        properties.insert(0, said("block", Value::Size(first.block)));
    }
    if first.modelled.hit.0 > 0 {
        properties.push(said("hit", Value::Share(first.modelled.hit)));
    }
    if let Pacing::Open { rate, .. } = first.pacing {
        properties.push(said("rate", Value::Rate(rate)));
    }
    Node {
        kind: "streams",
        name: first.group.clone(),
        each: u64::from(first.region.count),
        total: streams.len() as u64,
        properties,
        notes: vec![what(first), between(case, streams)],
        children: Vec::new(),
    }
}

fn what(stream: &Stream) -> String {
    let op = match stream.reads {
        _ if !stream.action.is_transfer() => stream.action.verb().to_owned(),
        Ratio::ONE => "reads".to_owned(),
        Ratio(0) => "writes".to_owned(),
        reads => format!("reads {reads}, writes the rest"),
    };
    let shared = match stream.region.sharing {
        Sharing::Shared if stream.region.count > 1 => ", all of one region",
        Sharing::Shared | Sharing::Own => "",
    };
    let sync = match stream.sync {
        SyncMode::None => String::new(),
        SyncMode::End => ", fsync at the end".to_owned(),
        sync => format!(", {sync}"),
    };
    format!("{op} {}{shared}{sync}", order(stream.pattern))
}

/// The word of an order of offsets, with what it needs to be told.
fn order(pattern: Pattern) -> String {
    match pattern {
        Pattern::Sequential => "sequential".to_owned(),
        Pattern::Staggered => "staggered".to_owned(),
        Pattern::RandomStart => "sequential from a random start".to_owned(),
        Pattern::Interleaved => "interleaved".to_owned(),
        Pattern::Backwards => "backwards".to_owned(),
        Pattern::Strided { stride } => format!("strided by {stride}"),
        Pattern::Random => "random".to_owned(),
        Pattern::Zipf { .. } => "zipf".to_owned(),
        Pattern::Hot { share, band } => format!("{share} of them in {band}"),
        Pattern::Walk { step } => format!("walking by {step}"),
        Pattern::Resident { hits, write_hits, set } if hits == write_hits => {
            format!("{hits} of them in {set}")
        }
        Pattern::Resident { hits, write_hits, set } => {
            format!("{hits} of reads and {write_hits} of writes in {set}")
        }
        Pattern::Spc1Like => "spc1-like".to_owned(),
    }
}

/// From where to what.
fn between(case: &Case, streams: &[&Stream]) -> String {
    let system = &case.system;
    let over: Vec<PartId> = streams
        .iter()
        .filter_map(|stream| Some(case.targets.get(stream.target)?.part))
        .filter(|part| part.0 < system.parts.len())
        .collect();
    let on: Vec<PartId> = streams.iter().filter_map(|stream| stream.modelled.on).collect();
    let over = select(system, &over);
    let on = match on.is_empty() {
        true => String::new(),
        false => format!(", on {}", select(system, &on)),
    };
    format!("over {over}{on}{}", streams[0].after.as_ref().map(after).unwrap_or_default())
}

fn after(after: &After) -> String {
    let After { group, start_delay, prepare } = after;
    let delay = match start_delay.0 {
        0 => String::new(),
        _ => format!(" and {start_delay}"),
    };
    let prepared = match prepare {
        Prepare::None => "",
        Prepare::Sync => ", once its data is synced",
        Prepare::Drop => ", once its data is synced and out of the page cache",
    };
    format!(", after {group}{delay}{prepared}")
}
