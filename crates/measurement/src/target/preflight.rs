//! Everything that can be known to be wrong with targets before any I/O, all of it at once.

mod memory;
mod obstacle;
mod permission;
pub mod room;
mod threads;
mod trees;
mod volumes;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use iopath_machine::safety::{self, Shared, Survey};
use iopath_machine::target::{self, DirectIo, TargetFacts, TargetKind};
use iopath_machine::{ReadError, Root};
use iopath_path::Unlaid;
use iopath_study::Case;
use iopath_study::case::{CacheMode, EngineKind, Stream, Target, TargetKind as Declared, Verify};
use iopath_units::{Action, Bytes};
use iopath_workload::behind::{Pairing, pairings};
use iopath_workload::{Requests, Span, stamp};
use rustix::fs::{Access, AtFlags, CWD, accessat};

pub use obstacle::Obstacle;
use room::{Claim, Room};

use super::made::Made;
use super::open::Use;
use super::{Targets, key};
use crate::ahead;

impl Targets {
    /// Everything about targets that stands in the way of measuring these cases in this order; what
    /// their streams need besides is in [`lacking`]. `named` are the override names for targets
    /// that hold data. Permissions to write are remembered. Nothing is opened for writing. When
    /// `interrupted` is set, what was found by then is given.
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
        // One word for each thing, however many cases meet it.
        let mut is_new = |obstacle: &Obstacle| told.insert(obstacle.to_string());
        let mut seen = Seen::default();
        let mut compared = BTreeSet::new();
        let mut obstacles = Vec::new();
        for case in cases {
            let mut found = Vec::new();
            let paths = self.paths(case);
            if !compared.contains(&paths) {
                found.extend(twins(&survey, &paths));
                compared.insert(paths);
            }
            found.extend(self.unchangeable(case, survey.devices()));
            found.extend(ahead::obstacles(case));
            found.extend(crate::relay::unpaired(case).into_iter().map(|(_, why)| why));
            found.extend(trees::in_the_way(case));
            found.extend(volumes::entangled(case));
            obstacles.extend(found.into_iter().map(Obstacle::Unfit).filter(&mut is_new));
            let of_targets = OfTargets::of(case);
            for index in 0..case.targets.len() {
                if interrupted.load(Relaxed) {
                    return obstacles;
                }
                let target = &case.targets[index];
                let mut look = Look {
                    targets: self,
                    case,
                    index,
                    of_targets: &of_targets,
                    target: target.clone(),
                    survey: &survey,
                    named,
                    seen: &mut seen,
                    is_there: false,
                    found: Vec::new(),
                };
                look.look();
                obstacles.extend(look.found.into_iter().filter(&mut is_new));
                if of_targets.usage(index).writes {
                    seen.made.insert(key(target));
                    let below = Made::of(case, target).ok().flatten();
                    seen.made.extend(below.iter().flat_map(Made::files).map(key));
                }
            }
        }
        self.taken = seen.room.into_taken();
        obstacles
    }

    /// What the cases that were looked at last will take of each file system.
    #[must_use]
    pub fn taken(&self) -> &[room::Taken] {
        &self.taken
    }

    /// Every named file and device of a case, once.
    fn paths(&self, case: &Case) -> BTreeSet<PathBuf> {
        let bound = |target: &Target| target.binding.is_some().then(|| self.place(target));
        let below = case.targets.iter().filter_map(|target| Made::of(case, target).ok().flatten());
        let below: Vec<PathBuf> =
            below.flat_map(|made| made.files().filter_map(bound).collect::<Vec<_>>()).collect();
        case.targets.iter().filter_map(bound).chain(below).collect()
    }
}

/// What this machine does not have for the streams of cases: those of this process, and those of
/// all processes on this machine, whose memory is one.
#[must_use]
pub fn lacking(root: &Root, own: &[Case], on_machine: &[Case]) -> Vec<Obstacle> {
    let threads = own.iter().flat_map(|case| threads::obstacles(root, case));
    let mut said = BTreeSet::new();
    let all = threads.chain(memory::obstacle(root, on_machine));
    let all = all.filter(|what| said.insert(what.clone()));
    all.map(Obstacle::Unfit).collect()
}

