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
        let step = |found: Option<BTreeSet<PartId>>, step: &Step| {
            let level = self.level(found.as_ref(), step.join);
            Some(level.filter(|id| self.is_meant(*id, step)).collect())
        };
        path.steps.iter().fold(None, step).unwrap_or_default()
    }

    /// Where a step looks: in what was found before it, of the first one at the top.
    pub(super) fn level(
        &self,
        found: Option<&BTreeSet<PartId>>,
        join: Join,
    ) -> impl Iterator<Item = PartId> {
        self.ids().filter(move |id| match (found, join) {
            (None, _) => self.part(*id).parent.is_none(),
            (Some(found), Join::Child) => {
                self.part(*id).parent.is_some_and(|up| found.contains(&up))
            }
            (Some(found), Join::Below) => self.ancestors(*id).any(|up| found.contains(&up)),
        })
    }

    /// Whether name and index of a part are those of a step.
    pub(super) fn is_meant(&self, id: PartId, step: &Step) -> bool {
        let index = self.part(id).index;
        let holds = |range: &crate::selector::Range| (range.first..=range.last).contains(&index);
        let is_wanted = step.indexes.is_empty() || step.indexes.iter().any(holds);
        is_wanted && self.declared(id).name == step.name
    }
}
