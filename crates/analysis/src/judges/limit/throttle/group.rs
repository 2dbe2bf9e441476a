//! Limits of control groups on devices, against what the devices moved.

use iopath_record::{Direction, Limit, Measure};

use super::super::{Evidence, Fact};
use crate::judges::metrics::DeviceUse;
use crate::thresholds::limits::GROUP_LIMIT_SHARE;

/// A line for each limit of a device.
pub(super) fn lines(device: &DeviceUse) -> impl Iterator<Item = Evidence> + '_ {
    let limits = device.ratings.iter().filter(|limit| limit.origin.is_control_group());
    limits.filter_map(|limit| line(device, limit))
}

/// How much of a limit was used; none of what was not counted.
fn line(device: &DeviceUse, limit: &Limit) -> Option<Evidence> {
    let moved = match limit.direction {
        Direction::Read => device.usage.read,
        Direction::Write => device.usage.write,
        Direction::Both => return None,
    };
    let achieved = match limit.measure {
        Measure::Bytes => moved.bytes_per_sec?,
        Measure::Operations => moved.operations_per_sec?,
        Measure::BusyNs | Measure::FlushNs | Measure::Requests => return None,
    };
    let value = achieved / limit.per_sec.max(1) as f64;
    let fact = Fact::GroupLimit { achieved, limit: limit.clone() };
    let entity = device.name.clone();
    Some(Evidence { entity, fact, value, threshold: GROUP_LIMIT_SHARE })
}
