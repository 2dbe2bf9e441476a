//! Targets and what they stand for: binds paired one to one, scratch files that need a size.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use iopath_units::Bytes;

use super::select::{self, Wanted};
use super::streams::Draft;
use crate::case::{Bind, Target, TargetKind, Tree};
use crate::declaration::Declaration;
use crate::instances::{Instance, Instances};
use crate::language::Role;
use crate::mistake::{Collected, MistakeKind};
use crate::paths::Paths;
use crate::scene::Scene;
use crate::selector::Selector;
use crate::source::{Sourced, Span};
use crate::system::PartId;
use crate::value::Value;

/// What binds say: the real path of an instance.
pub(super) struct Bound {
    paths: BTreeMap<usize, String>,
    /// A bind failed, so that a missing one may be no mistake.
    incomplete: bool,
}

/// The targets that streams use.
pub(crate) struct Used {
    pub targets: Vec<Target>,
    /// From the instance to its place among the targets.
    pub places: BTreeMap<usize, usize>,
    /// Targets whose size is wrong.
    pub unknown: BTreeSet<usize>,
}

impl Bound {
    fn binds(&self) -> BTreeMap<PartId, Bind> {
        let bind = |path: &String| Bind { paths: vec![path.clone()], copy: None };
        self.paths.iter().map(|(at, path)| (PartId(*at), bind(path))).collect()
    }
}

/// Pairs both sides of every bind.
pub(super) fn bound(scene: &Scene, instances: &Instances<'_>, collected: &mut Collected) -> Bound {
    let mut bound = Bound { paths: BTreeMap::new(), incomplete: false };
    let mut taken = BTreeMap::new();
    for row in scene.with_role(Role::Joint) {
        let Some((from, to)) = sides(row, collected) else {
            bound.incomplete = true;
            continue;
        };
        let Some(selected) = select::all(instances, &from, Wanted::Bytes, collected) else {
            bound.incomplete = true;
            continue;
        };
        if selected.len() != to.value.list.len() {
            bound.incomplete = true;
            if instances.is_unsure(&from.value) {
                continue;
            }
            let message = format!(
                "binds {} ({}) to {} ({})",
                count(selected.len(), "target"),
                from.value,
                count(to.value.list.len(), "path"),
                to.value
            );
            let hint = "both sides must have the same length";
            collected.hinted(MistakeKind::Length, to.span, message, hint);
            continue;
        }
        // Of all pairs of a bind the first is told.
        let (mut path_twice, mut target_twice) = (None, None);
        for (at, path) in selected.into_iter().zip(&to.value.list) {
            if let Some(other) = taken.insert(path.clone(), at) {
                path_twice.get_or_insert((path, other));
            }
            if bound.paths.insert(at, path.clone()).is_some() {
                target_twice.get_or_insert(at);
            }
        }
        if let Some((path, other)) = path_twice {
            let message = format!("{path} is bound to {} already", instances.all[other].name);
            collected.add(MistakeKind::Duplicate, to.span, message);
        }
        if let Some(at) = target_twice {
            let message = format!("{} is bound already", instances.all[at].name);
            collected.add(MistakeKind::Duplicate, from.span, message);
        }
    }
    bound
}

fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// Both sides of a bind, where they can be read.
fn sides(
    row: &Declaration,
    collected: &mut Collected,
) -> Option<(Sourced<Selector>, Sourced<Paths>)> {
    for side in ["from", "to"] {
        if !row.values.contains_key(side) {
            let message = format!("{} needs {side}=", row.kind.name);
            collected.add(MistakeKind::Missing, row.span, message);
        }
    }
    let (from, to) = (row.values.get("from")?, row.values.get("to")?);
    let (Value::Selector(selector), Value::Paths(paths)) = (&from.value, &to.value) else {
        return None;
    };
    let side = |value: &Sourced<Value>| (value.origin.clone(), value.span);
    let ((from_origin, from_span), (to_origin, to_span)) = (side(from), side(to));
    Some((
        Sourced { value: selector.clone(), origin: from_origin, span: from_span },
        Sourced { value: paths.clone(), origin: to_origin, span: to_span },
    ))
}

