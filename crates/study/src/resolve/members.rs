//! What volumes, file systems and files lie on. A declaration is looked up once; its instances
//! share the list. Only a mirror's instances differ: each has one member of each side.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::select::{self, Wanted};
use crate::declaration::{Declaration, is_target};
use crate::instances::Instances;
use crate::mistake::{Collected, MistakeKind};
use crate::scene::Scene;
use crate::source::Span;
use crate::system::PartId;

/// Lists of members, by the place of the declaration.
pub(super) struct Members {
    shared: BTreeMap<Span, Arc<[PartId]>>,
    none: Arc<[PartId]>,
}

/// Looks up the members of all declarations.
pub(super) fn members(
    scene: &Scene,
    instances: &Instances<'_>,
    collected: &mut Collected,
) -> Members {
    let mut members = Members { shared: BTreeMap::new(), none: Arc::from([]) };
    for root in &scene.roots {
        members.look_up(root, true, instances, collected);
    }
    members.check_depth(instances, collected);
    members
}

impl Members {
    /// The members of an instance.
    pub(super) fn of(&self, instances: &Instances<'_>, at: usize) -> Arc<[PartId]> {
        let instance = &instances.all[at];
        let span = instance.declaration.span;
        if let Some(sides) = instances.sides.get(&span) {
            let index = instance.index as usize;
            return sides.iter().filter_map(|side| side.get(index).copied().map(PartId)).collect();
        }
        self.shared.get(&span).unwrap_or(&self.none).clone()
    }

    fn look_up(
        &mut self,
        row: &Declaration,
        is_root: bool,
        instances: &Instances<'_>,
        collected: &mut Collected,
    ) {
        let wanted = match row.kind.name {
            "stripe" | "concat" | "raid" | "lun" => Some(("over", Wanted::Member)),
            "filesystem" => Some(("on", Wanted::Member)),
            "file" => Some(("on", Wanted::FileSystem)),
            _ => None,
        };
        if let Some((property, wanted)) = wanted {
            check_stated(row, property, collected);
            let selector = row.selector(property);
            let selected = selector
                .and_then(|selector| select::all(instances, &selector, wanted, collected))
                .filter(|list| is_one_file_system(row, wanted, list, collected));
            let list = selected.map(|list| list.into_iter().map(PartId).collect());
            self.shared.extend(list.map(|list| (row.span, list)));
        }
        if let Some(at) = row.values.get("at").filter(|_| !is_root) {
            let message = format!("{} is split in its place; at= is for the layout", row.name);
            collected.add(MistakeKind::Contradiction, at.span, message);
        }
        for child in &row.children {
            self.look_up(child, false, instances, collected);
        }
    }

    /// Reports volumes that contain themselves, each circle once, and volumes in volumes in volumes
    /// that nobody builds.
    fn check_depth(&self, instances: &Instances<'_>, collected: &mut Collected) {
        let mut descent = Descent { members: self, instances, collected, depths: BTreeMap::new() };
        for (at, instance) in instances.all.iter().enumerate() {
            if self.shared.contains_key(&instance.declaration.span) {
                let depth = descent.depth(at, &mut Vec::new());
                if depth > DEEPEST {
                    return;
                }
            }
        }
    }
}

/// How deep volumes may lie on volumes (chosen, as for braces).
const DEEPEST: usize = 32;

/// Goes through declarations of volumes depth first; each is entered once.
struct Descent<'a> {
    members: &'a Members,
    instances: &'a Instances<'a>,
    collected: &'a mut Collected,
    depths: BTreeMap<Span, usize>,
}

impl<'a> Descent<'a> {
    /// How many volumes lie below one another here; reported where there are too many.
    fn depth(&mut self, at: usize, trail: &mut Vec<&'a Declaration>) -> usize {
        let row = self.instances.all[at].declaration;
        if let Some(start) = trail.iter().position(|other| other.span == row.span) {
            report_circle(&trail[start..], self.collected);
            return 0;
        }
        if let Some(depth) = self.depths.get(&row.span) {
            return *depth;
        }
        trail.push(row);
        if trail.len() > DEEPEST {
            report_depth(trail[0], self.collected);
            trail.pop();
            return DEEPEST + 1;
        }
        let mut deepest = 0;
        let mut seen = BTreeSet::new();
        for member in self.members.of(self.instances, at).iter() {
            if deepest <= DEEPEST && seen.insert(self.instances.all[member.0].declaration.span) {
                deepest = deepest.max(self.depth(member.0, trail));
            }
        }
        trail.pop();
        let depth = deepest + 1;
        if depth == DEEPEST + 1 {
            report_depth(row, self.collected);
        }
        self.depths.insert(row.span, depth);
        depth
    }
}

/// A volume has its members inside or elsewhere, not both and not neither. A `lun` may be a limit
/// alone.
fn check_stated(row: &Declaration, property: &str, collected: &mut Collected) {
    let inside = row.children.iter().find(|child| is_target(child));
    let stated = row.values.get(property);
    if let (Some(inside), Some(stated)) = (inside, stated) {
        let message = format!("{} has members inside and {property}= too", row.name);
        let hint = format!("leave {property}= or the {} out", inside.kind.name);
        collected.hinted(MistakeKind::Contradiction, stated.span, message, hint);
    }
    let needed = matches!(row.kind.name, "stripe" | "concat" | "raid" | "filesystem");
    if needed && inside.is_none() && stated.is_none() {
        let message = match property {
            "on" => format!("{} has no members", row.name),
            _ => format!("{} has no members", row.name),
        };
        let hint = format!("add {property}=\"names of volumes or devices\"");
        collected.hinted(MistakeKind::Missing, row.span, message, hint);
    }
}

fn is_one_file_system(
    row: &Declaration,
    wanted: Wanted,
    list: &[usize],
    collected: &mut Collected,
) -> bool {
    if wanted != Wanted::FileSystem || list.len() == 1 {
        return true;
    }
    let span = row.values.get("on").map_or(row.span, |on| on.span);
    let message = format!("{} is in {} file systems; only one is possible", row.name, list.len());
    collected.add(MistakeKind::Contradiction, span, message);
    false
}

fn report_depth(row: &Declaration, collected: &mut Collected) {
    let message = format!("{} is more than {DEEPEST} volumes deep", row.name);
    collected.add(MistakeKind::Limit, row.span, message);
}

/// At the declaration of the circle that stands first.
fn report_circle(circle: &[&Declaration], collected: &mut Collected) {
    let Some(first) = (0..circle.len()).min_by_key(|at| circle[*at].span) else { return };
    let mut names: Vec<&str> = circle.iter().map(|row| row.name.as_str()).collect();
    names.rotate_left(first);
    names.push(names[0]);
    let row = circle[first];
    let span = row.values.get("over").map_or(row.span, |over| over.span);
    let hint = match names.len() {
        2 => String::new(),
        _ => names.join(" over "),
    };
    let message = format!("{} contains itself", row.name);
    collected.hinted(MistakeKind::Contradiction, span, message, hint);
}
