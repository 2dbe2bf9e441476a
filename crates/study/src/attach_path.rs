//! A case over the path of another one: its own targets and workload, laid on what the other's
//! study describes.
//!
//! What the case described as a path itself is replaced. A file gets the file system that it lies
//! in; a device becomes a volume of one member, the part that it is, and keeps its name and its
//! `bind`. Parts of the other that are called like something of the case get another name. The text
//! of the result is written like that of any case and read again, so that it cannot mean anything
//! else. It leaves out declarations of several devices, whose instances would all be one.

use std::collections::{BTreeMap, BTreeSet};

use crate::case::{Case, TargetKind};
use crate::declaration::Declaration;
use crate::experiment::Experiment;
use crate::language::{Kind, Role};
use crate::mistake::{Collected, Mistakes};
use crate::paths::Paths;
use crate::scene::{Edit, Scene};
use crate::selector::Selector;
use crate::source::{Origin, Source, Sourced, Span};
use crate::study::{Study, parse};
use crate::text;
use crate::text::Head;
use crate::value::Value;

/// What a target is, or lies on, in the path of another study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetLocation {
    /// A file in this file system.
    FileSystem(String),
    /// A file in a file system that has no name there and lies on what this selector means.
    On(String),
    /// A device: what this selector means.
    Part(String),
}

/// Where each target of a case lies in the path of another one.
#[derive(Clone, Debug)]
pub struct TargetLocations<'a> {
    /// The case whose path it is.
    pub path: &'a Case,
    /// By the name of the target's declaration.
    pub of: BTreeMap<String, TargetLocation>,
    /// Real files and devices of that path which are targets here, as they are bound there.
    pub taken: BTreeSet<String>,
}

/// Why a case cannot lie over a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CannotAttach {
    /// One declaration stands for several devices.
    #[error("{0} stands for several devices; each needs its own line")]
    Several(String),
    /// What came out is not right.
    #[error("{0}")]
    Wrong(String),
}

impl From<Mistakes> for CannotAttach {
    fn from(mistakes: Mistakes) -> Self {
        Self::Wrong(mistakes.list.first().map_or_else(String::new, ToString::to_string))
    }
}

impl Case {
    /// This case over the path of another one.
    ///
    /// # Errors
    /// Where the result would be no study.
    pub fn over(&self, grounds: &TargetLocations<'_>) -> Result<Self, CannotAttach> {
        let (own, mut experiment) = read(&self.text)?;
        let (_, other) = read(&grounds.path.text)?;
        let renamed = Names::of(&experiment.scene, &other.scene, &grounds.of);
        let other_edits = other.indexed.iter().map(|edit| renamed.edit(edit.clone()));
        let other_edits: Vec<Edit> = other_edits.collect();
        let scene = joined(&experiment.scene, &other.scene, grounds, &renamed)?;
        experiment.scene = scene;
        let names: BTreeSet<String> =
            experiment.scene.roots.iter().map(|root| root.name.clone()).collect();
        experiment.indexed.extend(other_edits);
        experiment.indexed.retain(|edit| names.contains(&edit.path.path.steps[0].name));
        let text = written(&own, &experiment)?;
        let (study, _) = read(&text)?;
        let case = study.cases()?.into_iter().next();
        case.ok_or_else(|| CannotAttach::Wrong("no case is left".to_owned()))
    }

    /// Its path and layout under another title, for experiments that are added to it.
    ///
    /// # Errors
    /// Where its own text is no study.
    pub fn ground(&self, title: &str) -> Result<String, CannotAttach> {
        let (own, mut experiment) = read(&self.text)?;
        let roots = &experiment.scene.roots;
        let names: BTreeSet<String> = roots.iter().map(|root| root.name.clone()).collect();
        experiment.indexed.retain(|edit| names.contains(&edit.path.path.steps[0].name));
        Ok(text::ground(Head { title, source: own.origin.as_ref() }, &experiment))
    }
}

/// The text of a case as a study, and its experiment.
pub(crate) fn read(text: &str) -> Result<(Study, Experiment), CannotAttach> {
    let source = Source { name: "(case)".to_owned(), text: text.to_owned() };
    let study = parse(&source, &[])?;
    let experiment = study.experiments.first().cloned();
    let experiment = experiment.ok_or_else(|| CannotAttach::Wrong("no experiment".to_owned()))?;
    Ok((study, experiment))
}

pub(crate) fn written(own: &Study, experiment: &Experiment) -> Result<String, CannotAttach> {
    let mut collected = Collected::default();
    let levels = experiment.levels(0);
    let (scene, indexed) = experiment.at(&levels, &mut collected);
    let head = Head { title: &own.title, source: own.origin.as_ref() };
    Ok(text::case(head, experiment, (&scene, &indexed), &levels))
}

/// Names of the other study that are taken, and what they are instead.
struct Names(BTreeMap<String, String>);

