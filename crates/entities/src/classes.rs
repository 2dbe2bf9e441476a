//! Which components a record tells of, and which of them are one entity.

use std::collections::BTreeMap;

use iopath_path::{ComponentId, Network};

use crate::limits::alike;
use crate::names::declarations;

/// What makes components one entity: declaration, class of what contains it, its limits as
/// numbers, and what the model says.
type Key = (u32, Option<u32>, Vec<u32>, Option<Vec<u64>>);

/// Components that are alike, in the order of their first members; `limits` has those of each.
pub(crate) fn classes(
    network: &Network,
    limits: &[Vec<u32>],
    keys: &dyn Fn(ComponentId) -> Option<Vec<u64>>,
) -> Vec<Vec<ComponentId>> {
    let mut keys: Vec<_> =
        (0..network.components.len() as u32).map(ComponentId).map(keys).collect();
    let shown = shown(network, limits, &keys);
    let (declarations, alike) = (declarations(network), alike(network));
    let mut known: BTreeMap<Key, u32> = BTreeMap::new();
    let mut class_of: Vec<Option<u32>> = vec![None; network.components.len()];
    let mut members: Vec<Vec<ComponentId>> = Vec::new();
    for (index, component) in network.components.iter().enumerate().filter(|(at, _)| shown[*at]) {
        let parent = component.parent.and_then(|parent| class_of[parent.0 as usize]);
        let limits = limits[index].iter().map(|limit| alike[*limit as usize]).collect();
        let key = (declarations[index], parent, limits, keys[index].take());
        let class = *known.entry(key).or_insert(members.len() as u32);
        if class as usize == members.len() {
            members.push(Vec::new());
        }
        class_of[index] = Some(class);
        members[class as usize].push(ComponentId(index as u32));
    }
    members
}

/// Which components are in the table: see [`Table::new`](crate::Table::new).
fn shown(network: &Network, limits: &[Vec<u32>], keys: &[Option<Vec<u64>>]) -> Vec<bool> {
    let mut shown = vec![false; network.components.len()];
    // Parents stand before what they contain.
    for (index, component) in network.components.iter().enumerate().rev() {
        let tells = keys[index].is_some() || !limits[index].is_empty();
        shown[index] |= tells && !component.removed;
        if let Some(parent) = component.parent.filter(|_| shown[index]) {
            shown[parent.0 as usize] = true;
        }
    }
    shown
}
