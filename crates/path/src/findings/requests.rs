//! The sizes in which requests of the streams reach each volume: each layer cuts what it hands
//! down, and page caches merge writes. What else caches join or fetch ahead is left to the models.

use std::collections::BTreeMap;

use iopath_study::PartId;

use super::view::View;

/// Requests of one kind that reach a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrival {
    /// Position of the load.
    pub load: usize,
    /// Bytes of the largest.
    pub bytes: u64,
}

/// For each part the requests that reach it, with the number of streams that send them.
pub(super) type Arrivals = Vec<BTreeMap<Arrival, u64>>;

/// Follows every load down to where its data lies.
pub(super) fn arrivals(view: &View<'_>) -> Arrivals {
    let mut arrivals: Arrivals = vec![BTreeMap::new(); view.system.parts.len()];
    for (load, group) in view.loads.iter().enumerate() {
        for stream in &group.streams {
            let target = view.case.targets.get(stream.target);
            let known = target.filter(|target| target.part.0 < arrivals.len());
            if let Some(target) = known {
                let arrival = Arrival { load, bytes: stream.block.0 };
                *arrivals[target.part.0].entry(arrival).or_default() += 1;
            }
        }
    }
    for part in downwards(view) {
        let here = arrivals[part.0].clone();
        for (arrival, streams) in here {
            let bytes = handed_down(view, part, arrival);
            for member in view.members(part) {
                let below = arrivals[member.0].entry(Arrival { bytes, ..arrival }).or_default();
                *below = below.saturating_add(streams);
            }
        }
    }
    arrivals
}

/// All parts, each before what it lies on.
fn downwards(view: &View<'_>) -> Vec<PartId> {
    let mut waiting_for = vec![0_usize; view.system.parts.len()];
    for id in view.system.ids() {
        for member in view.members(id) {
            waiting_for[member.0] += 1;
        }
    }
    let mut order: Vec<PartId> = view.system.ids().filter(|id| waiting_for[id.0] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for member in view.members(order[next]) {
            waiting_for[member.0] -= 1;
            if waiting_for[member.0] == 0 {
                order.push(*member);
            }
        }
        next += 1;
    }
    order
}

/// The largest request that a part makes of one to it.
fn handed_down(view: &View<'_>, part: PartId, arrival: Arrival) -> u64 {
    let Arrival { load, bytes } = arrival;
    let size = |property| view.system.size(part, property).map(|size| size.0);
    let unit = match view.kind(part) {
        "stripe" => size("unit"),
        "lun" | "raid" => size("segment"),
        // A file system hands whole records down, and what its page cache has merged.
        "filesystem" => {
            let record = size("record").unwrap_or(0);
            return bytes.max(record).max(view.merged(&view.loads[load]));
        }
        _ => None,
    };
    let bytes = unit.map_or(bytes, |unit| unit.min(bytes));
    size("largest-request").map_or(bytes, |largest| largest.min(bytes))
}
