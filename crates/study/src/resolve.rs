//! From a scene with its edits to what a case holds: targets with their real names, the workload,
//! and groups of streams. Every contradiction is found here, on declarations and sizes, before
//! any stream is made; [`Resolved::streams`] makes them.

mod changes;
mod failures;
mod files;
mod links;
mod members;
pub(crate) mod mirror;
mod modelled;
mod packets;
mod pattern;
pub(crate) mod select;
mod slots;
mod streams;
mod system;
mod targets;
mod workload;

pub(crate) use pattern::{PARAMETERS, distance};
pub(crate) use select::Wanted;
use streams::Group;
pub(crate) use workload::PASSES_UNTIL_CI;

use crate::case::{Failure, Stream, Target, Workload};
use crate::instances::{Instances, MOST_INSTANCES};
use crate::language::Role;
use crate::mistake::{Collected, MistakeKind};
use crate::scene::{Edit, Scene};
use crate::source::Span;
use crate::system::System;

/// A case but for its title and text.
pub(crate) struct Resolved {
    pub system: System,
    pub targets: Vec<Target>,
    pub workload: Workload,
    pub failures: Vec<Failure>,
    /// Instances, streams, and all that selectors mean.
    pub parts: usize,
    groups: Vec<Group>,
}

impl Resolved {
    /// All streams, group by group, those of one target together.
    pub(crate) fn streams(&self) -> Vec<Stream> {
        self.groups.iter().flat_map(Group::streams).collect()
    }
}

/// Resolves a scene; `None` where a mistake was collected.
pub(crate) fn resolve(
    scene: &Scene,
    indexed: &[&Edit],
    collected: &mut Collected,
) -> Option<Resolved> {
    let before = collected.len();
    let workload_row = scene.workload()?;
    let Some(mut instances) = Instances::expand(scene, collected) else {
        let span = scene.roots.first().map_or(Span::study(0, 0), |root| root.span);
        let message = format!("there are more than {MOST_INSTANCES} instances");
        collected.add(MistakeKind::Limit, span, message);
        return None;
    };
    change(scene, &mut instances, indexed, collected);
    let bound = targets::bound(scene, &instances, collected);
    let workload = workload::workload(workload_row, collected);
    let mut groups: Vec<_> = scene
        .with_role(Role::Streams)
        .filter_map(|row| streams::Draft::read(scene, row, &instances, collected))
        .collect();
    for group in &mut groups {
        group.change(indexed, collected);
    }
    let used = targets::used(&groups, &instances, &bound, collected);
    let groups: Vec<_> = groups
        .into_iter()
        .filter_map(|draft| draft.check(&used, workload.as_ref(), collected))
        .collect();
    let streams: usize = groups.iter().map(Group::len).sum();
    if streams > MOST_INSTANCES {
        let message = format!("{streams} streams are too many; at most {MOST_INSTANCES}");
        collected.add(MistakeKind::Limit, workload_row.span, message);
    }
    slots::check(&instances, collected);
    let system = system::system(scene, &instances, collected);
    let failures = failures::failures(scene, &instances, workload.as_ref(), collected);
    if collected.len() > before {
        return None;
    }
    let parts = instances.all.len() + instances.selected() + streams;
    let (targets, workload) = (used.targets, workload?);
    Some(Resolved { system, targets, workload, failures, parts, groups })
}

/// Makes the changes that assignments with an index ask for.
fn change(
    scene: &Scene,
    instances: &mut Instances<'_>,
    indexed: &[&Edit],
    collected: &mut Collected,
) {
    for edit in indexed {
        let path = &edit.path.path;
        let streams = |row: &&crate::declaration::Declaration| row.kind.role == Role::Streams;
        if scene.find(path).is_ok_and(|found| found.iter().any(streams)) {
            continue;
        }
        match instances.select_path(path) {
            Ok(selected) => {
                for at in selected {
                    let changed = &mut instances.all[at].changed;
                    changed.insert(edit.property.name, edit.value.clone());
                }
            }
            Err(Some((message, hint))) => {
                collected.hinted(MistakeKind::UnknownName, edit.value.span, message, hint);
            }
            Err(None) => {}
        }
    }
}
