//! Components that are called alike, have the same limits and are used alike, as one: fourteen
//! planars at 1332 MB/s are one line. They stand in the order of the tree, each behind what
//! contains it.
//!
//! Whoever uses a little less than his neighbours is still of their class: within
//! [`EQUAL_USE`], and within more where randomness is in the figures.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use iopath_record::{EntityId, Kind, Layer};
use serde::Serialize;

use super::limits::{LimitFinding, LimitUse, used};
use super::names::{Label, Names, Pattern};
use crate::groups::groups;
use crate::thresholds::groups::{EQUAL_USE, EQUAL_USE_AT_RANDOM};
use crate::usage::Usage;
use crate::usage::pass::Pass;

/// Components of equal name and equal use.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComponentUse {
    /// Their common name.
    pub name: String,
    /// What they are.
    pub kind: Kind,
    /// Where on the path they lie.
    pub layer: Layer,
    /// Position of what contains them in this list.
    pub parent: Option<usize>,
    /// How many.
    pub count: u64,
    /// How many things are called so in all.
    pub of: u64,
    /// Bytes that each reads, of the one that moves most; none where nobody counted.
    pub read_bytes_per_sec: Option<f64>,
    /// Bytes that each writes.
    pub write_bytes_per_sec: Option<f64>,
    /// Requests of each.
    pub operations_per_sec: Option<f64>,
    /// The largest share of any limit that is used.
    pub utilisation: Option<f64>,
    /// Every limit that is used, the fullest first.
    pub limits: Vec<LimitUse>,
    /// Every limit that each has, in its order.
    pub rated: Vec<LimitFinding>,
}

impl ComponentUse {
    /// Bytes that each moves.
    #[must_use]
    pub fn bytes_per_sec(&self) -> Option<f64> {
        match (self.read_bytes_per_sec, self.write_bytes_per_sec) {
            (None, None) => None,
            (read, write) => Some(read.unwrap_or_default() + write.unwrap_or_default()),
        }
    }

    /// Whether anything went through.
    #[must_use]
    pub fn is_used(&self) -> bool {
        let any = |value: Option<f64>| value.is_some_and(|value| value > 0.0);
        any(self.bytes_per_sec()) || any(self.operations_per_sec) || any(self.utilisation)
    }
}

/// One component before folding.
struct UnfoldedComponent {
    id: EntityId,
    read: Option<f64>,
    write: Option<f64>,
    operations: Option<f64>,
    limits: Vec<LimitUse>,
}

impl UnfoldedComponent {
    fn of(pass: &Pass<'_>, id: EntityId) -> Self {
        let entity = &pass.record.entities[id.0 as usize];
        let usage = Usage::of_entity(pass, id, pass.best());
        let each = |rate: Option<f64>| Some(rate? / f64::from(entity.count.max(1)));
        let mut limits: Vec<LimitUse> =
            entity.limits.iter().filter_map(|limit| used(pass, id, limit)).collect();
        limits.sort_by(|a, b| b.utilisation.total_cmp(&a.utilisation));
        Self {
            id,
            read: each(usage.read.bytes_per_sec),
            write: each(usage.write.bytes_per_sec),
            operations: each(usage.transfers.operations_per_sec),
            limits,
        }
    }

    fn utilisation(&self) -> Option<f64> {
        self.limits.first().map(|limit| limit.utilisation)
    }

    /// Bytes, requests and utilisation.
    fn measures(&self) -> [f64; 3] {
        let bytes = self.read.unwrap_or_default() + self.write.unwrap_or_default();
        [self.utilisation().unwrap_or_default(), bytes, self.operations.unwrap_or_default()]
    }

    /// The one that uses most first.
    fn order(&self, other: &Self) -> Ordering {
        let pairs = self.measures().into_iter().zip(other.measures());
        let order = pairs.map(|(mine, theirs)| theirs.total_cmp(&mine));
        order.fold(Ordering::Equal, Ordering::then).then(self.id.cmp(&other.id))
    }

