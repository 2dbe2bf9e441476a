//! Experiments on many devices at once, taken apart.
//!
//! Devices that share nothing that may have been full did not slow each other down. So each group
//! of devices that do share something full is an experiment of its own, as if only that group had
//! been measured.

use std::collections::{BTreeMap, BTreeSet};

use super::classes::Class;
use super::{Evidence, Together};
use crate::probe::Members;
use crate::thresholds::groups::NOT_FULL;

/// What some devices of an experiment got, as if they had been measured by themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    /// The experiment, by its place in the list.
    pub of: usize,
    pub together: Together,
}

/// The groups within experiments that did not slow each other down, each in the experiment in which
/// it got most. Groups that were measured by themselves are left out, and so are experiments that
/// this machine limited.
pub(super) fn apart(classes: &[Class], experiments: &[Together]) -> Vec<Apart> {
    let results = Results::of(&Evidence::of(classes, experiments));
    let groups: BTreeSet<&Members> = results.groups.iter().flat_map(|all| &all.each).collect();
    let new = groups.into_iter().filter(|group| results.own(group).is_none());
    new.filter_map(|group| results.next_to_others(group)).collect()
}

/// What sets of devices did, by themselves or next to others.
pub(super) struct Results<'a> {
    experiments: &'a [Together],
    /// Of each experiment.
    groups: Vec<Groups>,
    own: BTreeMap<Members, &'a Together>,
}

impl<'a> Results<'a> {
    pub(super) fn of(evidence: &Evidence<'a>) -> Self {
        let experiments = evidence.experiments;
        let groups = (0..experiments.len()).map(|experiment| evidence.groups(experiment)).collect();
        let own = experiments.iter().rev().map(|one| (one.devices(), one)).collect();
        Self { experiments, groups, own }
    }

    /// What a set did by itself.
    pub(super) fn own(&self, set: &Members) -> Option<&'a Together> {
        self.own.get(set).copied()
    }

    /// What was measured by itself.
    pub(super) fn all_own(&self) -> impl Iterator<Item = (&Members, &'a Together)> {
        self.own.iter().map(|(set, one)| (set, *one))
    }

    /// The most that it did next to others which did not slow it down.
    pub(super) fn next_to_others(&self, set: &Members) -> Option<Apart> {
        let each = self.experiments.iter().zip(&self.groups).enumerate();
        each.filter(|(_, (_, groups))| groups.make(set))
            .map(|(of, (one, _))| Apart { of, together: one.within(set) })
            .max_by(|one, other| one.together.total().total_cmp(&other.together.total()))
    }
}

/// The devices of an experiment, those together that share what may have been full.
struct Groups {
    each: Vec<Members>,
    /// Of each device.
    of: BTreeMap<usize, usize>,
}

impl Groups {
    /// Whether some of them are a set.
    fn make(&self, set: &Members) -> bool {
        let of: Option<BTreeSet<usize>> =
            set.iter().map(|device| self.of.get(device).copied()).collect();
        let count = |of: BTreeSet<usize>| of.iter().map(|group| self.each[*group].len()).sum();
        of.map_or(0, count) == set.len()
    }
}

impl Evidence<'_> {
    /// All devices are one group where this machine was the limit.
    fn groups(&self, experiment: usize) -> Groups {
        let one = &self.experiments[experiment];
        let mut of: BTreeMap<usize, usize> =
            one.rates.keys().map(|device| (*device, *device)).collect();
        let mut each: BTreeMap<usize, Members> =
            one.rates.keys().map(|device| (*device, Members::from([*device]))).collect();
        let mut join = |devices: &mut dyn Iterator<Item = usize>| {
            let mut devices = devices.filter(|device| one.rates.contains_key(device));
            let Some(first) = devices.next() else { return };
            for device in devices {
                let (into, from) = (of[&first], of[&device]);
                if into == from {
                    continue;
                }
                let moved = each.remove(&from).unwrap_or_default();
                moved.iter().for_each(|device| *of.entry(*device).or_default() = into);
                each.entry(into).or_default().extend(moved);
            }
        };
        if one.is_limited_by_host {
            join(&mut one.rates.keys().copied());
        }
        let may_be_full =
            |class: &usize| self.passed[*class][experiment] > NOT_FULL * self.most[*class];
        for class in (0..self.classes.len()).filter(may_be_full) {
            join(&mut self.classes[class].crossed.devices().into_iter());
        }
        let each: Vec<Members> = each.into_values().collect();
        let of = each.iter().enumerate();
        let of = of.flat_map(|(group, all)| all.iter().map(move |device| (*device, group)));
        Groups { of: of.collect(), each }
    }
}

impl Together {
    /// The devices that were measured.
    #[must_use]
    pub fn devices(&self) -> Members {
        self.rates.keys().copied().collect()
    }

    pub(super) fn total(&self) -> f64 {
        self.rates.values().sum()
    }

    fn within(&self, devices: &Members) -> Self {
        let rates = self.rates.iter().filter(|(device, _)| devices.contains(device));
        let rates = rates.map(|(device, rate)| (*device, *rate)).collect();
        Self { rates, ..*self }
    }
}
