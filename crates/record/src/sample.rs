//! Counters at one instant, while they are watched: what a live view and a stream of lines follow.
//! A record keeps the same values as series.

use crate::{Counter, EntityId};

/// Values that a record of what is watched holds at most before it is cut: chosen. Some 16 MB while
/// it is watched, and far below what a stored record may be.
const MOST_VALUES: usize = 2_000_000;

/// Instants of one such record at most: chosen, ten minutes at one a second.
const MOST_INSTANTS: usize = 600;

/// Whether so much is as much as one record of what is watched should hold.
#[must_use]
pub fn is_long(instants: usize, values: usize) -> bool {
    instants >= MOST_INSTANTS || values >= MOST_VALUES
}

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
