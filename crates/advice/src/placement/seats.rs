//! Occupants on seats: cables in ports, members on volumes, streams on sockets. The seats of a
//! group are equal, so a placement is the group of each occupant; who stays in its group keeps its
//! seat, the others take the first free ones.

use std::collections::{BTreeMap, BTreeSet};

use iopath_study::placeable::Spot;
use rand_xoshiro::SplitMix64;

use super::colours::{Colours, mixed};
use super::search::below;
use super::{Assignment, Step};

/// How far apart two are whose groups are in different hubs; in the same hub it is 1 (chosen).
const OTHER_HUB: u64 = 4;

/// Occupants on seats.
#[derive(Clone, Debug, PartialEq)]
pub struct Seats {
    /// The lists of the study that say who is where.
    pub lists: Vec<List>,
    /// Who is placed.
    pub occupants: Vec<Occupant>,
    /// Where there are seats.
    pub groups: Vec<Group>,
    /// Who talks to whom.
    pub talks: Vec<Talk>,
    /// How many there are of all this: what one does, all of them do.
    pub copies: usize,
}

/// A property of the study that lists the seats that are taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct List {
    /// The declaration.
    pub spot: Spot,
    /// The property.
    pub property: &'static str,
}

/// Who is placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Occupant {
    /// Where its seat is listed, in each copy.
    pub places: Vec<Place>,
    /// Occupants of one class are equal, but for what they are in and whom they talk to.
    pub class: u64,
    /// What contains it, from the inside out.
    pub containers: Vec<usize>,
    /// Its group today.
    pub group: usize,
    /// Its seat in that, today.
    pub seat: usize,
}

/// A position in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which list.
    pub list: usize,
    /// Which of its parts.
    pub position: usize,
    /// What is placed.
    pub name: String,
}

/// Equal seats.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The seats.
    pub seats: Vec<Seat>,
    /// Whether any number of occupants may have one seat.
    pub is_shared: bool,
    /// What it is a part of: a switch.
    pub hub: usize,
    /// Groups of one class are equal.
    pub class: u64,
}

/// A seat.
#[derive(Clone, Debug, PartialEq)]
pub struct Seat {
    /// Its name in each copy.
    pub names: Vec<String>,
}

/// Two that talk to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Talk {
    /// One of them.
    pub one: usize,
    /// The other.
    pub other: usize,
}

impl Occupant {
    /// The list that its seat is in, the same one in all copies.
    pub(super) fn list(&self) -> usize {
        self.places.first().map_or(0, |place| place.list)
    }
}

impl Seats {
    pub(super) fn today(&self) -> Assignment {
        self.occupants.iter().map(|occupant| occupant.group).collect()
    }

    pub(super) fn hubs(&self) -> usize {
        self.groups.iter().map(|group| group.hub + 1).max().unwrap_or(0)
    }

    /// How far apart two groups are.
    pub(super) fn apart(&self, one: usize, other: usize) -> u64 {
        if one == other {
            0
        } else if self.groups[one].hub == self.groups[other].hub {
            1
        } else {
            OTHER_HUB
        }
    }

    pub(super) fn strain(&self, of: &Assignment) -> u64 {
        self.talks.iter().map(|talk| self.apart(of[talk.one], of[talk.other])).sum()
    }

    pub(super) fn key(&self, of: &Assignment) -> u64 {
        Colours::of(self, of).all
    }

    pub(super) fn steps(&self, from: &Assignment) -> Vec<Step> {
        let moves = (0..from.len())
            .flat_map(|occupant| (0..self.groups.len()).map(move |to| Step::Move { occupant, to }));
        let swaps = (0..from.len())
            .flat_map(|one| (one + 1..from.len()).map(move |other| Step::Swap { one, other }));
        self.different(from, moves.chain(swaps))
    }

    pub(super) fn steps_towards(&self, from: &Assignment, target: &Assignment) -> Vec<Step> {
        let wrong: Vec<usize> = (0..from.len()).filter(|at| from[*at] != target[*at]).collect();
        let moves = wrong.iter().map(|at| Step::Move { occupant: *at, to: target[*at] });
        let swaps = wrong.iter().flat_map(|one| {
            let there = wrong.iter().filter(|other| from[**other] == target[*one]);
            there.map(|other| Step::Swap { one: *one, other: *other })
        });
        let steps: Vec<Step> = moves.chain(swaps).collect();
        self.different(from, steps.into_iter())
    }

    /// The steps that can be taken, one of those that come to the same.
    fn different(&self, from: &Assignment, steps: impl Iterator<Item = Step>) -> Vec<Step> {
        let view = View { seats: self, at: from, colours: Colours::of(self, from) };
        let heard = self.heard();
        let taken = self.taken(from);
        let mut known = BTreeSet::new();
        let possible = steps.filter(|step| self.is_possible(from, &taken, *step));
        possible.filter(|step| known.insert(view.outline(&heard, *step))).collect()
    }

    fn is_possible(&self, from: &Assignment, taken: &[usize], step: Step) -> bool {
        match step {
            Step::Shift { .. } => false,
            Step::Move { occupant, to } => from[occupant] != to && taken[to] < self.room(to),
            Step::Swap { one, other } => from[one] != from[other],
        }
    }

    fn room(&self, group: usize) -> usize {
        let group = &self.groups[group];
        if group.is_shared { usize::MAX } else { group.seats.len() }
    }

