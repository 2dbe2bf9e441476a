//! How a rig is to be brought up.

use std::path::PathBuf;

/// What is behind the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    /// Nothing: reads give any bytes, writes go nowhere. For speed; has the devices' delays.
    Null,
    /// Sparse files in the run directory, which keep what is written. For verification.
    Files,
}

/// How a rig is to be brought up.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where run directories are made; it is made itself when it is not there.
    pub directory: PathBuf,
    /// What is behind the groups.
    pub media: Media,
    /// Loop devices on top, which have counters in the kernel; only for root.
    pub loops: bool,
    /// Survives this process, until it is taken down by its name.
    pub kept: bool,
    /// The name of the study, from which the run directory has its own.
    pub label: String,
}
