//! What of a case could also be somewhere else, and the same case with it there: how many of a
//! component a declaration holds, and the parts that a declaration lists.
//!
//! Both are changed as the text of a study would be, by declaration: a count below another parent,
//! another list behind `to=`, `of=`, `on=` or `at=`. It leaves out which changes make sense, and
//! what each of them carries.

use std::collections::BTreeMap;

use crate::declaration::Declaration;
use crate::experiment::Experiment;
use crate::language::Role;
use crate::mistake::Collected;
use crate::selector::Selector;
use crate::source::{Origin, Sourced};
use crate::value::Value;

/// Where a declaration is: its position at each depth, from the top inwards.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot(Vec<usize>);

/// How many of a component a declaration holds in each of its parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Where it is.
    pub spot: Spot,
    /// Its name, without indexes: `server.bridge.hba`.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// How many in each parent.
    pub count: u32,
    /// How many parents there are.
    pub parents: u32,
    /// Where its parent is.
    pub parent: Spot,
    /// Kind of the parent.
    pub parent_kind: &'static str,
    /// How many components fit into a parent, where it says so.
    pub slots: Option<u32>,
    /// What it says, but for its name and count: the same for equal components.
    pub content: String,
    /// What its parent says, and what else is in it: the same for equal parents.
    pub around: String,
}

/// A list of parts that a declaration states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Where the declaration is.
    pub spot: Spot,
    /// Kind of the declaration.
    pub kind: &'static str,
    /// Its name, else that of what it is in; empty where neither has one.
    pub name: String,
    /// The property that lists them.
    pub property: &'static str,
    /// The parts.
    pub parts: Selector,
}

/// What a declaration states instead.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Put {
    /// How many of it there are.
    Count(u32),
    /// The names of the parts that the property lists, in order.
    Parts(&'static str, Vec<String>),
}

/// What some declarations state instead.
pub type Changes = BTreeMap<Spot, Put>;

/// The properties that list parts which may be others.
const LISTS: [&str; 5] = ["from", "to", "of", "on", "at"];

impl Experiment {
    /// This experiment at one case, by the places of its levels: nothing varies any more.
    #[must_use]
    pub fn settled(&self, places: &[usize]) -> Self {
        let mut settled = self.clone();
        settled.factors.clear();
        for edit in self.levels_at(places).into_iter().flat_map(|level| &level.edits) {
            if edit.path.path.is_indexed() {
                settled.indexed.push(edit.clone());
            } else {
                settled.scene.apply(edit);
            }
        }
        settled
    }

    /// The same with some declarations changed.
    #[must_use]
    pub fn placed(&self, changes: &Changes) -> Self {
        let mut placed = self.clone();
        for (spot, put) in changes {
            if let Some(declaration) = at(&mut placed.scene.roots, &spot.0) {
                change(declaration, put);
            }
        }
        placed
    }

    /// Every component and volume of the path that is in another one, with how many there are.
    #[must_use]
    pub fn holdings(&self) -> Vec<Holding> {
        let mut holdings = Vec::new();
        for (place, root) in self.merged().iter().enumerate() {
            let whole = Within { spot: Spot(vec![place]), name: root.name.clone(), parents: 1 };
            hold(root, &whole, &mut holdings);
        }
        holdings
    }

    /// Every list of parts that could name others.
    #[must_use]
    pub fn listings(&self) -> Vec<Listing> {
        let mut listings = Vec::new();
        for (place, root) in self.scene.roots.iter().enumerate() {
            let spot = Spot(vec![place]);
            list(root, &spot, &root.name, &mut listings);
        }
        listings
    }

    /// The declarations with what `use` takes.
    fn merged(&self) -> Vec<Declaration> {
        let mut roots = self.scene.roots.clone();
        // What is wrong with a part is found when the case is made.
        self.scene.parts.merge(&mut roots, &mut Collected::default());
        roots
    }
}

