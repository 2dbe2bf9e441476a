//! Wires and zones: both ends of each declaration paired one to one, or all with a single one.

use std::collections::BTreeMap;

use super::select::{self, Wanted};
use crate::declaration::Declaration;
use crate::instances::Instances;
use crate::language::Role;
use crate::mistake::{Collected, MistakeKind};
use crate::scene::Scene;
use crate::selector::Selector;
use crate::source::{Sourced, Span};
use crate::system::{Link, Multipath, PartId};
use crate::value::Value;
use crate::words::Standby;

/// Wires, then zones, each in document order.
pub(super) fn links(
    scene: &Scene,
    instances: &Instances<'_>,
    collected: &mut Collected,
) -> (Vec<Link>, Vec<Link>) {
    let mut of_kind = |kind: &str| -> Vec<Link> {
        let rows = scene.with_role(Role::Link).filter(|row| row.kind.name == kind);
        rows.filter_map(|row| link(row, instances, collected)).collect()
    };
    let (wires, zones) = (of_kind("wire"), of_kind("zone"));
    check_sockets(&wires, scene, instances, collected);
    (wires, zones)
}

/// How requests choose among several routes.
pub(super) fn multipath(scene: &Scene) -> Multipath {
    let Some(row) = scene.with_role(Role::Policy).next() else { return Multipath::default() };
    let policy = row.get("policy").and_then(|policy| policy.value.choice()).unwrap_or_default();
    let standby = row.get("standby").and_then(|standby| standby.value.choice());
    let most = row.get("most").and_then(|most| u32::try_from(most.value.count()?).ok());
    Multipath { stated: true, policy, most, standby_used: standby == Some(Standby::Used) }
}

fn link(row: &Declaration, instances: &Instances<'_>, collected: &mut Collected) -> Option<Link> {
    let (from, to) = (end(row, "from", collected), end(row, "to", collected));
    let mut select =
        |end: &Sourced<Selector>| select::all(instances, end, Wanted::Component, collected);
    let (from, to) = (from?, to?);
    let (froms, tos) = (select(&from), select(&to));
    let (froms, tos) = (froms?, tos?);
    let has_spare = row.get("spare").is_some_and(|spare| spare.value == Value::Flag(true));
    let tos = match has_spare {
        true => tos.into_iter().take(froms.len()).collect(),
        false => tos,
    };
    if froms.len() != tos.len() && froms.len() != 1 && tos.len() != 1 {
        if !instances.is_unsure(&from.value) && !instances.is_unsure(&to.value) {
            let message = format!(
                "{}s {} ends ({}) to {} ({})",
                row.kind.name,
                froms.len(),
                from.value,
                tos.len(),
                to.value
            );
            let hint = match has_spare {
                true => format!("{} needs {} ends or more", to.value, froms.len()),
                false => "both lists must have the same length, or one of them a single end".into(),
            };
            collected.hinted(MistakeKind::Length, to.span, message, hint);
        }
        return None;
    }
    let length = froms.len().max(tos.len());
    let at = |ends: &[usize], place: usize| PartId(ends[place.min(ends.len() - 1)]);
    let pairs: Vec<_> = (0..length).map(|place| (at(&froms, place), at(&tos, place))).collect();
    if let Some((one, _)) = pairs.iter().find(|(one, other)| one == other) {
        let message = format!("{} is {}d to itself", instances.all[one.0].name, row.kind.name);
        collected.add(MistakeKind::Contradiction, to.span, message);
        return None;
    }
    let latency = row.get("latency").and_then(|Sourced { value, origin, span }| {
        Some(Sourced { value: value.time()?, origin, span })
    });
    Some(Link { name: row.name.clone(), span: row.span, pairs, latency })
}

/// One end of a declaration; `None` where it is missing or failed.
fn end(row: &Declaration, name: &str, collected: &mut Collected) -> Option<Sourced<Selector>> {
    if !row.values.contains_key(name) {
        collected.add(MistakeKind::Missing, row.span, format!("{} needs {name}=", row.kind.name));
    }
    row.selector(name)
}

/// A port takes one wire, and so does an adapter. One mistake for each end of a declaration.
fn check_sockets(
    wires: &[Link],
    scene: &Scene,
    instances: &Instances<'_>,
    collected: &mut Collected,
) {
    let ends = || {
        wires.iter().flat_map(|wire| {
            let both = |(from, to): &(PartId, PartId)| [("from", *from), ("to", *to)];
            wire.pairs.iter().flat_map(both).map(|(side, end)| (wire.span, side, end))
        })
    };
    let mut number: BTreeMap<PartId, u32> = BTreeMap::new();
    for (_, _, end) in ends() {
        if matches!(instances.all[end.0].declaration.kind.name, "port" | "hba") {
            *number.entry(end).or_default() += 1;
        }
    }
    // The last declaration that meets an end is the one too many.
    let mut last: BTreeMap<PartId, (Span, &str)> = BTreeMap::new();
    for (span, side, end) in ends() {
        if number.get(&end).is_some_and(|number| *number > 1) {
            last.insert(end, (span, side));
        }
    }
    let mut crowded: BTreeMap<(Span, &str), Vec<PartId>> = BTreeMap::new();
    for (end, place) in last {
        crowded.entry(place).or_default().push(end);
    }
    for ((span, side), ends) in crowded {
        let row = scene.with_role(Role::Link).find(|row| row.span == span);
        let at = row.and_then(|row| row.values.get(side)).map_or(span, |value| value.span);
        let end = &instances.all[ends[0].0];
        let message = format!("{} has {} wires", end.name, number[&ends[0]]);
        let more = match ends.len() {
            1 => String::new(),
            more => format!("; so have {} more", more - 1),
        };
        let hint = format!("a {} takes one wire{more}", end.declaration.kind.name);
        collected.hinted(MistakeKind::Contradiction, at, message, hint);
    }
}
