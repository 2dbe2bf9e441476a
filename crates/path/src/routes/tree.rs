//! Containment: who stands in whom, and the way between two parts of one box.
//!
//! Parts stand in document order, so what a part contains lies in one range behind it.

use iopath_study::Class;

use crate::network::Component;

/// Who stands in whom.
#[derive(Debug)]
pub(super) struct Tree {
    parents: Vec<Option<u32>>,
    /// Where volumes are split, and who took media over.
    places: Vec<Option<u32>>,
    classes: Vec<Class>,
    /// Behind the last part that stands in each.
    ends: Vec<u32>,
    removed: Vec<bool>,
}

/// Where the data of a read goes at a wired part, as the maker of the part means it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Facing {
    /// Into the box: machines, host bus adapters.
    Inward,
    /// Out of the box: arrays, controllers.
    Outward,
    /// Towards the machine, whichever box it belongs to: expanders.
    Neither,
}

/// The way between two parts of one box.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Climb {
    /// From the first part to below the turning point; empty where that is the first.
    pub up: Vec<u32>,
    /// The nearest part that contains both, or is one that contains the other.
    pub turn: Option<u32>,
    /// From below the turning point to the last part.
    pub down: Vec<u32>,
}

impl Tree {
    pub(super) fn new(components: &[Component]) -> Self {
        let count = u32::try_from(components.len()).unwrap_or(u32::MAX);
        let mut ends: Vec<u32> = (1..=count).collect();
        for (id, component) in components.iter().enumerate().rev() {
            if let Some(parent) = component.parent {
                ends[parent.0 as usize] = ends[parent.0 as usize].max(ends[id]);
            }
        }
        Self {
            parents: components.iter().map(|one| one.parent.map(|parent| parent.0)).collect(),
            places: components.iter().map(|one| one.place.map(|place| place.0)).collect(),
            classes: components.iter().map(|one| Class::of(one.kind)).collect(),
            ends,
            removed: components.iter().map(|one| one.removed).collect(),
        }
    }

    pub(super) fn class(&self, id: u32) -> Class {
        self.classes[id as usize]
    }

    pub(super) fn is_removed(&self, id: u32) -> bool {
        self.removed[id as usize]
    }

    /// A part, what contains it, and so on to the top.
    pub(super) fn outwards(&self, id: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(id), |up| self.parents[*up as usize])
    }

    /// The outermost part that contains this one.
    pub(super) fn top(&self, id: u32) -> u32 {
        self.outwards(id).last().unwrap_or(id)
    }

    /// A part and everything in it.
    pub(super) fn range(&self, id: u32) -> std::ops::Range<u32> {
        id..self.ends[id as usize]
    }

    /// Whether a part is another one or contains it.
    pub(super) fn holds(&self, container: u32, id: u32) -> bool {
        self.outwards(id).any(|up| up == container)
    }

    /// Where the data of a read goes at a wired part, seen from the box that it belongs to.
    pub(super) fn facing(&self, id: u32) -> Facing {
        let facing = |up| match self.class(up) {
            Class::Host | Class::Initiator => Some(Facing::Inward),
            Class::Expander => Some(Facing::Neither),
            Class::Controller
            | Class::Switch
            | Class::Adapter
            | Class::Structure
            | Class::Medium
            | Class::Volume
            | Class::File
            | Class::Software => None,
        };
        self.outwards(id).find_map(facing).unwrap_or(Facing::Outward)
    }

    /// What requests go to to reach a medium: the part of the path that it stands in, or who took
    /// over the volume around it.
    pub(super) fn landing(&self, id: u32) -> Option<u32> {
        let taken = |up: u32| self.places[up as usize].filter(|place| !self.holds(*place, id));
        self.outwards(id).find_map(|up| taken(up).or(self.crossed(up)))
    }

    /// Where a volume is split; none where it is split where the request is.
    pub(super) fn place(&self, id: u32) -> Option<u32> {
        self.places[id as usize]
    }

    fn crossed(&self, id: u32) -> Option<u32> {
        self.class(id).is_crossed().then_some(id)
    }

    /// The whole switch that a wired part is or belongs to, if a way may pass it.
    pub(super) fn region(&self, id: u32) -> Option<u32> {
        let through = |up: &u32| self.class(*up).is_passed() || self.class(*up).is_neutral();
        let within = self.outwards(id).take_while(through);
        within.filter(|up| self.class(*up).is_passed()).last()
    }

    /// The way between two parts; none where nothing contains both.
    pub(super) fn climb(&self, from: u32, to: u32) -> Option<Climb> {
        let mut up: Vec<u32> = self.outwards(from).collect();
        let mut down: Vec<u32> = self.outwards(to).collect();
        let mut turn = None;
        while let (Some(one), Some(other)) = (up.last(), down.last()) {
            if one != other {
                break;
            }
            turn = up.pop();
            down.pop();
        }
        down.reverse();
        turn.map(|turn| Climb { up, turn: Some(turn), down })
    }

    /// The way from outside to a part.
    pub(super) fn descend(&self, to: u32) -> Climb {
        let mut down: Vec<u32> = self.outwards(to).collect();
        down.reverse();
        Climb { up: Vec::new(), turn: None, down }
    }
}