/// The targets that any group uses, in document order.
pub(super) fn used(
    groups: &[Draft<'_>],
    instances: &Instances<'_>,
    bound: &Bound,
    collected: &mut Collected,
) -> Used {
    let all: BTreeSet<usize> = groups.iter().flat_map(|group| group.over.iter().copied()).collect();
    let mut used = Used { targets: Vec::new(), places: BTreeMap::new(), unknown: BTreeSet::new() };
    let whole = bound_whole(instances, bound);
    let below = Arc::new(bound.binds());
    for at in all {
        let instance = &instances.all[at];
        let (target, known) = target((at, instance), bound.paths.get(&at).cloned(), &below);
        // With a directory it is made there, whatever models are told that it lies on.
        let modelled = instance.declaration.values.contains_key("on") && target.directory.is_none();
        let scratch = target.kind == TargetKind::File && target.binding.is_none() && !modelled;
        if scratch && !bound.incomplete {
            check_scratch(instance, &target, known, collected);
        }
        if target.kind == TargetKind::Tree {
            check_tree(instance, &target, collected);
        } else if whole.contains(&instance.declaration.span) {
            check_directory(instance, collected);
        }
        if !known {
            used.unknown.insert(used.targets.len());
        }
        used.places.insert(at, used.targets.len());
        used.targets.push(target);
    }
    used
}

fn target(
    (at, instance): (usize, &Instance<'_>),
    binding: Option<String>,
    below: &Arc<BTreeMap<PartId, Bind>>,
) -> (Target, bool) {
    let kind = match instance.declaration.kind.role {
        Role::Target(kind) => kind,
        _ => TargetKind::File,
    };
    let size = instance.get("size");
    let known = size.as_ref().is_none_or(|size| size.value != Value::Failed);
    let size: Option<Bytes> = size.and_then(|size| size.value.size());
    let directory =
        instance.get("directory").and_then(|value| value.value.text().map(str::to_owned));
    let (name, below) = (instance.name.clone(), Arc::clone(below));
    let tree = tree(instance).filter(|_| kind == TargetKind::Tree);
    (Target { name, part: PartId(at), kind, binding, below, size, directory, tree }, known)
}

/// What a tree holds; `None` where it does not say how many files.
fn tree(instance: &Instance<'_>) -> Option<Tree> {
    let count = |name| instance.get(name).and_then(|value| value.value.count());
    let file_size = instance.get("file-size").and_then(|size| size.value.size());
    let file_size = file_size.unwrap_or(Bytes(0));
    Some(Tree { files: count("files")?, directories: count("directories")?, file_size })
}

fn check_tree(instance: &Instance<'_>, target: &Target, collected: &mut Collected) {
    let row = instance.declaration;
    if instance.get("files").is_none() {
        let message = format!("{} needs the number of its files", row.name);
        collected.hinted(MistakeKind::Missing, row.span, message, "add files=10000");
    }
    if target.binding.is_some() {
        let message = format!("{} is bound, but a tree is always created new", row.name);
        let hint = "remove the bind and use directory=\"/mnt/data\"";
        collected.hinted(MistakeKind::Contradiction, row.span, message, hint);
    }
    if let Some(Tree { files, directories, .. }) = target.tree
        && directories > files
    {
        let span = instance.get("directories").map_or(row.span, |value| value.span);
        let message = format!("{directories} directories are too many for {files} files");
        let hint = format!("write directories={files} at most");
        collected.hinted(MistakeKind::Contradiction, span, message, hint);
    }
}

fn check_scratch(instance: &Instance<'_>, target: &Target, known: bool, collected: &mut Collected) {
    let row = instance.declaration;
    if target.size.is_none() && known {
        let message = format!("the scratch file {} needs a size", row.name);
        let hint = "add size=\"1 GiB\", or bind it to a file that exists";
        collected.hinted(MistakeKind::Missing, row.span, message, hint);
    }
}

/// Declarations of which every instance is bound, by their places.
fn bound_whole(instances: &Instances<'_>, bound: &Bound) -> BTreeSet<Span> {
    let (whole, partly): (Vec<_>, Vec<_>) = instances
        .all
        .iter()
        .enumerate()
        .map(|(at, instance)| (bound.paths.contains_key(&at), instance.declaration.span))
        .partition(|(bound, _)| *bound);
    let partly: BTreeSet<Span> = partly.into_iter().map(|(_, span)| span).collect();
    whole.into_iter().map(|(_, span)| span).filter(|span| !partly.contains(span)).collect()
}

fn check_directory(instance: &Instance<'_>, collected: &mut Collected) {
    if let Some(directory) = instance.get("directory") {
        let name = &instance.declaration.name;
        let message = format!("{name} is bound to a file; a directory is for scratch files");
        collected.add(MistakeKind::Contradiction, directory.span, message);
    }
}
