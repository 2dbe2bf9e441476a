//! A run directory comes to be: filled under a name of its own, then renamed, so that one whose
//! name is taken has a manifest.
//!
//! Whoever is killed before leaves a directory that nobody takes for an emulation. Its name has the
//! number of its process, so that it goes with a sweep when that has ended.

use std::fs::{self, DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use crate::manifest::{Life, Manifest, beside};
use crate::options::Options;
use crate::places::{MANIFEST, Places, check_names, run_name};
use crate::runtime_dir::{PRIVATE, RuntimeDir, give_back};
use crate::trouble::{Trouble, available};

/// For the manifest and the daemons' logs; chosen, a manifest of 1,000 devices has 300 KiB.
const ROOM: u64 = 1 << 20;
/// No label begins with a dot.
const MAKING: &str = ".making.";

/// What is made in a run directory of a path; the second says whether the directory above is ours.
pub(crate) type Plan<'p> = dyn Fn(PathBuf, bool) -> Made + 'p;

/// A run directory with its manifest.
pub(crate) struct Made {
    pub places: Places,
    pub manifest: Manifest,
}

/// Makes the run directory of an emulation, with its manifest in it.
pub(crate) fn make(options: &Options, plan: &Plan<'_>) -> Result<Made, Trouble> {
    let above = RuntimeDir::open(&options.directory)?;
    let made = make_in(options, plan, &above);
    if made.is_err() {
        give_back(&above.path, above.is_ours);
    }
    made
}

fn make_in(options: &Options, plan: &Plan<'_>, above: &RuntimeDir) -> Result<Made, Trouble> {
    let free = available(&above.path);
    if free < ROOM {
        return Err(Trouble::Full { path: above.path.clone(), available: free });
    }
    check_names(&above.path.join(run_name(options, 1)))?;
    let mut making = Making::begin(&above.path)?;
    for attempt in 1_u32.. {
        let directory = above.path.join(run_name(options, attempt));
        check_names(&directory)?;
        let made = plan(directory, above.is_ours);
        made.manifest.write(&making.directory.join(MANIFEST))?;
        if making.rename(&made.places.directory)? {
            return Ok(made);
        }
        if options.kept {
            return Err(Trouble::Standing { path: made.places.directory });
        }
    }
    Err(Trouble::Standing { path: above.path.clone() })
}

/// True for the name of a directory that is no emulation yet.
pub(crate) fn is_making(path: &Path) -> bool {
    maker(path).is_some()
}

/// Removes what killed processes did not finish; `above` is trusted.
pub(crate) fn sweep(above: &Path) -> Vec<Result<PathBuf, Trouble>> {
    let entries = fs::read_dir(above).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths.retain(|path| is_dead(path));
    let removed = paths.into_iter().map(|path| match discard(&path) {
        Ok(()) => Ok(path),
        Err(error) => Err(Trouble::file("remove", &path, error)),
    });
    removed.collect()
}

/// Of this user, of a process that has ended, and nothing else is in it than was written for it.
fn is_dead(path: &Path) -> bool {
    let is_own = fs::symlink_metadata(path)
        .is_ok_and(|facts| facts.is_dir() && facts.uid() == geteuid().as_raw());
    let names = [path.join(MANIFEST), beside(&path.join(MANIFEST))];
    let is_known = |entry: std::io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| names.contains(&entry.path()))
    };
    maker(path).is_some_and(|pid| Life::of(pid).is_none())
        && is_own
        && fs::read_dir(path).is_ok_and(|mut entries| entries.all(is_known))
}

/// The process that the name has.
fn maker(path: &Path) -> Option<u32> {
    let (pid, attempt) = path.file_name()?.to_str()?.strip_prefix(MAKING)?.split_once('.')?;
    attempt.parse::<u32>().ok().and(pid.parse().ok())
}

fn discard(directory: &Path) -> std::io::Result<()> {
    let manifest = directory.join(MANIFEST);
    for file in [beside(&manifest), manifest] {
        match fs::remove_file(file) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::remove_dir(directory)
}

/// A directory that goes when this is dropped, unless it was given its name.
struct Making {
    directory: PathBuf,
    is_done: bool,
}

impl Making {
    fn begin(above: &Path) -> Result<Self, Trouble> {
        let own = std::process::id();
        let names = (1_u32..).map(|attempt| above.join(format!("{MAKING}{own}.{attempt}")));
        for directory in names {
            match DirBuilder::new().mode(PRIVATE).create(&directory) {
                Ok(()) => return Ok(Self { directory, is_done: false }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Trouble::file("make", &directory, error)),
            }
        }
        Err(Trouble::Standing { path: above.to_owned() })
    }

    /// Gives it its name; false when somebody has that. An empty directory is nobody's: each
    /// emulation has a manifest in it.
    fn rename(&mut self, path: &Path) -> Result<bool, Trouble> {
        const TAKEN: [ErrorKind; 3] =
            [ErrorKind::AlreadyExists, ErrorKind::DirectoryNotEmpty, ErrorKind::NotADirectory];
        match fs::rename(&self.directory, path) {
            Ok(()) => {
                self.is_done = true;
                // Best effort: after a loss of power it has the name that it had, and is swept.
                let _ = path.parent().map(|above| File::open(above).and_then(|it| it.sync_all()));
                Ok(true)
            }
            Err(error) if TAKEN.contains(&error.kind()) => Ok(false),
            Err(error) => Err(Trouble::file("make", path, error)),
        }
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        if !self.is_done {
            // What is left goes with the next sweep.
            let _ = discard(&self.directory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of a process that has ended.
    fn dead() -> u32 {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id()
    }

    #[test]
    fn what_a_killed_process_did_not_finish_goes_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let (dead, own) = (dead(), std::process::id());
        let make = |name: &str, files: &[&str]| {
            let path = place.path().join(name);
            fs::create_dir(&path).unwrap();
            files.iter().for_each(|file| fs::write(path.join(file), "{").unwrap());
            path
        };
        let mut gone = vec![
            make(&format!("{MAKING}{dead}.1"), &[]),
            make(&format!("{MAKING}{dead}.2"), &["manifest.new"]),
            make(&format!("{MAKING}{dead}.3"), &["manifest.new", "manifest.json"]),
        ];
        gone.sort();
        let stay = [
            make(&format!("{MAKING}{dead}.4"), &["manifest.new", "notes.txt"]),
            make(&format!("{MAKING}{own}.1"), &["manifest.new"]),
            make(&format!("study.{dead}"), &[]),
            make(&format!("{MAKING}{dead}"), &[]),
            make(&format!("{MAKING}{dead}.x"), &[]),
        ];
        let removed: Vec<PathBuf> = sweep(place.path()).into_iter().map(Result::unwrap).collect();
        assert_eq!(removed, gone);
        assert!(gone.iter().all(|path| !path.exists()));
        assert!(stay.iter().all(|path| path.exists()));
    }

    #[test]
    fn a_name_is_taken_by_what_has_a_manifest() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("study");
        fs::create_dir(&path).unwrap();
        let mut first = Making::begin(place.path()).unwrap();
        fs::write(first.directory.join(MANIFEST), "1").unwrap();
        assert!(first.rename(&path).unwrap(), "an empty directory is nobody's");
        let mut second = Making::begin(place.path()).unwrap();
        fs::write(second.directory.join(MANIFEST), "2").unwrap();
        assert!(!second.rename(&path).unwrap());
        drop((first, second));
        assert_eq!(fs::read_to_string(path.join(MANIFEST)).unwrap(), "1");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "the second left something");
    }
}
