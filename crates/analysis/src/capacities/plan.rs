//! Which sets of devices to measure: as few as tell every component's capacity, and those between
//! that show how each level scales.

use std::collections::BTreeSet;

use super::Crossed;
use crate::probe::Members;

/// Each device alone, all devices behind each component once, and all devices; small sets first.
/// With n devices and m sets of devices behind components these are at most n + m + 1.
#[must_use]
pub fn sets(devices: usize, components: &[Crossed]) -> Vec<Members> {
    let alone = (0..devices).map(|device| Members::from([device]));
    let behind = components.iter().map(Crossed::devices);
    let all: Members = (0..devices).collect();
    let wanted = alone.chain(behind).chain([all]).filter(|set| !set.is_empty());
    in_order(wanted.collect())
}

/// The steps from one part of a component to all of them, where it has more than two: 2, 4, 8 …
/// parts, each with all its devices. The first and the last step are among [`sets`].
#[must_use]
pub fn levels(devices: usize, components: &[Crossed]) -> Vec<Members> {
    let known = sets(devices, components);
    let mut steps = BTreeSet::new();
    for whole in known.iter().filter(|set| set.len() > 2) {
        let parts = parts(whole, &known);
        let counts = std::iter::successors(Some(2), |count| Some(count * 2));
        for count in counts.take_while(|count| *count < parts.len()) {
            steps.insert(parts[..count].iter().copied().flatten().copied().collect::<Members>());
        }
    }
    steps.retain(|step| !known.contains(step));
    in_order(steps)
}

/// The largest sets within one, where they share no device and cover it; else none.
pub(super) fn parts<'a>(whole: &Members, sets: &'a [Members]) -> Vec<&'a Members> {
    let is_within = |set: &&Members| *set != whole && set.is_subset(whole);
    let within: Vec<&Members> = sets.iter().filter(is_within).collect();
    let is_largest =
        |set: &&&Members| !within.iter().any(|other| set.is_subset(other) && other != *set);
    let parts: Vec<&Members> = within.iter().filter(is_largest).copied().collect();
    let covered: usize = parts.iter().map(|part| part.len()).sum();
    if covered == whole.len() { parts } else { Vec::new() }
}

fn in_order(sets: BTreeSet<Members>) -> Vec<Members> {
    let mut sets: Vec<Members> = sets.into_iter().collect();
    sets.sort_by_key(Members::len);
    sets
}
