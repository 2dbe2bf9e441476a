//! Counters at one instant, while they are watched: what a live view and a stream of lines follow.
//! A record keeps the same values as series.

use crate::{Counter, EntityId};

/// One counter of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Whose.
    pub entity: EntityId,
    /// Which.
    pub counter: Counter,
    /// Cumulative, or momentary for a gauge; see [`Counter`].
    pub value: u64,
}

/// Everything that could be read at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// When, in ns since watching began.
    pub at_ns: u64,
    /// Ordered by entity; each counter of an entity once at most. What could not be read is not
    /// there.
    pub readings: Vec<Reading>,
}

impl Sample {
    /// The readings by entity, in the order of entities.
    pub fn by_entity(&self) -> impl Iterator<Item = (EntityId, &[Reading])> {
        let groups = self.readings.chunk_by(|one, next| one.entity == next.entity);
        groups.map(|group| (group[0].entity, group))
    }
}