impl Names {
    fn of(own: &Scene, other: &Scene, grounds: &BTreeMap<String, TargetLocation>) -> Self {
        let stays = |root: &&Declaration| stays(root, grounds);
        let kept: BTreeSet<&str> =
            own.roots.iter().filter(stays).map(|root| root.name.as_str()).collect();
        let mut taken: BTreeSet<String> =
            other.roots.iter().map(|root| root.name.clone()).collect();
        taken.extend(kept.iter().map(|name| (*name).to_owned()));
        let mut renamed = BTreeMap::new();
        let clashing = other.roots.iter().filter(|root| kept.contains(root.name.as_str()));
        for root in clashing.filter(|root| !root.name.is_empty()) {
            let mut names = (2..).map(|number: u32| format!("{}-{number}", root.name));
            let free = names.find(|name| !taken.contains(name));
            if let Some(free) = free {
                taken.insert(free.clone());
                renamed.insert(root.name.clone(), free);
            }
        }
        Self(renamed)
    }

    fn selector(&self, mut selector: Selector) -> Selector {
        for step in selector.paths.iter_mut().filter_map(|path| path.steps.first_mut()) {
            if let Some(new) = self.0.get(&step.name) {
                step.name.clone_from(new);
            }
        }
        selector
    }

    fn edit(&self, mut edit: Edit) -> Edit {
        if let Some(new) = self.0.get(&edit.path.path.steps[0].name) {
            edit.path.path.steps[0].name.clone_from(new);
        }
        edit
    }

    /// A declaration, and what it names, by the new names.
    fn declaration(&self, row: &Declaration, is_root: bool) -> Declaration {
        let mut row = row.clone();
        if let Some(new) = self.0.get(&row.name).filter(|_| is_root) {
            row.name.clone_from(new);
        }
        for value in row.values.values_mut() {
            if let Value::Selector(selector) = &value.value {
                value.value = Value::Selector(self.selector(selector.clone()));
            }
        }
        row.children = row.children.iter().map(|child| self.declaration(child, false)).collect();
        row
    }

    fn parsed(&self, selector: &str) -> Result<Sourced<Value>, CannotAttach> {
        let parsed = Selector::parse(selector).map_err(CannotAttach::Wrong)?;
        Ok(unstated(Value::Selector(self.selector(parsed))))
    }
}

/// Whether a root of the case stays: targets, and what is no path.
fn stays(root: &Declaration, grounds: &BTreeMap<String, TargetLocation>) -> bool {
    match root.kind.role {
        Role::Joint | Role::Workload | Role::Streams => true,
        Role::Target(_) => grounds.contains_key(&root.name),
        Role::Container
        | Role::Software
        | Role::Link
        | Role::Policy
        | Role::Failure
        | Role::Catalogue
        | Role::Structure => false,
    }
}

fn joined(
    own: &Scene,
    other: &Scene,
    grounds: &TargetLocations<'_>,
    names: &Names,
) -> Result<Scene, CannotAttach> {
    let (other_path, other_layout) = other.roots.split_at(other.in_path);
    let mut roots: Vec<Declaration> = Vec::new();
    roots.extend(other_path.iter().filter(is_laid).map(|root| names.declaration(root, true)));
    let in_path = roots.len();
    roots.extend(other_layout.iter().filter(is_laid).map(|root| names.declaration(root, true)));
    let bound: BTreeSet<&str> =
        own.with_role(Role::Joint).flat_map(Declaration::bound_names).collect();
    let mut is_own_path = false;
    for root in own.roots.iter().filter(|root| root.kind.role != Role::Joint) {
        match grounds.of.get(&root.name).filter(|_| matches!(root.kind.role, Role::Target(_))) {
            Some(ground) => {
                let is_scratch = !bound.contains(root.name.as_str());
                let made_in = is_scratch.then(|| unstated(Value::Text(".".to_owned())));
                roots.extend(laid((root, made_in), ground, names)?);
            }
            None if stays(root, &grounds.of) => roots.push(root.clone()),
            None => is_own_path = true,
        }
    }
    place_streams(&mut roots, other, (names, is_own_path));
    let known: BTreeSet<String> = roots.iter().map(|root| root.name.clone()).collect();
    let own_binds = own.with_role(Role::Joint).filter(|bind| names_only(bind, &known)).cloned();
    roots.extend(own_binds);
    for bind in other.with_role(Role::Joint) {
        roots.extend(untaken(bind, grounds, names)?);
    }
    let (parts, lost, blind) = (other.parts.clone(), BTreeSet::new(), false);
    Ok(Scene { roots, in_path, parts, lost, blind })
}

/// Whether a root of the other study is part of its path or layout, and no file of its streams.
fn is_laid(root: &&Declaration) -> bool {
    match root.kind.role {
        Role::Container | Role::Software | Role::Link | Role::Policy => true,
        Role::Target(TargetKind::Device) => true,
        Role::Target(TargetKind::File) => !root.values.contains_key("on"),
        Role::Target(TargetKind::Tree) => false,
        Role::Joint
        | Role::Workload
        | Role::Streams
        | Role::Failure
        | Role::Catalogue
        | Role::Structure => false,
    }
}