/// Targets that have bytes in common: they would not know of one another.
fn twins(survey: &Survey<'_>, paths: &BTreeSet<PathBuf>) -> Vec<String> {
    if paths.len() < 2 {
        return Vec::new();
    }
    let paths: Vec<PathBuf> = paths.iter().cloned().collect();
    let what = |Shared { one, other }: Shared| {
        let (one, other) = (one.display(), other.display());
        format!("{one} and {other} share the same bytes: use one of them")
    };
    safety::shares_bytes(survey, &paths).into_iter().map(what).collect()
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
    found: Vec<Obstacle>,
}

impl<'a> Look<'a> {
    fn look(&mut self) {
        let target = &self.case.targets[self.index];
        if let Some(tree) = target.tree {
            return self.tree(tree);
        }
        match Made::of(self.case, target) {
            Ok(Some(made)) => return self.composed(&made),
            Ok(None) => {}
            Err(Unlaid::Unreal(part)) if part == target.part => {}
            Err(error) => return self.unfit(volumes::unlaid(self.case, target, &error)),
        }
        let facts = self.file_obstacles();
        let has = facts.filter(|_| target.binding.is_some()).map_or(0, |facts| facts.bytes);
        if self.is_there {
            self.streams(target.size.map_or(has, |size| size.0));
        }
    }

    fn unfit(&mut self, what: String) {
        self.found.push(Obstacle::Unfit(what));
    }

    fn unsuitable(&mut self, place: &Path, is: &str) {
        let wanted = self.wanted();
        self.unfit(format!("{} is {is}, but the study uses it as {wanted}", place.display()));
    }

    fn no_directory(&mut self, path: &Path) {
        let path = path.display();
        self.unfit(format!("{path} does not exist; files are created, directories are not"));
    }

    fn not_permitted(&mut self, path: &Path, wanted: &str, source: &io::Error) {
        self.unfit(format!("{} cannot be opened for {wanted}: {source}", path.display()));
    }

    /// What is wrong with a file or device; its facts if it is there, else those of the directory
    /// that it will be made in.
    fn file_obstacles(&mut self) -> Option<TargetFacts> {
        self.is_there = false;
        if let (Declared::Device, None) = (self.target.kind, &self.target.binding) {
            let name = &self.target.name;
            self.unfit(format!(
                "{name} is not bound to a device: bind from=\"{name}\" \
                 to=\"/dev/…\""
            ));
            return None;
        }
        let place = self.targets.place(&self.target);
        match self.facts(&place) {
            Ok(Some(facts)) => {
                self.existing(&place, &facts);
                return Some(facts);
            }
            Ok(None) => self.unsuitable(&place, "neither a file nor a block device"),
            Err(error) if error.is_missing() && self.targets.borrowed.contains_key(&place) => {
                // Who keeps it makes it, or says what is wrong.
                self.is_there = self.target.size.is_some();
            }
            Err(error) if error.is_missing() => return self.missing(&place),
            Err(error) => self.unfit(format!("{}: {error}", place.display())),
        }
        None
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

    fn usage(&self) -> Use {
        self.of_targets.usage(self.index)
    }

    /// The streams of the target.
    fn own_streams(&self) -> impl Iterator<Item = &'a Stream> + use<'a> {
        let (case, of_targets) = (self.case, self.of_targets);
        of_targets.each[self.index].1.iter().map(|at| &case.streams[*at])
    }

    fn wanted(&self) -> &'static str {
        match (self.target.kind, &self.target.binding) {
            (Declared::File, None) => "a directory for a scratch file",
            (Declared::File, Some(_)) => "a file",
            (Declared::Device, _) => "a block device",
            (Declared::Tree, _) => "a directory",
        }
    }