    fn is_like(&self, other: &Self, alike: f64) -> bool {
        let pairs = self.measures().into_iter().zip(other.measures());
        pairs.into_iter().all(|(mine, theirs)| (mine - theirs).abs() <= alike * mine.max(theirs))
    }
}

/// All components of a record but its streams, folded.
pub(super) fn components(pass: &Pass<'_>, names: &Names<'_>) -> Vec<ComponentUse> {
    let mut alike: BTreeMap<(Pattern<'_>, Vec<LimitFinding>), Vec<UnfoldedComponent>> =
        BTreeMap::new();
    for (id, entity) in (0u32..).map(EntityId).zip(&pass.record.entities) {
        if entity.layer != Layer::Application {
            let rated = entity.limits.iter().map(LimitFinding::of).collect();
            let key = (names.pattern(id), rated);
            alike.entry(key).or_default().push(UnfoldedComponent::of(pass, id));
        }
    }
    let within = if pass.record.technique.is_exact() { EQUAL_USE } else { EQUAL_USE_AT_RANDOM };
    let cut = |all| cut(all, within);
    let mut classes: Vec<Vec<UnfoldedComponent>> = alike.into_values().flat_map(cut).collect();
    classes.sort_by_key(|class| class.iter().map(|one| one.id).min());
    in_tree_order(pass, names, &classes)
}

/// Components of one name, cut into those that are used equally; the busiest stands first. One that
/// differs from the class before it begins another, even where an older class is like it.
fn cut(mut all: Vec<UnfoldedComponent>, within: f64) -> Vec<Vec<UnfoldedComponent>> {
    all.sort_by(UnfoldedComponent::order);
    groups(all, 1, |first, one| first.is_like(one, within))
}

/// Each class behind the class that contains its first member.
fn in_tree_order(
    pass: &Pass<'_>,
    names: &Names<'_>,
    classes: &[Vec<UnfoldedComponent>],
) -> Vec<ComponentUse> {
    let entities = &pass.record.entities;
    let mut class_of: BTreeMap<EntityId, usize> = BTreeMap::new();
    for (index, class) in classes.iter().enumerate() {
        class_of.extend(class.iter().map(|one| (one.id, index)));
    }
    let parent = |class: &Vec<UnfoldedComponent>| {
        let first = class.iter().map(|one| one.id).min()?;
        class_of.get(&entities[first.0 as usize].parent?).copied()
    };
    let mut inside: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (index, class) in classes.iter().enumerate() {
        // Records need not list what contains before what is contained; nothing may be lost then.
        let parent = parent(class).filter(|parent| *parent < index);
        inside.entry(parent).or_default().push(index);
    }
    let mut all = Vec::new();
    let mut open: Vec<(usize, Option<usize>)> = children(&inside, None, None);
    while let Some((index, parent)) = open.pop() {
        all.push(component(pass, names, &classes[index], parent));
        open.extend(children(&inside, Some(index), Some(all.len() - 1)));
    }
    all
}

/// What a class contains, the last first, with the position that it has got.
fn children(
    inside: &BTreeMap<Option<usize>, Vec<usize>>,
    of: Option<usize>,
    position: Option<usize>,
) -> Vec<(usize, Option<usize>)> {
    let children = inside.get(&of).map_or(&[][..], Vec::as_slice);
    children.iter().rev().map(|child| (*child, position)).collect()
}

fn component(
    pass: &Pass<'_>,
    names: &Names<'_>,
    class: &[UnfoldedComponent],
    parent: Option<usize>,
) -> ComponentUse {
    let entities = &pass.record.entities;
    let busiest = &class[0];
    let entity = &entities[busiest.id.0 as usize];
    let members: Vec<EntityId> = class.iter().map(|one| one.id).collect();
    let Label { name, count, of } = names.label(&members);
    ComponentUse {
        name,
        kind: entity.kind.clone(),
        layer: entity.layer,
        parent,
        count,
        of,
        read_bytes_per_sec: busiest.read,
        write_bytes_per_sec: busiest.write,
        operations_per_sec: busiest.operations,
        utilisation: busiest.utilisation(),
        limits: busiest.limits.clone(),
        rated: entity.limits.iter().map(LimitFinding::of).collect(),
    }
}