/// A target on what it lies, and that where it has no name of its own. A scratch file has where it
/// is made: without that it would be composed of what it lies on.
fn laid(
    (root, made_in): (&Declaration, Option<Sourced<Value>>),
    ground: &TargetLocation,
    names: &Names,
) -> Result<Vec<Declaration>, CannotAttach> {
    let mut file = root.clone();
    if let Some(directory) = made_in {
        file.values.entry("directory").or_insert(directory);
    }
    match ground {
        TargetLocation::FileSystem(name) => {
            file.values.insert("on", names.parsed(name)?);
            Ok(vec![file])
        }
        TargetLocation::On(parts) => {
            let name = format!("{}-filesystem", root.name);
            file.values.insert("on", names.parsed(&name)?);
            let on = ("on", names.parsed(parts)?);
            Ok(vec![made("filesystem", name, root.span, [on])?, file])
        }
        TargetLocation::Part(part) => {
            if root.values.get("count").is_some_and(|count| count.value != Value::Count(1)) {
                return Err(CannotAttach::Several(root.name.clone()));
            }
            let over = ("over", names.parsed(part)?);
            let mut volume = made("concat", root.name.clone(), root.span, [over])?;
            volume.values.extend(root.values.get("size").map(|size| ("size", size.clone())));
            Ok(vec![volume])
        }
    }
}

fn made<const N: usize>(
    kind: &'static str,
    name: String,
    span: Span,
    values: [(&'static str, Sourced<Value>); N],
) -> Result<Declaration, CannotAttach> {
    let kind = Kind::named(kind).ok_or_else(|| CannotAttach::Wrong(format!("no kind {kind}")))?;
    let (values, rated) = (BTreeMap::from(values), BTreeMap::new());
    Ok(Declaration { kind, name, span, values, rated, children: Vec::new() })
}

fn unstated(value: Value) -> Sourced<Value> {
    Sourced { value, origin: Origin::Unstated, span: Span::study(0, 0) }
}

/// Where streams run is said by the path: what the case said of its own is no more, and of several
/// machines the other study names one.
fn place_streams(roots: &mut [Declaration], other: &Scene, (names, is_own_path): (&Names, bool)) {
    let machines = other.roots.iter().filter(|root| root.kind.name == "host").count();
    let on = other.with_role(Role::Streams).find_map(|row| row.values.get("on"));
    let on = on.filter(|_| machines > 1).map(|on| {
        let mut on = on.clone();
        if let Value::Selector(selector) = on.value {
            on.value = Value::Selector(names.selector(selector));
        }
        on
    });
    let is_load =
        |root: &&mut Declaration| matches!(root.kind.role, Role::Workload | Role::Streams);
    for row in roots.iter_mut().filter(is_load) {
        if is_own_path {
            row.values.remove("on");
            row.values.remove("via");
        }
        if row.kind.role == Role::Streams
            && let Some(on) = &on
        {
            row.values.entry("on").or_insert_with(|| on.clone());
        }
    }
}

/// Whether all that a bind means is there.
fn names_only(bind: &Declaration, known: &BTreeSet<String>) -> bool {
    bind.bound_names().into_iter().all(|name| known.contains(name))
}

/// A bind of the other study without what targets are bound to: whole where nothing is taken, else
/// a line for each pair. What it means of files that lie in file systems is gone with them.
fn untaken(
    bind: &Declaration,
    grounds: &TargetLocations<'_>,
    names: &Names,
) -> Result<Vec<Declaration>, CannotAttach> {
    let Some(Value::Paths(to)) = bind.values.get("to").map(|to| &to.value) else {
        return Ok(Vec::new());
    };
    let binds = grounds.path.targets.first().map(|target| &target.below);
    let binds = binds.into_iter().flat_map(|binds| binds.iter());
    let part_of: BTreeMap<&str, &str> = binds
        .filter_map(|(part, bind)| {
            let found = grounds.path.system.part(*part);
            let is_file = grounds.path.system.kind(*part) == "file" && !found.members.is_empty();
            let path = bind.paths.first().filter(|path| !is_file && !grounds.taken.contains(*path));
            Some((path?.as_str(), found.name.as_str()))
        })
        .collect();
    let kept: Vec<(&str, &str)> = to
        .list
        .iter()
        .filter_map(|path| Some((path.as_str(), *part_of.get(path.as_str())?)))
        .collect();
    if kept.len() == to.list.len() {
        return Ok(vec![names.declaration(bind, false)]);
    }
    let one = |(path, part): (&str, &str)| {
        let mut row = bind.clone();
        row.values.insert("from", names.parsed(part)?);
        let path = Paths::parse(path).map_err(CannotAttach::Wrong)?;
        row.values.insert("to", unstated(Value::Paths(path)));
        Ok(row)
    };
    kept.into_iter().map(one).collect()
}
