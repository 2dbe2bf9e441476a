//! What is brought up: groups of tokens, and devices behind them.

use iopath_path::Burst;
use iopath_units::Nanos;

/// Everything that an emulated path is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rig {
    /// Rates that devices share.
    pub groups: Vec<Group>,
    /// Devices, in the order of the study.
    pub devices: Vec<Device>,
}

/// A rate: a token bucket that all devices behind it share, in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The component and property it stands for: `p690.drawer[0].planar[1].read`.
    pub name: String,
    pub counts: Counts,
    /// Of which operations of its devices.
    pub direction: iopath_path::Direction,
    /// Bytes or operations per second, scaled.
    pub per_sec: f64,
    /// More for a while, where the study says so.
    pub burst: Option<Burst>,
}

/// What a group counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    Bytes,
    /// Requests.
    Operations,
}

/// A device: one way to a medium.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// What it stands for: `fastt[0].controller[1].lun`, and its way where it has several.
    pub name: String,
    /// Its size, scaled.
    pub bytes: u64,
    /// Positions in [`Rig::groups`] of all that its requests use up, from the medium to the host;
    /// one that stands twice is used up twice.
    pub groups: Vec<usize>,
    /// Delay of each request.
    pub latency: Nanos,
    /// Devices of one medium have the same data; its number.
    pub medium: usize,
}
