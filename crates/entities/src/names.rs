//! Names of components: which declaration one comes from, and the selector text of several.
//!
//! A component is called like what contains it, a dot, and its own name with an index where its
//! declaration stands for more than one: `fastt[3].controller[0].lun`. A selector names exactly
//! the components that it is made of.

use std::collections::BTreeMap;

use iopath_path::{ComponentId, Network};
use iopath_study::selector::ranges;

/// The number of the declaration that each component comes from: equal for equal names but for
/// indexes, within equal declarations.
#[must_use]
pub fn declarations(network: &Network) -> Vec<u32> {
    let mut known: BTreeMap<(Option<u32>, &str), u32> = BTreeMap::new();
    let mut numbers: Vec<u32> = Vec::new();
    for component in &network.components {
        let parent = component.parent.map(|parent| numbers[parent.0 as usize]);
        let next = known.len() as u32;
        let (name, _) = indexed(own(network, &component.name, component.parent));
        numbers.push(*known.entry((parent, name)).or_insert(next));
    }
    numbers
}

/// The selector of components; those of one parent and name with their indexes.
pub(crate) fn selector(network: &Network, components: &[ComponentId]) -> String {
    paths(network, components).join(", ")
}

/// Streams and others whose names have no parent.
pub(crate) fn plain_selector<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut by_name: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (name, index) in names.map(indexed) {
        by_name.entry(name).or_default().extend(index);
    }
    let text = |(name, indexes): (&&str, &Vec<u32>)| format!("{name}{}", brackets(indexes));
    by_name.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn paths(network: &Network, components: &[ComponentId]) -> Vec<String> {
    // Indexes by parent and own name; then parents with equal indexes stand together.
    let mut indexes: BTreeMap<(Option<ComponentId>, &str), Vec<u32>> = BTreeMap::new();
    for id in components {
        let component = network.component(*id);
        let own = own(network, &component.name, component.parent);
        let is_inside = own.len() < component.name.len();
        let parent = component.parent.filter(|_| is_inside);
        let (name, index) = indexed(own);
        indexes.entry((parent, name)).or_default().extend(index);
    }
    let mut alike: BTreeMap<(&str, Vec<u32>), Vec<Option<ComponentId>>> = BTreeMap::new();
    for ((parent, name), indexes) in indexes {
        alike.entry((name, indexes)).or_default().push(parent);
    }
    let mut paths = Vec::new();
    for ((name, indexes), parents) in alike {
        let text = format!("{name}{}", brackets(&indexes));
        let inside: Vec<ComponentId> = parents.iter().copied().flatten().collect();
        if inside.len() < parents.len() {
            paths.push(text.clone());
        }
        if !inside.is_empty() {
            let above = self::paths(network, &inside);
            paths.extend(above.iter().map(|above| format!("{above}.{text}")));
        }
    }
    paths
}

/// A name without what contains it.
fn own<'a>(network: &Network, name: &'a str, parent: Option<ComponentId>) -> &'a str {
    let above = parent.and_then(|parent| name.strip_prefix(&network.component(parent).name));
    above.and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
}

/// A name and its index.
fn indexed(name: &str) -> (&str, Option<u32>) {
    let split = || {
        let (name, index) = name.strip_suffix(']')?.rsplit_once('[')?;
        Some((name, index.parse().ok()?))
    };
    split().map_or((name, None), |(name, index)| (name, Some(index)))
}

/// Indexes as ranges: `[0-3,7]`; nothing where there are none.
fn brackets(indexes: &[u32]) -> String {
    let mut sorted = indexes.to_vec();
    sorted.sort_unstable();
    if sorted.is_empty() { String::new() } else { format!("[{}]", ranges(&sorted)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iopath_path::Component;

    fn network(names: &[(&str, Option<u32>)]) -> Network {
        let component = |(name, parent): &(&str, Option<u32>)| Component {
            name: (*name).to_owned(),
            kind: "part",
            parent: parent.map(ComponentId),
            place: None,
            rows: Vec::new(),
            latency_s: 0.0,
            outstanding: None,
            variability: None,
            missing: Default::default(),
            removed: false,
        };
        let components = names.iter().map(component).collect();
        Network { components, ..Network::default() }
    }

    fn text(network: &Network, ids: &[u32]) -> String {
        selector(network, &ids.iter().copied().map(ComponentId).collect::<Vec<_>>())
    }

    #[test]
    fn a_selector_is_exact() {
        let names = [
            ("a[0]", None),
            ("a[0].c[0]", Some(0)),
            ("a[0].c[0].lun", Some(1)),
            ("a[0].c[1]", Some(0)),
            ("a[0].c[1].lun", Some(3)),
            ("a[1]", None),
            ("a[1].c[0]", Some(5)),
            ("a[1].c[0].lun", Some(6)),
            ("a[1].c[1]", Some(5)),
            ("a[1].c[1].lun", Some(8)),
            ("host", None),
        ];
        let network = network(&names);
        assert_eq!(text(&network, &[2, 4, 7, 9]), "a[0-1].c[0-1].lun");
        assert_eq!(text(&network, &[2]), "a[0].c[0].lun");
        assert_eq!(text(&network, &[2, 4, 7]), "a[1].c[0].lun, a[0].c[0-1].lun");
        assert_eq!(text(&network, &[0, 5, 10]), "a[0-1], host");
        let declarations = declarations(&network);
        assert_eq!(declarations[2], declarations[9]);
        assert_ne!(declarations[0], declarations[10]);
    }

    #[test]
    fn indexes_are_ranges() {
        let names = ["s[0]", "s[1]", "s[2]", "s[7]", "t", "odd[x]"];
        assert_eq!(plain_selector(names.into_iter()), "odd[x], s[0-2,7], t");
    }
}
