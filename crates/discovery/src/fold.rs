//! Equal parts as one declaration with a count, and where each of them is then.
//!
//! Parts are equal where kind, values and everything in them are; the kernel's names are not
//! looked at. The instances of a declaration stand parent by parent, as the language has them.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Component, Property};

/// The name at the top of a study that assignments give a meaning of its own.
pub(crate) const RESERVED: &str = "workload";

/// A declaration: as many equal parts as it counts, within each parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub kind: &'static str,
    pub name: String,
    pub count: usize,
    pub uses: Option<String>,
    pub values: Vec<Property>,
    pub remark: String,
    /// The kernel's names of all instances, in order.
    pub kernel: Vec<String>,
    /// The nodes of all instances, in order; empty for what is no block device.
    pub nodes: Vec<String>,
    pub children: Vec<Declaration>,
}

/// One step on the way to an instance: name, and index where there are several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub name: String,
    pub index: Option<usize>,
}

/// Where parts are, by what the kernel calls them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    pub of: BTreeMap<String, Vec<Step>>,
    /// All instances in the order of the document, with their ways.
    pub all: Vec<(String, Vec<Step>)>,
}

/// The declarations of top-level parts.
pub(crate) fn declarations(parts: &[Component]) -> Vec<Declaration> {
    let parts: Vec<Component> = parts.iter().map(gathered).collect();
    named(&[parts.iter().collect()], BTreeSet::from([RESERVED.to_owned()]))
}

/// A part with equal ones among its children next to each other.
fn gathered(part: &Component) -> Component {
    let children: Vec<Component> = part.children.iter().map(gathered).collect();
    let mut groups: Vec<(String, Vec<Component>)> = Vec::new();
    for child in children {
        let shape = shape(&child);
        match groups.iter_mut().find(|(other, _)| *other == shape) {
            Some((_, group)) => group.push(child),
            None => groups.push((shape, vec![child])),
        }
    }
    let children = groups.into_iter().flat_map(|(_, group)| group).collect();
    Component { children, ..part.clone() }
}

/// Everything that makes two parts equal, as text.
fn shape(part: &Component) -> String {
    let Component { kind, uses, values, remark, common, children, node, .. } = part;
    let children: Vec<String> = children.iter().map(shape).collect();
    let is_device = node.is_some();
    format!("{kind}|{common}|{uses:?}|{values:?}|{remark}|{is_device}|{children:?}")
}

/// The declarations of the children of equal parents, each given as its list of children; their
/// names are none of those that are taken.
fn named(families: &[Vec<&Component>], mut taken: BTreeSet<String>) -> Vec<Declaration> {
    let Some(first) = families.first() else { return Vec::new() };
    let shapes: Vec<String> = first.iter().map(|part| shape(part)).collect();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (at, shape) in shapes.iter().enumerate() {
        match ranges.last_mut() {
            Some((begin, end)) if shapes[*begin] == *shape => *end = at + 1,
            _ => ranges.push((at, at + 1)),
        }
    }
    let declare = |(begin, end): (usize, usize)| {
        let members = families.iter().flat_map(|family| family.get(begin..end).unwrap_or(&[]));
        let all: Vec<&Component> = members.copied().collect();
        let mut declaration = declaration(&all, end - begin);
        declaration.name = unused(&declaration.name, &mut taken);
        declaration
    };
    ranges.into_iter().map(declare).collect()
}

fn declaration(all: &[&Component], count: usize) -> Declaration {
    let first = all[0];
    let families: Vec<Vec<&Component>> =
        all.iter().map(|part| part.children.iter().collect()).collect();
    Declaration {
        kind: first.kind,
        name: if all.len() == 1 { first.name.clone() } else { first.common.clone() },
        count,
        uses: first.uses.clone(),
        values: first.values.clone(),
        remark: first.remark.clone(),
        kernel: all.iter().map(|part| part.kernel.clone()).collect(),
        nodes: all.iter().filter_map(|part| part.node.clone()).collect(),
        children: named(&families, BTreeSet::new()),
    }
}

/// A name that no sibling has.
pub(crate) fn unused(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut found = name.to_owned();
    let mut number = 2;
    while !taken.insert(found.clone()) {
        found = format!("{name}-{number}");
        number += 1;
    }
    found
}

impl Places {
    /// The places of all instances of some top-level declarations.
    pub(crate) fn of(declarations: &[Declaration]) -> Self {
        let mut places = Self::default();
        for declaration in declarations {
            for ordinal in 0..declaration.count {
                places.add(declaration, ordinal, &[]);
            }
        }
        for (kernel, way) in &places.all {
            places.of.entry(kernel.clone()).or_insert_with(|| way.clone());
        }
        places
    }

    /// Adds the instance of this number among all of its declaration, with all that it contains.
    fn add(&mut self, declaration: &Declaration, ordinal: usize, above: &[Step]) {
        let kernel = declaration.kernel.get(ordinal).cloned().unwrap_or_default();
        let index = (declaration.count > 1).then_some(ordinal % declaration.count.max(1));
        let mut way = above.to_vec();
        way.push(Step { name: declaration.name.clone(), index });
        self.all.push((kernel, way.clone()));
        for child in &declaration.children {
            for index in 0..child.count {
                self.add(child, ordinal * child.count + index, &way);
            }
        }
    }

