//! What a user gives up (`--allow-destroy`): targets that a profile may write to, by their path or
//! by the name that a refusal prints. Before the first write only that name counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use iopath_machine::Root;
use iopath_machine::safety::{self, Survey};
use iopath_study::Case;
use iopath_study::case::Target;

/// Names, each with the paths of a case that it means.
pub(super) struct GivenUp(BTreeMap<String, Vec<String>>);

impl GivenUp {
    pub(super) fn of(case: &Case, names: &[String]) -> Self {
        let mut means: BTreeMap<String, Vec<String>> =
            names.iter().map(|name| (name.clone(), Vec::new())).collect();
        if means.is_empty() {
            return Self(means);
        }
        let root = Root::live();
        let survey = Survey::read(&root);
        for path in case.targets.iter().flat_map(Target::real).collect::<BTreeSet<_>>() {
            let printed = safety::name_of(&survey, Path::new(path));
            for (name, paths) in &mut means {
                if is_same(name, path) || printed.as_ref() == Some(name) {
                    paths.push(path.clone());
                }
            }
        }
        Self(means)
    }

    pub(super) fn has(&self, path: &String) -> bool {
        self.0.values().any(|paths| paths.contains(path))
    }

    /// Names that mean no target.
    pub(super) fn unmatched(self) -> Vec<String> {
        self.0.into_iter().filter(|(_, paths)| paths.is_empty()).map(|(name, _)| name).collect()
    }
}

pub(crate) fn is_same(name: &str, path: &str) -> bool {
    let real = |text: &str| Path::new(text).canonicalize().ok();
    name == path || real(name).is_some_and(|name| real(path) == Some(name))
}
