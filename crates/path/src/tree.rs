//! A path as a tree of what its study declares: one node for each declaration, with how many parts
//! it makes and what limits them, so that thousands of parts are some lines. Parts that an
//! assignment changed are nodes of their own. What a node looks like is left to the report.

mod notes;

use std::collections::BTreeMap;

use iopath_study::language::Kind;
use iopath_study::source::Origin;
use iopath_study::system::Link;
use iopath_study::value::Value;
use iopath_study::{Case, Class, PartId, System};

use crate::capacity::Room;
use crate::select::select;

/// A path, what is laid over it, how it is joined, and who uses it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// What requests cross and where data is kept.
    pub path: Vec<Node>,
    /// Volumes, file systems and files.
    pub layout: Vec<Node>,
    /// Wires and zones, and how requests choose among routes.
    pub joints: Vec<Node>,
    /// The streams of each declaration.
    pub streams: Vec<Node>,
}

/// One declaration, or the parts of one that differ from the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The word that it begins with.
    pub kind: &'static str,
    /// Its name; a selector where it stands for some parts of a declaration only.
    pub name: String,
    /// How many there are within each parent.
    pub each: u64,
    /// How many there are in all.
    pub total: u64,
    /// What is said of it, defaults left out.
    pub properties: Vec<Property>,
    /// What follows from it, for people: members, geometry, room.
    pub notes: Vec<String>,
    /// What it contains.
    pub children: Vec<Node>,
}

/// A property with its value and who says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name in the study.
    pub name: &'static str,
    pub value: Value,
    /// Where that comes from.
    pub origin: Origin,
}

/// The tree of a case.
#[must_use]
pub fn tree(case: &Case) -> Tree {
    let system = &case.system;
    let mut tree = Tree::default();
    let mut classes: BTreeMap<usize, Vec<PartId>> = BTreeMap::new();
    for id in system.ids() {
        classes.entry(system.part(id).declared).or_default().push(id);
    }
    let mut within: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (declared, parts) in &classes {
        let parent = system.part(parts[0]).parent.map(|parent| system.part(parent).declared);
        if let Some(parent) = parent.filter(|parent| parent < declared) {
            within.entry(parent).or_default().push(*declared);
        }
    }
    let branches = Branches { system, classes: &classes, within, room: Room::new(system) };
    for (declared, parts) in &classes {
        if system.part(parts[0]).parent.is_none() {
            let kept_apart = matches!(system.class(parts[0]), Class::Volume | Class::File);
            let nodes = if kept_apart { &mut tree.layout } else { &mut tree.path };
            nodes.extend(branches.nodes(*declared, parts));
        }
    }
    tree.joints.extend(system.wires.iter().map(|link| joint(system, "wire", link)));
    tree.joints.extend(system.zones.iter().map(|link| joint(system, "zone", link)));
    tree.joints.extend(multipath(system));
    tree.streams = notes::streams(case);
    tree
}

impl Tree {
    /// How many nodes there are: at least as many lines.
    #[must_use]
    pub fn size(&self) -> usize {
        let all = [&self.path, &self.layout, &self.joints, &self.streams];
        all.into_iter().flatten().map(Node::size).sum()
    }
}

impl Node {
    fn size(&self) -> usize {
        1 + self.children.iter().map(Self::size).sum::<usize>()
    }
}

/// The parts of each declaration, while the tree grows.
struct Branches<'a> {
    system: &'a System,
    classes: &'a BTreeMap<usize, Vec<PartId>>,
    /// The declarations inside of each.
    within: BTreeMap<usize, Vec<usize>>,
    room: Room,
}