    /// Whether this is a part of the path.
    pub(crate) fn has(&self, kernel: &str) -> bool {
        self.of.contains_key(kernel)
    }

    /// A selector of some parts, in this order; `None` where one is not there.
    pub(crate) fn select(&self, wanted: &[String]) -> Option<String> {
        let ways: Vec<&Vec<Step>> =
            wanted.iter().map(|kernel| self.of.get(kernel)).collect::<Option<_>>()?;
        let mut paths: Vec<String> = Vec::new();
        let mut at = 0;
        while at < ways.len() {
            let (path, length) = self.longest(&ways[at..]);
            paths.push(path);
            at += length;
        }
        Some(paths.join(", "))
    }

    /// A path that selects the first of some ways and as many after it as one path can.
    fn longest(&self, ways: &[&Vec<Step>]) -> (String, usize) {
        let first = ways[0];
        for kept in 0..first.len() {
            let alike: Vec<&Vec<Step>> = self
                .all
                .iter()
                .map(|(_, way)| way)
                .filter(|way| {
                    way.len() == first.len()
                        && way[..kept] == first[..kept]
                        && way[kept..].iter().zip(&first[kept..]).all(|(a, b)| a.name == b.name)
                })
                .collect();
            if alike.len() <= ways.len() && alike.iter().zip(ways).all(|(a, b)| a == b) {
                let run = self.run(first, ways);
                // The more it is, the better; of equal ones what needs no index.
                let whole = (self.path(first, kept), alike.len());
                return if run.1 > whole.1 { run } else { whole };
            }
        }
        self.run(first, ways)
    }

    /// The path that keeps the indexes of the first `kept` steps; the rest is shortened to `..`
    /// where its last name is met only there.
    fn path(&self, way: &[Step], kept: usize) -> String {
        let head = kept.max(1);
        let (above, below) = way.split_at(head.min(way.len()));
        let plain = |steps: &[Step]| {
            steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>().join(".")
        };
        let above = if kept > 0 { words(above) } else { plain(above) };
        let Some(last) = below.last() else { return above };
        let names: BTreeSet<Vec<&str>> = self
            .all
            .iter()
            .map(|(_, other)| other)
            .filter(|other| other.len() > head && other[..head] == way[..head])
            .filter(|other| other.last().is_some_and(|step| step.name == last.name))
            .map(|other| other.iter().map(|step| step.name.as_str()).collect())
            .collect();
        match below.len() > 1 && names.len() == 1 && kept <= head {
            true => format!("{above}..{}", last.name),
            false => format!("{above}.{}", plain(below)),
        }
    }

    /// Indexes that follow one another at the last step that has one, within one parent; what
    /// stands behind it must be the same.
    fn run(&self, first: &[Step], ways: &[&Vec<Step>]) -> (String, usize) {
        let Some(at) = first.iter().rposition(|step| step.index.is_some()) else {
            return (words(first), 1);
        };
        let begin = first[at].index.unwrap_or(0);
        let follows = |(offset, way): &(usize, &&Vec<Step>)| {
            way.len() == first.len()
                && way[..at] == first[..at]
                && way[at].name == first[at].name
                && way[at].index == Some(begin + offset)
                && way[at + 1..] == first[at + 1..]
        };
        let length = ways.iter().enumerate().take_while(follows).count().max(1);
        let range = match length {
            1 => begin.to_string(),
            _ => format!("{begin}-{}", begin + length - 1),
        };
        let step = format!("{}[{range}]", first[at].name);
        let above = match self.is_within_one(&first[..=at]) {
            true => format!("{}..", words(&first[..1])),
            false if at > 0 => format!("{}.", words(&first[..at])),
            false => String::new(),
        };
        let below = match words(&first[at + 1..]) {
            empty if empty.is_empty() => empty,
            below => format!(".{below}"),
        };
        (format!("{above}{step}{below}"), length)
    }

    /// Whether all parts of this name below the same top stand in one and the same part, deeper
    /// than directly in the top.
    fn is_within_one(&self, way: &[Step]) -> bool {
        let Some((last, above)) = way.split_last() else { return false };
        let mut alike = self.all.iter().map(|(_, other)| other).filter(|other| {
            other.first() == way.first()
                && other.len() > 1
                && other.last().is_some_and(|step| step.name == last.name)
        });
        above.len() > 1 && alike.all(|other| other[..other.len() - 1] == *above)
    }

    /// Some parts in the order of the document; those that are none of it stand last.
    pub(crate) fn sorted(&self, names: &[String]) -> Vec<String> {
        let mut sorted = names.to_vec();
        let place = |name: &String| self.all.iter().position(|(kernel, _)| kernel == name);
        sorted.sort_by_cached_key(|name| (place(name).is_none(), place(name)));
        sorted
    }
}

/// Steps as a selector has them.
pub(crate) fn words(steps: &[Step]) -> String {
    let words = steps.iter().map(|step| match step.index {
        Some(index) => format!("{}[{index}]", step.name),
        None => step.name.clone(),
    });
    words.collect::<Vec<_>>().join(".")
}
