//! What is told of a plan, each once, without the indices of equal parts.

use std::collections::BTreeSet;

use iopath_path::Network;
use iopath_study::unindexed;

use super::Note;

/// Mechanisms that an emulated path has, or has no use for: buckets are those of its groups,
/// members of a concatenation are met one after the other, followers follow, requests take real
/// processor time, no flush takes any, and what has no rating limits nothing.
const REAL: [&str; 7] = [
    "token-bucket",
    "concat",
    "read-behind-write",
    "flush",
    "processor-time",
    "controller-rating",
    "medium-rating",
];

/// Notes on the way.
#[derive(Default)]
pub(super) struct Notes {
    all: BTreeSet<Note>,
}

impl Notes {
    /// What the network knows already: its mechanisms, and tokens that requests hold.
    pub(super) fn of(network: &Network) -> Self {
        let mut notes = Self::default();
        for mechanism in network.mechanisms.iter().filter(|one| !REAL.contains(&one.kind)) {
            notes.tell(mechanism.kind, mechanism.text.clone());
        }
        if network.streams.iter().any(|load| load.flushing.is_some()) {
            let text = "nothing is volatile: no write waits for a flush";
            notes.tell("flush", text.to_owned());
        }
        for hold in network.legs.iter().flat_map(|leg| &leg.holds) {
            let pool = &network.pools[hold.pool.0 as usize];
            let name = unindexed(&network.component(pool.component).name);
            let property = pool.property;
            notes.tell("pool", format!("{property} of {name} has no effect here"));
        }
        notes
    }

    pub(super) fn tell(&mut self, kind: &'static str, text: String) {
        self.all.insert(Note { kind, text });
    }

    pub(super) fn finish(self) -> Vec<Note> {
        self.all.into_iter().collect()
    }
}
