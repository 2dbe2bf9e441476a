//! Everything that can be known to be wrong with targets before any I/O, all of it at once.

mod memory;
mod obstacle;
mod room;
mod trees;
mod volumes;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use iopath_machine::ReadError;
use iopath_machine::safety::{self, Permission, Refusal, Shared, Survey};
use iopath_machine::target::{self, DirectIo, TargetFacts, TargetKind};
use iopath_path::Unlaid;
use iopath_study::Case;
use iopath_study::case::{CacheMode, EngineKind, Stream, Target, TargetKind as Declared, Verify};
use iopath_units::{Action, Bytes};
use iopath_workload::behind::{Pairing, pairings};
use iopath_workload::{Requests, Span, stamp};
use rustix::fs::{Access, AtFlags, CWD, accessat};

use room::{Claim, Room};

pub use obstacle::Obstacle;

use super::made::Made;
use super::open::Use;
use super::{Targets, key};
use crate::ahead;

impl Targets {
    /// Everything that stands in the way of measuring these cases in this order. `named` are the
    /// override names for targets that hold data. Permissions to write are remembered. Nothing is
    /// opened for writing. When `interrupted` is set, what was found by then is given.
    pub fn obstacles(
        &mut self,
        cases: &[Case],
        named: &[String],
        interrupted: &AtomicBool,
    ) -> Vec<Obstacle> {
        let root = self.root.clone();
        // Once for all targets: with thousands of them nothing else would end in time.
        let survey = Survey::read(&root);
        let mut told = BTreeSet::new();
        let mut seen = Seen::default();
        let mut compared = BTreeSet::new();
        let mut obstacles = Vec::new();
        for case in cases {
            let mut found = memory::obstacles(&self.root, case);
            let paths = self.paths(case);
            if !compared.contains(&paths) {
                found.extend(twins(&survey, &paths));
                compared.insert(paths);
            }
            found.extend(self.unchangeable(case, survey.devices()));
            found.extend(ahead::obstacles(case).map(|what| Obstacle::Stream { what }));
            found.extend(unpaired(case));
            found.extend(trees::in_the_way(case));
            found.extend(volumes::entangled(case));
            found.retain(|obstacle| told.insert(obstacle.to_string()));
            obstacles.append(&mut found);
            let of_targets = OfTargets::of(case);
            for index in 0..case.targets.len() {
                if interrupted.load(Relaxed) {
                    return obstacles;
                }
                let target = &case.targets[index];
                let look = Look {
                    targets: self,
                    case,
                    index,
                    of_targets: &of_targets,
                    target: target.clone(),
                    survey: &survey,
                    named,
                    seen: &mut seen,
                    is_there: false,
                };
                let mut found = look.obstacles();
                // One word for each thing, however many cases meet it.
                found.retain(|obstacle| told.insert(obstacle.to_string()));
                obstacles.append(&mut found);
                if of_targets.usage(index).writes {
                    seen.made.insert(key(target));
                    let below = Made::of(case, target).ok().flatten();
                    seen.made.extend(below.iter().flat_map(Made::files).map(key));
                }
            }
        }
        obstacles
    }
}

impl Targets {
    /// Every named file and device of a case, once.
    fn paths(&self, case: &Case) -> BTreeSet<PathBuf> {
        let bound = |target: &Target| target.binding.is_some().then(|| self.place(target));
        let below = case.targets.iter().filter_map(|target| Made::of(case, target).ok().flatten());
        let below: Vec<PathBuf> =
            below.flat_map(|made| made.files().filter_map(bound).collect::<Vec<_>>()).collect();
        case.targets.iter().filter_map(bound).chain(below).collect()
    }
}

/// Streams that cannot follow whom they shall follow.
fn unpaired(case: &Case) -> Vec<Obstacle> {
    let told = crate::relay::unpaired(case).into_iter();
    told.map(|(_, what)| Obstacle::Stream { what }).collect()
}

/// Targets that have bytes in common: they would not know of one another.
fn twins(survey: &Survey<'_>, paths: &BTreeSet<PathBuf>) -> Vec<Obstacle> {
    if paths.len() < 2 {
        return Vec::new();
    }
    let paths: Vec<PathBuf> = paths.iter().cloned().collect();
    let shared = safety::shares_bytes(survey, &paths).into_iter();
    let pairs = shared.map(|Shared { one, other }| Obstacle::Stream {
        what: format!(
            "{} and {} share the same bytes: use one of them",
            one.display(),
            other.display()
        ),
    });
    pairs.collect()
}

/// What the targets of a run share.
#[derive(Default)]
struct Seen {
    room: Room,
    /// Targets that earlier cases of the run write.
    made: BTreeSet<String>,
    /// Directories of scratch files, which may be one for all.
    directories: BTreeMap<PathBuf, TargetFacts>,
}

