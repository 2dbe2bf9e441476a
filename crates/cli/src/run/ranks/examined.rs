//! What a rank finds at its own place before anything is measured: who it is, what is at the paths
//! that it uses, and what stands in the way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use iopath_machine::counters::processors;
use iopath_machine::identity::Machine;
use iopath_machine::{Devices, Root, environment, mounts};
use iopath_measurement::Targets;
use iopath_measurement::target::preflight::Obstacle;
use iopath_record::{Entity, Kind};
use iopath_study::Case;

use super::messages::{Found, Hindrance, HostFacts};
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

/// What stands in the way of this rank's part of the cases.
pub(super) fn hindrances(
    targets: &mut Targets,
    deal: &Deal,
    cases: &[Case],
    named: &[String],
    interrupted: &AtomicBool,
) -> Vec<Hindrance> {
    deal.lend(targets);
    let shares = cases.iter().filter_map(|case| deal.share(case).ok());
    let held: Vec<Case> = shares.map(|share| share.holds).collect();
    let of = |obstacle: &Obstacle| Hindrance {
        text: obstacle.to_string(),
        is_refusal: matches!(obstacle, Obstacle::Unsafe(_)),
    };
    targets.obstacles(&held, named, interrupted).iter().map(of).collect()
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