    fn missing(&mut self, place: &Path) -> Option<TargetFacts> {
        let target = &self.target;
        let is_file = target.kind == Declared::File && target.binding.is_some();
        let writes = self.usage().writes;
        let will_be_there = writes || self.seen.made.contains(&key(target));
        if !(is_file && will_be_there && target.size.is_some()) {
            let how = never_a_file(place, target).unwrap_or(match will_be_there {
                true => {
                    "; to have it made, give its size: --size on the command line, size= in a study"
                }
                false => "; a file to be read must exist",
            });
            self.unfit(format!("{} does not exist{how}", place.display()));
            return None;
        }
        let directory = match place.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let facts = match self.facts(directory) {
            Ok(Some(facts)) => facts,
            Err(error) if !error.is_missing() || directory.is_dir() => {
                self.unfit(format!("{}: {error}", directory.display()));
                return None;
            }
            Ok(None) | Err(_) => {
                self.no_directory(directory);
                return None;
            }
        };
        self.writable(directory);
        self.space(directory, &facts, 0);
        self.alignment(directory, &facts);
        if writes {
            self.permission(place);
        }
        self.is_there = true;
        Some(facts)
    }

    fn existing(&mut self, place: &Path, facts: &TargetFacts) {
        let is_scratch = self.target.binding.is_none();
        let (is, fits) = match &facts.kind {
            TargetKind::Directory => ("a directory", is_scratch),
            TargetKind::RegularFile => ("a file", self.is(Declared::File)),
            TargetKind::BlockDevice(_) => ("a block device", self.is(Declared::Device)),
        };
        if !fits {
            return self.unsuitable(place, is);
        }
        let has = if is_scratch { 0 } else { facts.bytes };
        if is_scratch {
            self.writable(place);
        } else {
            let writes = self.usage().writes;
            self.openable(place, writes);
            if writes {
                self.permission(place);
            }
            // What an earlier case of the run writes has its size by then.
            let is_borrowed = self.targets.borrowed.contains_key(place);
            let written = writes || is_borrowed || self.seen.made.contains(&key(&self.target));
            let grows = written && facts.kind == TargetKind::RegularFile;
            if let Some(wanted) = self.target.size.filter(|size| size.0 > has && !grows) {
                return self.unfit(format!(
                    "{} has {has} bytes, but the study uses {wanted}; use a smaller size",
                    place.display()
                ));
            }
        }
        self.space(place, facts, has);
        self.alignment(place, facts);
        self.discards(place, facts);
        self.is_there = true;
    }

    /// A device that does not support discards refuses each trim, and one of a part of its block.
    fn discards(&mut self, place: &Path, facts: &TargetFacts) {
        let TargetKind::BlockDevice(name) = &facts.kind else { return };
        let own = self.own_streams();
        let trims: Vec<&Stream> = own.filter(|stream| stream.action == Action::Trim).collect();
        let [first, ..] = trims[..] else { return };
        let (path, unit) = (place.display(), facts.logical_block_bytes.unwrap_or(1).max(1));
        for stream in trims.iter().filter(|stream| !stream.block.0.is_multiple_of(unit)) {
            self.unfit(format!(
                "{path}: stream {} trims pieces of {}, but the device discards only whole blocks \
                 of {unit} bytes; use a multiple",
                stream.group, stream.block
            ));
        }
        let takes = target::takes_discards(&self.targets.root, self.survey.devices(), name);
        if takes == Some(false) && self.case.workload.engine != EngineKind::Null {
            self.unfit(format!(
                "{path}: stream {} trims, but {name} does not support discards \
                 (queue/discard_max_bytes is 0)",
                first.group
            ));
        }
    }

    fn is(&self, declared: Declared) -> bool {
        self.target.binding.is_some() && self.target.kind == declared
    }

