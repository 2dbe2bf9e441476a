//! Opening: the right flags, direct I/O or the fact that it was refused, and scratch files that
//! leave nothing behind.
//!
//! A scratch file never has a name while it holds data: `O_TMPFILE` makes it without one, and
//! where a file system cannot, it is made and unlinked before the first write. So nothing remains
//! after `kill -9`.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use iopath_machine::safety::{self, Permitted, Survey, mark_own_file};
use iopath_machine::target::{TargetFacts, TargetKind};
use iopath_machine::{location, target};
use iopath_study::Case;
use iopath_study::case::{BufferKind, CacheMode, EngineKind, Target};
use iopath_units::{Bytes, Human, System};
use rustix::fs::{
    AtFlags, FallocateFlags, OFlags, StatxFlags, fallocate, fcntl_getfl, fcntl_setfl, statx,
};
use rustix::io::{Errno, retry_on_intr};

use super::composed::Opened;
use super::kernel::advise_normally;
use super::made::Made;
use super::made::files_of;
use super::{CacheUsed, Claim, Held, OpenFile, OpenTarget, Service, Targets, key};
use crate::buffers::{Buffers, PAGE};

/// How long a file is waited for that another rank makes: a minute (chosen: it is made before it is
/// filled).
const LOOKS: usize = 1200;
const PAUSE: Duration = Duration::from_millis(50);

/// How a case uses one of its targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub reads: bool,
    pub writes: bool,
}

impl Use {
    pub(super) fn of(case: &Case, index: usize) -> Self {
        let streams = || case.streams.iter().filter(|stream| stream.target == index);
        Self {
            reads: streams().any(|stream| stream.reads.0 > 0),
            writes: streams().any(|stream| stream.reads != iopath_units::Ratio::ONE),
        }
    }
}

impl Targets {
    /// Opens a case's targets in their order, when no one has taken them into use since they were
    /// permitted.
    pub(crate) fn open(&mut self, case: &Case) -> io::Result<Vec<OpenTarget>> {
        let root = self.root.clone();
        let survey = Survey::read(&root).again(self.claimed.keys().map(PathBuf::as_path));
        for index in 0..case.targets.len() {
            let usage = Use::of(case, index);
            for file in files_of(case, &case.targets[index]) {
                self.assure_unused(&survey, &file, usage)?;
            }
        }
        // Who writes opens first, and others use the same file: a second lock would meet the first.
        let mut order: Vec<usize> = (0..case.targets.len()).collect();
        order.sort_by_key(|index| !Use::of(case, *index).writes);
        let mut opened = Opened::new();
        let mut all = BTreeMap::new();
        for index in order {
            all.insert(index, self.open_one((case, index), &survey, &mut opened)?);
        }
        Ok(all.into_values().collect())
    }

    /// Looks again before anything is opened for writing: a refusal changes nothing.
    fn assure_unused(&self, survey: &Survey<'_>, target: &Target, usage: Use) -> io::Result<()> {
        // What is this run's may have to be filled, even for a case that only reads.
        let is_ours = self.files.get(&key(target)).is_some_and(|held| held.ours);
        let path = target.binding.as_deref().filter(|_| usage.writes || is_ours).map(Path::new);
        let Some(permission) = path.and_then(|path| self.permissions.get(path)) else {
            return Ok(());
        };
        safety::is_still_unused(survey, permission).map_err(io::Error::other)
    }

    fn open_one(
        &mut self,
        (case, index): (&Case, usize),
        survey: &Survey<'_>,
        opened: &mut Opened,
    ) -> io::Result<OpenTarget> {
        let target = &case.targets[index];
        if let Some(wanted) = target.tree {
            return self.open_tree(case, (target, wanted), survey);
        }
        if let Some(made) = Made::of(case, target).map_err(io::Error::other)? {
            return self.open_composed((case, index), &made, (survey, opened));
        }
        self.forget_stamps(case, &[key(target)]);
        let file = self.open_shared((case, target), Use::of(case, index), (survey, opened))?;
        let (name, label, bytes) = (file.name.clone(), file.label.clone(), file.bytes);
        let (files, volume, checker) = (vec![file], None, None);
        Ok(OpenTarget { name, label, bytes, files, volume, tree: None, checker })
    }