impl Spot {
    fn child(&self, place: usize) -> Self {
        Self(self.0.iter().copied().chain([place]).collect())
    }

    /// What is common to everything below the same declaration at the top.
    #[must_use]
    pub fn root(&self) -> Option<usize> {
        self.0.first().copied()
    }

    /// What contains it; none at the top.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let (_, above) = self.0.split_last()?;
        (!above.is_empty()).then(|| Self(above.to_vec()))
    }
}

/// A declaration on the way down.
struct Within {
    spot: Spot,
    name: String,
    /// How many parents its declaration has, in all.
    parents: u32,
}

fn hold(parent: &Declaration, within: &Within, holdings: &mut Vec<Holding>) {
    let parents = within.parents.saturating_mul(parent.count().unwrap_or(1));
    for (place, child) in parent.children.iter().enumerate() {
        if !matches!(child.kind.role, Role::Container | Role::Target(_)) {
            continue;
        }
        let (spot, name) = (within.spot.child(place), format!("{}.{}", within.name, child.name));
        let slots = parent.get("slots").and_then(|slots| slots.value.count());
        holdings.push(Holding {
            spot: spot.clone(),
            name: name.clone(),
            kind: child.kind.name,
            count: child.count().unwrap_or(1),
            parents,
            parent: within.spot.clone(),
            parent_kind: parent.kind.name,
            slots: slots.and_then(|slots| u32::try_from(slots).ok()),
            content: content(child),
            around: around(parent, place),
        });
        hold(child, &Within { spot, name, parents }, holdings);
    }
}

/// What a declaration says, but for its name and count.
fn content(declaration: &Declaration) -> String {
    let children = declaration.children.iter();
    let children = children
        .map(|child| format!("{} {}x {}", child.name, child.count().unwrap_or(1), content(child)));
    format!("{} {{{}}}", stated(declaration), children.collect::<Vec<_>>().join(";"))
}

/// What a parent says, and what is in it beside the child at a place.
fn around(parent: &Declaration, without: usize) -> String {
    let others = parent.children.iter().enumerate().filter(|(place, _)| *place != without);
    let others = others.map(|(_, child)| format!("{} {}", child.name, content(child)));
    format!("{} {{{}}}", stated(parent), others.collect::<Vec<_>>().join(";"))
}

fn stated(declaration: &Declaration) -> String {
    let values = declaration.values.iter().filter(|(name, _)| **name != "count");
    let values = values.map(|(name, value)| format!(" {name}={}", value.value));
    declaration.kind.name.to_owned() + &values.collect::<String>()
}

fn list(declaration: &Declaration, spot: &Spot, within: &str, listings: &mut Vec<Listing>) {
    let name = if declaration.name.is_empty() { within } else { &declaration.name };
    for property in LISTS.into_iter().filter(|name| declaration.kind.property(name).is_some()) {
        let Some(parts) = declaration.selector(property) else { continue };
        listings.push(Listing {
            spot: spot.clone(),
            kind: declaration.kind.name,
            name: name.to_owned(),
            property,
            parts: parts.value,
        });
    }
    for (place, child) in declaration.children.iter().enumerate() {
        list(child, &spot.child(place), name, listings);
    }
}

fn at<'a>(roots: &'a mut [Declaration], way: &[usize]) -> Option<&'a mut Declaration> {
    let (first, rest) = way.split_first()?;
    let declaration = roots.get_mut(*first)?;
    if rest.is_empty() { Some(declaration) } else { at(&mut declaration.children, rest) }
}

fn change(declaration: &mut Declaration, put: &Put) {
    let (property, value) = match put {
        Put::Count(count) => ("count", Value::Count(u64::from(*count))),
        Put::Parts(property, names) => match names.join(", ").parse() {
            Ok(selector) => (*property, Value::Selector(selector)),
            Err(_) => return,
        },
    };
    let span = declaration.values.get(property).map_or(declaration.span, |value| value.span);
    declaration.values.insert(property, Sourced { value, origin: Origin::Unstated, span });
}
