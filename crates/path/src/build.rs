//! Case to Network, step by step.

use std::collections::BTreeSet;

use iopath_study::{Case, PartId, System};

use crate::components;
use crate::loads;
use crate::mistake::PathMistake;
use crate::network::Network;
use crate::reach;
use crate::rebuild;
use crate::removal;
use crate::routes::Routes;
use crate::running::starts;

impl Network {
    /// What is left of it when these parts fail, too: with the same components, rows and pools, but
    /// legs and streams as they were.
    #[must_use]
    pub fn degraded(&self, system: &System, failed: &BTreeSet<PartId>) -> Self {
        let mut network = self.clone();
        let gone = system.ids().filter(|id| network.components[id.0].removed);
        let removed = failed.iter().copied().chain(gone).collect();
        removal::remove(system, &removed, &mut network);
        network
    }

    /// The network of a case, without the parts that are removed and what they contain.
    ///
    /// # Errors
    /// All mistakes of the path that keep its streams from running, in the order of the study.
    pub fn build(case: &Case, removed: &BTreeSet<PartId>) -> Result<Self, Vec<PathMistake>> {
        let mut network = Self { removed: removed.clone(), ..Self::default() };
        components::lay(&case.system, &mut network);
        removal::remove(&case.system, removed, &mut network);
        let mut routes = Routes::new(&case.system, &network);
        let (running, mut mistakes) = starts(case);
        let (running, missing) = reach::keep(case, running, &mut network, &mut routes);
        mistakes.extend(missing);
        let laid = loads::lay(case, &mut network, &mut routes, &running);
        let laid = match laid {
            Ok(laid) if mistakes.is_empty() => laid,
            Ok(_) => return Err(in_order(mistakes)),
            Err(wrong) => {
                mistakes.extend(wrong);
                return Err(in_order(mistakes));
            }
        };
        routes.finish(&mut network);
        laid.finish(case, &mut network);
        let rebuilt = rebuild::mechanisms(case, &network);
        network.mechanisms.extend(rebuilt);
        Ok(network)
    }
}

fn in_order(mut mistakes: Vec<PathMistake>) -> Vec<PathMistake> {
    mistakes.sort_by_key(|mistake| (mistake.span, mistake.kind));
    mistakes
}
