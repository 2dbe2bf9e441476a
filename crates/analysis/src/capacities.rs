//! What each component of a path carries, from experiments on sets of the devices behind it.
//!
//! Law: each byte of a device uses a fixed share of every component on its path, so what a
//! component passes in an experiment is the sum of share × rate over the devices. A component is
//! full only where it passes as much as it ever did. A device that gets less than alone waits for
//! a component on its path that is full: where only one can be, it is that one, and it explains
//! every other loss that it can be full for. Components that the same devices use in the same
//! shares cannot be separated; one of them is full.
//!
//! A device without a component of its own, such as a file, is limited alone by what it shares
//! with others: by the only component on its path that passed no more at another time. That one
//! also explains why several such devices get less together than one of them alone, as files on
//! one disk do; its capacity stays the most that it passed.
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
    let (mut full, doubtful, mut unexplained) = evidence.explained(losses);
    full.extend(evidence.limit_alone.values());
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

/// A device that got less than alone, and the classes on its path that can be full, or that limit
/// it alone and passed as little as this at another time.
#[derive(Clone, Debug, PartialEq)]
struct Loss {
    experiment: usize,
    device: usize,
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
    /// The class that limits a device alone, of those that have none of their own.
    limit_alone: BTreeMap<usize, usize>,
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
        let limit_alone = BTreeMap::new();
        let mut evidence = Self { classes, experiments, passed, most, alone, limit_alone };
        evidence.limit_alone = evidence.limits_alone();
        evidence
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
                    self.classes[*class].crossed.uses(*device)
                        && self.is_shared(*class, experiment)
                        && self.can_be_full(*class, experiment)
                });
                Loss { experiment, device: *device, candidates: candidates.collect() }
            }));
        }
        self.add_limits_alone(&mut losses);
        losses
    }

    /// Where nothing else can be full, a device waits for what limits it alone. That also explains
    /// where it passed no less than then.
    fn add_limits_alone(&self, losses: &mut [Loss]) {
        let limit = |loss: &Loss| {
            let class = self.limit_alone.get(&loss.device)?;
            let passed = self.passed[*class][loss.experiment];
            self.is_shared(*class, loss.experiment).then_some((*class, passed))
        };
        let mut least: BTreeMap<usize, f64> = BTreeMap::new();
        for (class, passed) in
            losses.iter().filter(|loss| loss.candidates.is_empty()).filter_map(limit)
        {
            let known = least.entry(class).or_insert(passed);
            *known = known.min(passed);
        }
        for loss in losses {
            let Some((class, passed)) = limit(loss) else { continue };
            if least.get(&class).is_some_and(|least| passed >= (1.0 - FULL_AGAIN) * least) {
                loss.candidates.insert(class);
            }
        }
    }

    /// Whether several devices of an experiment use it.
    fn is_shared(&self, class: usize, experiment: usize) -> bool {
        let crossed = &self.classes[class].crossed;
        let devices = self.experiments[experiment].rates.keys();
        devices.filter(|device| crossed.uses(**device)).nth(1).is_some()
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

    /// What each device without a class of its own waits for alone: of what one such device with
    /// the same path uses the only class that can be full then.
    fn limits_alone(&self) -> BTreeMap<usize, usize> {
        let mut paths: BTreeMap<usize, Members> = BTreeMap::new();
        for (number, class) in self.classes.iter().enumerate() {
            for device in class.crossed.devices() {
                paths.entry(device).or_default().insert(number);
            }
        }
        let has_own = |path: &Members| {
            path.iter().any(|class| self.classes[*class].crossed.devices().len() == 1)
        };
        paths.retain(|_, path| !has_own(path));
        let mut limits: BTreeMap<&Members, usize> = BTreeMap::new();
        for (experiment, one) in self.experiments.iter().enumerate() {
            let Some(path) = one.alone().and_then(|device| paths.get(&device)) else { continue };
            let mut full = path.iter().filter(|class| self.can_be_full(**class, experiment));
            if let (Some(class), None) = (full.next(), full.next()) {
                limits.insert(path, *class);
            }
        }
        let of_path = |(device, path): (&usize, &Members)| Some((*device, *limits.get(path)?));
        paths.iter().filter_map(of_path).collect()
    }

    /// Whether what only one device uses is what limits that device alone: nothing that it shares
    /// with others and that may explain a loss can have been full then, even where something else
    /// explains every loss.
    fn is_own_limit(&self, class: usize, suspects: &Members) -> bool {
        let mut users = self.classes[class].crossed.shares.keys();
        let (Some(device), None) = (users.next(), users.next()) else { return false };
        self.experiments.iter().enumerate().any(|(experiment, one)| {
            let mut shared = suspects.iter().filter(|other| {
                self.classes[**other].crossed.uses(*device) && self.can_be_full(**other, experiment)
            });
            one.alone() == Some(*device)
                && self.can_be_full(class, experiment)
                && shared.next().is_none()
        })
    }
}

impl Together {
    /// The only device, where nothing but the path limits it.
    fn alone(&self) -> Option<usize> {
        let mut devices = self.rates.keys().filter(|_| !self.is_limited_by_host);
        devices.next().filter(|_| devices.next().is_none()).copied()
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
