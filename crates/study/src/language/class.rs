//! What a kind means to a request: crossed on the way, or met at an end. Which kind is of which
//! class is in the table of kinds; what follows for routes and legs is for `path`.

use super::Kind;

/// What a part is to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A machine: data that a stream reads comes into it.
    Host,
    /// Owns the volumes that stand in it; whoever else crosses it takes a route in reserve.
    Controller,
    /// A switch of the fabric, or a part of one: passed from wire to wire, by zones.
    Switch,
    /// Passed from wire to wire without zones: SAS expanders, PCI Express switches.
    Expander,
    /// A host bus adapter: data that is read comes into what it stands in.
    Initiator,
    /// Where a way between machines and arrays begins or ends: never passed from wire to wire.
    Adapter,
    /// Any other part of the path: boxes, boards, links, ports; and what no request meets.
    Structure,
    /// Keeps data.
    Medium,
    /// Lies over media or other volumes.
    Volume,
    /// A file or a file system: lies over volumes, where the stream runs.
    File,
    /// Belongs to what it stands in: caches, readahead, costs.
    Software,
}

impl Class {
    /// The class of a kind, as the table of kinds says it.
    #[must_use]
    pub fn of(kind: &str) -> Self {
        Kind::named(kind).map_or(Self::Structure, |kind| kind.class)
    }

    /// Whether requests cross it on their way: everything that is no end of theirs.
    #[must_use]
    pub fn is_crossed(self) -> bool {
        !matches!(self, Self::Medium | Self::Volume | Self::File | Self::Software)
    }

    /// Whether it is a thing that can be bought: what requests cross, or a medium.
    #[must_use]
    pub fn is_component(self) -> bool {
        self.is_crossed() || self == Self::Medium
    }

    /// Whether a way may come in by one wire and go out by another.
    #[must_use]
    pub fn is_passed(self) -> bool {
        matches!(self, Self::Switch | Self::Expander)
    }

    /// Whether a way through it may belong to a switch that it stands in: boards and ports of one.
    #[must_use]
    pub fn is_neutral(self) -> bool {
        self == Self::Structure
    }
}
