//! What limits next: where the limit of the whole carries more, which of the other components that
//! were full does so first. Only components that were full are known; one that never was may come
//! before.

use std::collections::BTreeSet;

use iopath_analysis::capacities::Load;
use iopath_units::Op;

use super::{ComponentProfile, LoadCarried};

/// Below this a larger capacity of a group is the same one, measured again: the error of a
/// capacity in random trees.
const SAME: f64 = 1.05;

/// Components that carry together what all devices do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stage {
    pub names: Vec<String>,
    pub load: Load,
    /// All of them together, in bytes a second.
    pub bytes_per_sec: f64,
}

/// The limit of all devices by large requests of one kind, then what limits next.
pub(super) fn stages(components: &[ComponentProfile], op: Op) -> Vec<Stage> {
    let declared: BTreeSet<usize> = components.iter().map(|one| one.declared).collect();
    let group = |number: &usize| -> Vec<&ComponentProfile> {
        components.iter().filter(|one| one.declared == *number).collect()
    };
    let all: BTreeSet<&String> = components.iter().flat_map(|one| &one.devices).collect();
    let groups = declared.iter().map(group).filter(|group| is_all(group, all.len()));
    let mut stages: Vec<Stage> = groups.filter_map(|group| stage(&group, op)).collect();
    stages.sort_by(|a, b| a.bytes_per_sec.total_cmp(&b.bytes_per_sec));
    let mut kept: Vec<Stage> = Vec::new();
    for stage in stages {
        if kept.last().is_none_or(|last| stage.bytes_per_sec > SAME * last.bytes_per_sec) {
            kept.push(stage);
        }
    }
    kept
}

/// Whether each device uses exactly one of a group.
fn is_all(group: &[&ComponentProfile], devices: usize) -> bool {
    let used: BTreeSet<&String> = group.iter().flat_map(|one| &one.devices).collect();
    let times: usize = group.iter().map(|one| one.devices.len()).sum();
    used.len() == devices && times == devices
}

fn stage(group: &[&ComponentProfile], op: Op) -> Option<Stage> {
    let carried = group.iter().map(|one| one.of_bytes(op));
    let carried: Vec<&LoadCarried> = carried.collect::<Option<_>>()?;
    let each = carried.iter().map(|one| one.carried.capacity());
    Some(Stage {
        names: group.iter().map(|one| one.name.clone()).collect(),
        load: carried.first()?.load,
        bytes_per_sec: each.sum::<Option<f64>>()?,
    })
}

#[cfg(test)]
mod tests {
    use iopath_analysis::capacities::{Carried, loads};
    use iopath_study::PartId;

    use super::*;

    fn component(declared: usize, name: &str, devices: &[&str], is: Carried) -> ComponentProfile {
        let load = loads(false, false).next().unwrap();
        ComponentProfile {
            part: PartId(0),
            name: name.to_owned(),
            kind: "part",
            declared,
            equal: declared,
            devices: devices.iter().map(|one| (*one).to_owned()).collect(),
            carried: vec![LoadCarried {
                load,
                carried: is,
                experiment: String::new(),
                limits_all: false,
                passes: [0.0; 2],
                alike: Vec::new(),
                exceeded: Vec::new(),
            }],
        }
    }

    #[test]
    fn groups_that_carry_all_devices_come_in_the_order_in_which_they_limit() {
        let full = Carried::Full;
        let all = [
            component(0, "bridge", &["a", "b"], full(300.0)),
            component(1, "port[0]", &["a"], full(190.0)),
            component(1, "port[1]", &["b"], full(190.0)),
            component(2, "a", &["a"], full(200.0)),
            component(2, "b", &["b"], full(190.0)),
            component(3, "machine", &["a", "b"], Carried::AtLeast(300.0)),
            component(4, "spur", &["a"], full(10.0)),
        ];
        let found = stages(&all, Op::Read);
        let shown: Vec<(&str, f64)> =
            found.iter().map(|one| (one.names[0].as_str(), one.bytes_per_sec)).collect();
        assert_eq!(shown, [("bridge", 300.0), ("port[0]", 380.0)]);
        assert_eq!(stages(&all, Op::Write), []);
    }
}
