//! What is to be brought up for a case, and the case that runs on it.
//!
//! The host that measures splits the volumes of the layout itself. What stands in the path where
//! that ends (a LUN, a disk) is a device, one for each way to it. Whatever a request of a device
//! uses up on its way and behind its end becomes groups of tokens, one for each row of the network,
//! which all devices share that use it up. The law is that of the fixed split: of a row with
//! capacity C, of which each byte of a device uses up u, all devices together get C / u bytes.
//!
//! What rates cannot express is told in [`Plan::notes`]: memory of caches, processors of the
//! studied host, tokens that requests hold.

mod behind;
mod bind;
mod doors;
mod groups;
mod notes;
mod sizes;
mod walk;
mod ways;

use std::collections::{BTreeMap, BTreeSet};

use iopath_path::{ComponentId, Direction, Laid, Network, Place, Unlaid, running};
use iopath_study::{Case, PartId};
use iopath_units::{ByteRate, Nanos, Op};
use thiserror::Error;

use crate::rig::{Counts, Device, Group, Rig};
use groups::Grouped;
use notes::Notes;
use walk::{Found, Key, Walk};

/// The most devices of a plan (chosen: far more than are brought up, and planned in a second).
const MOST_DEVICES: usize = 4096;

/// A rig and how a case lies on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What is brought up.
    pub rig: Rig,
    /// What of the path is not emulated, or not exactly, for whoever reads the result.
    pub notes: Vec<Note>,
    /// Targets of the case that runs; several of one target where hosts reach it by other devices.
    targets: Vec<Planned>,
    /// For each stream that counts its position in the case and its target in `targets`.
    streams: Vec<(usize, usize)>,
    /// Mean bytes of a device's requests, by operation.
    requests: Vec<[f64; 2]>,
}

/// Something that is not emulated, or not exactly.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// A stable word: `processors`, `pool`, `cache-hits`, `mean-use`, `size`, or that of a
    /// mechanism of the network.
    pub kind: &'static str,
    /// For people: what, and where.
    pub text: String,
}

/// Why a case cannot be emulated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CannotEmulate {
    /// Nothing limits anything.
    #[error("the case describes no path with rates or delays; measure it with `iopath measure`")]
    NoPath,
    /// More ways to media than one machine brings up.
    #[error(
        "the streams have {0} or more paths to their media, each a device; the maximum is \
         {MOST_DEVICES}. Use fewer hosts or fewer paths (multipath most=)"
    )]
    TooMany(usize),
    /// A target that no devices make up.
    #[error("{target} cannot be placed on devices: {why}")]
    Unlaid { target: String, why: Unlaid },
    /// It is not known where streams run.
    #[error("the case does not say where its streams run")]
    Nowhere,
    /// Something else than reads and writes.
    #[error(
        "stream {stream} does not read or write, but emulated devices only have rates of these"
    )]
    MovesNoData { stream: String },
}

/// A target of the case that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Planned {
    /// Its position in the case.
    target: usize,
    /// Its own name: with its host where there are several of it.
    name: String,
    /// Devices of each part that it ends on.
    leaves: BTreeMap<PartId, Leaf>,
}

/// The devices of one part, by position.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Leaf {
    /// Its ways, in turn.
    ways: Vec<usize>,
    /// Where writes are copied to.
    copy: Option<usize>,
}

/// Makes a plan for a case, scaled already, whose network is `network`.
///
/// # Errors
/// [`CannotEmulate`]: nothing to emulate, too much of it, or phases.
pub fn plan(case: &Case, network: &Network) -> Result<Plan, CannotEmulate> {
    if let Some(other) = case.streams.iter().find(|stream| !stream.action.is_transfer()) {
        return Err(CannotEmulate::MovesNoData { stream: other.name.clone() });
    }
    let places = running(case).map_err(|_| CannotEmulate::Nowhere)?;
    let mut notes = Notes::of(network);
    let mut walk = Walk::new(network);
    let mut laid: BTreeMap<(usize, Place), BTreeMap<PartId, Vec<Key>>> = BTreeMap::new();
    let mut streams = Vec::new();
    for load in &network.streams {
        let target = case.streams[load.stream].target;
        let place = places.iter().find(|one| one.stream == load.stream);
        let place = place.ok_or(CannotEmulate::Nowhere)?.place;
        let leaves = laid.entry((target, place)).or_default();
        walk.stream(load, leaves);
        streams.push((load.stream, (target, place)));
        if walk.found.len() > MOST_DEVICES {
            return Err(CannotEmulate::TooMany(walk.found.len()));
        }
    }
    for ((target, _), leaves) in &mut laid {
        complete(case, *target, leaves, &mut walk)?;
    }
    let found: Vec<(&Key, &Found)> = walk.found.iter().collect();
    let Grouped { groups, of_devices } = groups::group(network, &found, &mut notes);
    if groups.is_empty() && found.iter().all(|(_, found)| found.latency_s() == 0.0) {
        return Err(CannotEmulate::NoPath);
    }
    let sizes = sizes::sizes(case, network, &found, &mut notes);
    walk.tell(&mut notes);
    let positions: BTreeMap<&Key, usize> =
        found.iter().enumerate().map(|(at, (key, _))| (*key, at)).collect();
    let devices = devices(network, &found, (of_devices, sizes));
    let (targets, numbers) = bind::targets(case, network, &laid, (&positions, &walk.copies));
    let number = |(stream, at): (usize, (usize, Place))| (stream, numbers[&at]);
    Ok(Plan {
        rig: Rig { groups, devices },
        notes: notes.finish(),
        targets,
        streams: streams.into_iter().map(number).collect(),
        requests: found.iter().map(|(_, found)| found.request_bytes()).collect(),
    })
}

