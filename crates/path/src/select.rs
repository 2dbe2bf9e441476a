//! Parts by the shortest selector that names them all and nothing else:
//! `fastt[0-52].controller.lun`. It is a selector of the study language, so it can be used there.
//!
//! Indexes are left out where all are meant. Lists that no single selector names become several.

use std::collections::BTreeMap;

use iopath_study::selector::cover;
use iopath_study::{PartId, System};

/// The most selectors that a text for people lists.
const MOST_SHOWN: usize = 4;

/// Selectors that name these parts and no other, in document order.
#[must_use]
pub fn selectors(system: &System, parts: &[PartId]) -> Vec<String> {
    let mut declared: BTreeMap<usize, Vec<PartId>> = BTreeMap::new();
    for part in parts {
        declared.entry(system.part(*part).declared).or_default().push(*part);
    }
    let mut alike: Vec<Vec<PartId>> = declared.into_values().collect();
    alike.sort_by_key(|parts| parts.iter().min().copied());
    let sizes = sizes(system);
    let texts = alike.iter().flat_map(|parts| {
        let sizes = indexed(system, &sizes, parts[0]);
        let names = parts.iter().map(|part| system.part(*part).name.as_str());
        cover(names, |place, indices| sizes.get(place) == Some(&indices.len()))
    });
    texts.collect()
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

/// How many of each declaration one parent has at most.
fn sizes(system: &System) -> Vec<u32> {
    let mut sizes = vec![0; system.declarations.len()];
    for part in &system.parts {
        let size = &mut sizes[part.declared];
        *size = part.index.saturating_add(1).max(*size);
    }
    sizes
}

/// How many there are of each declaration whose index a part's name says, from the outside in.
fn indexed(system: &System, sizes: &[u32], part: PartId) -> Vec<usize> {
    let up = std::iter::once(part).chain(system.ancestors(part));
    let sizes = up.map(|id| sizes[system.part(id).declared] as usize);
    let mut sizes: Vec<usize> = sizes.filter(|size| *size > 1).collect();
    sizes.reverse();
    sizes
}
