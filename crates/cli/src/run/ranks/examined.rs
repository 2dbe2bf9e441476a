//! What a rank finds at its own place before anything is measured: who it is, what is at the paths
//! that it uses, and what stands in the way.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use iopath_machine::counters::processors;
use iopath_machine::identity::Machine;
use iopath_machine::{Devices, Root, environment, mounts};
use iopath_measurement::Targets;
use iopath_measurement::target::preflight::{self, Obstacle, room};
use iopath_record::{Entity, Kind};
use iopath_study::Case;
use iopath_units::Bytes;

use super::messages::{Examined, Found, Hindrance, HostFacts, Taken};
use super::share::Deal;

/// This host.
pub(super) fn host(root: &Root) -> HostFacts {
    HostFacts {
        name: environment::host_name(root).unwrap_or_default(),
        kernel: environment::boot(root).unwrap_or_default(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        processors: processors::read(root).map_or(0, |all| all.each.len()),
        allowed: std::thread::available_parallelism().map_or(1, usize::from),
    }
}

/// What is at the paths that this rank uses of the cases.
pub(super) fn found(root: &Root, cases: &[Case], deal: &Deal) -> Found {
    let paths: BTreeSet<String> = cases.iter().flat_map(|case| deal.paths(case)).collect();
    let known = |path: String| Some((path.clone(), known(root, Path::new(&path))?));
    paths.into_iter().filter_map(known).collect()
}

/// Who a file or device is to all hosts; of a file that is not there yet, who it will be.
fn known(root: &Root, path: &Path) -> Option<String> {
    let (devices, mounts) = (Devices::read(root).ok()?, mounts::read(root).ok()?);
    let machine = Machine { root, devices: &devices, mounts: &mounts };
    match machine.path(path) {
        Ok(known) => known.map(|known| known.name),
        Err(_) => {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            let directory = machine.path(parent.unwrap_or(Path::new("."))).ok()??.name;
            Some(format!("{directory}/{}", path.file_name()?.to_string_lossy()))
        }
    }
}

/// What stands in the way of this rank's part of the cases, and what that takes.
pub(super) fn examined(
    targets: &mut Targets,
    deal: &Deal,
    cases: &[Case],
    named: &[String],
    interrupted: &AtomicBool,
) -> Examined {
    deal.lend(targets);
    let shares = cases.iter().filter_map(|case| deal.share(case).ok());
    let (runs, held): (Vec<Case>, Vec<Case>) =
        shares.map(|share| (share.runs, share.holds)).unzip();
    let on_host: Vec<Case> = cases.iter().filter_map(|case| deal.of_host(case)).collect();
    let mut obstacles = preflight::lacking(&Root::live(), &runs, &on_host);
    obstacles.extend(targets.obstacles(&held, named, interrupted));
    let of = |obstacle: &Obstacle| Hindrance {
        text: obstacle.to_string(),
        is_refusal: matches!(obstacle, Obstacle::Unsafe(_)),
    };
    let hindrances = obstacles.iter().map(of).collect();
    let taken = |of: &room::Taken| {
        let file_system = known(&Root::live(), &top(&of.place))?;
        Some(Taken { file_system, place: of.place.clone(), wanted: of.wanted, free: of.free })
    };
    Examined { hindrances, taken: targets.taken().iter().filter_map(taken).collect() }
}

/// Where the file system of a place is mounted: the highest directory of it above the place.
fn top(place: &Path) -> PathBuf {
    let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
    let number = |place: &Path| place.metadata().map(|facts| facts.dev()).ok();
    let is_of = |above: &&Path| number(above) == number(&place);
    place.ancestors().take_while(is_of).last().unwrap_or(&place).to_owned()
}

/// File systems of which ranks together take more than is free, though none does alone.
pub(super) fn crowded(all: &BTreeMap<u32, Examined>) -> Vec<Hindrance> {
    let mut taken: BTreeMap<&str, Vec<&Taken>> = BTreeMap::new();
    for one in all.values().flat_map(|examined| &examined.taken) {
        taken.entry(&one.file_system).or_default().push(one);
    }
    let lacking = |of: Vec<&Taken>| {
        let wanted = of.iter().fold(0, |sum: u64, one| sum.saturating_add(one.wanted.0));
        let is_said = of.iter().any(|one| one.wanted > one.free);
        let least = of.into_iter().min_by_key(|one| one.free)?;
        let text = room::lacking(&least.place, least.free, Bytes(wanted));
        (!is_said && wanted > least.free.0).then_some(Hindrance { text, is_refusal: false })
    };
    taken.into_values().filter_map(lacking).collect()
}

/// Who the entities of a record are to all hosts.
pub(super) fn identities(root: &Root, entities: &[Entity]) -> BTreeMap<String, String> {
    let (Ok(devices), Ok(mounts)) = (Devices::read(root), mounts::read(root)) else {
        return BTreeMap::new();
    };
    let machine = Machine { root, devices: &devices, mounts: &mounts };
    let of = |entity: &Entity| {
        let known = match (&entity.binding, &entity.kind) {
            (_, Kind::Stream) => None,
            (Some(path), _) if path.starts_with('/') => machine.path(Path::new(path)).ok()?,
            _ => machine.device(&entity.name),
        };
        Some((entity.name.clone(), known?.name))
    };
    entities.iter().filter_map(of).collect()
}