impl Branches<'_> {
    /// The node of a declaration, and those of its parts that were changed.
    fn nodes(&self, declared: usize, parts: &[PartId]) -> Vec<Node> {
        let declaration = &self.system.declarations[declared];
        let first = parts[0];
        let parent = self.system.part(first).parent;
        let beside = parts.iter().filter(|id| self.system.part(**id).parent == parent);
        let within = self.within.get(&declared).into_iter().flatten();
        let values = declaration.values.iter();
        let shown = values.filter(|(name, value)| is_said(declaration.kind, name, &value.value));
        let node = Node {
            kind: declaration.kind,
            name: declaration.name.clone(),
            each: beside.count() as u64,
            total: parts.len() as u64,
            properties: shown
                .map(|(name, value)| Property {
                    name,
                    value: value.value.clone(),
                    origin: value.origin.clone(),
                })
                .collect(),
            notes: notes::of(self.system, &self.room, parts),
            children: within.flat_map(|inner| self.nodes(*inner, &self.classes[inner])).collect(),
        };
        std::iter::once(node).chain(self.changed(declared, parts)).collect()
    }

    /// The parts that differ from their declaration, those that differ alike together.
    fn changed(&self, declared: usize, parts: &[PartId]) -> Vec<Node> {
        let kind = self.system.declarations[declared].kind;
        let mut alike: Vec<(Vec<Property>, Vec<PartId>)> = Vec::new();
        for &id in parts.iter().filter(|id| !self.system.part(**id).changed.is_empty()) {
            let changed = self.system.part(id).changed.iter();
            let changed: Vec<Property> = changed
                .map(|(name, value)| Property {
                    name,
                    value: value.value.clone(),
                    origin: value.origin.clone(),
                })
                .collect();
            match alike.iter_mut().find(|(other, _)| *other == changed) {
                Some((_, parts)) => parts.push(id),
                None => alike.push((changed, vec![id])),
            }
        }
        let nodes = alike.into_iter().map(|(properties, parts)| Node {
            kind,
            name: select(self.system, &parts),
            each: parts.len() as u64,
            total: parts.len() as u64,
            properties,
            notes: vec!["differs from the others".to_owned()],
            children: Vec::new(),
        });
        nodes.collect()
    }
}

/// Shown by what follows: packets of a link stand in the origin of its `read` and `write`.
const PACKETS: [&str; 5] = ["link-rate", "payload", "overhead", "write-payload", "write-overhead"];

/// Whether a value says more than its default does, and is not told by the tree itself.
fn is_said(kind: &str, name: &str, value: &Value) -> bool {
    let told =
        ["count", "use", "over", "on", "of", "at"].contains(&name) || PACKETS.contains(&name);
    let default = Kind::named(kind).and_then(|kind| kind.property(name)?.default);
    let shown = value.to_string();
    !told && default != Some(shown.trim_matches('"'))
}

fn joint(system: &System, kind: &'static str, link: &Link) -> Node {
    let (from, to): (Vec<PartId>, Vec<PartId>) = link.pairs.iter().copied().unzip();
    let latency = link.latency.as_ref().map(|latency| Property {
        name: "latency",
        value: Value::Time(latency.value),
        origin: latency.origin.clone(),
    });
    Node {
        kind,
        name: link.name.clone(),
        each: link.pairs.len() as u64,
        total: link.pairs.len() as u64,
        properties: latency.into_iter().collect(),
        notes: vec![format!("{} to {}", select(system, &from), select(system, &to))],
        children: Vec::new(),
    }
}

/// How requests choose among routes, where there may be several.
fn multipath(system: &System) -> Option<Node> {
    if system.wires.is_empty() {
        return None;
    }
    let word = system.multipath.policy.into();
    let said = |name, value| Property { name, value, origin: Origin::Unstated };
    let mut properties = vec![said("policy", Value::Word(word))];
    let most = system.multipath.most;
    properties.extend(most.map(|most| said("most", Value::Count(u64::from(most)))));
    if system.multipath.standby_used {
        properties.push(said("standby", Value::Word("used")));
    }
    Some(Node {
        kind: "multipath",
        name: String::new(),
        each: 1,
        total: 1,
        properties,
        notes: Vec::new(),
        children: Vec::new(),
    })
}
