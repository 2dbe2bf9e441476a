//! From declarations to instances, and from selectors to lists of them. Instances stand in
//! document order, each before what it contains; an instance is called like its declaration, with
//! an index from 0 where the declaration stands for more than one. How many a declaration stands
//! for is `count` within each parent, times its places, or the length of a mirror's sides.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use crate::declaration::Declaration;
use crate::language::Role;
use crate::mistake::Collected;
use crate::resolve::{Wanted, mirror, select};
use crate::scene::{NotFound, Scene};
use crate::selector::{Join, Path, Selector, Step};
use crate::source::{Sourced, Span};
use crate::value::Value;

/// The most instances of one case.
pub(crate) const MOST_INSTANCES: usize = 100_000;

/// The most instances that all selectors of a case mean together (chosen: some for each instance).
const MOST_SELECTED: usize = 2_000_000;

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
    /// Where a volume is split, where `at` says so.
    pub place: Option<usize>,
    /// What an assignment with an index changed.
    pub changed: BTreeMap<&'static str, Sourced<Value>>,
}

/// All instances of a scene.
pub(crate) struct Instances<'a> {
    scene: &'a Scene,
    pub all: Vec<Instance<'a>>,
    /// The sides of mirrors, by the place of the declaration: equally long lists.
    pub sides: BTreeMap<Span, Vec<Vec<usize>>>,
    /// Names of declarations that stand for nobody knows how many.
    unsure: BTreeSet<&'a str>,
    /// How many instances all selectors together have selected.
    selected: Cell<usize>,
}

/// How many instances a declaration stands for, and where they are split.
struct Number {
    count: u32,
    places: Vec<usize>,
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
    pub(crate) fn expand(scene: &'a Scene, collected: &mut Collected) -> Option<Self> {
        let (all, sides) = (Vec::new(), BTreeMap::new());
        let (unsure, selected) = (BTreeSet::new(), Cell::new(0));
        let mut instances = Self { scene, all, sides, unsure, selected };
        for root in scene.roots.iter().filter(|root| is_part(root)) {
            let number = instances.number(root, collected);
            instances.grow(root, None, &number)?;
        }
        Some(instances)
    }

    /// How many instances a root stands for, as far as what stands before it tells.
    fn number(&mut self, root: &'a Declaration, collected: &mut Collected) -> Number {
        let count = root.count();
        if count.is_none() {
            self.unsure.insert(&root.name);
        }
        let mut number = Number { count: count.unwrap_or(1), places: Vec::new() };
        if root.kind.name == "mirror" {
            let sides = mirror::sides(self, root, collected);
            if sides.is_none() {
                self.unsure.insert(&root.name);
            }
            let sides = sides.unwrap_or_default();
            let length = sides.first().map_or(1, Vec::len);
            number.count = u32::try_from(length).unwrap_or(u32::MAX);
            self.sides.insert(root.span, sides);
        }
        if let Some(at) = root.selector("at") {
            match select::before(self, &at, Wanted::Place, root, collected) {
                Some(places) => number.places = places,
                None => drop(self.unsure.insert(&root.name)),
            }
        }
        number
    }

    fn grow(
        &mut self,
        declaration: &'a Declaration,
        parent: Option<usize>,
        number: &Number,
    ) -> Option<()> {
        let places = u32::try_from(number.places.len().max(1)).ok()?;
        let total = number.count.checked_mul(places)?;
        for index in 0..total {
            if self.all.len() >= MOST_INSTANCES {
                return None;
            }
            let mut name = parent.map(|p| self.all[p].name.clone() + ".").unwrap_or_default();
            name.push_str(&declaration.name);
            if total > 1 {
                name.push_str(&format!("[{index}]"));
            }
            let at = self.all.len();
            let place = number.places.get((index / number.count) as usize).copied();
            let changed = BTreeMap::new();
            self.all.push(Instance { declaration, name, index, parent, end: at, place, changed });
            for child in declaration.children.iter().filter(|child| is_part(child)) {
                let count = child.count();
                if count.is_none() {
                    self.unsure.insert(&child.name);
                }
                let number = Number { count: count.unwrap_or(1), places: Vec::new() };
                self.grow(child, Some(at), &number)?;
            }
            self.all[at].end = self.all.len();
        }
        Some(())
    }

    /// Whether a selector may mean more or less than it seems: what it names failed elsewhere.
    pub(crate) fn is_unsure(&self, selector: &Selector) -> bool {
        let mut names = selector.paths.iter().flat_map(|path| &path.steps).map(|step| &step.name);
        names.any(|name| self.unsure.contains(name.as_str()) || self.scene.lost.contains(name))
    }

    /// Whether a declaration stands in the scene of which there is no instance yet.
    pub(crate) fn is_ahead(&self, path: &Path) -> bool {
        let name = &path.steps[0].name;
        self.scene.find(path).is_ok()
            && self.scene.roots.iter().any(|root| is_part(root) && root.name == *name)
            && !self.children(None).any(|at| self.all[at].declaration.name == *name)
    }

    /// How many instances all selectors together have selected.
    pub(crate) fn selected(&self) -> usize {
        self.selected.get()
    }

    /// The instances that a selector means, in its order; none appears twice.
    pub(crate) fn select(&self, selector: &Selector) -> Result<Vec<usize>, NotFound> {
        if self.selected() > MOST_SELECTED {
            return Err(None);
        }
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
        self.selected.set(self.selected() + selected.len());
        if self.selected() > MOST_SELECTED {
            let message =
                format!("all selectors together select more than {MOST_SELECTED} instances");
            return Err(Some((message, String::new())));
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
            _ => Err(Some((format!("\"{path}\" is neither in path nor in layout"), String::new()))),
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
        if self.scene.lost.contains(&step.name) || self.unsure.contains(step.name.as_str()) {
            return Err(None);
        }
        let message = format!("{step}: there are only {} of {}", last + 1, step.name);
        Err(Some((message, format!("indexes here go from 0 to {last}"))))
    }
}
