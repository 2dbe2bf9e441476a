//! The experiments of a profile, read from their trials: who was measured together, what each got,
//! and the components of the path that they used.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use iopath_analysis::capacities::{
    Carried, Crossed, Identified, Load, Together, identify, scaling,
};
use iopath_analysis::findings::Warning;
use iopath_analysis::statistics::median;
use iopath_analysis::thresholds::groups::{FULL_AGAIN, LESS_THAN_ALONE};
use iopath_path::{ComponentId, Network, crossings};
use iopath_study::{Case, Class, PartId, Source};
use iopath_units::Op;

use super::exceeded::{Exceeded, reversed};
use super::{AloneProfile, ComponentProfile, LevelProfile, LoadCarried, Widest};
use crate::view::run::TrialReport;

/// How many times the median response fits into a pass at least: chosen.
const LEAST_RESPONSES: u64 = 4;

/// One experiment: a load on some devices.
pub(super) struct Experiment<'a> {
    trial: &'a TrialReport,
    load: Load,
    together: Together,
    /// Bytes a second of each device in each pass.
    passes: BTreeMap<usize, &'a [f64]>,
}

/// All experiments of a run, and the path they were on.
pub(super) struct Measured<'a> {
    pub devices: Vec<String>,
    /// Those of which the devices saw the requests.
    experiments: Vec<Experiment<'a>>,
    /// The titles of the others, which say nothing of the path: holes of a file, memory, or a cache
    /// above the devices answered.
    pub not_served: Vec<String>,
    parts: Vec<(PartId, Crossed)>,
    /// How the same parts are crossed by what a cache may serve.
    reread: Vec<Crossed>,
    /// Parts that data crosses the other way than their rates mean.
    reversed: BTreeSet<PartId>,
    case: Case,
}

/// What is found of one load.
pub(super) struct Found<'a> {
    load: Load,
    experiments: Vec<&'a Experiment<'a>>,
    /// What devices got in each of them.
    together: Vec<Together>,
    /// By part.
    crossed: Vec<Crossed>,
    identified: Identified,
}

impl<'a> Experiment<'a> {
    /// Devices that are not known yet are added.
    fn of(trial: &'a TrialReport, case: &Case, devices: &mut Vec<String>) -> Option<Self> {
        let load = Load::of(case.streams.first()?)?;
        let is_limited_by_host = trial.findings.limit.cause.is_of_host();
        let mut together = Together { is_limited_by_host, ..Together::default() };
        let mut passes: BTreeMap<usize, &'a [f64]> = BTreeMap::new();
        for (stream, rates) in case.streams.iter().zip(&trial.findings.streams) {
            let number = number(devices, name(case, stream.target));
            let bytes = median(rates.passes_bytes_per_sec.clone()).unwrap_or_default();
            passes.insert(number, &rates.passes_bytes_per_sec);
            together.rates.insert(number, bytes / unit(load));
        }
        // Devices that share a limit may have had their best passes in turn, so that medians sum up
        // to less than all did together in the worst of them.
        let worst = totals(&passes, |_| 1.0).into_iter().fold(f64::INFINITY, f64::min);
        let sum = together.rates.values().sum::<f64>() * unit(load);
        if worst.is_finite() && sum > 0.0 && worst > sum {
            together.rates.values_mut().for_each(|rate| *rate *= worst / sum);
        }
        Some(Self { trial, load, together, passes })
    }

    /// The least and the most that a component passed in a pass.
    fn extremes(&self, crossed: &Crossed) -> [f64; 2] {
        let share = |device| crossed.shares.get(&device).copied().unwrap_or_default();
        let totals = totals(&self.passes, share).into_iter().map(|bytes| bytes / unit(self.load));
        let range = |[least, most]: [f64; 2], one: f64| [least.min(one), most.max(one)];
        totals.map(|one| [one, one]).reduce(|all, [one, _]| range(all, one)).unwrap_or_default()
    }
}

/// Bytes of what a load is counted in.
fn unit(load: Load) -> f64 {
    if load.is_of_bytes() { 1.0 } else { load.block as f64 }
}

/// Of each pass the sum over devices, each by its share.
fn totals(passes: &BTreeMap<usize, &[f64]>, share: impl Fn(usize) -> f64) -> Vec<f64> {
    let count = passes.values().map(|each| each.len()).min().unwrap_or_default();
    let total = |pass: usize| passes.iter().map(|(device, each)| share(*device) * each[pass]).sum();
    (0..count).map(total).collect()
}