    /// Opens a file or a device, and gives one that this run makes its length.
    pub(super) fn open_file(
        &mut self,
        case: &Case,
        target: &Target,
        usage: Use,
        survey: &Survey<'_>,
    ) -> io::Result<OpenFile> {
        let place = self.place(target);
        let (file, label) = match &target.binding {
            Some(path) => (self.open_named(target, &place, usage)?, path.clone()),
            None => (self.open_scratch(target, &place)?, scratch_label(&place)),
        };
        let facts = self.facts(&place, survey)?;
        let bytes = match target.size {
            Some(size) => size.0,
            None if target.binding.is_some() => facts.bytes,
            None => 0,
        };
        let is_kept = !self.borrowed.contains_key(&place);
        let is_file = facts.kind == TargetKind::RegularFile;
        let grows = usage.writes && is_kept && is_file && bytes > facts.bytes;
        if let Some(held) = self.files.get_mut(&key(target)).filter(|held| held.ours || grows) {
            if !held.ours {
                held.filled = facts.bytes;
                held.ours = true;
            }
            if case.workload.engine != EngineKind::Null {
                make_room(&file, bytes, &facts)?;
            }
        }
        let cache = set_cache(&file, case.workload.cache)?;
        let devices = self.devices_below(&place, survey);
        let (name, service) = (target.name.clone(), service(&file)?);
        let lent = || self.permissions_to_borrow.get(&place);
        let given_up = self.permissions.get(&place).or_else(lent).filter(|_| usage.writes);
        let given_up = given_up.map(|given| given.overridden.iter().map(ToString::to_string));
        let given_up = given_up.into_iter().flatten().collect();
        Ok(OpenFile { name, label, file, facts, bytes, cache, service, devices, given_up })
    }

    /// The block devices that a place lies on.
    pub(super) fn devices_below(&self, place: &Path, survey: &Survey<'_>) -> Vec<String> {
        let (devices, mounts) = (survey.devices(), survey.mounts());
        let below = location::device_of_file_among(&self.root, devices, mounts, place);
        below.map(|found| found.devices.into_iter().collect()).unwrap_or_default()
    }

    pub(super) fn facts(&self, place: &Path, survey: &Survey<'_>) -> io::Result<TargetFacts> {
        target::read_among(&self.root, survey.devices(), survey.mounts(), place)
            .map_err(io::Error::other)?
            .ok_or_else(|| io::Error::other("neither a file nor a block device"))
    }

    fn open_named(&mut self, target: &Target, path: &Path, usage: Use) -> io::Result<File> {
        if self.borrowed.contains_key(path) {
            return self.open_borrowed(target, path, usage);
        }
        let exists = path.exists();
        let held = self.files.get(&key(target));
        let (made, ours) = held.map_or((None, false), |held| (held.made, held.ours));
        // What is this run's it may have to fill, even for a case that only reads.
        let writes = usage.writes || ours;
        let mut options = OpenOptions::new();
        // A mapping that is written needs the file open for both.
        options.read(true).write(writes);
        if usage.writes && !exists {
            options.create_new(true);
        }
        let file = match self.claimed.get_mut(path).filter(|_| usage.writes) {
            Some(claim) => claim.writer(path, &options)?,
            None => options.open(path)?,
        };
        let identity = identity(&file)?;
        let permitted = if writes { self.assure_permitted(path, &file) } else { Ok(()) };
        let held = self.files.entry(key(target)).or_default();
        match permitted {
            // A case that only reads shall find what somebody changed, and change nothing itself.
            Err(_) if !usage.writes && (made.is_none() || made == Some(identity)) => {
                safety::release(&file);
                (held.ours, held.made) = (false, None);
            }
            other => other?,
        }
        held.changed = usage.writes;
        if usage.writes {
            held.written = Some(path.display().to_string());
        }
        if !exists {
            (held.ours, held.made) = (true, Some(identity));
        }
        Ok(file)
    }