/// The streams of a case by their target: a case may have thousands of each.
struct OfTargets {
    each: Vec<(Use, Vec<usize>)>,
    pairings: Vec<Pairing>,
}

impl OfTargets {
    fn of(case: &Case) -> Self {
        let mut each = vec![(Use { reads: false, writes: false }, Vec::new()); case.targets.len()];
        for (at, stream) in case.streams.iter().enumerate() {
            if let Some((usage, streams)) = each.get_mut(stream.target) {
                usage.reads |= stream.reads.0 > 0;
                usage.writes |= stream.reads != iopath_units::Ratio::ONE;
                streams.push(at);
            }
        }
        Self { each, pairings: pairings(case).0 }
    }

    fn usage(&self, target: usize) -> Use {
        self.each[target].0
    }
}

/// One target of one case.
struct Look<'a> {
    targets: &'a mut Targets,
    case: &'a Case,
    index: usize,
    of_targets: &'a OfTargets,
    /// The target, or one of the files that it lies on.
    target: Target,
    survey: &'a Survey<'a>,
    named: &'a [String],
    seen: &'a mut Seen,
    /// Whether the file is there, or will be.
    is_there: bool,
}

impl Look<'_> {
    fn obstacles(mut self) -> Vec<Obstacle> {
        let target = &self.case.targets[self.index];
        if let Some(tree) = target.tree {
            return self.tree(tree);
        }
        match Made::of(self.case, target) {
            Ok(Some(made)) => return self.composed(&made),
            Ok(None) => {}
            Err(Unlaid::Unreal(part)) if part == target.part => {}
            Err(error) => return vec![volumes::unlaid(self.case, target, &error)],
        }
        let mut found = Vec::new();
        let facts = self.file_obstacles(&mut found);
        let is_small = found.iter().any(|obstacle| matches!(obstacle, Obstacle::TooSmall { .. }));
        let has = facts.filter(|_| target.binding.is_some()).map_or(0, |facts| facts.bytes);
        if !is_small && self.is_there {
            self.streams(target.size.map_or(has, |size| size.0), &mut found);
        }
        found
    }

    /// What is wrong with a file or device; its facts if it is there, else those of the directory
    /// that it will be made in.
    fn file_obstacles(&mut self, found: &mut Vec<Obstacle>) -> Option<TargetFacts> {
        self.is_there = false;
        if let (Declared::Device, None) = (self.target.kind, &self.target.binding) {
            let name = &self.target.name;
            let what = format!("{name} is no real device yet: bind from=\"{name}\" to=\"/dev/…\"");
            found.push(Obstacle::Stream { what });
            return None;
        }
        let usage = self.of_targets.usage(self.index);
        let place = self.targets.place(&self.target);
        match self.facts(&place) {
            Ok(Some(facts)) => {
                self.existing(&place, &facts, usage, found);
                Some(facts)
            }
            Ok(None) => {
                let (is, wanted) = ("neither a file nor a block device", self.wanted());
                found.push(Obstacle::Unsuitable { path: place, found: is, wanted });
                None
            }
            Err(error) if error.is_missing() => self.missing(&place, usage, found),
            Err(error) => {
                found.push(Obstacle::Stream { what: format!("{}: {error}", place.display()) });
                None
            }
        }
    }

    fn facts(&mut self, place: &Path) -> Result<Option<TargetFacts>, ReadError> {
        if let Some(facts) = self.seen.directories.get(place) {
            return Ok(Some(facts.clone()));
        }
        let (devices, mounts) = (self.survey.devices(), self.survey.mounts());
        let found = target::read_among(&self.targets.root, devices, mounts, place)?;
        if let Some(facts) = found.as_ref().filter(|facts| facts.kind == TargetKind::Directory) {
            self.seen.directories.insert(place.to_owned(), facts.clone());
        }
        Ok(found)
    }

    /// The streams of the target.
    fn own_streams(&self) -> impl Iterator<Item = &Stream> {
        let (case, (_, streams)) = (self.case, &self.of_targets.each[self.index]);
        streams.iter().map(|at| &case.streams[*at])
    }

    fn wanted(&self) -> &'static str {
        match (self.target.kind, &self.target.binding) {
            (Declared::File, None) => "a directory for a scratch file",
            (Declared::File, Some(_)) => "a file",
            (Declared::Device, _) => "a block device",
            (Declared::Tree, _) => "a directory",
        }
    }

    fn missing(
        &mut self,
        place: &Path,
        usage: Use,
        found: &mut Vec<Obstacle>,
    ) -> Option<TargetFacts> {
        let target = &self.target;
        let is_file = target.kind == Declared::File && target.binding.is_some();
        let will_be_there = usage.writes || self.seen.made.contains(&key(target));
        let (path, declared) = (place.to_owned(), target.kind);
        if !(is_file && will_be_there && target.size.is_some()) {
            found.push(Obstacle::Missing { path, declared });
            return None;
        }
        let directory = match place.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let facts = match self.facts(directory) {
            Ok(Some(facts)) => facts,
            Err(error) if !error.is_missing() || directory.is_dir() => {
                let what = format!("{}: {error}", directory.display());
                found.push(Obstacle::Stream { what });
                return None;
            }
            Ok(None) | Err(_) => {
                found.push(Obstacle::NoDirectory { path: directory.to_owned() });
                return None;
            }
        };
        writable(directory, found);
        self.space(directory, &facts, 0, found);
        self.alignment(directory, &facts, found);
        if usage.writes {
            self.permission(place, found);
        }
        self.is_there = true;
        Some(facts)
    }

    fn existing(
        &mut self,
        place: &Path,
        facts: &TargetFacts,
        usage: Use,
        found: &mut Vec<Obstacle>,
    ) {
        let is_scratch = self.target.binding.is_none();
        let path = place.to_owned();
        let (is, fits) = match &facts.kind {
            TargetKind::Directory => ("a directory", is_scratch),
            TargetKind::RegularFile => ("a file", self.is(Declared::File)),
            TargetKind::BlockDevice(_) => ("a block device", self.is(Declared::Device)),
        };
        if !fits {
            let wanted = self.wanted();
            return found.push(Obstacle::Unsuitable { path, found: is, wanted });
        }
        let size = self.target.size;
        if !is_scratch {
            openable(place, usage, found);
            if usage.writes {
                self.permission(place, found);
            }
            // What an earlier case of the run writes has its size by then.
            let written = usage.writes || self.seen.made.contains(&key(&self.target));
            let grows = written && facts.kind == TargetKind::RegularFile;
            if let Some(wanted) = size.filter(|size| size.0 > facts.bytes && !grows) {
                let has = facts.bytes;
                return found.push(Obstacle::TooSmall { path, has, wanted });
            }
        }
        let has = if is_scratch { 0 } else { facts.bytes };
        if is_scratch {
            writable(place, found);
        }
        self.space(place, facts, has, found);
        self.alignment(place, facts, found);
        self.discards(place, facts, found);
        self.is_there = true;
    }

    /// A device that takes no discards refuses each trim, and one of a part of its block.
    fn discards(&self, place: &Path, facts: &TargetFacts, found: &mut Vec<Obstacle>) {
        let TargetKind::BlockDevice(name) = &facts.kind else { return };
        let trims = || self.own_streams().filter(|stream| stream.action == Action::Trim);
        let Some(stream) = trims().next() else { return };
        let unit = facts.logical_block_bytes.unwrap_or(1).max(1);
        for stream in trims().filter(|stream| !stream.block.0.is_multiple_of(unit)) {
            let (path, block) = (place.to_owned(), stream.block);
            let stream = stream.group.clone();
            found.push(Obstacle::PartOfBlock { path, stream, block, unit });
        }
        let takes = target::takes_discards(&self.targets.root, self.survey.devices(), name);
        if takes == Some(false) && self.case.workload.engine != EngineKind::Null {
            let (path, stream) = (place.to_owned(), stream.group.clone());
            found.push(Obstacle::NoDiscard { path, stream, disk: name.clone() });
        }
    }

    fn is(&self, declared: Declared) -> bool {
        self.target.binding.is_some() && self.target.kind == declared
    }

    fn permission(&mut self, place: &Path, found: &mut Vec<Obstacle>) {
        if self.targets.permissions.contains_key(place) {
            return;
        }
        match self.may_write(place) {
            Ok(permission) => {
                self.targets.permissions.insert(place.to_owned(), permission);
                if let Err(source) = self.targets.claim(place) {
                    let (path, wanted) = (place.to_owned(), "writing by this run alone");
                    found.push(Obstacle::NotPermitted { path, wanted, source });
                }
            }
            Err(refusal) => found.push(Obstacle::Unsafe(refusal)),
        }
    }

    /// What a target of the caller's own holds is nobody's: there is nothing to give up, and of a
    /// file nothing is read, since a device that was made to be slow would take its time. A device
    /// that is in use is refused all the same.
    fn may_write(&self, place: &Path) -> Result<Permission, Refusal> {
        let root = &self.targets.root;
        if self.targets.own.contains(place) && place.is_file() {
            return Ok(Permission::for_own_file(root, place));
        }
        let refused = match safety::may_write(self.survey, place, self.named) {
            Err(refused) if self.targets.own.contains(place) => refused,
            other => return other,
        };
        let Some(token) = &refused.override_token else { return Err(refused) };
        let mut permission = safety::may_write(self.survey, place, &[token])?;
        permission.overridden.clear();
        Ok(permission)
    }

    /// Holds what the target will take, with all others on its file system, against what is free.
    fn space(&mut self, place: &Path, facts: &TargetFacts, has: u64, found: &mut Vec<Obstacle>) {
        let wanted = self.target.size.map_or(0, |size| size.0);
        let bytes = wanted.saturating_sub(has);
        // Some have no size of their own, such as ramfs: all is zero then, and nothing is known.
        let sized = facts.file_system.as_ref().filter(|system| system.total_bytes > 0);
        let Some(system) = sized else { return };
        let free = Bytes(system.free_bytes);
        let Ok(file_system) = place.metadata().map(|metadata| metadata.dev()) else { return };
        if self.case.workload.engine == EngineKind::Null {
            return;
        }
        let claim = Claim { file_system, target: key(&self.target), bytes };
        if let Some(wanted) = self.seen.room.lacks(claim, free) {
            found.push(Obstacle::NoSpace { path: place.to_owned(), free, wanted });
        }
    }

    fn alignment(&self, place: &Path, facts: &TargetFacts, found: &mut Vec<Obstacle>) {
        let workload = &self.case.workload;
        let kernel = !matches!(workload.engine, EngineKind::Mmap | EngineKind::Null);
        if workload.cache != CacheMode::Direct || !kernel {
            return;
        }
        let align = match facts.direct_io {
            DirectIo::Aligned { offset_bytes, .. } => offset_bytes,
            DirectIo::Unstated { assumed_bytes } => assumed_bytes,
            // Requests then go through the page cache, which takes any size.
            DirectIo::Refused => return,
        };
        for stream in
            self.own_streams().filter(|stream| !stream.block.0.is_multiple_of(align.max(1)))
        {
            let (path, block) = (place.to_owned(), stream.block);
            let stream = stream.group.clone();
            found.push(Obstacle::Unaligned { path, align, stream, block });
        }
        let units = self.own_streams().filter_map(|stream| ahead::settings(self.case, stream));
        for unit in units.map(|settings| settings.unit.0) {
            if !unit.is_multiple_of(align.max(1)) {
                let path = place.display();
                let what =
                    format!("{path}: a unit of readahead must be a multiple of {align} bytes");
                found.push(Obstacle::Stream { what });
            }
        }
    }

    fn streams(&self, bytes: u64, found: &mut Vec<Obstacle>) {
        let streams = &self.case.streams;
        let here = self.of_targets.pairings.iter();
        for pairing in here.filter(|pairing| streams[pairing.writer].target == self.index) {
            if let Err(error) = pairing.fits(streams, bytes) {
                found.push(Obstacle::Stream { what: error.to_string() });
            }
        }
        for stream in self.own_streams() {
            let made = Span::of(stream, bytes).map_err(|error| error.to_string());
            let made = made.and_then(|span| {
                let requests = Requests::new(stream, span, self.case.workload.seed);
                requests.map(drop).map_err(|error| error.to_string())
            });
            if let Err(what) = made {
                found.push(Obstacle::Stream { what });
            }
            let stamped = self.case.workload.verify == Verify::Stamps;
            if let Some(error) = stamp::unit_of(stream.block.0).err().filter(|_| stamped) {
                found.push(Obstacle::Stream { what: format!("stream {}: {error}", stream.group) });
            }
        }
    }
}

/// A file can only be made in a directory that permits it.
fn writable(directory: &Path, found: &mut Vec<Obstacle>) {
    let wanted = Access::WRITE_OK | Access::EXEC_OK;
    if let Err(error) = accessat(CWD, directory, wanted, AtFlags::EACCESS) {
        let (path, wanted) = (directory.to_owned(), "making a file in it");
        found.push(Obstacle::NotPermitted { path, wanted, source: error.into() });
    }
}

/// Whether it can be read, and may be written. To try that would be a change: closing a device that
/// was open for writing makes udev look at it anew, which may assemble an array.
fn openable(place: &Path, usage: Use, found: &mut Vec<Obstacle>) {
    let mut cannot = |wanted, source| {
        found.push(Obstacle::NotPermitted { path: place.to_owned(), wanted, source });
    };
    if let Err(source) = File::open(place) {
        cannot("reading", source);
    }
    let may_write = || accessat(CWD, place, Access::WRITE_OK, AtFlags::EACCESS);
    if let Some(error) = usage.writes.then(may_write).and_then(Result::err) {
        cannot("writing", error.into());
    }
}
