//! Names of components: which declaration one comes from, and the selector text of several.
//!
//! A component is called like what contains it, a dot, and its own name with an index where its
//! declaration stands for more than one: `fastt[3].controller[0].lun`. A selector names exactly
//! the components that it is made of.

use std::collections::BTreeMap;

use iopath_path::Network;
use iopath_study::selector::{cover, unindexed_parts};

/// The number of the declaration that each component comes from: equal for equal names but for
/// indexes, within equal declarations.
#[must_use]
pub fn declarations(network: &Network) -> Vec<u32> {
    let mut known: BTreeMap<String, u32> = BTreeMap::new();
    let mut name = String::new();
    let mut numbers = Vec::with_capacity(network.components.len());
    for component in &network.components {
        name.clear();
        name.extend(unindexed_parts(&component.name));
        let next = known.len() as u32;
        let number = known.get(&name).copied().unwrap_or_else(|| {
            known.insert(name.clone(), next);
            next
        });
        numbers.push(number);
    }
    numbers
}

/// The selector of components or streams, every index said.
pub(crate) fn selector<'a>(names: impl Iterator<Item = &'a str>) -> String {
    cover(names, |_, _| false).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_is_exact() {
        for (names, expected) in [
            (
                vec!["a[0].c[0].lun", "a[0].c[1].lun", "a[1].c[0].lun", "a[1].c[1].lun"],
                "a[0-1].c[0-1].lun",
            ),
            (vec!["a[0].c[0].lun"], "a[0].c[0].lun"),
            (
                vec!["a[0].c[0].lun", "a[0].c[1].lun", "a[1].c[0].lun"],
                "a[0].c[0-1].lun, a[1].c[0].lun",
            ),
            (vec!["a[0]", "a[1]", "host"], "a[0-1], host"),
            (vec!["s[0]", "s[1]", "s[2]", "s[7]", "t", "odd[x]"], "s[0-2,7], t, odd[x]"),
        ] {
            assert_eq!(selector(names.into_iter()), expected);
        }
    }
}
