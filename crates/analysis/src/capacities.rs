//! What each component of a path carries, from experiments on sets of the devices behind it.
//!
//! Law: each byte of a device uses a fixed share of every component on its path, so what a
//! component passes in an experiment is the sum of share × rate over the devices. A component is
//! full only where it passes as much as it ever did. A device that gets less than alone waits for
//! a component on its path that is full: where only one can be, it is that one, and it explains
//! every other loss that it can be full for. Components that the same devices use in the same
//! shares cannot be separated; one of them is full.
//!
//! Devices that share nothing that may have been full did not slow each other down, so an
//! experiment on many devices counts as one on each group that does share such a thing.
//!
//! What was never full has carried at least the most that was seen. It leaves out limits that take
//! less than [`LESS_THAN_ALONE`] from every device, limits that are no component of the path, and
//! experiments that this machine itself limits, which prove nothing but a lower bound.

use std::collections::BTreeMap;

use crate::probe::Members;
use crate::thresholds::groups::{EQUAL_USE, FULL_AGAIN, LESS_THAN_ALONE};

mod apart;
mod at_once;
mod classes;
mod load;
mod plan;
mod scaling;

pub use apart::Apart;
pub use at_once::{AtOnce, Between};
pub use load::{Figure, Load, REREAD_BYTES, loads};
pub use plan::{levels, sets};
pub use scaling::{Scaling, Step, scaling};

use apart::apart;
use classes::Class;

/// A component by the devices behind it: the share of each one's bytes that cross it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crossed {
    /// By device; those that do not use it are left out.
    pub shares: BTreeMap<usize, f64>,
}

/// What devices got while they were measured together: bytes or operations per second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Together {
    /// By device.
    pub rates: BTreeMap<usize, f64>,
    /// Whether this machine's processors or the load generator were the limit.
    pub is_limited_by_host: bool,
}

/// What is found of a component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Carried {
    /// It, or one that the same devices use alike, was full: no more passes them.
    Full(f64),
    /// It, or another one that would explain the same losses, was full.
    Perhaps(f64),
    /// Nothing filled it: the most that it passed.
    AtLeast(f64),
    /// No experiment used it.
    Nothing,
}

impl Carried {
    /// The capacity, where it is one.
    #[must_use]
    pub fn capacity(self) -> Option<f64> {
        match self {
            Self::Full(rate) => Some(rate),
            Self::Perhaps(_) | Self::AtLeast(_) | Self::Nothing => None,
        }
    }

    /// The most that it passed.
    #[must_use]
    pub fn seen(self) -> Option<f64> {
        match self {
            Self::Full(rate) | Self::Perhaps(rate) | Self::AtLeast(rate) => Some(rate),
            Self::Nothing => None,
        }
    }
}

/// What experiments tell of the components of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Identified {
    /// One for each component, in their order.
    pub carried: Vec<Carried>,
    /// Components that no experiment tells apart: of those that were full one is.
    pub alike: Vec<Vec<usize>>,
    /// Experiments in which a device lost and no component can be full: rates that changed between
    /// experiments, or a limit that is no component of the path.
    pub unexplained: Vec<usize>,
    /// What experiments on many devices say of some of them.
    pub apart: Vec<Apart>,
}

/// Concludes from all experiments what each component carries.
#[must_use]
pub fn identify(components: &[Crossed], experiments: &[Together]) -> Identified {
    let classes = Class::all(components);
    let apart = apart(&classes, experiments);
    let taken_apart = apart.iter().map(|one| one.together.clone());
    let all: Vec<Together> = experiments.iter().cloned().chain(taken_apart).collect();
    let evidence = Evidence::of(&classes, &all);
    let losses = evidence.losses();
    let suspects = losses.iter().flat_map(|loss| &loss.candidates).copied().collect();
    let (full, doubtful, mut unexplained) = evidence.explained(losses);
    unexplained.retain(|experiment| *experiment < experiments.len());
    let carried = (0..components.len()).map(|component| {
        let Some((class, times)) = evidence.class_of(component) else { return Carried::Nothing };
        let most = evidence.most[class] * times;
        match () {
            () if most <= 0.0 => Carried::Nothing,
            () if full.contains(&class) => Carried::Full(most),
            () if evidence.is_own_limit(class, &suspects) => Carried::Full(most),
            () if doubtful.contains(&class) => Carried::Perhaps(most),
            () => Carried::AtLeast(most),
        }
    });
    let numbers = |class: &Class| class.components.iter().map(|(number, _)| *number).collect();
    let alike = evidence.classes.iter().map(numbers).collect();
    Identified { carried: carried.collect(), alike, unexplained, apart }
}

/// A device that got less than alone, and the classes that can be full on its path.
#[derive(Clone, Debug, PartialEq)]
struct Loss {
    experiment: usize,
    candidates: Members,
}

/// Usage of all classes in all experiments.
struct Evidence<'a> {
    classes: &'a [Class],
    experiments: &'a [Together],
    /// By class, then by experiment.
    passed: Vec<Vec<f64>>,
    /// The most of each class.
    most: Vec<f64>,
    /// What each device got alone; of several times the most.
    alone: BTreeMap<usize, f64>,
    /// The classes on the path of each device.
    used: BTreeMap<usize, Members>,
}