/// Gives a device to what a target lies on and no request reaches.
fn complete(
    case: &Case,
    target: usize,
    leaves: &mut BTreeMap<PartId, Vec<Key>>,
    walk: &mut Walk<'_>,
) -> Result<(), CannotEmulate> {
    let target = &case.targets[target];
    loop {
        match Laid::of(&case.system, target.part, &|part| leaves.contains_key(&part)) {
            Ok(_) => return Ok(()),
            Err(Unlaid::Unreal(part)) if !leaves.contains_key(&part) => {
                leaves.insert(part, vec![walk.idle(part)]);
            }
            Err(why) => {
                return Err(CannotEmulate::Unlaid { target: target.name.clone(), why });
            }
        }
    }
}

fn devices(
    network: &Network,
    found: &[(&Key, &Found)],
    (groups, sizes): (Vec<Vec<usize>>, Vec<u64>),
) -> Vec<Device> {
    let mut ways: BTreeMap<(ComponentId, bool), usize> = BTreeMap::new();
    for (key, _) in found {
        *ways.entry(key.medium()).or_default() += 1;
    }
    let media: BTreeSet<(ComponentId, bool)> = ways.keys().copied().collect();
    let mut seen: BTreeMap<(ComponentId, bool), usize> = BTreeMap::new();
    let mut devices = Vec::with_capacity(found.len());
    for (((key, found), groups), bytes) in found.iter().zip(groups).zip(sizes) {
        let way = seen.entry(key.medium()).or_default();
        let part = &network.component(key.part).name;
        let name = match (key.is_copy, ways[&key.medium()]) {
            (true, _) => format!("copy to {part}"),
            (false, 1) => part.clone(),
            (false, _) => format!("{part} way {way}"),
        };
        *way += 1;
        let latency = Nanos((found.latency_s() * 1e9).round() as u64);
        let medium = media.range(..key.medium()).count();
        devices.push(Device { name, bytes, groups, latency, medium });
    }
    devices
}

impl Plan {
    /// The groups behind which a device stands, from the medium to the host; one that stands twice
    /// is used up twice.
    pub fn groups_of(&self, device: usize) -> impl Iterator<Item = &Group> {
        self.rig.devices[device].groups.iter().map(|group| &self.rig.groups[*group])
    }

    /// What a device carries alone: bytes read and written per second, by its tightest group for
    /// each. None where nothing limits it.
    #[must_use]
    pub fn alone(&self, device: usize) -> (Option<ByteRate>, Option<ByteRate>) {
        let least = |op: Op| {
            let groups = &self.rig.devices[device].groups;
            let rates = groups.iter().filter_map(|at| {
                let group = &self.rig.groups[*at];
                let times = groups.iter().filter(|other| *other == at).count();
                let bytes = match group.counts {
                    Counts::Bytes => 1.0,
                    Counts::Operations => self.requests[device][op.index()],
                };
                let rate = group.per_sec * bytes / times as f64;
                group.direction.carries(op).then_some(rate)
            });
            rates.reduce(f64::min).map(|rate| ByteRate(rate as u64))
        };
        (least(Op::Read), least(Op::Write))
    }

    /// The streams of the case that count, by their positions in it.
    pub fn streams(&self) -> impl Iterator<Item = usize> {
        self.streams.iter().map(|(stream, _)| *stream)
    }

    /// The positions of the devices that a stream's requests go to.
    #[must_use]
    pub fn devices_of(&self, stream: usize) -> BTreeSet<usize> {
        let target = self.streams.iter().find(|(one, _)| *one == stream);
        let leaves = target.map(|(_, target)| self.targets[*target].leaves.values());
        leaves.into_iter().flatten().flat_map(|leaf| leaf.ways.iter().copied()).collect()
    }
}

/// Which operations a direction stands for.
fn direction_of(ops: [bool; 2]) -> Direction {
    match ops {
        [true, false] => Direction::Read,
        [false, true] => Direction::Write,
        [true, true] | [false, false] => Direction::Both,
    }
}
