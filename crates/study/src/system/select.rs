//! Parts by selector, when a case is resolved already: for what is asked beside the study, such as
//! parts to be taken out. Selectors inside a study are looked up while it is read, in `instances`,
//! where they can be told wrong with their place.

use std::collections::BTreeSet;

use super::{PartId, System};
use crate::selector::{Join, Path, Selector, Step};

impl System {
    /// The parts that a selector means, in document order, none twice; empty where it means none.
    #[must_use]
    pub fn select(&self, selector: &Selector) -> BTreeSet<PartId> {
        selector.paths.iter().flat_map(|path| self.select_path(path)).collect()
    }

    fn select_path(&self, path: &Path) -> BTreeSet<PartId> {
        let (first, rest) = path.steps.split_first().expect("a path has a step");
        let tops = self.ids().filter(|id| self.part(*id).parent.is_none());
        let mut found: BTreeSet<PartId> = tops.filter(|id| self.is_meant(*id, first)).collect();
        for step in rest {
            let inside = |id: PartId| match step.join {
                Join::Child => self.part(id).parent.is_some_and(|up| found.contains(&up)),
                Join::Below => self.ancestors(id).any(|up| found.contains(&up)),
            };
            found = self.ids().filter(|id| self.is_meant(*id, step) && inside(*id)).collect();
        }
        found
    }

    /// Whether name and index of a part are those of a step.
    fn is_meant(&self, id: PartId, step: &Step) -> bool {
        let index = self.part(id).index;
        let holds = |range: &crate::selector::Range| (range.first..=range.last).contains(&index);
        let is_wanted = step.indexes.is_empty() || step.indexes.iter().any(holds);
        is_wanted && self.declared(id).name == step.name
    }
}
