//! A stored observation, or counters that another tool wrote down: the same picture over all of its
//! time.

use iopath_analysis::{Usage, usage};
use iopath_record::{Entity, Record, Relation};

use super::{Watched, frame};
use crate::json::Versioned;
use crate::json::watch::{Interval, interval};
use crate::look::Look;

/// Lines of the picture in a report: chosen, a screen.
const ROWS: usize = 40;

/// What was watched, over all passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    what: String,
    entities: Vec<Entity>,
    relations: Vec<Relation>,
    usage: Vec<Usage>,
    at_unix_ns: u64,
    interval_ns: u64,
    events: Vec<String>,
}

impl Stored {
    /// Of the passes of one observation; none where there is no pass.
    pub(crate) fn of(passes: &[Record]) -> Option<Self> {
        let last = passes.last()?;
        let length = |record: &Record| {
            let first = record.instants_ns.first().copied().unwrap_or_default();
            record.instants_ns.last().copied().unwrap_or_default() - first
        };
        let end_ns = last.instants_ns.last().copied().unwrap_or_default();
        let events = passes.iter().flat_map(|pass| &pass.events);
        Some(Self {
            what: last.case.experiment.clone(),
            entities: last.entities.clone(),
            relations: last.relations.clone(),
            usage: usage::over(passes),
            at_unix_ns: last.clock.started_unix_ns.saturating_add(end_ns),
            interval_ns: passes.iter().map(length).sum(),
            events: events.map(|event| event.what.clone()).collect(),
        })
    }

    /// The time that was watched, in ns.
    pub(crate) fn interval_ns(&self) -> u64 {
        self.interval_ns
    }

    fn watched(&self) -> Watched<'_> {
        Watched {
            what: &self.what,
            entities: &self.entities,
            relations: &self.relations,
            usage: &self.usage,
            at_unix_ns: self.at_unix_ns,
            interval_ns: self.interval_ns,
        }
    }

    pub(crate) fn text(&self, look: &Look) -> String {
        let lines = frame(&self.watched(), look, Some(ROWS));
        lines.iter().map(|line| line.paint(look)).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn interval(&self) -> Versioned<Interval<'_>> {
        interval(&self.watched(), &self.events)
    }
}
