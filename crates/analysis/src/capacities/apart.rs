//! Experiments on many devices at once, taken apart.
//!
//! Devices that share nothing that may have been full did not slow each other down. So each group
//! of devices that do share something full is an experiment of its own, as if only that group had
//! been measured.

use std::collections::BTreeSet;

use super::classes::Class;
use super::{Crossed, Evidence, Together};
use crate::probe::Members;

/// What some devices of an experiment got, as if they had been measured by themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    /// The experiment, by its place in the list.
    pub of: usize,
    pub together: Together,
}

/// The groups within experiments that did not slow each other down, each once, in order of
/// experiments. Groups that were measured by themselves are left out, and so are experiments that
/// this machine limited.
#[must_use]
pub fn apart(components: &[Crossed], experiments: &[Together]) -> Vec<Apart> {
    of_classes(&Class::all(components), experiments)
}

fn of_classes(classes: &[Class], experiments: &[Together]) -> Vec<Apart> {
    let evidence = Evidence::of(classes, experiments);
    let mut known: BTreeSet<Members> = experiments.iter().map(Together::devices).collect();
    let mut found = Vec::new();
    for (of, one) in experiments.iter().enumerate() {
        let new = evidence.groups(of).into_iter().filter(|group| known.insert(group.clone()));
        found.extend(new.map(|group| Apart { of, together: one.within(&group) }));
    }
    found
}

/// All experiments, and after them what is taken apart.
pub(super) fn with_apart(classes: &[Class], experiments: &[Together]) -> Vec<Together> {
    let apart = of_classes(classes, experiments).into_iter().map(|one| one.together);
    experiments.iter().cloned().chain(apart).collect()
}

/// What sets of devices did in experiments, by themselves or next to others.
pub(super) struct Sets<'a> {
    experiments: &'a [Together],
    /// Of each experiment.
    groups: Vec<Vec<Members>>,
}

impl<'a> Sets<'a> {
    pub(super) fn of(evidence: &Evidence<'a>) -> Self {
        let experiments = evidence.experiments;
        let groups = (0..experiments.len()).map(|experiment| evidence.groups(experiment)).collect();
        Self { experiments, groups }
    }

    /// What a set did by itself.
    pub(super) fn own(&self, set: &Members) -> Option<Together> {
        let is_it = |one: &&Together| one.rates.keys().eq(set);
        self.experiments.iter().find(is_it).cloned()
    }

    /// What it did next to others which did not slow it down.
    pub(super) fn next_to_others(&self, set: &Members) -> Option<Together> {
        let is_undisturbed = |groups: &Vec<Members>| {
            let within: usize =
                groups.iter().filter(|group| group.is_subset(set)).map(Members::len).sum();
            within == set.len()
        };
        let mut all = self.experiments.iter().zip(&self.groups);
        let (one, _) = all.find(|(_, groups)| is_undisturbed(groups))?;
        Some(one.within(set))
    }
}

impl Evidence<'_> {
    /// The devices of an experiment, those together that share what may have been full; all where
    /// this machine was the limit.
    fn groups(&self, experiment: usize) -> Vec<Members> {
        let one = &self.experiments[experiment];
        if one.is_limited_by_host {
            return vec![one.devices()];
        }
        let each = one.rates.keys();
        let mut groups: Vec<Members> = each.map(|device| Members::from([*device])).collect();
        let full = (0..self.classes.len()).filter(|class| self.can_be_full(*class, experiment));
        for class in full {
            let crossed = &self.classes[class].crossed;
            let (users, mut others): (Vec<Members>, Vec<Members>) = groups
                .into_iter()
                .partition(|group| group.iter().any(|device| crossed.uses(*device)));
            let users: Members = users.into_iter().flatten().collect();
            others.extend(Some(users).filter(|users| !users.is_empty()));
            groups = others;
        }
        groups
    }
}

impl Together {
    /// The devices that were measured.
    #[must_use]
    pub fn devices(&self) -> Members {
        self.rates.keys().copied().collect()
    }

    fn within(&self, devices: &Members) -> Self {
        let rates = self.rates.iter().filter(|(device, _)| devices.contains(device));
        let rates = rates.map(|(device, rate)| (*device, *rate)).collect();
        Self { rates, ..*self }
    }
}
