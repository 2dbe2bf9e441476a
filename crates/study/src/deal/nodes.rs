//! Which host stands for which node.
//!
//! Node i is host i; where there are fewer hosts than nodes, as on one machine, rank i stands for
//! node i. Nodes are counted over all instances of the declarations that streams of a run name,
//! whichever of them a case names: a node is the same host in every case.

use std::collections::{BTreeMap, BTreeSet};

use super::CannotDeal;
use crate::case::{Case, Stream};
use crate::selector::unindexed;
use crate::system::PartId;

/// The declarations of hosts that streams of a run are on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    declared: BTreeSet<String>,
}

impl Nodes {
    /// Of all cases of a run.
    #[must_use]
    pub fn of<'c>(cases: impl IntoIterator<Item = &'c Case>) -> Self {
        let named = |case: &'c Case| {
            let nodes = case.streams.iter().filter_map(|stream| node_of(case, stream));
            nodes.map(|node| unindexed(&case.system.part(node).name))
        };
        Self { declared: cases.into_iter().flat_map(named).collect() }
    }

    /// All nodes of a case, in its order.
    fn all(&self, case: &Case) -> Vec<PartId> {
        let parts = (0..case.system.parts.len()).map(PartId);
        parts.filter(|id| self.declared.contains(&unindexed(&case.system.part(*id).name))).collect()
    }

    /// The ranks that stand for each node, of which each runs on a host, by their number.
    pub(super) fn ranks(
        &self,
        case: &Case,
        hosts: &[usize],
    ) -> Result<BTreeMap<PartId, Vec<usize>>, CannotDeal> {
        let all = self.all(case);
        let named: BTreeSet<PartId> =
            case.streams.iter().filter_map(|stream| node_of(case, stream)).collect();
        let highest = all.iter().rposition(|node| named.contains(node));
        let needed = highest.map_or(0, |place| place + 1);
        let distinct: BTreeSet<usize> = hosts.iter().copied().collect();
        if needed <= distinct.len() {
            let on = |host: &usize| (0..hosts.len()).filter(|rank| hosts[*rank] == *host).collect();
            return Ok(all.into_iter().zip(distinct.iter().map(on)).collect());
        }
        if needed <= hosts.len() {
            return Ok(all.into_iter().zip((0..).map(|rank| vec![rank])).collect());
        }
        Err(CannotDeal::TooFewRanks { nodes: needed, ranks: hosts.len() })
    }
}

/// The host that a stream runs on, where it says so.
pub(super) fn node_of(case: &Case, stream: &Stream) -> Option<PartId> {
    let on = stream.modelled.on?;
    let above = || std::iter::once(on).chain(case.system.ancestors(on));
    above().find(|part| case.system.kind(*part) == "host").or_else(|| above().last())
}
