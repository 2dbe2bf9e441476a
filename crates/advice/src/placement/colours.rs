//! Colours of the occupants of seats: equal ones for those that nothing tells apart, by colour
//! refinement (Weisfeiler and Lehman, 1968) in three rounds: those that they talk to, those beside
//! them in a group, those in what contains them.
//!
//! Two placements with the same colours could differ all the same; whoever needs to be sure of a
//! placement asks for it.

use super::Assignment;
use super::seats::Seats;

/// Of the occupants, the groups, and all together.
pub(super) struct Colours {
    pub occupants: Vec<u64>,
    pub groups: Vec<u64>,
    pub all: u64,
}

/// One number of several, in their order (the finaliser of SplitMix64).
pub(super) fn mixed(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(0x9e37_79b9_7f4a_7c15, |hash, number| {
        let mut z = (hash ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// One number of a text.
pub(super) fn of_text(text: &str) -> u64 {
    mixed(text.bytes().map(u64::from))
}

/// One number of several in any order.
fn of_set(mut numbers: Vec<u64>) -> u64 {
    numbers.sort_unstable();
    mixed(numbers)
}

impl Colours {
    pub(super) fn of(seats: &Seats, at: &Assignment) -> Self {
        let first: Vec<u64> = seats
            .occupants
            .iter()
            .map(|occupant| mixed([occupant.class, occupant.list() as u64]))
            .collect();
        let talking = talking(seats, at, &first);
        let groups = groups(seats, at, &talking);
        let beside: Vec<u64> =
            talking.iter().zip(at).map(|(own, group)| mixed([*own, groups[*group]])).collect();
        let beside = self::talking(seats, at, &beside);
        let contained = contained(seats, &beside);
        let groups = self::groups(seats, at, &contained);
        let mut hubs: Vec<Vec<u64>> = vec![Vec::new(); seats.hubs()];
        for (group, colour) in seats.groups.iter().zip(&groups) {
            hubs[group.hub].push(*colour);
        }
        let hubs: Vec<u64> = hubs.into_iter().map(of_set).collect();
        let within = seats.groups.iter().zip(groups);
        let groups: Vec<u64> = within.map(|(group, own)| mixed([own, hubs[group.hub]])).collect();
        let occupants = contained.iter().zip(at);
        let occupants = occupants.map(|(own, group)| mixed([*own, groups[*group]])).collect();
        Self { occupants, groups, all: of_set(hubs) }
    }
}

/// With the colours of those that each talks to, and how far away they are.
fn talking(seats: &Seats, at: &Assignment, colours: &[u64]) -> Vec<u64> {
    let mut heard: Vec<Vec<u64>> = vec![Vec::new(); colours.len()];
    for talk in &seats.talks {
        let apart = seats.apart(at[talk.one], at[talk.other]);
        heard[talk.one].push(mixed([colours[talk.other], apart]));
        heard[talk.other].push(mixed([colours[talk.one], apart]));
    }
    colours.iter().zip(heard).map(|(own, heard)| mixed([*own, of_set(heard)])).collect()
}

fn groups(seats: &Seats, at: &Assignment, colours: &[u64]) -> Vec<u64> {
    let mut inside: Vec<Vec<u64>> = vec![Vec::new(); seats.groups.len()];
    at.iter().zip(colours).for_each(|(group, colour)| inside[*group].push(*colour));
    let groups = seats.groups.iter().zip(inside);
    groups.map(|(group, inside)| mixed([group.class, of_set(inside)])).collect()
}

/// With the colours of everything else in what contains each.
fn contained(seats: &Seats, colours: &[u64]) -> Vec<u64> {
    let containers = seats.occupants.iter().flat_map(|occupant| &occupant.containers);
    let number = containers.max().map_or(0, |last| last + 1);
    let mut inside: Vec<Vec<u64>> = vec![Vec::new(); number];
    for (occupant, colour) in seats.occupants.iter().zip(colours) {
        occupant.containers.iter().for_each(|container| inside[*container].push(*colour));
    }
    let inside: Vec<u64> = inside.into_iter().map(of_set).collect();
    let around = |containers: &Vec<usize>| mixed(containers.iter().map(|at| inside[*at]));
    let occupants = seats.occupants.iter().zip(colours);
    occupants.map(|(occupant, own)| mixed([*own, around(&occupant.containers)])).collect()
}
