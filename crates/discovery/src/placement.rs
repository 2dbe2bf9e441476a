//! Which processors do the work for storage: the NUMA node, queues and interrupts of each
//! controller, and where interrupts should go.
//!
//! A completion is an interrupt, and the processor that takes it is busy with it: one processor
//! for all of them limits requests/s, and one of another node fetches each completion from the
//! other node's memory. Where interrupts go now counts; how often they came since the machine
//! started says which of them matter.
//! Leaves out: interrupts that the kernel spreads by itself (managed), as nobody can move them;
//! line interrupts; what a move gains, which only a measurement shows.

use std::collections::{BTreeMap, BTreeSet};

use iopath_machine::hardware::{Interrupt, NumaNode};

use crate::facts::Facts;
use crate::findings;
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

/// A finding, with what puts it right.
pub(crate) struct Misplaced {
    pub finding: Finding,
    pub binds: Vec<Bind>,
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

/// The placement of what the targets lie on, or of the whole machine.
#[must_use]
pub fn placement(facts: &Facts) -> Placement {
    let controllers = controllers(facts, &facts.looked_at());
    let binds = misplaced(facts, &controllers).into_iter().flat_map(|one| one.binds).collect();
    let is_placement = |finding: &Finding| RULES.contains(&finding.rule);
    let findings = findings::all(facts).into_iter().filter(is_placement).collect();
    Placement { controllers, findings, binds }
}

/// Interrupts that other processors should serve.
pub(crate) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let misplaced = misplaced(facts, &controllers(facts, names));
    misplaced.into_iter().map(|one| one.finding).collect()
}

fn misplaced(facts: &Facts, controllers: &[Controller]) -> Vec<Misplaced> {
    match crowded::judge(facts, controllers) {
        // Spreading them brings each to its own node.
        Some(crowded) => vec![crowded],
        None => remote::judge(facts, controllers),
    }
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
        self.active().iter().any(|(interrupt, _)| interrupt.can_move)
    }

    /// Interrupts of its queues, each with the only processor that serves it.
    fn active(&self) -> Vec<(&Interrupt, u32)> {
        let least = ACTIVE * self.count() as f64;
        let active =
            self.interrupts.iter().filter(|one| one.count > 0 && one.count as f64 >= least);
        active.filter_map(|one| Some((one, one.served_by.parse().ok()?))).collect()
    }
}

/// The online processors near a controller; all where it is next to no node in particular.
fn near(facts: &Facts, controller: &Controller) -> Vec<u32> {
    let online = facts.hardware.processors.iter().copied();
    match node(facts, controller) {
        Some(node) => online.filter(|cpu| node.has_any_of(&cpu.to_string())).collect(),
        None => online.collect(),
    }
}

/// The node it is next to, where there are several.
fn node<'f>(facts: &'f Facts, controller: &Controller) -> Option<&'f NumaNode> {
    let nodes = Some(&facts.hardware.nodes).filter(|nodes| nodes.len() > 1)?;
    nodes.iter().find(|node| Some(node.number) == controller.node)
}

/// How a person recognises it: `0000:3b:00.0 (mpt3sas: sda, sdb and 22 more)`.
fn named(controller: &Controller) -> String {
    const SHOWN: usize = 3;
    let Controller { address, driver, behind, .. } = controller;
    let driver = driver.as_ref().map(|driver| format!("{driver}: ")).unwrap_or_default();
    let shown: Vec<&str> = behind.iter().take(SHOWN).map(String::as_str).collect();
    let more = match behind.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{address} ({driver}{}{more})", shown.join(", "))
}
