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
//! ([`apart`](super::apart)). A set of which it says nothing is measured by itself. So is one
//! whose devices got less than alone, unless an equal set got no more by itself: something of its
//! own is full, or it shares a limit that is no component of the path. Equal sets have as many
//! devices of the same declarations. A single device is measured alone where it got another rate,
//! by [`LESS_THAN_ALONE`], than the fastest equal one did alone.
//! An experiment that this machine's processors limited says nothing; half as many devices are
//! tried next, unless more experiments on as many were well: then something else ran.

use std::collections::{BTreeMap, BTreeSet};

use super::apart::Results;
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
    /// The sets of the last experiment, where there were several.
    last: Vec<Members>,
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
        Self { classes, first, wanted, tried: BTreeSet::new(), last: Vec::new() }
    }

    /// The devices to measure together after these experiments; none where all is known.
    pub fn next(&mut self, experiments: &[Together]) -> Option<Members> {
        let known = Known::of(&self.classes, &self.first, experiments);
        if experiments.last().is_some_and(|last| last.is_limited_by_host) {
            // It says nothing of them: fewer are tried at once.
            self.last.iter().for_each(|set| _ = self.tried.remove(set));
        }
        let missing: Vec<&Members> = self.wanted.iter().filter(|set| !known.has(set)).collect();
        let first = *missing.first()?;
        let is_first_alone = first.len() == 1 && first.iter().all(|one| self.first[*one] == *one);
        if experiments.is_empty() || is_first_alone || self.tried.contains(first) {
            self.last.clear();
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
            self.tried.extend(taken.iter().cloned());
        }
        self.last = taken;
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
    results: Results<'a>,
    first: &'a [usize],
    /// The most that a set of each kind got by itself.
    most: BTreeMap<Vec<usize>, f64>,
    /// What each device got, or is expected to.
    alone: Vec<f64>,
}

impl<'a> Known<'a> {
    fn of(classes: &'a [Class], first: &'a [usize], experiments: &'a [Together]) -> Self {
        let evidence = Evidence::of(classes, experiments);
        let results = Results::of(&evidence);
        let mut most: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
        for (set, one) in results.all_own() {
            let known = most.entry(kind(first, set)).or_default();
            *known = known.max(one.total());
        }
        let mut known = Self { evidence, results, first, most, alone: Vec::new() };
        known.alone = (0..first.len()).map(|device| known.expected(device)).collect();
        known
    }

    fn expected(&self, device: usize) -> f64 {
        let set = Members::from([device]);
        let own = self.results.own(&set).map(Together::total);
        let apart = || self.results.next_to_others(&set).map(|one| one.together.total());
        let equal = || self.most.get(&kind(self.first, &set)).copied();
        own.or_else(apart).or_else(equal).unwrap_or(f64::INFINITY)
    }

    fn has(&self, set: &Members) -> bool {
        let is_known = || {
            let apart = self.results.next_to_others(set);
            apart.is_some_and(|one| self.is_usual(set, &one.together))
        };
        self.results.own(set).is_some() || is_known()
    }

    /// Whether a set got what an equal one got by itself; of several devices also whether each got
    /// what it gets alone.
    fn is_usual(&self, set: &Members, one: &Together) -> bool {
        let is_near = |rate: f64, usual: f64| rate >= (1.0 - LESS_THAN_ALONE) * usual;
        let most = self.most.get(&kind(self.first, set));
        let is_of_kind =
            most.is_some_and(|most| is_near(one.total(), *most) && is_near(*most, one.total()));
        let mut rates = one.rates.iter();
        is_of_kind
            || set.len() > 1 && rates.all(|(device, rate)| is_near(*rate, self.alone[*device]))
    }
}

/// The declarations of a set's devices: equal sets have the same.
fn kind(first: &[usize], set: &Members) -> Vec<usize> {
    let mut kind: Vec<usize> = set.iter().map(|device| first[*device]).collect();
    kind.sort_unstable();
    kind
}

/// So many devices are not too much for this machine: half of the fewest that were. Where more
/// experiments that did as much on as many devices were well than on no more were not, something
/// else ran then, up to [`ACCIDENTS`].
fn at_most(experiments: &[Together]) -> usize {
    let limited = |one: &&Together| one.is_limited_by_host;
    let is_certain = |one: &&Together| {
        let is_as_much = |other: &&Together| {
            other.rates.len() >= one.rates.len() && other.total() >= one.total()
        };
        let is_no_more = |other: &&Together| other.rates.len() <= one.rates.len();
        let well = experiments.iter().filter(|one| !limited(one)).filter(is_as_much).count();
        let not = experiments.iter().filter(limited).filter(is_no_more).count();
        not > ACCIDENTS || not >= well
    };
    let certain = experiments.iter().filter(limited).filter(is_certain);
    certain.map(|one| one.rates.len() / 2).min().unwrap_or(usize::MAX)
}

/// After so many something else runs all the time: chosen.
const ACCIDENTS: usize = 2;

/// Sets that are measured at once.
struct Pack<'a> {
    known: &'a Known<'a>,
    devices: Members,
    /// So many devices are not too much for this machine.
    at_most: usize,
    /// By class, of those that some set uses: what it is expected to pass.
    passes: BTreeMap<usize, f64>,
}

impl<'a> Pack<'a> {
    fn new(known: &'a Known<'a>) -> Self {
        let at_most = at_most(known.evidence.experiments);
        Self { known, devices: Members::new(), at_most, passes: BTreeMap::new() }
    }

    /// Takes a set where it slows none of the others down, and none of them it.
    fn take(&mut self, set: &Members) -> bool {
        let is_too_much = self.devices.len() + set.len() > self.at_most;
        if !self.devices.is_disjoint(set) || !self.devices.is_empty() && is_too_much {
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
