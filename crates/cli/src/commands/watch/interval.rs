//! The last interval of watching, kept to be drawn again at another size.

use iopath_analysis::Usage;
use iopath_record::{Entity, Relation};
use iopath_report::{Extent, Line, Look, Watched, picture};

/// A copy of what was watched.
pub(super) struct Interval {
    what: String,
    entities: Vec<Entity>,
    relations: Vec<Relation>,
    usage: Vec<Usage>,
    at_unix_ns: u64,
    interval_ns: u64,
}

impl Interval {
    /// Entities seldom change and are not copied then: those of the interval before are kept.
    pub(super) fn of(watched: &Watched<'_>, known: Option<Self>) -> Self {
        let entities = match known {
            Some(known) if known.entities.len() == watched.entities.len() => known.entities,
            _ => watched.entities.to_vec(),
        };
        Self {
            what: watched.what.to_owned(),
            entities,
            relations: watched.relations.to_vec(),
            usage: watched.usage.to_vec(),
            at_unix_ns: watched.at_unix_ns,
            interval_ns: watched.interval_ns,
        }
    }

    pub(super) fn lines(&self, look: &Look, extent: Extent<'_>) -> Vec<Line> {
        let watched = Watched {
            what: &self.what,
            entities: &self.entities,
            relations: &self.relations,
            usage: &self.usage,
            at_unix_ns: self.at_unix_ns,
            interval_ns: self.interval_ns,
        };
        picture(&watched, look, extent)
    }
}
