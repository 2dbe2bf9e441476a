//! A simulation that another rank is to do, as text: the case as its own study, and what its
//! network is built without.

use std::collections::BTreeSet;

use iopath_path::Network;
use iopath_record::Record;
use iopath_simulation::{Settings, simulate};
use iopath_study::{Case, PartId};
use serde::{Deserialize, Serialize};

use super::sent::read_case;

/// A simulation that another rank is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    case: String,
    removed: BTreeSet<usize>,
    settings: Settings,
}

impl Order {
    pub(crate) fn new(case: &Case, network: &Network, settings: &Settings) -> Self {
        let removed = network.removed.iter().map(|part| part.0).collect();
        Self { case: case.text.clone(), removed, settings: *settings }
    }

    /// Does it.
    pub(super) fn simulated(&self) -> Result<Record, String> {
        let case = read_case(&self.case)?;
        let removed = self.removed.iter().map(|part| PartId(*part)).collect();
        let network = Network::build(&case, &removed).map_err(|wrong| {
            wrong.into_iter().map(|mistake| mistake.text).collect::<Vec<_>>().join("; ")
        })?;
        Ok(simulate(&case, &network, &self.settings))
    }
}
