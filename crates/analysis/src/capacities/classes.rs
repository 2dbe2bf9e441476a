//! Components that the same devices use in the same shares: no experiment tells them apart.

use std::collections::BTreeMap;

use super::Crossed;
use crate::probe::Members;

/// Components that are used alike.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// How the first is used.
    pub crossed: Crossed,
    /// Each with how much it passes for each unit of the first.
    pub components: Vec<(usize, f64)>,
}

impl Class {
    /// All components that some device uses, in classes.
    pub(super) fn all(components: &[Crossed]) -> Vec<Self> {
        let mut classes: Vec<Self> = Vec::new();
        let mut same_devices: BTreeMap<Members, Vec<usize>> = BTreeMap::new();
        for (number, crossed) in components.iter().enumerate() {
            let devices = crossed.devices();
            if devices.is_empty() {
                continue;
            }
            let same = same_devices.entry(devices).or_default();
            let equal = same.iter().find_map(|class| {
                crossed.times(&classes[*class].crossed).map(|times| (*class, times))
            });
            match equal {
                Some((class, times)) => classes[class].components.push((number, times)),
                None => {
                    same.push(classes.len());
                    let components = vec![(number, 1.0)];
                    classes.push(Self { crossed: crossed.clone(), components });
                }
            }
        }
        classes
    }
}
