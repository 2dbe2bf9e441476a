//! From declarations to instances, and from selectors to lists of them. Instances stand in
//! document order, each before what it contains; an instance is called like its declaration, with
//! an index from 0 where the declaration stands for more than one.

use std::collections::{BTreeMap, BTreeSet};

use crate::declaration::Declaration;
use crate::language::Role;
use crate::scene::{NotFound, Scene};
use crate::selector::{Join, Path, Selector, Step};
use crate::source::Sourced;
use crate::value::Value;

/// The most instances of one case.
pub(crate) const MOST_INSTANCES: usize = 100_000;

/// One instance of a declaration.
pub(crate) struct Instance<'a> {
    pub declaration: &'a Declaration,
    /// Its full name: `server[0].nvme[2]`.
    pub name: String,
    /// Its index within its parent.
    pub index: u32,
    pub parent: Option<usize>,
    /// The instance behind everything that it contains.
    end: usize,
    /// What an assignment with an index changed.
    pub changed: BTreeMap<&'static str, Sourced<Value>>,
}

/// All instances of a scene.
pub(crate) struct Instances<'a> {
    scene: &'a Scene,
    pub all: Vec<Instance<'a>>,
}

impl Instance<'_> {
    /// The value of a property.
    pub(crate) fn get(&self, name: &str) -> Option<Sourced<Value>> {
        self.changed.get(name).cloned().or_else(|| self.declaration.get(name))
    }
}

/// Whether a declaration stands for parts of the system.
fn is_part(declaration: &Declaration) -> bool {
    matches!(declaration.kind.role, Role::Container | Role::Target(_) | Role::Software)
}

impl<'a> Instances<'a> {
    /// `None` where there would be too many.
    pub(crate) fn expand(scene: &'a Scene) -> Option<Self> {
        let mut instances = Self { scene, all: Vec::new() };
        for root in &scene.roots {
            if is_part(root) {
                instances.grow(root, None)?;
            }
        }
        Some(instances)
    }

    fn grow(&mut self, declaration: &'a Declaration, parent: Option<usize>) -> Option<()> {
        let count = declaration.count().unwrap_or(1);
        for index in 0..count {
            if self.all.len() >= MOST_INSTANCES {
                return None;
            }
            let mut name = parent.map(|p| self.all[p].name.clone() + ".").unwrap_or_default();
            name.push_str(&declaration.name);
            if count > 1 {
                name.push_str(&format!("[{index}]"));
            }
            let at = self.all.len();
            let changed = BTreeMap::new();
            self.all.push(Instance { declaration, name, index, parent, end: at, changed });
            for child in declaration.children.iter().filter(|child| is_part(child)) {
                self.grow(child, Some(at))?;
            }
            self.all[at].end = self.all.len();
        }
        Some(())
    }

    /// The instances that a selector means, in its order; none is there twice.
    pub(crate) fn select(&self, selector: &Selector) -> Result<Vec<usize>, NotFound> {
        let mut selected = Vec::new();
        let mut seen = BTreeSet::new();
        for path in &selector.paths {
            for at in self.select_path(path)? {
                if !seen.insert(at) {
                    let message = format!("{} is selected twice", self.all[at].name);
                    return Err(Some((message, String::new())));
                }
                selected.push(at);
            }
        }
        Ok(selected)
    }

    /// The instances that a path means, in document order; at least one.
    pub(crate) fn select_path(&self, path: &Path) -> Result<Vec<usize>, NotFound> {
        self.scene.find(path)?;
        let mut found: Option<BTreeSet<usize>> = None;
        for step in &path.steps {
            let level = self.level(found.as_ref(), step);
            let named: Vec<usize> = level
                .into_iter()
                .filter(|at| self.all[*at].declaration.name == step.name)
                .collect();
            self.check_range(step, &named)?;
            found = Some(named.into_iter().filter(|at| self.wants(step, *at)).collect());
        }
        match found {
            Some(found) if !found.is_empty() => Ok(found.into_iter().collect()),
            _ => Err(Some((format!("\"{path}\" is nothing that has bytes"), String::new()))),
        }
    }

    /// What a step chooses from.
    fn level(&self, parents: Option<&BTreeSet<usize>>, step: &Step) -> BTreeSet<usize> {
        let Some(parents) = parents else { return self.children(None).collect() };
        let mut level = BTreeSet::new();
        for &parent in parents {
            match step.join {
                Join::Child => level.extend(self.children(Some(parent))),
                Join::Below => level.extend(parent + 1..self.all[parent].end),
            }
        }
        level
    }

    fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> {
        let (mut at, end) = match parent {
            Some(parent) => (parent + 1, self.all[parent].end),
            None => (0, self.all.len()),
        };
        std::iter::from_fn(move || {
            let child = at;
            at = if at < end { self.all[at].end } else { return None };
            debug_assert_eq!(self.all[child].parent, parent);
            Some(child)
        })
    }

    fn wants(&self, step: &Step, at: usize) -> bool {
        let index = self.all[at].index;
        step.indexes.is_empty()
            || step.indexes.iter().any(|range| (range.first..=range.last).contains(&index))
    }

    /// An index that no parent has would be dropped without a word.
    fn check_range(&self, step: &Step, named: &[usize]) -> Result<(), NotFound> {
        let Some(last) = named.iter().map(|at| self.all[*at].index).max() else { return Ok(()) };
        if step.indexes.iter().all(|range| range.last <= last) {
            return Ok(());
        }
        if self.scene.lost.contains(&step.name) {
            return Err(None);
        }
        let message = format!("{step}: there are only {} of {}", last + 1, step.name);
        Err(Some((message, format!("indexes here go from 0 to {last}"))))
    }
}