impl<'a> Evidence<'a> {
    fn of(classes: &'a [Class], experiments: &'a [Together]) -> Self {
        let passed: Vec<Vec<f64>> = classes
            .iter()
            .map(|class| experiments.iter().map(|one| class.crossed.passes(one)).collect())
            .collect();
        let most = passed.iter().map(|each| each.iter().copied().fold(0.0, f64::max)).collect();
        let mut alone = BTreeMap::new();
        for one in experiments.iter().filter(|one| one.rates.len() == 1) {
            for (device, rate) in &one.rates {
                let known: &mut f64 = alone.entry(*device).or_default();
                *known = known.max(*rate);
            }
        }
        let mut used = BTreeMap::<usize, Members>::new();
        for (number, class) in classes.iter().enumerate() {
            for device in class.crossed.devices() {
                used.entry(device).or_default().insert(number);
            }
        }
        Self { classes, experiments, passed, most, alone, used }
    }

    /// The class of a component, and what it passes for each unit of that.
    fn class_of(&self, component: usize) -> Option<(usize, f64)> {
        self.classes.iter().enumerate().find_map(|(number, class)| {
            let of = class.components.iter().find(|(other, _)| *other == component)?;
            Some((number, of.1))
        })
    }

    /// Whether a class can be full in an experiment.
    fn can_be_full(&self, class: usize, experiment: usize) -> bool {
        self.passed[class][experiment] >= (1.0 - FULL_AGAIN) * self.most[class]
    }

    fn losses(&self) -> Vec<Loss> {
        let mut losses = Vec::new();
        for (experiment, one) in self.experiments.iter().enumerate() {
            if one.is_limited_by_host {
                continue;
            }
            let lost = one.rates.iter().filter(|(device, rate)| {
                self.alone.get(device).is_some_and(|alone| **rate < (1.0 - LESS_THAN_ALONE) * alone)
            });
            losses.extend(lost.map(|(device, _)| {
                let candidates = (0..self.classes.len()).filter(|class| {
                    let crossed = &self.classes[*class].crossed;
                    let users = one.rates.keys().filter(|other| crossed.uses(**other)).count();
                    let may_be_full =
                        self.can_be_full(*class, experiment) || self.is_all_of(*class, *device);
                    crossed.uses(*device) && users > 1 && may_be_full
                });
                Loss { experiment, candidates: candidates.collect() }
            }));
        }
        losses
    }

    /// The classes that must be full; those of which one must be; experiments without either.
    fn explained(&self, mut losses: Vec<Loss>) -> (Members, Members, Vec<usize>) {
        let mut full = Members::new();
        while let Some(only) = losses.iter().find(|loss| loss.candidates.len() == 1) {
            full.extend(&only.candidates);
            losses.retain(|loss| loss.candidates.is_disjoint(&full));
        }
        let mut unexplained: Vec<usize> = losses
            .iter()
            .filter(|loss| loss.candidates.is_empty())
            .map(|loss| loss.experiment)
            .collect();
        unexplained.dedup();
        let doubtful = losses.into_iter().flat_map(|loss| loss.candidates).collect();
        (full, doubtful, unexplained)
    }

    /// Whether a device uses nothing else.
    fn is_all_of(&self, class: usize, device: usize) -> bool {
        self.used.get(&device).is_some_and(|used| used.len() == 1 && used.contains(&class))
    }

    /// Whether it limits a device alone: only that one uses it, or that one uses nothing else.
    fn is_own_limit(&self, class: usize, suspects: &Members) -> bool {
        let users = self.classes[class].crossed.devices();
        let is_only_one = users.len() == 1;
        users.iter().any(|user| {
            (is_only_one || self.is_all_of(class, *user))
                && self.limits_alone(class, *user, suspects)
        })
    }

    /// Whether it can have been full where a device was measured alone, and nothing else that the
    /// device shares with others and that may explain a loss, even where something else explains
    /// every loss.
    fn limits_alone(&self, class: usize, device: usize, suspects: &Members) -> bool {
        let device = &device;
        let is_alone = |one: &Together| one.rates.len() == 1 && one.rates.contains_key(device);
        self.experiments.iter().enumerate().any(|(experiment, one)| {
            let mut others = suspects.iter().filter(|other| {
                **other != class
                    && self.classes[**other].crossed.uses(*device)
                    && self.can_be_full(**other, experiment)
            });
            is_alone(one)
                && !one.is_limited_by_host
                && self.can_be_full(class, experiment)
                && others.next().is_none()
        })
    }
}

impl Crossed {
    /// What it passes in an experiment.
    #[must_use]
    pub fn passes(&self, one: &Together) -> f64 {
        one.rates.iter().map(|(device, rate)| self.share(*device) * rate).sum()
    }

    /// How these devices use it, by their place among them.
    #[must_use]
    pub fn among(&self, devices: &[usize]) -> Self {
        let shares = devices
            .iter()
            .enumerate()
            .filter_map(|(place, device)| self.shares.get(device).map(|share| (place, *share)));
        Self { shares: shares.collect() }
    }

    fn share(&self, device: usize) -> f64 {
        self.shares.get(&device).copied().unwrap_or_default()
    }

    fn uses(&self, device: usize) -> bool {
        self.share(device) > 0.0
    }

    /// The devices behind it.
    fn devices(&self) -> Members {
        self.shares.iter().filter(|(_, share)| **share > 0.0).map(|(device, _)| *device).collect()
    }

    /// By which factor it is used more than another one by all devices; none where that differs.
    fn times(&self, other: &Self) -> Option<f64> {
        let mut ratios = self.shares.iter().map(|(device, share)| share / other.share(*device));
        let first = ratios.next()?;
        let is_same = |ratio: f64| (ratio / first - 1.0).abs() <= EQUAL_USE;
        (self.devices() == other.devices() && ratios.all(is_same)).then_some(first)
    }
}
