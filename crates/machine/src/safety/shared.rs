//! Which of several targets have bytes in common, whatever their names: links, partitions and
//! their disk, loop devices on one file, mapped devices on the same bytes, two paths to one unit.
//!
//! Law: only what is known to be shared counts; what may be shared is a matter of
//! [`super::may_write`]. Leaves out: a file and the device it lies on.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::Survey;
use super::down::{Stand, foundation};
use super::loops::{behind, start_of};
use super::units::other_paths;
use crate::location::Object;

/// Two targets that have bytes in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The one that was given first.
    pub one: PathBuf,
    pub other: PathBuf,
}

/// The pairs among `paths` that have bytes in common; each path is named once, with the first of
/// those before it. A path that leads nowhere has none.
pub fn shares_bytes(survey: &Survey<'_>, paths: &[PathBuf]) -> Vec<Shared> {
    let mut seen: BTreeMap<Place, Vec<Seen<'_>>> = BTreeMap::new();
    let mut found = Vec::new();
    for path in paths {
        let spots = spots(survey, path);
        let meets = |(place, range): &(Place, Range<u64>)| {
            let before = seen.get(place)?;
            before.iter().find(|seen| overlap(&seen.range, range)).map(|seen| seen.path)
        };
        if let Some(one) = spots.iter().find_map(meets) {
            found.push(Shared { one: one.to_owned(), other: path.clone() });
        }
        for (place, range) in spots {
            seen.entry(place).or_default().push(Seen { path, range });
        }
    }
    found
}

struct Seen<'a> {
    path: &'a Path,
    range: Range<u64>,
}

/// Where bytes are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Device(String),
    File { device: u64, inode: u64 },
}

fn spots(survey: &Survey<'_>, path: &Path) -> Vec<(Place, Range<u64>)> {
    let name = match survey.identify(path) {
        Some(Object::Block(name)) => name,
        Some(Object::Inode { device, inode }) => {
            return vec![(Place::File { device, inode }, 0..u64::MAX)];
        }
        Some(Object::UnknownBlock(_)) | None => return Vec::new(),
    };
    let below = foundation(survey, &name).spots.into_iter();
    let mut found = Vec::new();
    for spot in below.filter(|spot| spot.stand == Stand::Alone) {
        let Some(device) = survey.devices.find(&spot.name) else { continue };
        if let Some(Object::Inode { device: number, inode }) = behind(survey, device) {
            let start = start_of(device);
            let at = |at: u64| at.saturating_add(start);
            let range = at(spot.range.start)..at(spot.range.end);
            found.push((Place::File { device: number, inode }, range));
        }
        // Any path stands for the unit.
        let units = other_paths(survey, device);
        let unit = units.iter().map(|other| &other.name).chain([&spot.name]).min();
        found.push((Place::Device(unit.unwrap_or(&spot.name).clone()), spot.range));
    }
    found
}

fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}
