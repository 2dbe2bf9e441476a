//! Which sets of devices to measure at once, where measuring each by itself would take too long.
//!
//! Law: sets do not slow each other down where everything that two of them share passes clearly
//! less than it has passed before. First all devices are measured together: that shows what each
//! component passes at least. Then the first device of each declaration, alone. From then on sets
//! are measured together as long as what they share is expected to pass at most [`ROOM`] of the
//! most seen; a device whose rate is not known is expected to do what the first of its declaration
//! does alone.
//!
//! What an experiment says of each set is decided afterwards, from what was measured
//! ([`apart`](super::apart())). A set of which it says nothing is measured by itself, and so is a
//! device that got less than the first of its declaration: it is slower, or they share a limit
//! that is no component of the path.

use std::collections::{BTreeMap, BTreeSet};

use super::apart::Sets;
use super::classes::Class;
use super::{Crossed, Evidence, Together, levels, sets};
use crate::probe::Members;
use crate::thresholds::groups::{LESS_THAN_ALONE, ROOM};

/// The course of experiments on many devices under one load.
#[derive(Clone, Debug)]
pub struct AtOnce {
    classes: Vec<Class>,
    /// Of each device the first of its declaration.
    first: Vec<usize>,
    /// What is to be known, in order.
    wanted: Vec<Members>,
    /// What was measured with others, which is not tried twice.
    tried: BTreeSet<Members>,
}

impl AtOnce {
    /// A course over devices, given by the numbers of their declarations; `between` asks for the
    /// steps of each level too.
    #[must_use]
    pub fn new(declared: &[usize], components: &[Crossed], between: Between) -> Self {
        let first = |number: &usize| declared.iter().position(|other| other == number);
        let first: Vec<usize> = declared.iter().filter_map(first).collect();
        let count = declared.len();
        let mut wanted = vec![(0..count).collect::<Members>()];
        wanted.extend(first.iter().map(|device| Members::from([*device])));
        wanted.extend(sets(count, components));
        if between == Between::Measured {
            wanted.extend(levels(count, components));
        }
        let mut known = BTreeSet::new();
        wanted.retain(|set| !set.is_empty() && known.insert(set.clone()));
        let classes = Class::all(components);
        Self { classes, first, wanted, tried: BTreeSet::new() }
    }

    /// The devices to measure together after these experiments; none where all is known.
    pub fn next(&mut self, experiments: &[Together]) -> Option<Members> {
        let known = Known::of(&self.classes, &self.first, experiments);
        let missing: Vec<&Members> = self.wanted.iter().filter(|set| !known.has(set)).collect();
        let first = *missing.first()?;
        let is_first_alone = first.len() == 1 && first.iter().all(|one| self.first[*one] == *one);
        if experiments.is_empty() || is_first_alone || self.tried.contains(first) {
            return Some(first.clone());
        }
        let mut pack = Pack::new(&known);
        let mut taken: Vec<Members> = Vec::new();
        for set in missing {
            if !self.tried.contains(set) && pack.take(set) {
                taken.push(set.clone());
            }
        }
        if taken.len() > 1 {
            self.tried.extend(taken);
        }
        Some(pack.devices)
    }
}

/// Whether the steps between one part of a level and all are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    Measured,
    LeftOut,
}

/// What is known after some experiments.
struct Known<'a> {
    evidence: Evidence<'a>,
    sets: Sets<'a>,
    first: &'a [usize],
    /// What each device got by itself, or is expected to.
    alone: Vec<f64>,
}

impl<'a> Known<'a> {
    fn of(classes: &'a [Class], first: &'a [usize], experiments: &'a [Together]) -> Self {
        let evidence = Evidence::of(classes, experiments);
        let sets = Sets::of(&evidence);
        let of = |device: usize| {
            let set = Members::from([device]);
            let known = sets.own(&set).or_else(|| sets.next_to_others(&set));
            known.and_then(|one| one.rates.get(&device).copied())
        };
        let expected = |(device, first)| of(device).or(of(first)).unwrap_or(f64::INFINITY);
        let alone = first.iter().copied().enumerate().map(expected).collect();
        Self { evidence, sets, first, alone }
    }

    fn has(&self, set: &Members) -> bool {
        let is_known = || self.sets.next_to_others(set).is_some_and(|one| self.is_usual(&one));
        self.sets.own(set).is_some() || is_known()
    }

    /// Whether a single device got what the first of its declaration does.
    fn is_usual(&self, one: &Together) -> bool {
        one.rates.len() > 1
            || one.rates.iter().all(|(device, rate)| {
                *rate >= (1.0 - LESS_THAN_ALONE) * self.alone[self.first[*device]]
            })
    }
}

/// Sets that are measured at once.
struct Pack<'a> {
    known: &'a Known<'a>,
    devices: Members,
    /// By class, of those that some set uses: what it is expected to pass.
    passes: BTreeMap<usize, f64>,
}

impl<'a> Pack<'a> {
    fn new(known: &'a Known<'a>) -> Self {
        Self { known, devices: Members::new(), passes: BTreeMap::new() }
    }

    /// Takes a set where it slows none of the others down, and none of them it.
    fn take(&mut self, set: &Members) -> bool {
        if !self.devices.is_disjoint(set) {
            return false;
        }
        let evidence = &self.known.evidence;
        let expected = |class: usize| {
            let crossed = &evidence.classes[class].crossed;
            let each = set.iter().filter(|device| crossed.uses(**device));
            let each = each.map(|device| crossed.share(*device) * self.known.alone[*device]);
            each.sum::<f64>()
        };
        let more = (0..evidence.classes.len()).map(|class| (class, expected(class)));
        let more: Vec<(usize, f64)> = more.filter(|(_, passes)| *passes > 0.0).collect();
        let fits = more.iter().all(|(class, more)| {
            let before = self.passes.get(class);
            before.is_none_or(|before| before + more <= ROOM * evidence.most[*class])
        });
        if fits {
            self.devices.extend(set);
            more.iter().for_each(|(class, more)| *self.passes.entry(*class).or_default() += more);
        }
        fits
    }
}
