//! Which processors do the work for storage: the NUMA node, queues and interrupts of each
//! controller, and where interrupts should go.
//!
//! A completion is an interrupt, and the processor that takes it is busy with it: one processor
//! for all of them limits requests/s, and one of another node fetches each completion from the
//! other node's memory. Where interrupts go now counts; how often they came since the machine
//! started says which of them matter.
//! A controller whose interrupts go to several processors is taken to be spread: which of them
//! come is its users' doing.
//! Leaves out: interrupts that the kernel spreads by itself (managed), as nobody can move them;
//! line interrupts; threads of one core, which are dealt to as if they were cores; what a move
//! gains, which only a measurement shows.

use std::collections::{BTreeMap, BTreeSet};

use iopath_machine::hardware::{Hardware, Interrupt, NumaNode};

use crate::facts::Facts;
use crate::model::Finding;
use crate::volumes::natural;

mod crowded;
mod interfaces;
mod remote;

pub(crate) use interfaces::interfaces;

/// Which processors do the work for storage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    pub controllers: Vec<Controller>,
    /// What of this machine's placement is unwise: findings of [`crate::discover`].
    pub findings: Vec<Finding>,
    /// Where interrupts should go.
    pub binds: Vec<Bind>,
}

/// A PCI function that storage is behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Controller {
    /// Such as `0000:3b:00.0`.
    pub address: String,
    pub driver: Option<String>,
    /// The NUMA node it is next to.
    pub node: Option<u32>,
    /// Disks and network interfaces behind it, by the kernel's names.
    pub behind: Vec<String>,
    /// The hardware queues of the disk that has most.
    pub queues: Option<usize>,
    pub interrupts: Vec<Interrupt>,
}

/// An interrupt that another processor should serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    pub interrupt: u32,
    /// The processors that it may go to today.
    pub today: String,
    /// The processor that should serve it.
    pub to: u32,
}

/// An interrupt, with whose it is.
#[derive(Clone, Copy)]
pub(crate) struct Owned<'c> {
    pub controller: &'c Controller,
    pub interrupt: &'c Interrupt,
}

/// A finding, with the interrupts that should go elsewhere.
pub(crate) struct Misplaced<'c> {
    pub finding: Finding,
    pub moved: Vec<Owned<'c>>,
}

/// Rules about where something is, not about what it is.
const RULES: [&str; 10] = [
    "interrupts-on-one",
    "interrupts-remote",
    "few-queues",
    "numa-split",
    "numa-remote",
    "uneven-paths",
    "uneven-owners",
    "one-controller",
    "one-disk",
    "slow-slot",
];

/// Fewer interrupts since the machine started say nothing (chosen: a busy disk makes as many in a
/// second).
const LEAST: u64 = 10_000;

/// Interrupts of a controller that make less than this share of its own are not of its queues:
/// errors, events (chosen).
const ACTIVE: f64 = 0.01;

/// The placement of what the targets lie on, or of the whole machine, of which this was found.
#[must_use]
pub fn placement(facts: &Facts, mut findings: Vec<Finding>) -> Placement {
    let controllers = controllers(facts, &facts.looked_at());
    let misplaced = misplaced(facts, &controllers).into_iter();
    let binds =
        dealt(facts, &controllers, &misplaced.flat_map(|one| one.moved).collect::<Vec<_>>());
    findings.retain(|finding| RULES.contains(&finding.rule));
    Placement { controllers, findings, binds }
}

/// Interrupts that other processors should serve.
pub(crate) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let controllers = controllers(facts, names);
    misplaced(facts, &controllers).into_iter().map(|one| one.finding).collect()
}

fn misplaced<'c>(facts: &Facts, controllers: &'c [Controller]) -> Vec<Misplaced<'c>> {
    let crowded = crowded::judge(facts, controllers);
    // Dealing out what one processor serves brings it to its own node.
    let is_dealt = |controller: &Controller| {
        let mut moved = crowded.iter().flat_map(|one| &one.moved);
        moved.any(|one| one.controller == controller)
    };
    let others = controllers.iter().filter(|controller| !is_dealt(controller));
    let remote: Vec<_> = others.filter_map(|other| remote::judge(facts, other)).collect();
    crowded.into_iter().chain(remote).collect()
}