impl<'a> Measured<'a> {
    pub(super) fn of(trials: &'a [TrialReport]) -> Option<Self> {
        let whole = trials.iter().filter(|trial| is_whole(trial));
        let cases = whole.map(|trial| Some((trial, case(trial)?)));
        let cases: Vec<(&TrialReport, Case)> = cases.collect::<Option<_>>()?;
        let mut devices: Vec<String> = Vec::new();
        let each = cases.iter().map(|(trial, case)| Experiment::of(trial, case, &mut devices));
        let experiments: Vec<Experiment<'_>> = each.collect::<Option<_>>()?;
        let all = cases.iter().map(|(_, case)| case).zip(&experiments);
        let new = all.clone().filter(|(_, one)| one.load.is_of_sets() && !one.load.is_reread());
        let (case, _) = new.max_by_key(|(case, _)| case.streams.len())?;
        let network = network(case)?;
        let parts = parts(case, &network, &mut devices);
        let mut again: Vec<_> = all.filter(|(_, one)| one.load.is_reread()).collect();
        again.sort_by_key(|(case, _)| Reverse(case.streams.len()));
        let mut reread: BTreeMap<PartId, Crossed> = BTreeMap::new();
        let mut known: BTreeSet<usize> = BTreeSet::new();
        for (case, one) in again {
            // One network has all devices where the profile was not stopped.
            if one.together.rates.keys().all(|device| known.contains(device)) {
                continue;
            }
            known.extend(one.together.rates.keys());
            for (part, crossed) in self::parts(case, &self::network(case)?, &mut devices) {
                reread.entry(part).or_default().shares.extend(crossed.shares);
            }
        }
        let reread =
            parts.iter().map(|(part, _)| reread.remove(part).unwrap_or_default()).collect();
        let (case, reversed) = (case.clone(), reversed(&network));
        let (experiments, others): (Vec<_>, Vec<_>) = experiments.into_iter().partition(is_served);
        let not_served = others.iter().map(|one| one.trial.case.experiment.clone()).collect();
        Some(Self { devices, experiments, not_served, parts, reread, reversed, case })
    }

    pub(super) fn count(&self) -> usize {
        self.experiments.len() + self.not_served.len()
    }

    pub(super) fn loads(&self) -> impl Iterator<Item = Load> {
        self.experiments.iter().map(|one| one.load)
    }

    /// Of each load of bytes the experiment with the most devices.
    pub(super) fn widest(&self) -> Vec<Widest> {
        let loads: BTreeSet<Load> = self.loads().filter(|load| load.is_of_bytes()).collect();
        let widest = loads.into_iter().filter_map(|load| {
            let of_load = self.experiments.iter().filter(|one| one.load == load);
            let widest = of_load.max_by_key(|one| one.together.rates.len())?;
            Some(Widest {
                load,
                devices: widest.together.rates.len(),
                bytes_per_sec: widest.together.rates.values().sum(),
                is_limited_by_host: widest.together.is_limited_by_host,
                text: widest.trial.case.text.clone(),
            })
        });
        widest.collect()
    }

    /// How each part is crossed by a load.
    fn crossed(&self, load: Load) -> Vec<Crossed> {
        match load.is_reread() {
            true => self.reread.clone(),
            false => self.parts.iter().map(|(_, crossed)| crossed.clone()).collect(),
        }
    }

