//! Parts by the shortest selector that names them all and nothing else:
//! `fastt[0-52].controller.lun`. It is a selector of the study language, so it can be used there.
//!
//! Indexes are left out where all are meant. Lists that no single selector names become several.

use std::collections::BTreeMap;

use iopath_study::selector::ranges;
use iopath_study::{PartId, System};

/// The most selectors that a text for people lists.
const MOST_SHOWN: usize = 4;

/// What parts of one declaration have in common: the declarations from the outside in.
type Chain = Vec<usize>;

/// Selectors that name these parts and no other, in document order.
#[must_use]
pub fn selectors(system: &System, parts: &[PartId]) -> Vec<String> {
    let mut parts = parts.to_vec();
    parts.sort();
    parts.dedup();
    let mut classes: Vec<(Chain, Vec<Vec<u32>>)> = Vec::new();
    let mut places: BTreeMap<usize, usize> = BTreeMap::new();
    for part in parts {
        let (chain, indexes) = position(system, part);
        let declared = system.part(part).declared;
        let place = *places.entry(declared).or_insert_with(|| {
            classes.push((chain, Vec::new()));
            classes.len() - 1
        });
        classes[place].1.push(indexes);
    }
    let sizes = sizes(system);
    classes.iter().flat_map(|(chain, rows)| compress(system, &sizes, chain, rows)).collect()
}

/// The same as one text for people; long lists are cut.
#[must_use]
pub fn select(system: &System, parts: &[PartId]) -> String {
    let mut all = selectors(system, parts);
    let rest = all.len().saturating_sub(MOST_SHOWN);
    all.truncate(MOST_SHOWN);
    let shown = all.join(", ");
    if rest == 0 { shown } else { format!("{shown} and {rest} more") }
}

/// The declarations and indexes of a part, from the outside in.
fn position(system: &System, part: PartId) -> (Chain, Vec<u32>) {
    let mut up: Vec<PartId> = system.ancestors(part).collect();
    up.reverse();
    up.push(part);
    let parts = up.iter().map(|id| system.part(*id));
    parts.map(|part| (part.declared, part.index)).unzip()
}

/// How many of each declaration one parent has at most.
fn sizes(system: &System) -> Vec<u32> {
    let mut sizes = vec![0; system.declarations.len()];
    for part in &system.parts {
        let size = &mut sizes[part.declared];
        *size = part.index.saturating_add(1).max(*size);
    }
    sizes
}

/// One selector for all rows of indexes that agree from here on.
fn compress(system: &System, sizes: &[u32], chain: &[usize], rows: &[Vec<u32>]) -> Vec<String> {
    let Some((&declared, rest)) = chain.split_first() else { return vec![String::new()] };
    let mut below: BTreeMap<u32, Vec<Vec<u32>>> = BTreeMap::new();
    for row in rows {
        if let Some((index, row)) = row.split_first() {
            below.entry(*index).or_default().push(row.to_vec());
        }
    }
    let mut agreeing: Vec<(Vec<String>, Vec<u32>)> = Vec::new();
    for (index, rows) in below {
        let ends = compress(system, sizes, rest, &rows);
        match agreeing.iter_mut().find(|(other, _)| *other == ends) {
            Some((_, indexes)) => indexes.push(index),
            None => agreeing.push((ends, vec![index])),
        }
    }
    let name = &system.declarations[declared].name;
    let step = |indexes: &[u32]| format!("{name}{}", brackets(indexes, sizes[declared]));
    let joined = agreeing.iter().flat_map(|(ends, indexes)| {
        let step = step(indexes);
        ends.iter().map(move |end| match end.as_str() {
            "" => step.clone(),
            end => format!("{step}.{end}"),
        })
    });
    joined.collect()
}

/// `[0-3,5]`; nothing where all are meant.
fn brackets(indexes: &[u32], size: u32) -> String {
    if indexes.len() == size as usize {
        return String::new();
    }
    format!("[{}]", ranges(indexes))
}
