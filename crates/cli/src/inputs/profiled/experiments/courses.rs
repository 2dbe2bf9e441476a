//! Sets of devices measured several at once: the course of each load, which decides from what was
//! measured what to measure next.

use std::collections::BTreeSet;

use iopath_analysis::capacities::{AtOnce, Between, Crossed, Load, Together, loads};
use iopath_study::Case;

use super::{Experiment, Extent, above};
use crate::exit_status::Problem;
use crate::inputs::profiled::Profiled;

/// The sets of devices under one load, several at once.
pub(crate) struct Course {
    pub load: Load,
    /// Positions in the list of devices.
    pub devices: Vec<usize>,
    pub at_once: AtOnce,
    /// How many experiments it takes where all devices are equal and nothing is ever full.
    pub expected: usize,
}

impl Course {
    /// Whether a case is one of its experiments.
    pub(crate) fn is_of(&self, case: &Case) -> bool {
        case.streams.first().and_then(Load::of) == Some(self.load)
    }
}

/// The courses of the loads that sets of devices are measured under.
pub(super) fn courses(
    profiled: &Profiled,
    crossed: &[Crossed],
    extent: Extent,
    all: &[Experiment],
) -> Result<Vec<Course>, Problem> {
    let of_sets: BTreeSet<Load> =
        all.iter().map(|one| one.load).filter(|load| load.is_of_sets()).collect();
    let mut found = Vec::new();
    for load in loads(true, extent.is_whole).filter(|load| of_sets.contains(load)) {
        let of_load = all.iter().filter(|one| one.load == load);
        let devices: BTreeSet<usize> = of_load.flat_map(|one| &one.devices).copied().collect();
        let devices: Vec<usize> = devices.into_iter().collect();
        let crossed = match load.is_reread() {
            true => above(profiled, load, &devices)?,
            false => crossed.iter().map(|one| one.among(&devices)).collect(),
        };
        let declared: Vec<usize> =
            devices.iter().map(|device| profiled.devices[*device].declared).collect();
        // As one by one, where re-reads have no steps between.
        let between = match extent.is_whole && !load.is_reread() {
            true => Between::Measured,
            false => Between::LeftOut,
        };
        let at_once = AtOnce::new(&declared, &crossed, between);
        let expected = expected(at_once.clone());
        found.push(Course { load, devices, at_once, expected });
    }
    Ok(found)
}

/// What is known beforehand: all devices of each course, and what is measured of one device; of
/// equal ones the first.
pub(super) fn known(
    profiled: &Profiled,
    courses: &[Course],
    all: Vec<Experiment>,
) -> Vec<Experiment> {
    let mut known: Vec<Experiment> = Vec::new();
    for one in all {
        match courses.iter().find(|course| course.load == one.load) {
            Some(_) if known.iter().any(|other| other.load == one.load) => {}
            Some(Course { load, devices, .. }) => {
                known.push(Experiment { load: *load, devices: devices.clone() });
            }
            // Of equal devices under this load the first.
            None if !known.iter().any(|other| profiled.is_equal(other, &one)) => known.push(one),
            None => {}
        }
    }
    known
}

/// How many experiments a course takes where all devices are equal and nothing is ever full.
fn expected(mut course: AtOnce) -> usize {
    let mut measured: Vec<Together> = Vec::new();
    while let Some(set) = course.next(&measured) {
        let rates = set.into_iter().map(|device| (device, 1.0)).collect();
        measured.push(Together { rates, is_limited_by_host: false });
    }
    measured.len()
}