/// Deals interrupts to the processors near their controllers, each to the one that serves least.
fn dealt(facts: &Facts, controllers: &[Controller], moved: &[Owned<'_>]) -> Vec<Bind> {
    let is_moved =
        |interrupt: &Interrupt| moved.iter().any(|one| one.interrupt.number == interrupt.number);
    let mut loads = loads(active(controllers).filter(|one| !is_moved(one.interrupt)));
    let mut binds = Vec::new();
    for one in moved {
        let load = |processor: &u32| loads.get(processor).copied().unwrap_or(0);
        let Some(to) = near(facts, one.controller).into_iter().min_by_key(load) else { continue };
        *loads.entry(to).or_default() += one.interrupt.count;
        if one.processor() != Some(to) {
            let Interrupt { number, allowed, .. } = one.interrupt;
            binds.push(Bind { interrupt: *number, today: allowed.clone(), to });
        }
    }
    binds
}

/// How many of them each processor serves.
fn loads<'c>(interrupts: impl Iterator<Item = Owned<'c>>) -> BTreeMap<u32, u64> {
    let mut loads = BTreeMap::new();
    for one in interrupts {
        if let Some(processor) = one.processor() {
            *loads.entry(processor).or_default() += one.interrupt.count;
        }
    }
    loads
}

/// Interrupts that come often enough to matter.
fn active(controllers: &[Controller]) -> impl Iterator<Item = Owned<'_>> {
    let of = |controller| move |interrupt| Owned { controller, interrupt };
    controllers.iter().flat_map(move |controller| controller.active().map(of(controller)))
}

/// Controllers in order of their addresses.
fn controllers(facts: &Facts, names: &BTreeSet<String>) -> Vec<Controller> {
    let hardware = &facts.hardware;
    let mut behind: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for name in names {
        let Some(attachment) = hardware.attachments.get(name) else { continue };
        for address in attachment.functions() {
            behind.entry(address).or_default().insert(name.clone());
        }
    }
    for name in interfaces(facts, names) {
        if let Some(address) = hardware.interfaces.get(&name).and_then(|it| it.pci.as_deref()) {
            behind.entry(address).or_default().insert(name);
        }
    }
    behind.into_iter().map(|(address, behind)| controller(facts, address, behind)).collect()
}

fn controller(facts: &Facts, address: &str, behind: BTreeSet<String>) -> Controller {
    let hardware = &facts.hardware;
    let mut behind: Vec<String> = behind.into_iter().collect();
    behind.sort_by_key(|name| natural(name));
    let queues = behind.iter().filter_map(|name| hardware.attachments.get(name)?.queues);
    Controller {
        address: address.to_owned(),
        driver: hardware.functions.get(address).and_then(|found| found.driver.clone()),
        node: hardware.chain(address).iter().rev().find_map(|function| function.node),
        queues: queues.max(),
        behind,
        interrupts: hardware.interrupts.get(address).cloned().unwrap_or_default(),
    }
}

impl Controller {
    /// How often it has interrupted since the machine started.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.interrupts.iter().map(|interrupt| interrupt.count).sum()
    }

    /// Whether the affinity of any interrupt that matters can be set.
    #[must_use]
    pub fn can_move(&self) -> bool {
        self.active().any(|interrupt| interrupt.can_move)
    }

    /// Interrupts of its queues.
    fn active(&self) -> impl Iterator<Item = &Interrupt> {
        let least = ACTIVE * self.count() as f64;
        self.interrupts.iter().filter(move |one| one.count > 0 && one.count as f64 >= least)
    }
}

impl Owned<'_> {
    /// The processor that serves it; none where the kernel does not say which one of several.
    fn processor(self) -> Option<u32> {
        self.interrupt.served_by.parse().ok()
    }
}

/// The processors that interrupts of a controller should go to: those near it, or all where there
/// are none.
fn near(facts: &Facts, controller: &Controller) -> Vec<u32> {
    let all = usable(facts);
    let is_near =
        |processor: &u32| node(facts, controller).is_none_or(|node| has(node, *processor));
    let near: Vec<u32> = all.iter().copied().filter(is_near).collect();
    if near.is_empty() { all } else { near }
}

/// The processors that may serve interrupts.
fn usable(facts: &Facts) -> Vec<u32> {
    let Hardware { processors, isolated, .. } = &facts.hardware;
    processors.iter().copied().filter(|processor| !isolated.contains(processor)).collect()
}

fn has(node: &NumaNode, processor: u32) -> bool {
    node.has_any_of(&processor.to_string())
}

/// The node it is next to, where there are several.
fn node<'f>(facts: &'f Facts, controller: &Controller) -> Option<&'f NumaNode> {
    let nodes = Some(&facts.hardware.nodes).filter(|nodes| nodes.len() > 1)?;
    nodes.iter().find(|node| Some(node.number) == controller.node)
}

/// How a person recognises it: `0000:3b:00.0 (mpt3sas)`.
fn named(controller: &Controller) -> String {
    let Controller { address, driver, .. } = controller;
    let driver = driver.as_ref().map(|driver| format!(" ({driver})")).unwrap_or_default();
    format!("{address}{driver}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_about_places_are_rules() {
        let page = include_str!("../../../docs/discover-findings.md");
        for rule in RULES {
            assert!(page.contains(&format!("| `{rule}` |")), "{rule}");
        }
    }
}
