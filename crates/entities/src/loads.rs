//! Loads of several sub-streams: each of these is an entity of its own, as in a measurement.
//!
//! Streams of one declaration count together, since what is wanted is wanted of all of them.

use std::collections::BTreeMap;

use iopath_path::Network;
use iopath_record::{EntityId, Kind};
use iopath_study::Case;
use iopath_study::spc1::{STREAMS, loads};

use crate::table::{Table, plain};

/// A load, and what stands for its sub-streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// Positions of its streams in the case: those that count.
    pub streams: Vec<usize>,
    /// One for each sub-stream, in the order of the load's table.
    pub entities: Vec<EntityId>,
}

impl Table {
    /// Adds the sub-streams of every load whose streams count; these are in the table.
    pub fn add_loads(&mut self, case: &Case, network: &Network) -> Vec<Load> {
        let counting: BTreeMap<usize, EntityId> = network
            .streams
            .iter()
            .zip(&self.streams)
            .map(|(load, entity)| (load.stream, *entity))
            .collect();
        let mut added = Vec::new();
        for (group, mut streams) in loads(case) {
            streams.retain(|stream| counting.contains_key(stream));
            let parent = match streams.as_slice() {
                [] => continue,
                [only] => Some(counting[only]),
                _ => None,
            };
            let entities = STREAMS.iter().map(|sub| {
                let mut one =
                    plain(format!("{group}/{}", sub.name), Kind::SubStream, 1, Vec::new());
                one.parent = parent;
                self.add(one)
            });
            let entities = entities.collect();
            added.push(Load { streams, entities });
        }
        added
    }
}
