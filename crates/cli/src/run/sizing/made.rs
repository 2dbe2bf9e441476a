//! A build as a case with its network, and what is left of that after losses. Of losses that are
//! asked for more than once it is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use iopath_path::{Network, PathMistake};
use iopath_study::{Case, Item, PartId};

use super::demands::Demands;
use super::{Asked, Typical};

/// A build with everything in place.
pub(super) struct Made {
    pub case: Case,
    pub network: Network,
    /// The losses that are kept.
    left: BTreeMap<BTreeSet<PartId>, Arc<Reduced>>,
}

/// What is left without some parts.
pub(super) struct Reduced {
    pub network: Result<Network, Vec<PathMistake>>,
    demands: OnceLock<Option<Demands>>,
}

impl Made {
    pub(super) fn new(case: Case, network: Network) -> Self {
        Self { case, network, left: BTreeMap::new() }
    }

    pub(super) fn without(&self, gone: &BTreeSet<PartId>) -> Arc<Reduced> {
        let new = || {
            let network = Network::build(&self.case, gone);
            Arc::new(Reduced { network, demands: OnceLock::new() })
        };
        self.left.get(gone).cloned().unwrap_or_else(new)
    }

    /// The same, which is kept.
    pub(super) fn keep(&mut self, gone: &BTreeSet<PartId>) -> Arc<Reduced> {
        let left = self.without(gone);
        self.left.entry(gone.clone()).or_insert(left).clone()
    }

    /// What is left after a typical loss, which is kept; none where a build has fewer of what
    /// fails.
    pub(super) fn keep_after(&mut self, typical: &Typical, items: &[Item]) -> Option<Arc<Reduced>> {
        let item = &items[typical.failing.item].name;
        let gone = typical.loss.first_of(&self.case.system, item)?;
        Some(self.keep(&gone))
    }
}

impl Reduced {
    /// What requests demand of it; none where nothing is left, or where demands do not count.
    pub(super) fn demands(&self, asked: &Asked<'_>, case: &Case) -> Option<&Demands> {
        let of = || asked.demands(case, self.network.as_ref().ok()?);
        self.demands.get_or_init(of).as_ref()
    }
}