    /// What another rank keeps is opened as it is, once it has been made.
    fn open_borrowed(&mut self, target: &Target, path: &Path, usage: Use) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(usage.writes);
        let open = || options.open(path);
        let file = std::iter::repeat_with(open).take(LOOKS).find(|opened| {
            let is_missing =
                opened.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
            is_missing.then(|| std::thread::sleep(PAUSE)).is_none()
        });
        let file = file.unwrap_or_else(open)?;
        if usage.writes {
            self.assure_same(path, &file)?;
            let held = self.files.entry(key(target)).or_default();
            held.written = Some(path.display().to_string());
        }
        Ok(file)
    }

    /// Lets go of the files that a case has written, and leaves a mark on those whose whole content
    /// is this run's own, so that the next run may write them again. A file whose data the user
    /// gave up is not marked: what was not overwritten is still the user's.
    pub(crate) fn mark_written(&mut self, case: &Case, open: &[OpenTarget]) {
        for (target, opened) in case.targets.iter().zip(open) {
            let made = Made::of(case, target).ok().flatten();
            let files: Vec<&Target> = match &made {
                Some(made) => made.files().collect(),
                None => vec![target],
            };
            for (target, opened) in files.into_iter().zip(&opened.files) {
                self.mark_one(target, opened);
            }
        }
    }

    fn mark_one(&mut self, target: &Target, opened: &OpenFile) {
        let path = target.binding.as_deref().map(Path::new);
        let changed = self.files.get(&key(target)).is_some_and(|held| held.changed);
        if opened.facts.kind != TargetKind::RegularFile {
            return;
        }
        if let Some(permission) = path.and_then(|path| self.permissions.get(path)) {
            if changed && permission.permitted != Permitted::NamedFile {
                // Without extended attributes there is no mark, and the next run asks.
                let _ = mark_own_file(&opened.file);
            }
            if let (true, Ok(file), Some(left)) =
                (changed, identity(&opened.file), permission.known_by(&opened.file))
            {
                self.left.insert(file, left);
            }
            safety::release(&opened.file);
        }
    }

    /// Opens a block device that may be written, so that nobody else mounts or claims it before
    /// the run ends; only for reading yet, as other devices may still be refused.
    pub(super) fn claim(&mut self, path: &Path) -> io::Result<()> {
        if is_block_device(path) {
            let mut options = OpenOptions::new();
            let exclusive = options.read(true).custom_flags(libc::O_EXCL).open(path)?;
            let claim = Claim { _exclusive: exclusive, writer: None };
            self.claimed.insert(path.to_owned(), claim);
        }
        Ok(())
    }

    /// Holds what was opened for writing. Between preflight and now somebody may have put another
    /// thing in the target's place, or written to it.
    fn assure_permitted(&self, path: &Path, file: &File) -> io::Result<()> {
        if file.metadata()?.is_file() {
            let named = |error| io::Error::other(format!("{}: {error}", path.display()));
            safety::hold(file).map_err(named)?;
        }
        let is_permitted = match (self.permissions.get(path), self.left.get(&identity(file)?)) {
            (None, _) => false,
            (Some(permission), Some(left)) => permission.known_by(file).as_ref() == Some(left),
            (Some(permission), None) => permission.is_for(file)?,
        };
        is_permitted.then_some(()).ok_or_else(|| changed(path, "replaced or written to"))
    }

    /// What its keeper writes to changes, but it must not have become another thing since this rank
    /// examined it.
    fn assure_same(&self, path: &Path, file: &File) -> io::Result<()> {
        match self.permissions_to_borrow.get(path) {
            Some(permission) if !permission.is_of(file)? => Err(changed(path, "replaced")),
            _ => Ok(()),
        }
    }

    fn open_scratch(&mut self, target: &Target, directory: &Path) -> io::Result<File> {
        if let Some(Held { scratch: Some(file), .. }) = self.files.get(&key(target)) {
            return file.try_clone();
        }
        let file = unnamed(directory)?;
        let scratch = Some(file.try_clone()?);
        let held = Held { scratch, ours: true, ..Held::default() };
        self.files.insert(key(target), held);
        Ok(file)
    }
}

impl Claim {
    fn writer(&mut self, path: &Path, options: &OpenOptions) -> io::Result<File> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => options.open(path)?,
        };
        self.writer.insert(writer).try_clone()
    }
}

/// A target is not any more what was examined.
fn changed(path: &Path, how: &str) -> io::Error {
    let path = path.display();
    io::Error::other(format!(
        "{path}: it was {how} since the check before the run; examine it, and start again"
    ))
}

/// What stays the same while a file lives, whatever its name.
fn identity(file: &File) -> io::Result<[u64; 2]> {
    let facts = file.metadata()?;
    Ok([facts.dev(), facts.ino()])
}

/// Gives a file that this run made its whole length before anything is measured.
///
/// A write behind the end of a file must also move the end; file systems therefore do such writes
/// one after the other and write metadata for each, and a sequential write would measure that and
/// not the storage. Blocks are reserved where the file system can; in memory, and where it cannot,
/// only the length is set.
fn make_room(file: &File, bytes: u64, facts: &TargetFacts) -> io::Result<()> {
    let length = file.metadata()?.len();
    if length >= bytes {
        return Ok(());
    }
    let in_memory = facts.file_system.as_ref().is_some_and(|system| system.in_memory);
    if in_memory {
        return file.set_len(bytes);
    }
    let reserve = || fallocate(file, FallocateFlags::empty(), length, bytes - length);
    match retry_on_intr(reserve) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::NODEV) => file.set_len(bytes),
        Err(Errno::NOSPC) => {
            let wanted = Bytes(bytes - length).human(System::Decimal);
            let text = format!("no space for {wanted}: use a smaller size or free space");
            Err(io::Error::new(io::ErrorKind::StorageFull, text))
        }
        other => Ok(other?),
    }
}

