//! What a study says of how a file system reads ahead.
//!
//! What it leaves out is taken as in predictions: units of 128 KiB, one at a time, after two reads.

use iopath_study::words::WindowGrowth;
use iopath_study::{PartId, System};

use super::{Growth, Settings};

impl Settings {
    /// How a file system is told to read ahead; `None` where it is not.
    #[must_use]
    pub fn of(system: &System, file_system: PartId) -> Option<Self> {
        let mut inside = system.children(file_system);
        let readahead = inside.find(|part| system.kind(*part) == "readahead")?;
        let count = |property| system.count(readahead, property).map(to_u32);
        Some(Self {
            unit: system.readahead_unit(readahead),
            streams: count("streams").unwrap_or(1),
            trigger: count("trigger").unwrap_or(2),
            growth: growth(system, readahead),
        })
    }
}

fn growth(system: &System, readahead: PartId) -> Growth {
    if system.choice(readahead, "growth") == Some(WindowGrowth::AtOnce) {
        return Growth::AtOnce;
    }
    let start = system.count(readahead, "start").map_or(2, to_u32);
    Growth::Doubling { start, patience: system.time(readahead, "patience") }
}

fn to_u32(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
