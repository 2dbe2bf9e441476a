//! The files of a case: one for each target, and for each host that reaches it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use iopath_path::{Network, Place, Room, Running, running};
use iopath_study::Case;
use iopath_study::case::{Bind, Modelled, Stream, Target};
use iopath_units::Ratio;

use crate::trouble::Trouble;

/// Sizes of files are whole sectors, as those of block devices.
const SECTOR: u64 = 512;

/// A file, and the streams that may ask through it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The target's name, with its host where there are several of it.
    pub name: String,
    /// The target, by its position in the case.
    pub target: usize,
    pub bytes: u64,
    /// Streams of the case, by their positions.
    pub streams: Vec<usize>,
}

/// The files of a case, for the streams that count.
///
/// # Errors
///
/// No stream transfers data, or the size of a target is not known.
pub fn exports(case: &Case, network: &Network) -> Result<Vec<Export>, Trouble> {
    let mut of: BTreeMap<(usize, Place), Vec<usize>> = BTreeMap::new();
    let counts = |one: &Running| network.streams.iter().any(|load| load.stream == one.stream);
    let running = running(case).map_err(|_| Trouble::Nothing)?;
    for one in running.into_iter().filter(counts) {
        of.entry((case.streams[one.stream].target, one.place)).or_default().push(one.stream);
    }
    if of.is_empty() {
        return Err(Trouble::Nothing);
    }
    let targets: Vec<usize> = of.keys().map(|(target, _)| *target).collect();
    let several = |target: usize| targets.iter().filter(|other| **other == target).count() > 1;
    let room = Room::new(&case.system);
    let export = |((target, place), streams): ((usize, Place), Vec<usize>)| {
        let Target { name, part, size, .. } = &case.targets[target];
        let host = place.component().filter(|_| several(target));
        let host = host.and_then(|host| case.system.ids().find(|part| host == (*part).into()));
        let name = match host {
            Some(host) => format!("{name} from {}", case.system.part(host).name),
            None => name.clone(),
        };
        let bytes = size.map(|size| size.0).or_else(|| room.usable(*part));
        let bytes = bytes.map_or(0, |bytes| bytes / SECTOR * SECTOR);
        match bytes {
            0 => Err(Trouble::NoSize { target: name }),
            bytes => Ok(Export { name, target, bytes, streams }),
        }
    };
    of.into_iter().map(export).collect()
}

/// The case that measures on the files of `exports`, which are at `paths`, in their order: nothing
/// of its path is left to a model.
#[must_use]
pub fn bind(case: &Case, exports: &[Export], paths: &[PathBuf]) -> Case {
    let target = |(export, path): (&Export, &PathBuf)| {
        let target = &case.targets[export.target];
        let path = path.to_string_lossy().into_owned();
        let bind = Bind { paths: vec![path.clone()], copy: None };
        Target {
            name: export.name.clone(),
            binding: Some(path),
            below: Arc::new(BTreeMap::from([(target.part, bind)])),
            ..target.clone()
        }
    };
    let mut streams: Vec<(usize, Stream)> = Vec::new();
    for (number, export) in exports.iter().enumerate() {
        for at in &export.streams {
            let stream = &case.streams[*at];
            let modelled =
                Modelled { on: None, via: Arc::from([]), hit: Ratio(0), ..stream.modelled.clone() };
            streams.push((*at, Stream { target: number, modelled, ..stream.clone() }));
        }
    }
    streams.sort_by_key(|(at, _)| *at);
    Case {
        targets: exports.iter().zip(paths).map(target).collect(),
        streams: streams.into_iter().map(|(_, stream)| stream).collect(),
        ..case.clone()
    }
}
