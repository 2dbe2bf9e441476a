//! Where things are, and where they could be without buying anything: the placement that carries
//! most, and the moves to it.
//!
//! A [`Unit`] is one thing that can be placed: adapters over slots, cables over ports, members,
//! streams or volumes over owners. What it places where is an [`Assignment`]. Units of counts
//! ([`Counts`]) have a number for each holder, units of seats ([`Seats`]) a group of seats for each
//! occupant. Placements that differ only in equal things have the same key, so one of them is asked
//! for. Left out: what a placement carries, which a [`Site`] is asked.

mod cables;
mod colours;
mod counts;
mod places;
mod search;
mod seats;
mod today;
mod walk;

use std::collections::BTreeMap;

use iopath_study::placeable::{Changes, Put};
use rand_xoshiro::SplitMix64;
use serde::Serialize;

pub use counts::{Counts, Holder};
pub use search::{Best, Site, Starts, Value, best};
pub use seats::{Group, List, Occupant, Place, Seat, Seats, Talk};
pub use today::units;
pub use walk::{Moved, walk};

/// What is where: by holder how many, by occupant its group.
pub type Assignment = Vec<usize>;

/// What is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Components, in the slots of their parents.
    Slots,
    /// Cables, in the ports of switches.
    Cables,
    /// Volumes, at the controllers that own them.
    Owners,
    /// Sides of mirrors, on volumes of controllers.
    Halves,
    /// Streams, on hosts, sockets or controllers.
    Streams,
    /// Volumes, at the places that split them.
    Nodes,
}

/// One thing that can be placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// What it is.
    pub kind: Kind,
    /// How it is placed.
    pub form: Form,
}

/// How something is placed.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// By how many there are.
    Counts(Counts),
    /// One by one.
    Seats(Seats),
}

/// A change of one assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// One of what a holder has goes to another one.
    Shift {
        /// The holder that has one less.
        from: usize,
        /// The holder that has one more.
        to: usize,
    },
    /// An occupant goes to a free seat of a group.
    Move {
        /// Which occupant.
        occupant: usize,
        /// To which group.
        to: usize,
    },
    /// Two occupants change seats.
    Swap {
        /// One of them.
        one: usize,
        /// The other.
        other: usize,
    },
}

/// Where everything is, unit by unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// What is where.
    pub assignments: Vec<Assignment>,
    /// The seat of each occupant in its group; nothing of units of counts.
    pub seats: Vec<Vec<usize>>,
}

impl Standing {
    /// Who stays in its group keeps its seat, the others have the first free ones.
    #[must_use]
    pub fn of(units: &[Unit], of: &[Assignment]) -> Self {
        let seats = units.iter().zip(of).map(|(unit, of)| match &unit.form {
            Form::Counts(_) => Vec::new(),
            Form::Seats(seats) => seats.seated(of),
        });
        Self { assignments: of.to_vec(), seats: seats.collect() }
    }

    /// After a step of one unit; all others stay in their seats.
    #[must_use]
    pub fn after(&self, unit: &Unit, at: usize, step: Step) -> Self {
        let mut after = self.clone();
        after.assignments[at] = step.after(&self.assignments[at]);
        match (&unit.form, step) {
            (Form::Seats(seats), Step::Move { occupant, to }) => {
                let free = seats.free(&self.assignments[at], &self.seats[at], to);
                after.seats[at][occupant] = free;
            }
            (_, Step::Swap { one, other }) => after.seats[at].swap(one, other),
            (Form::Counts(_), _) | (_, Step::Shift { .. }) => {}
        }
        after
    }
}

impl Unit {
    /// What is where today.
    #[must_use]
    pub fn today(&self) -> Assignment {
        match &self.form {
            Form::Counts(counts) => counts.today(),
            Form::Seats(seats) => seats.today(),
        }
    }

    /// Every step from an assignment, one of those that come to the same.
    #[must_use]
    pub fn steps(&self, from: &Assignment) -> Vec<Step> {
        match &self.form {
            Form::Counts(counts) => counts.steps(from),
            Form::Seats(seats) => seats.steps(from),
        }
    }

    /// Every step from an assignment after which less is where it is not in another one.
    #[must_use]
    pub fn steps_towards(&self, from: &Assignment, target: &Assignment) -> Vec<Step> {
        match &self.form {
            Form::Counts(counts) => counts.steps_towards(from, target),
            Form::Seats(seats) => seats.steps_towards(from, target),
        }
    }

    /// Another assignment that comes to the same, with as much as possible where it is today.
    #[must_use]
    pub fn aligned(&self, target: &Assignment) -> Assignment {
        match &self.form {
            Form::Counts(counts) => counts.aligned(target),
            Form::Seats(seats) => seats.aligned(target),
        }
    }

    /// A placement at random.
    #[must_use]
    pub fn random(&self, source: &mut SplitMix64) -> Assignment {
        match &self.form {
            Form::Counts(counts) => counts.random(source),
            Form::Seats(seats) => seats.random(source),
        }
    }

    /// The same for assignments that differ only in equal things.
    #[must_use]
    pub fn key(&self, of: &Assignment) -> u64 {
        match &self.form {
            Form::Counts(counts) => counts.key(of),
            Form::Seats(seats) => seats.key(of),
        }
    }

    /// Whether any of those that are placed talk to one another.
    #[must_use]
    pub fn talks(&self) -> bool {
        match &self.form {
            Form::Counts(_) => false,
            Form::Seats(seats) => !seats.talks.is_empty(),
        }
    }

    /// How far apart are those that talk to one another: among placements that carry the same, less
    /// is better, as it loads less of what they share.
    #[must_use]
    pub fn strain(&self, of: &Assignment) -> u64 {
        match &self.form {
            Form::Counts(_) => 0,
            Form::Seats(seats) => seats.strain(of),
        }
    }
}

impl Step {
    /// The assignment after it.
    #[must_use]
    pub fn after(self, of: &Assignment) -> Assignment {
        let mut after = of.clone();
        match self {
            Self::Shift { from, to } => {
                after[from] -= 1;
                after[to] += 1;
            }
            Self::Move { occupant, to } => after[occupant] = to,
            Self::Swap { one, other } => after.swap(one, other),
        }
        after
    }
}

/// What assignments change of the study.
#[must_use]
pub fn changes(units: &[Unit], of: &[Assignment]) -> Changes {
    changes_of(units, &Standing::of(units, of))
}

/// The same with every seat as it is. Several units may each have a part of one list.
#[must_use]
pub fn changes_of(units: &[Unit], standing: &Standing) -> Changes {
    let mut changes = Changes::new();
    let mut lists: BTreeMap<&List, BTreeMap<usize, String>> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        let assignment = &standing.assignments[at];
        match &unit.form {
            Form::Counts(counts) => changes.extend(counts.changes(assignment)),
            Form::Seats(seats) => {
                for (place, name) in seats.named(assignment, &standing.seats[at]) {
                    let list = lists.entry(&seats.lists[place.list]).or_default();
                    list.insert(place.position, name.to_owned());
                }
            }
        }
    }
    let put = |(list, names): (&List, BTreeMap<usize, String>)| {
        (list.spot.clone(), Put::Parts(list.property, names.into_values().collect()))
    };
    changes.extend(lists.into_iter().map(put));
    changes
}

#[cfg(test)]
mod tests;