    /// Holds what the target will take, with all others on its file system, against what is free.
    fn space(&mut self, place: &Path, facts: &TargetFacts, has: u64) {
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
        let (place, target) = (place.to_owned(), key(&self.target));
        let claim = Claim { file_system, place: place.clone(), target, bytes };
        if let Some(wanted) = self.seen.room.lacks(claim, free) {
            self.unfit(room::lacking(&place, free, wanted));
        }
    }

    fn alignment(&mut self, place: &Path, facts: &TargetFacts) {
        let workload = &self.case.workload;
        let kernel = !matches!(workload.engine, EngineKind::Mmap | EngineKind::Null);
        if workload.cache != CacheMode::Direct || !kernel {
            return;
        }
        let (path, Some(align)) = (place.display(), alignment_of(facts)) else { return };
        for stream in self.own_streams().filter(|one| !one.block.0.is_multiple_of(align)) {
            self.unfit(format!(
                "{path}: direct I/O here needs blocks of a multiple of {align} bytes, but stream \
                 {} uses {}; use such a block, or cache=\"buffered\"",
                stream.group, stream.block
            ));
        }
        let mut ahead = self.own_streams().filter_map(|stream| ahead::settings(self.case, stream));
        if ahead.any(|settings| !settings.unit.0.is_multiple_of(align)) {
            self.unfit(format!("{path}: a unit of readahead must be a multiple of {align} bytes"));
        }
    }

    fn streams(&mut self, bytes: u64) {
        let (streams, index) = (&self.case.streams, self.index);
        let here = self.of_targets.pairings.iter();
        for pairing in here.filter(|pairing| streams[pairing.writer].target == index) {
            if let Err(error) = pairing.fits(streams, bytes) {
                self.unfit(error.to_string());
            }
        }
        for stream in self.own_streams() {
            let span = Span::of(stream, bytes);
            let made = span.and_then(|span| Requests::new(stream, span, self.case.workload.seed));
            if let Err(error) = made {
                self.unfit(error.to_string());
            }
            let stamped = self.case.workload.verify == Verify::Stamps;
            if let Some(error) = stamp::unit_of(stream.block.0).err().filter(|_| stamped) {
                self.unfit(format!("stream {}: {error}", stream.group));
            }
        }
    }

    /// A file can only be made in a directory that permits it.
    fn writable(&mut self, directory: &Path) {
        let wanted = Access::WRITE_OK | Access::EXEC_OK;
        if let Err(error) = accessat(CWD, directory, wanted, AtFlags::EACCESS) {
            self.not_permitted(directory, "making a file in it", &error.into());
        }
    }

    /// Whether it can be read, and may be written. To try that would be a change: closing a device
    /// that was open for writing makes udev look at it anew, which may assemble an array.
    fn openable(&mut self, place: &Path, writes: bool) {
        if let Err(source) = File::open(place) {
            self.not_permitted(place, "reading", &source);
        }
        let may_write = || accessat(CWD, place, Access::WRITE_OK, AtFlags::EACCESS);
        if let Some(error) = writes.then(may_write).and_then(Result::err) {
            self.not_permitted(place, "writing", &error.into());
        }
    }
}

/// What direct I/O must be a multiple of. Where it is refused, requests go through the page cache,
/// which takes any size.
fn alignment_of(facts: &TargetFacts) -> Option<u64> {
    match facts.direct_io {
        DirectIo::Aligned { offset_bytes: bytes, .. }
        | DirectIo::Unstated { assumed_bytes: bytes } => Some(bytes.max(1)),
        DirectIo::Refused => None,
    }
}

/// What else would be there, where no size makes a file.
fn never_a_file(path: &Path, target: &Target) -> Option<&'static str> {
    match (target.kind, &target.binding) {
        (Declared::Device, _) => Some("; devices are never created"),
        (Declared::File, _) if path.starts_with("/dev") && !path.starts_with("/dev/shm") => {
            Some("; devices are never created")
        }
        (Declared::Tree, _) => Some("; a tree is created in an existing directory"),
        (Declared::File, None) => Some("; a scratch file is created in an existing directory"),
        (Declared::File, Some(_)) => None,
    }
}
