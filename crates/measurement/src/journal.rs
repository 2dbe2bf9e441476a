//! Journals of verified targets: files next to the store that outlive the program, so that after a
//! crash it is known what must be on each target (`iopath_workload::journal`).
//!
//! A journal is a header (`header.rs`) and an array of units, 16 B each, mapped with `MAP_SHARED`:
//! the kernel keeps what was stored there when the program is killed, and no system call is made
//! while workers work. All of it is allocated before it is mapped, as a page for which there is no
//! room would raise `SIGBUS`. The file is locked (flock(2)) for as long as its run lives.
//!
//! Left out: scratch files, which vanish with the program, and the death of the machine, which
//! takes the last stores with it: [`LeftJournal::is_current`] says whether that happened.

mod header;
mod left;
mod mapped;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use iopath_machine::Root;
use iopath_machine::environment::boot;
use iopath_study::Case;
use iopath_units::{Bytes, Human, System};
use iopath_workload::journal::Journal;
use rustix::fs::{FallocateFlags, FlockOperation, fallocate, flock};
use rustix::io::{Errno, retry_on_intr};

use crate::checker::Checker;
use crate::readback::Judge;
use crate::target::OpenTarget;
use header::{Header, OfFile, file_bytes};
use mapped::{Mapped, TO_WRITE};

pub use header::FAMILY;
pub use left::{CannotUse, LeftJournal};

/// Makes a file for the journal of the n-th target: empty, open for reading and writing.
pub type MakeFile = Box<dyn FnMut(u32) -> io::Result<(PathBuf, File)>>;

/// The kernel takes a killed process apart some time after its end, and so long its lock stays
/// (chosen: 10 looks, 20 ms apart).
const LOOKS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// Where a run keeps its journals.
pub struct Journals {
    /// The number of the run in its store.
    run: u64,
    /// When it began, in ns since 1970.
    started_unix_ns: u64,
    make: MakeFile,
    /// How many were made.
    made: u32,
}

impl Journals {
    /// Journals of a run, none of them made yet.
    #[must_use]
    pub fn new(run: u64, started_unix_ns: u64, make: MakeFile) -> Self {
        Self { run, started_unix_ns, make, made: 0 }
    }
}

/// The journal of a target that this run writes.
#[derive(Debug)]
pub(crate) struct OwnJournal {
    mapped: Mapped,
    file: Arc<File>,
    path: PathBuf,
}

/// What a journal is made for.
pub(crate) struct Subject<'s> {
    pub root: &'s Root,
    pub case: &'s Case,
    pub target: &'s OpenTarget,
    pub checker: &'s Checker,
}

impl Journals {
    /// Makes the journal of a target of which nothing is written yet. One that cannot be made
    /// leaves nothing behind.
    pub(crate) fn begin(&mut self, subject: &Subject<'_>) -> io::Result<OwnJournal> {
        let number = self.made;
        self.made += 1;
        let (path, file) = (self.make)(number)?;
        let is_new = file.metadata().is_ok_and(|facts| facts.len() == 0);
        let made = self.lay_out(&file, subject);
        // What was there already is the journal of another run.
        if made.is_err() && is_new {
            let _ = std::fs::remove_file(&path);
        }
        let mapped = made.map_err(|error| no_journal(&path, &error))?;
        Ok(OwnJournal { mapped, file: Arc::new(file), path })
    }

    fn lay_out(&self, file: &File, subject: &Subject<'_>) -> io::Result<Mapped> {
        lock(file, FlockOperation::NonBlockingLockExclusive)?;
        let Subject { root, case, target, checker } = *subject;
        let header = Header {
            run: self.run,
            started_unix_ns: self.started_unix_ns,
            seed: checker.seed,
            unit_bytes: checker.unit_bytes(),
            units: checker.bytes() / checker.unit_bytes(),
            boot: boot(root).unwrap_or_default(),
            target: target.name.clone(),
            directory: std::env::current_dir()?,
            files: target.files.iter().map(|file| OfFile::of(file)).collect::<Result<_, _>>()?,
            case: case.text.clone(),
        };
        let front = header.encode()?;
        file.set_len(0)?;
        reserve(file, 0, file_bytes(front.len(), header.units)?)?;
        file.write_all_at(&front, 0)?;
        file.sync_all()?;
        Mapped::new(file, TO_WRITE, (front.len(), header.units))
    }
}

fn no_journal(path: &Path, error: &io::Error) -> io::Error {
    let room = match error.kind() {
        io::ErrorKind::StorageFull => "free space there, or ",
        _ => "",
    };
    let text = format!(
        "its journal {} cannot be kept: {error}; {room}use another store with --store FILE",
        path.display()
    );
    io::Error::new(error.kind(), text)
}

impl OwnJournal {
    /// The same journal for a target that has grown to so many bytes. No worker works meanwhile.
    pub(crate) fn grown(&self, units: u64) -> io::Result<Self> {
        let front = self.mapped.front;
        let grow = || {
            let (from, to) = (self.file.metadata()?.len(), file_bytes(front, units)?);
            reserve(&self.file, from, to.saturating_sub(from))?;
            header::put_units(&self.file, units)?;
            Mapped::new(&self.file, TO_WRITE, (front, units))
        };
        let mapped = grow().map_err(|error| no_journal(&self.path, &error))?;
        Ok(Self { mapped, file: Arc::clone(&self.file), path: self.path.clone() })
    }

    pub(crate) fn journal(&self) -> Journal<'_> {
        self.mapped.journal()
    }

    /// What it says is no longer so, or no longer needed.
    pub(crate) fn discard(&self) {
        // One that cannot be removed is refused later: the run has ended, or wrote to its target.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Takes a lock that a killed process, or one that only looks, may still have for a moment.
fn lock(file: &File, how: FlockOperation) -> Result<(), Errno> {
    for _ in 1..LOOKS {
        match flock(file, how) {
            Err(Errno::WOULDBLOCK) => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    flock(file, how)
}

/// Makes room, so that no page that is stored to can lack it.
fn reserve(file: &File, from: u64, bytes: u64) -> io::Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    match retry_on_intr(|| fallocate(file, FallocateFlags::empty(), from, bytes)) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::NODEV) => write_zeros(file, from, bytes),
        Err(Errno::NOSPC | Errno::DQUOT | Errno::FBIG) => {
            let wanted = Bytes(bytes).human(System::Decimal);
            Err(io::Error::new(io::ErrorKind::StorageFull, format!("no space for {wanted}")))
        }
        other => Ok(other?),
    }
}

fn write_zeros(file: &File, from: u64, bytes: u64) -> io::Result<()> {
    let zeros = vec![0; 1 << 20];
    let mut done = 0;
    while done < bytes {
        let piece = (bytes - done).min(zeros.len() as u64);
        file.write_all_at(&zeros[..piece as usize], from + done)?;
        done += piece;
    }
    Ok(())
}