    pub(super) fn found(&self, load: Load) -> Found<'_> {
        let experiments: Vec<&Experiment<'_>> =
            self.experiments.iter().filter(|one| one.load == load).collect();
        let together: Vec<Together> = experiments.iter().map(|one| one.together.clone()).collect();
        let crossed = self.crossed(load);
        let identified = identify(&crossed, &together);
        Found { load, experiments, together, crossed, identified }
    }

    pub(super) fn components(&self, found: &[Found<'_>]) -> Vec<ComponentProfile> {
        let each = self.parts.iter().enumerate().map(|(number, (part, crossed))| {
            let carried = found.iter().filter_map(|one| self.carried(one, number));
            judged(ComponentProfile {
                part: *part,
                name: self.case.system.part(*part).name.clone(),
                kind: self.case.system.kind(*part),
                declared: self.case.system.part(*part).declared,
                equal: self.equal(*part),
                devices: crossed.shares.keys().map(|one| self.devices[*one].clone()).collect(),
                carried: carried.collect(),
            })
        });
        each.filter(|one| !one.carried.is_empty()).collect()
    }

    /// The number of the first part that is equal.
    fn equal(&self, part: PartId) -> usize {
        let part = self.case.system.part(part);
        let is_equal = |(other, _): &(PartId, Crossed)| {
            let other = self.case.system.part(*other);
            let [own, others] = [part, other]
                .map(|one| one.changed.iter().map(|(property, one)| (*property, &one.value)));
            other.declared == part.declared && others.eq(own)
        };
        self.parts.iter().position(is_equal).unwrap_or_default()
    }

    fn carried(&self, found: &Found<'_>, number: usize) -> Option<LoadCarried> {
        let crossed = &found.crossed[number];
        let carried = found.identified.carried[number];
        let seen = carried.seen()?;
        let (system, part) = (&self.case.system, self.parts[number].0);
        let class = Class::of(system.kind(part));
        if found.is_reread() && class == Class::Medium {
            return None;
        }
        // What one device waits for may be the cache that serves it.
        let is_of_one = found.is_reread() && crossed.shares.len() == 1;
        let carried = if is_of_one { Carried::AtLeast(seen) } else { carried };
        let most = found
            .experiments
            .iter()
            .max_by(|a, b| crossed.passes(&a.together).total_cmp(&crossed.passes(&b.together)))?;
        let all = found.experiments.iter().max_by_key(|one| one.together.rates.len())?;
        let is_full = |rate: f64| crossed.passes(&all.together) >= (1.0 - FULL_AGAIN) * rate;
        let name = |other: usize| system.part(self.parts[other].0).name.clone();
        let alike = found.identified.alike.iter().filter(|all| all.contains(&number)).flatten();
        Some(LoadCarried {
            load: found.load,
            carried,
            limits_all: carried.capacity().is_some_and(is_full),
            experiment: most.trial.case.experiment.clone(),
            passes: most.extremes(crossed),
            alike: alike.filter(|other| **other != number).map(|other| name(*other)).collect(),
            exceeded: match self.reversed.contains(&part) {
                true => Vec::new(),
                false => Exceeded::by(seen, found.load, system, part),
            },
        })
    }

    pub(super) fn alone(&self, found: &[Found<'_>]) -> Vec<AloneProfile> {
        let own = self.experiments.iter().filter(|one| one.together.rates.len() == 1);
        let own = own.filter_map(|one| {
            let findings = &one.trial.findings;
            // Several threads may copy from the cache of one device.
            let bytes = match one.load.is_cached() {
                true => findings
                    .deskewed_throughput_bytes_per_sec
                    .unwrap_or(findings.throughput_bytes_per_sec),
                false => one.together.rates.values().sum::<f64>() * unit(one.load),
            };
            Some(AloneProfile {
                device: self.device_of(&one.together)?,
                load: one.load,
                bytes_per_sec: bytes,
                operations_per_sec: bytes / one.load.block as f64,
                latency_ns_p50: findings.latency_ns_p50,
                latency_ns_p99: findings.latency_ns_p99,
                cpu_ns: findings.cpu_ns_per_request,
                limit: findings.limit.cause,
            })
        });
        let with_others = found.iter().flat_map(|one| self.alone_with_others(one));
        own.chain(with_others).collect()
    }

    /// Devices that were measured with others which did not slow them down. Responses and processor
    /// time of the experiment are of all its devices, so they are left out.
    fn alone_with_others(&self, found: &Found<'_>) -> Vec<AloneProfile> {
        let alone = found.identified.apart.iter();
        let each = alone.filter(|one| one.together.rates.len() == 1).filter_map(|one| {
            let bytes = one.together.rates.values().sum::<f64>() * unit(found.load);
            Some(AloneProfile {
                device: self.device_of(&one.together)?,
                load: found.load,
                bytes_per_sec: bytes,
                operations_per_sec: bytes / found.load.block as f64,
                latency_ns_p50: None,
                latency_ns_p99: None,
                cpu_ns: None,
                limit: found.experiments[one.of].trial.findings.limit.cause,
            })
        });
        each.collect()
    }

    fn device_of(&self, together: &Together) -> Option<String> {
        Some(self.devices[*together.rates.keys().next()?].clone())
    }

    /// Where the rate of a pass is decided by when its requests happened to end.
    pub(super) fn too_short(&self) -> Vec<String> {
        let is_short = |one: &&Experiment<'_>| {
            let findings = &one.trial.findings;
            let pass_ns = findings.duration_ns / findings.passes.len().max(1) as u64;
            findings.latency_ns_p50.is_some_and(|ns| ns > pass_ns / LEAST_RESPONSES)
        };
        let short = self.experiments.iter().filter(is_short);
        short.map(|one| one.trial.case.experiment.clone()).collect()
    }

    pub(super) fn levels(&self, found: &Found<'_>) -> Vec<LevelProfile> {
        let crossed = &found.crossed;
        let each =
            scaling(self.devices.len(), crossed, &found.together).into_iter().map(|scaling| {
                let parts = self.parts.iter().map(|(part, _)| *part).zip(crossed);
                let named = parts.filter(|(_, crossed)| crossed.shares.keys().eq(&scaling.devices));
                let names =
                    named.map(|(part, _)| self.case.system.part(part).name.clone()).collect();
                LevelProfile { names, load: found.load, scaling }
            });
        each.collect()
    }
}