    fn taken(&self, of: &Assignment) -> Vec<usize> {
        let mut taken = vec![0; self.groups.len()];
        of.iter().for_each(|group| taken[*group] += 1);
        taken
    }

    /// Whom each talks to.
    fn heard(&self) -> Vec<Vec<usize>> {
        let mut heard = vec![Vec::new(); self.occupants.len()];
        for talk in &self.talks {
            heard[talk.one].push(talk.other);
            heard[talk.other].push(talk.one);
        }
        heard
    }

    /// Equal groups of a hub change names so that most occupants are in the group of today.
    pub(super) fn aligned(&self, target: &Assignment) -> Assignment {
        let mut overlaps: Vec<(usize, usize, usize)> = Vec::new();
        for from in 0..self.groups.len() {
            for to in (0..self.groups.len()).filter(|to| self.are_equal(from, *to)) {
                let both = self.occupants.iter().zip(target);
                let both = both.filter(|(own, group)| **group == from && own.group == to);
                overlaps.push((usize::MAX - both.count(), from, to));
            }
        }
        overlaps.sort_unstable();
        let mut named: BTreeMap<usize, usize> = BTreeMap::new();
        for (_, from, to) in overlaps {
            if !named.contains_key(&from) && named.values().all(|taken| *taken != to) {
                named.insert(from, to);
            }
        }
        target.iter().map(|group| named.get(group).copied().unwrap_or(*group)).collect()
    }

    fn are_equal(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.groups[one], &self.groups[other]);
        (one.hub, one.class, one.seats.len()) == (other.hub, other.class, other.seats.len())
    }

    /// The occupants one by one, in an order by chance, each to any free seat.
    pub(super) fn random(&self, source: &mut SplitMix64) -> Assignment {
        let mut at = vec![0; self.occupants.len()];
        let mut taken = vec![0; self.groups.len()];
        let mut left: Vec<usize> = (0..at.len()).collect();
        while !left.is_empty() {
            let occupant = left.swap_remove(below(source, left.len()));
            let free = |group: usize| match self.groups[group].is_shared {
                true => 1,
                false => self.groups[group].seats.len() - taken[group],
            };
            let seats = (0..self.groups.len()).flat_map(|at| std::iter::repeat_n(at, free(at)));
            let seats: Vec<usize> = seats.collect();
            at[occupant] = seats[below(source, seats.len())];
            taken[at[occupant]] += 1;
        }
        at
    }

    /// The seat of each occupant in its group.
    #[must_use]
    pub fn seated(&self, of: &Assignment) -> Vec<usize> {
        let stays = |at: usize| self.occupants[at].group == of[at];
        let mut taken: Vec<Vec<bool>> =
            self.groups.iter().map(|group| vec![false; group.seats.len()]).collect();
        let mut seats: Vec<usize> = self.occupants.iter().map(|occupant| occupant.seat).collect();
        for at in (0..of.len()).filter(|at| stays(*at)) {
            taken[of[at]][seats[at]] = true;
        }
        for at in (0..of.len()).filter(|at| !stays(*at)) {
            let group = &mut taken[of[at]];
            let free = group.iter().position(|taken| !taken).unwrap_or(0);
            group[free] = !self.groups[of[at]].is_shared;
            seats[at] = free;
        }
        seats
    }

    /// The first seat of a group that nobody has.
    pub(super) fn free(&self, of: &Assignment, seats: &[usize], group: usize) -> usize {
        let is_taken = |seat: &usize| {
            let mut both = of.iter().zip(seats);
            both.any(|(other, taken)| (*other, taken) == (group, seat))
        };
        let is_free = |seat: &usize| self.groups[group].is_shared || !is_taken(seat);
        (0..self.groups[group].seats.len()).find(is_free).unwrap_or(0)
    }

    /// The seats that the lists name, each with its position.
    pub(super) fn named(&self, of: &Assignment, seats: &[usize]) -> Vec<(&Place, &str)> {
        let named = seats.iter().enumerate().flat_map(|(at, seat)| {
            let names = self.groups[of[at]].seats[*seat].names.iter().map(String::as_str);
            self.occupants[at].places.iter().zip(names)
        });
        named.collect()
    }
}

/// What tells steps from an assignment apart.
struct View<'a> {
    seats: &'a Seats,
    at: &'a Assignment,
    colours: Colours,
}

impl View<'_> {
    /// Equal for steps that come to the same: by colours, and by who comes to whom.
    fn outline(&self, heard: &[Vec<usize>], step: Step) -> [u64; 6] {
        let of = |occupant: usize| self.colours.occupants[occupant];
        let friends = |occupant: usize, group: usize| {
            heard[occupant].iter().filter(|friend| self.at[**friend] == group).count() as u64
        };
        match step {
            Step::Shift { from, to } => [0, from as u64, to as u64, 0, 0, 0],
            Step::Move { occupant, to } => {
                let apart = self.seats.apart(self.at[occupant], to);
                [1, of(occupant), self.colours.groups[to], apart, friends(occupant, to), 0]
            }
            Step::Swap { one, other } => {
                let both =
                    |one: usize, other: usize| mixed([of(one), friends(one, self.at[other])]);
                let (first, second) = (both(one, other), both(other, one));
                let apart = self.seats.apart(self.at[one], self.at[other]);
                let talk = u64::from(heard[one].contains(&other));
                [2, first.min(second), first.max(second), apart, talk, 0]
            }
        }
    }
}
