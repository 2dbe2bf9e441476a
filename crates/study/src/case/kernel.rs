//! How the kernel is set on the devices below the targets.

use iopath_units::Bytes;
use strum::{EnumString, IntoStaticStr, VariantNames};

/// Settings of the kernel during a trial; what is not stated stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelSettings {
    /// How far it reads ahead at most, `read_ahead_kb`.
    pub readahead: Option<Bytes>,
    /// What orders the requests of a device, `scheduler`.
    pub scheduler: Option<Scheduler>,
    /// The largest request that it makes, `max_sectors_kb`.
    pub max_request: Option<Bytes>,
    /// Requests that a queue has room for, `nr_requests`.
    pub requests: Option<u32>,
}

/// What orders the requests of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Scheduler {
    /// Nothing: as they come.
    None,
    /// By deadlines, and by place.
    MqDeadline,
    /// Fewer in flight where that keeps response times.
    Kyber,
    /// Shares for processes.
    Bfq,
}
