//! Why a selector means no part of a resolved case: the first step that leads nowhere, and what
//! stands there instead.

use std::collections::BTreeSet;

use super::{PartId, System};
use crate::nearest;
use crate::selector::{Join, Path, Selector, Step, unindexed};

impl System {
    /// Of a selector that means nothing the reason and a hint, for each of its paths;
    /// empty where it means something.
    #[must_use]
    pub fn absent(&self, selector: &Selector) -> Vec<String> {
        if !self.select(selector).is_empty() {
            return Vec::new();
        }
        selector.paths.iter().filter_map(|path| self.absent_path(path)).collect()
    }

    fn absent_path(&self, path: &Path) -> Option<String> {
        let mut found: Option<BTreeSet<PartId>> = None;
        for (at, step) in path.steps.iter().enumerate() {
            let level: Vec<PartId> = self.level(found.as_ref(), step.join).collect();
            let meant: BTreeSet<PartId> =
                level.iter().copied().filter(|id| self.is_meant(*id, step)).collect();
            if meant.is_empty() {
                let parent = at.checked_sub(1).map(|before| path.steps[before].name.as_str());
                return Some(self.nowhere(step, parent, found.as_ref(), &level));
            }
            found = Some(meant);
        }
        None
    }

    /// What to say of a step that means none of the parts of a level.
    fn nowhere(
        &self,
        step: &Step,
        parent: Option<&str>,
        found: Option<&BTreeSet<PartId>>,
        level: &[PartId],
    ) -> String {
        let name = &step.name;
        let named = level.iter().filter(|id| self.declared(**id).name == *name);
        if let Some(last) = named.map(|id| self.part(*id).index).max() {
            let wanted = step.indexes.first().map_or(0, |range| range.first);
            let of = parent.unwrap_or("the study");
            return format!("{of} has no {name}[{wanted}]: the last one is {name}[{last}]");
        }
        let is_named = |id: &PartId| self.declared(*id).name == *name;
        let deeper = match parent {
            Some(_) => self.level(found, Join::Below).find(is_named),
            None => self.ids().find(is_named),
        };
        match (parent, deeper) {
            (Some(parent), Some(_)) => {
                format!("there is no \"{name}\" directly in {parent}: write {parent}..{name}")
            }
            (None, Some(deeper)) => {
                let whole = unindexed(&self.part(deeper).name);
                format!("there is no \"{name}\" at the top: write {whole}")
            }
            (_, None) => {
                let of = parent.map_or_else(String::new, |parent| format!(" in {parent}"));
                let names = level.iter().map(|id| self.declared(*id).name.as_str());
                let names: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
                let hint = nearest::hint(name, names);
                let hint = if hint.is_empty() { hint } else { format!("; {hint}") };
                format!("there is no \"{name}\"{of}{hint}")
            }
        }
    }
}