fn scratch_label(directory: &Path) -> String {
    format!("scratch file in {}", directory.display())
}

fn is_block_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.metadata().is_ok_and(|metadata| metadata.file_type().is_block_device())
}

/// A file without a name.
fn unnamed(directory: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    match options.clone().custom_flags(libc::O_TMPFILE).open(directory) {
        Ok(file) => Ok(file),
        Err(error) if no_tmpfile(&error) => unlinked(options, directory),
        Err(error) => Err(error),
    }
}

fn no_tmpfile(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR | libc::EINVAL))
}

/// For file systems without `O_TMPFILE`: made, and unlinked before anything is written.
fn unlinked(mut options: OpenOptions, directory: &Path) -> io::Result<File> {
    let path: PathBuf = directory.join(format!(".iopath-scratch-{}", std::process::id()));
    let file = options.create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// Reading shall leave no trace in the file; only its owner may ask for that. Gives the flags.
fn leave_access_time(file: &File) -> io::Result<OFlags> {
    let flags = fcntl_getfl(file)?;
    let wanted = flags | OFlags::NOATIME;
    Ok(fcntl_setfl(file, wanted).map_or(flags, |()| wanted))
}

/// Sets or clears `O_DIRECT` on an open file; says what was reached.
fn set_cache(file: &File, asked: CacheMode) -> io::Result<CacheUsed> {
    let flags = leave_access_time(file)?;
    if asked != CacheMode::Direct {
        fcntl_setfl(file, flags - OFlags::DIRECT)?;
        advise_normally(file);
        return Ok(asked.into());
    }
    if states_refusal(file) {
        fcntl_setfl(file, flags - OFlags::DIRECT)?;
        return Ok(CacheUsed::DirectRefused);
    }
    let refused = match fcntl_setfl(file, flags | OFlags::DIRECT) {
        Ok(()) => refuses_read(file)?,
        Err(Errno::INVAL) => true,
        Err(error) => return Err(error.into()),
    };
    if refused {
        fcntl_setfl(file, flags - OFlags::DIRECT)?;
        return Ok(CacheUsed::DirectRefused);
    }
    Ok(CacheUsed::Direct)
}

/// Asks for a page without waiting: a file system that cannot do that refuses the wish itself.
fn service(file: &File) -> io::Result<Service> {
    let mut page = Buffers::new(BufferKind::Heap, 1, PAGE)?;
    let mut data = [io::IoSliceMut::new(page.data(0, PAGE as u32))];
    let asked = rustix::io::preadv2(file, &mut data, 0, rustix::io::ReadWriteFlags::NOWAIT);
    Ok(match asked {
        Err(Errno::OPNOTSUPP) => Service::Workers,
        _ => Service::Direct,
    })
}

/// Some file systems accept the flag and then serve requests out of the page cache, as ext4 does
/// where data goes through its journal. They say so in statx(2), STATX_DIOALIGN.
fn states_refusal(file: &File) -> bool {
    let facts = statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN);
    facts.is_ok_and(|facts| {
        facts.stx_mask & StatxFlags::DIOALIGN.bits() != 0 && facts.stx_dio_offset_align == 0
    })
}

/// Some file systems accept the flag and refuse the first request. A page at the start is aligned
/// for all of them; an empty file answers with its end.
fn refuses_read(file: &File) -> io::Result<bool> {
    let mut page = Buffers::new(BufferKind::Heap, 1, PAGE)?;
    let data = page.data(0, PAGE as u32);
    match file.read_at(data, 0) {
        Err(error) => Ok(error.raw_os_error() == Some(libc::EINVAL)),
        Ok(_) => Ok(false),
    }
}

impl OpenFile {
    /// Whether it is a block device.
    pub(crate) fn is_device(&self) -> bool {
        matches!(self.facts.kind, TargetKind::BlockDevice(_))
    }

    /// Whether it lives in memory, so that no device is below.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.facts.file_system.as_ref().is_some_and(|system| system.in_memory)
    }
}
