//! Components that the same devices use in the same shares: no experiment tells them apart.

use super::Crossed;

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
        let used = components.iter().enumerate();
        for (number, crossed) in used.filter(|(_, crossed)| !crossed.devices().is_empty()) {
            let alike = classes
                .iter_mut()
                .find_map(|class| crossed.times(&class.crossed).map(|times| (class, times)));
            match alike {
                Some((class, times)) => class.components.push((number, times)),
                None => {
                    let components = vec![(number, 1.0)];
                    classes.push(Self { crossed: crossed.clone(), components });
                }
            }
        }
        classes
    }
}
