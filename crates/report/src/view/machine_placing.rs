//! Where storage is on a machine: which processors do its work, and what should be elsewhere.

use serde::Serialize;

/// The placement of a machine.
#[derive(Clone, Debug, Serialize)]
pub struct MachinePlacing {
    /// The machine's name.
    pub host: String,
    /// What storage is behind, in order of addresses.
    pub controllers: Vec<PlacedController>,
    /// What should be elsewhere, warnings first.
    pub moves: Vec<MachineMove>,
    /// Lines of sh that bind interrupts, until the next start of the machine.
    pub commands: Vec<String>,
    /// Lines of sh that bring back today's affinity.
    pub undo: Vec<String>,
    /// What could not be read, in words.
    pub not_known: Vec<String>,
}

/// A PCI function that storage is behind.
#[derive(Clone, Debug, Serialize)]
pub struct PlacedController {
    /// Such as `0000:3b:00.0`.
    pub address: String,
    /// The driver bound to it.
    pub driver: Option<String>,
    /// The NUMA node it is next to.
    pub node: Option<u32>,
    /// Disks and network interfaces behind it.
    pub behind: Vec<String>,
    /// Hardware queues of the disk that has most.
    pub queues: Option<usize>,
    /// How often it has interrupted since the machine started.
    pub interrupts: u64,
    /// Who serves them, those that serve most first.
    pub served_by: Vec<ServedShare>,
    /// Whether the affinity of any of them can be set.
    pub can_move: bool,
}

/// Processors that serve interrupts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ServedShare {
    /// As the kernel lists them: `0`, or `0-3` where it does not say which of them.
    pub processors: String,
    /// Their share of the controller's interrupts since the machine started.
    pub share: f64,
}

/// Something that should be elsewhere.
#[derive(Clone, Debug, Serialize)]
pub struct MachineMove {
    /// The rule of `discover`.
    pub rule: &'static str,
    /// `warning` or `advice`.
    pub severity: &'static str,
    /// Whom it concerns, by the kernel's names.
    pub parts: Vec<String>,
    /// What is found, with the figures.
    pub text: String,
    /// What to do.
    pub hint: String,
}
