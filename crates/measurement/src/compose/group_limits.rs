//! What control groups allow this process on the devices below, as limits of their entities.

use iopath_machine::group_limits::{self, Direction, GroupLimit, Measure};
use iopath_machine::{Devices, Root};
use iopath_record::{self as record, Limit, Origin};

use super::Table;
use crate::sampler::Disk;

/// Adds the limits that hold for each device. A partition is held to those of its disk.
pub(super) fn add(table: &mut Table, root: &Root, devices: &Devices, disks: &[Disk]) {
    let Ok(limits) = group_limits::read(root) else { return };
    for disk in disks {
        let device = devices.by_number(disk.number);
        let whole = device.and_then(|device| devices.find(devices.whole_of(&device.name)));
        let whole = whole.map(|whole| whole.number);
        let is_meant =
            |limit: &&GroupLimit| limit.device == disk.number || Some(limit.device) == whole;
        let entity = &mut table.entities[disk.entity.0 as usize];
        entity.limits.extend(limits.iter().filter(is_meant).map(told));
    }
}

fn told(limit: &GroupLimit) -> Limit {
    let measure = match limit.measure {
        Measure::Bytes => record::Measure::Bytes,
        Measure::Operations => record::Measure::Operations,
    };
    let direction = match limit.direction {
        Direction::Read => record::Direction::Read,
        Direction::Write => record::Direction::Write,
    };
    Limit {
        measure,
        direction,
        per_sec: limit.per_sec,
        origin: Origin::of_control_group(
            &limit.file.display().to_string(),
            &limit.device.to_string(),
        ),
        tokens: None,
    }
}
