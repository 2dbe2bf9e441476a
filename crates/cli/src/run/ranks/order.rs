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
        let known = study.and_then(|study| self.known(study));
        let case = known.map_or_else(|| read_case(&self.case), Ok)?;
        let removed = self.removed.iter().map(|part| PartId(*part)).collect();
        let network = Network::build(&case, &removed).map_err(|wrong| {
            wrong.into_iter().map(|mistake| mistake.text).collect::<Vec<_>>().join("; ")
        })?;
        Ok(simulate(&case, &network, &self.settings))
    }

    /// The case, where it is one of this study.
    fn known(&self, study: &Study) -> Option<Case> {
        let named = study.case_of(&self.experiment, &self.levels);
        named.filter(|case| case.text == self.case)
    }
}

#[cfg(test)]
mod tests {
    use iopath_study::{Asked, Assignment, Source, parse_asked};

    use super::super::sent::StudySent;
    use super::*;

    fn study(blocks: &str, set: &str) -> Study {
        let text = format!(
            "study \"t\"\npath {{ host \"h\" {{ disk \"d\" read=\"1 GB/s\" }} }}\n\
             workload time=\"1 s\" {{ streams \"s\" over=\"h.d\" op=\"read\" block=\"4 KiB\" }}\n\
             vary {{ factor \"block\" of=\"s.block\" {blocks} }}\n"
        );
        let source = Source { name: "t.kdl".to_owned(), text };
        let sets = [Assignment::parse(set).unwrap()];
        parse_asked(&source, &[], Asked { sets: &sets, ..Asked::default() }).unwrap()
    }

    #[test]
    fn another_rank_makes_every_case_from_the_study_that_it_was_sent() {
        let own = study("\"4 KiB\" \"8 KiB\"", "s.depth=3");
        let sent = serde_json::to_string(&StudySent::of(&own)).unwrap();
        let there = serde_json::from_str::<StudySent>(&sent).unwrap().read().unwrap();
        for case in own.cases().unwrap() {
            let network = Network::build(&case, &BTreeSet::new()).unwrap();
            let order = Order::new(&case, &network, &Settings::default());
            assert_eq!(order.known(&there), Some(case.clone()));
            // A study of the same names says something else.
            assert_eq!(order.known(&study("\"4 KiB\" \"8 KiB\"", "s.depth=4")), None);
            assert_eq!(order.known(&study("\"16 KiB\"", "s.depth=3")), None);
        }
    }
}