impl Found<'_> {
    pub(super) fn is_reread(&self) -> bool {
        self.load.is_reread()
    }

    pub(super) fn unexplained(&self) -> Vec<String> {
        let titles = self.identified.unexplained.iter();
        titles.map(|at| self.experiments[*at].trial.case.experiment.clone()).collect()
    }
}

/// What figures of one component say of each other: small requests that fill its bytes say nothing
/// of its operations, re-reads that no cache served nothing at all; those that one did serve show
/// that new data left it room.
fn judged(mut component: ComponentProfile) -> ComponentProfile {
    for op in Op::BOTH {
        let Some(bytes) = component.of_bytes(op).map(|one| one.load) else { continue };
        let is_op = |one: &LoadCarried| one.load.op == op;
        let full = component.carried.iter().filter(|one| is_op(one) && one.load.is_of_bytes());
        let full: Vec<f64> = full.filter_map(|one| one.carried.capacity()).collect();
        for one in component.carried.iter_mut().filter(|one| is_op(one)) {
            let seen = one.carried.seen().unwrap_or_default();
            let small = seen * one.load.block as f64;
            let is_of_other = match one.load.is_of_bytes() {
                true => one.load != bytes,
                false => full.iter().any(|full| small >= (1.0 - LESS_THAN_ALONE) * full),
            };
            if is_of_other {
                (one.carried, one.limits_all) = (Carried::AtLeast(seen), false);
            }
        }
    }
    component
}

/// Whether the devices below saw what was read.
fn is_served(experiment: &Experiment<'_>) -> bool {
    let warnings = &experiment.trial.findings.warnings;
    !warnings.iter().any(|one| matches!(one, Warning::HolesOrCache(_)))
}

/// Whether each stream has a rate: one that was stopped in its first pass has none.
fn is_whole(trial: &TrialReport) -> bool {
    trial.findings.streams.iter().all(|stream| !stream.passes_bytes_per_sec.is_empty())
}

fn case(trial: &TrialReport) -> Option<Case> {
    let source = Source { name: "the record".to_owned(), text: trial.case.text.clone() };
    iopath_study::parse(&source, &[]).ok()?.cases().ok()?.into_iter().next()
}

/// The device that a stream reads: the part that its target is.
fn name(case: &Case, target: usize) -> String {
    case.system.part(case.targets[target].part).name.clone()
}

fn number(devices: &mut Vec<String>, name: String) -> usize {
    devices.iter().position(|other| *other == name).unwrap_or_else(|| {
        devices.push(name);
        devices.len() - 1
    })
}

/// What devices got in each of these experiments, by their place in the list; none where a trial
/// is no experiment of a profile.
#[must_use]
pub fn measured_together(trials: &[TrialReport], devices: &[&str]) -> Option<Vec<Together>> {
    let mut devices: Vec<String> = devices.iter().map(|name| (*name).to_owned()).collect();
    let each = trials.iter().map(|trial| Experiment::of(trial, &case(trial)?, &mut devices));
    each.map(|one| one.map(|one| one.together)).collect()
}

/// The components of a case, by the share of the bytes of each of its streams that cross them; none
/// where the case cannot be modelled.
#[must_use]
pub fn crossed_by(case: &Case) -> Option<Vec<Crossed>> {
    let all = parts(case, &network(case)?, &mut Vec::new());
    Some(all.into_iter().map(|(_, crossed)| crossed).collect())
}

/// What re-reads of a case cross; nothing where its streams share no component above media, as
/// these would prove nothing.
#[must_use]
pub fn crossed_by_rereads(case: &Case) -> Vec<Crossed> {
    let is_shared = |(part, crossed): &(PartId, Crossed)| {
        crossed.shares.len() > 1 && Class::of(case.system.kind(*part)) != Class::Medium
    };
    let all = network(case).map(|network| parts(case, &network, &mut Vec::new()));
    let all = all.filter(|all| all.iter().any(is_shared));
    all.into_iter().flatten().map(|(_, crossed)| crossed).collect()
}

/// What requests cross or end at, with the share of each device's bytes.
fn parts(case: &Case, network: &Network, devices: &mut Vec<String>) -> Vec<(PartId, Crossed)> {
    let mut parts: BTreeMap<ComponentId, Crossed> = BTreeMap::new();
    for (load, crossed) in network.streams.iter().zip(crossings(network)) {
        let device = number(devices, name(case, case.streams[load.stream].target));
        for (component, share) in crossed {
            parts.entry(component).or_default().shares.insert(device, share);
        }
    }
    let is_part = |(id, crossed): (ComponentId, Crossed)| {
        let class = Class::of(network.component(id).kind);
        let is_of_path = class.is_crossed() || class == Class::Medium;
        is_of_path.then(|| (PartId::from(id), crossed))
    };
    parts.into_iter().filter_map(is_part).collect()
}

fn network(case: &Case) -> Option<Network> {
    Network::build(case, &BTreeSet::new()).ok()
}
