//! Where the journals of verified runs are: a directory next to the store, one file a target. What
//! is in them is known to `iopath_measurement::journal`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use iopath_machine::Root;
use iopath_measurement::journal::FAMILY;
use iopath_measurement::{Journals, LeftJournal};
use iopath_outfile::{make_directory, standing};
use iopath_store::RunId;
use iopath_study::Case;
use iopath_study::case::EngineKind;
use iopath_units::Ratio;

use crate::output;

/// The journals next to a store.
pub(crate) struct Shelf {
    directory: PathBuf,
}

impl Shelf {
    /// `runs.db.journals` for `runs.db`.
    pub(crate) fn of(store: &Path) -> Self {
        let mut directory = store.as_os_str().to_owned();
        directory.push(".journals");
        Self { directory: directory.into() }
    }

    /// Where a run that began then keeps its own.
    pub(crate) fn journals(&self, run: RunId, started_unix_ns: u64) -> Journals {
        let directory = self.directory.clone();
        let make = move |number: u32| {
            make_directory(&directory).map_err(io::Error::other)?;
            let path = directory.join(format!("{run}-{number}"));
            let file = standing(&path, &[]).and_then(|standing| standing.open());
            let file = file.map_err(io::Error::other)?;
            assure_ours(&file, &path).map(|()| (path, file))
        };
        Journals::new(run.0, started_unix_ns, Box::new(make))
    }

    /// Those that a run left, in the order in which it made them.
    pub(crate) fn of_run(&self, run: RunId) -> Vec<PathBuf> {
        let number = |path: &PathBuf| {
            let name = path.file_name()?.to_str()?;
            let (of, number) = name.split_once('-')?;
            (of == run.to_string()).then(|| number.parse::<u32>().ok())?
        };
        let mut found: Vec<(u32, PathBuf)> =
            self.all().into_iter().filter_map(|path| Some((number(&path)?, path))).collect();
        found.sort();
        found.into_iter().map(|(_, path)| path).collect()
    }

    /// Removes those whose targets these cases write: what they say will not be so any more.
    pub(crate) fn give_up(&self, cases: &[Case], root: &Root) {
        let written: BTreeSet<PathBuf> = cases.iter().flat_map(written).collect();
        for path in self.all() {
            let Ok(file) = File::open(&path) else { continue };
            let Ok(journal) = LeftJournal::open(&file, root) else { continue };
            if let Some(target) = journal.files().find(|target| written.contains(*target)) {
                let run = journal.run();
                output::tell(&format!(
                    "run {run} was cut off; this run writes to {} too, so its journal is removed",
                    target.display()
                ));
                remove(&path);
            }
        }
        self.tidy();
    }

    /// Removes the directory where nothing is left in it.
    pub(crate) fn tidy(&self) {
        // One that is not empty stays.
        let _ = std::fs::remove_dir(&self.directory);
    }

    fn all(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.directory).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }
}

/// Removes a journal; whether it is gone.
pub(crate) fn remove(path: &Path) -> bool {
    let removed = std::fs::remove_file(path);
    if let Err(error) = &removed {
        output::tell(&format!("{} stays: {error}", path.display()));
    }
    removed.is_ok()
}

/// A file of somebody else stays as it is.
fn assure_ours(file: &File, path: &Path) -> io::Result<()> {
    let mut start = Vec::new();
    file.take(FAMILY.len() as u64).read_to_end(&mut start)?;
    if start.is_empty() || start == FAMILY {
        return Ok(());
    }
    Err(io::Error::other(format!("{} exists and is no journal", path.display())))
}

/// The files and devices that a case writes, without links.
fn written(case: &Case) -> Vec<PathBuf> {
    if case.workload.engine == EngineKind::Null {
        return Vec::new();
    }
    let writes = |index: usize| {
        let mut streams = case.streams.iter();
        streams.any(|stream| stream.target == index && stream.reads != Ratio::ONE)
    };
    let targets = case.targets.iter().enumerate().filter(|(index, _)| writes(*index));
    let paths = targets.flat_map(|(_, target)| target.real());
    paths.filter_map(|path| Path::new(path).canonicalize().ok()).collect()
}
