//! The parts in the order of ranks, with the hosts that they are of.

use super::{OfRank, Unmergeable};
use crate::{Entity, EntityId, Record};

/// What the ranks left, the lowest first.
pub(super) struct Parts {
    pub ranks: Vec<OfRank>,
    /// Nodes, by their lowest ranks.
    pub nodes: Vec<String>,
}

impl Parts {
    pub(super) fn of(mut ranks: Vec<OfRank>) -> Result<Self, Unmergeable> {
        ranks.sort_by_key(|part| part.rank);
        if ranks.is_empty() {
            return Err(Unmergeable::Nothing);
        }
        let mut pairs = ranks.windows(2);
        if let Some(twice) = pairs.find(|pair| pair[0].rank == pair[1].rank) {
            return Err(Unmergeable::Twice(twice[0].rank));
        }
        let mut nodes: Vec<String> = Vec::new();
        for part in &ranks {
            if !nodes.contains(&part.host.node) {
                nodes.push(part.host.node.clone());
            }
        }
        Ok(Self { ranks, nodes })
    }

    /// Whether all ranks are on one host, so that nothing needs a node's name.
    pub(super) fn is_one_host(&self) -> bool {
        self.nodes.len() == 1
    }

    pub(super) fn node(&self, at: usize) -> &str {
        &self.ranks[at].host.node
    }

    /// The kernel that a part's counters are of; a node is its own where nobody knows.
    pub(super) fn machine(&self, at: usize) -> &str {
        let host = &self.ranks[at].host;
        if host.machine.is_empty() { &host.node } else { &host.machine }
    }

    pub(super) fn entity(&self, at: usize, id: EntityId) -> &Entity {
        &self.ranks[at].record.entities[id.0 as usize]
    }

    pub(super) fn identity(&self, at: usize, id: EntityId) -> Option<&str> {
        let known = self.ranks[at].identities.get(&self.entity(at, id).name);
        known.map(String::as_str)
    }

    /// All of a list of every record, with the position of the part that it is of.
    pub(super) fn each<'a, T: 'a>(
        &'a self,
        list: fn(&'a Record) -> &'a [T],
    ) -> impl Iterator<Item = (usize, &'a T)> {
        let parts = self.ranks.iter().enumerate();
        parts.flat_map(move |(at, part)| list(&part.record).iter().map(move |one| (at, one)))
    }
}
