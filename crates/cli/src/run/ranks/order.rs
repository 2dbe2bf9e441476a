//! A simulation that another rank is to do, as text: the case as its own study, and what its
//! network is built without.
//!
//! The text says it all, and takes long to read. So a rank that has the study makes the case from
//! there, by its names, and takes it where its text is the same.

use std::collections::BTreeSet;

use iopath_path::Network;
use iopath_record::Record;
use iopath_simulation::{Settings, simulate};
use iopath_study::{Case, PartId, Study};
use serde::{Deserialize, Serialize};

use super::sent::read_case;

/// A simulation that another rank is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    experiment: String,
    levels: Vec<String>,
    /// The text of the case.
    case: String,
    removed: BTreeSet<usize>,
    settings: Settings,
}

impl Order {
    pub(crate) fn new(case: &Case, network: &Network, settings: &Settings) -> Self {
        let removed = network.removed.iter().map(|part| part.0).collect();
        let levels = case.levels.iter().map(|chosen| chosen.level.clone()).collect();
        let (experiment, text) = (case.experiment.clone(), case.text.clone());
        Self { experiment, levels, case: text, removed, settings: *settings }
    }

    /// Does it, by a rank that may have the study.
    pub(super) fn simulated(&self, study: Option<&Study>) -> Result<Record, String> {
        let known = study.and_then(|study| study.case_of(&self.experiment, &self.levels));
        let known = known.filter(|case| case.text == self.case);
        let case = known.map_or_else(|| read_case(&self.case), Ok)?;
        let removed = self.removed.iter().map(|part| PartId(*part)).collect();
        let network = Network::build(&case, &removed).map_err(|wrong| {
            wrong.into_iter().map(|mistake| mistake.text).collect::<Vec<_>>().join("; ")
        })?;
        Ok(simulate(&case, &network, &self.settings))
    }
}
