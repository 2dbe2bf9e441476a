//! What may happen while a technique works: one closed enum that every display understands.

use serde::{Deserialize, Serialize};

/// A step of a trial, told while it happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Progress {
    /// A target is being made ready: bytes written so far of all that are needed.
    Preparing {
        /// The target's name.
        target: String,
        /// Bytes written.
        done_bytes: u64,
        /// Bytes to write.
        total_bytes: u64,
    },
    /// Small files are being made or removed outside of what is measured.
    Files {
        /// The target's name.
        target: String,
        /// They are removed, rather than made.
        are_removed: bool,
        /// Files done.
        done: u64,
        /// Files to do.
        total: u64,
    },
    /// A pass began.
    PassStarted {
        /// Which, from 0.
        pass: u32,
        /// Longest time that it can take by its own settings; none where only bytes bound it.
        expected_ns: Option<u64>,
    },
    /// A pass goes on.
    Running {
        /// Time since the pass began.
        elapsed_ns: u64,
        /// Bytes moved since it began, warm-up included.
        bytes: u64,
        /// Requests completed since it began.
        operations: u64,
        /// Bytes that each stream moved, in the order of the case.
        streams: Vec<Moved>,
        /// What the devices below moved; nothing where an earlier version told.
        #[serde(default)]
        devices: DevicesMoved,
    },
    /// A pass ended.
    PassEnded {
        /// Which, from 0.
        pass: u32,
    },
    /// What was written is being read back and checked.
    Verifying {
        /// Bytes checked.
        done_bytes: u64,
        /// Bytes to check.
        total_bytes: u64,
    },
}

/// What one stream or device has moved since the pass began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Its name.
    pub name: String,
    /// Bytes, warm-up included.
    pub bytes: u64,
}

/// What the devices below the targets moved since the pass began, by the kernel's counters, so
/// whoever caused it. They are sampled on their own clock, not whenever somebody is told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DevicesMoved {
    /// Time from the beginning of the pass to the last sample.
    pub sampled_ns: u64,
    /// How many there are.
    pub count: u64,
    /// Those that moved most, the first the most.
    pub busiest: Vec<Moved>,
}
