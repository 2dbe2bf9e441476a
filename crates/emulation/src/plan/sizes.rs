//! How large devices are: what the study says, or what the targets use, or a size of our own.

use std::collections::BTreeMap;

use iopath_path::{ComponentId, Network, Room};
use iopath_study::{Case, PartId, unindexed};

use super::notes::Notes;
use super::walk::{Found, Key};

/// What a device has where nothing is said (chosen: reads and writes of null media cost no space).
const USUAL: u64 = 1 << 30;

/// Devices are whole pages.
const PAGE: u64 = 4 << 10;

/// The bytes of each device.
pub(super) fn sizes(
    case: &Case,
    network: &Network,
    found: &[(&Key, &Found)],
    notes: &mut Notes,
) -> Vec<u64> {
    let room = Room::new(&case.system);
    let targets = case.targets.iter().filter_map(|target| Some((target.part, target.size?.0)));
    let targets: BTreeMap<PartId, u64> = targets.collect();
    let mut size = |part: ComponentId| {
        let stated = room.usable(part.into()).filter(|bytes| *bytes >= PAGE);
        let used = targets.get(&part.into()).copied();
        stated.into_iter().chain(used).max().unwrap_or_else(|| {
            let name = unindexed(&network.component(part).name);
            notes.tell("size", format!("{name} has no size; 1 GiB is assumed"));
            USUAL
        })
    };
    let whole = |bytes: u64| bytes.next_multiple_of(PAGE);
    let media = found.iter().filter(|(key, _)| !key.is_copy).map(|(key, _)| size(key.part));
    let media: Vec<u64> = media.map(whole).collect();
    // A copy lies where its write lies.
    let largest = media.iter().copied().max().unwrap_or(USUAL);
    let copies = found.len() - media.len();
    media.into_iter().chain(std::iter::repeat_n(largest, copies)).collect()
}
