//! Files that a command writes for its user: what they may replace, and what they keep away from.
//!
//! Each rule is in `iopath_outfile`; here is what only the program knows: its targets, its store,
//! and what the user gives up. A place is checked before a run begins, and again when it is
//! written.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use iopath_machine::devices::DeviceKind;
use iopath_machine::location::{self, Object};
use iopath_machine::{Devices, Root, safety};
use iopath_outfile::{self as outfile, Draft, Readers, Rules, Trouble};
use iopath_study::case::Target;
use iopath_study::{Case, Trial};

use crate::arguments::StoreOption;
use crate::exit_status::{ExitStatus, Problem};
use crate::output;
use crate::results::place;

/// What the outputs of a command may replace, and what they keep away from.
pub(crate) struct Outputs {
    named: Vec<String>,
    apart: Vec<PathBuf>,
}

/// What may stand at the place of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaces {
    /// Nothing.
    Nothing,
    /// What begins so, which iopath wrote itself.
    Own(&'static str),
}

impl Outputs {
    /// `named` are the files that the user gives up; the store is never an output.
    pub(crate) fn of(named: &[String], store: &StoreOption) -> Self {
        // Without a store there is nothing to keep away from.
        Self { named: named.to_vec(), apart: place::path(store).into_iter().collect() }
    }

    /// They keep away from these as well.
    pub(crate) fn apart_from(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.apart.extend(paths);
        self
    }

    /// The same where a new file could be written now, if one is wanted; stdout always can.
    pub(crate) fn with_new(self, file: Option<&Path>) -> Result<Self, Problem> {
        if let Some(file) = file.filter(|file| !is_stdout(file)) {
            self.check(file, Replaces::Nothing)?;
        }
        Ok(self)
    }

    /// Whether a place could be written now.
    pub(crate) fn check(&self, path: &Path, replaces: Replaces) -> Result<(), Problem> {
        outfile::check(path, &self.rules(replaces, Readers::Umask))?;
        self.assure_unused(path)
    }

    /// Begins a file.
    pub(crate) fn create(&self, path: &Path, replaces: Replaces) -> Result<Draft, Problem> {
        let draft = outfile::create(path, &self.rules(replaces, Readers::Umask))?;
        self.assure_unused(path).map(|()| draft)
    }

    /// Writes a file, or to stdout where that is meant.
    pub(crate) fn write(
        &self,
        path: &Path,
        content: &str,
        replaces: Replaces,
    ) -> Result<(), Problem> {
        if is_stdout(path) {
            return output::print_file(content);
        }
        let mut draft = self.create(path, replaces)?;
        draft.write_all(content.as_bytes()).map_err(|error| cannot_write(path, &error))?;
        Ok(draft.commit()?)
    }

    /// Writes a file that no one but the user may read.
    pub(crate) fn write_private(
        &self,
        path: &Path,
        content: &str,
        replaces: Replaces,
    ) -> Result<(), Problem> {
        Ok(outfile::write(path, content.as_bytes(), &self.rules(replaces, Readers::Owner))?)
    }

    fn rules(&self, replaces: Replaces, readers: Readers) -> Rules<'_> {
        let mark = match replaces {
            Replaces::Nothing => None,
            Replaces::Own(mark) => Some(mark.as_bytes()),
        };
        Rules { mark, named: &self.named, apart: &self.apart, readers }
    }

    /// Naming a file gives its data up, not what uses it: swap, or a loop device over it.
    fn assure_unused(&self, path: &Path) -> Result<(), Problem> {
        if self.named.is_empty() || !path.exists() {
            return Ok(());
        }
        let canonical = path.canonicalize().map(|path| path.display().to_string());
        let is_named = canonical.is_ok_and(|canonical| self.named.contains(&canonical));
        if !is_named {
            return Ok(());
        }
        let examined = safety::may_write(&safety::Survey::read(&Root::live()), path, &self.named);
        examined.map(drop).map_err(|refusal| Problem::new(ExitStatus::Refused, refusal))
    }
}

/// `-` and `/dev/stdout` mean stdout, wherever that goes.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// JSON and a study cannot both go to stdout.
pub(crate) fn assure_one_on_stdout(json: bool, output: Option<&Path>) -> Result<(), Problem> {
    if json && output.is_some_and(is_stdout) {
        return Err(Problem::mistake("--json and --output - both print on stdout: name a file"));
    }
    Ok(())
}

/// Every named file and device of the cases of a run, and the files below loop devices.
pub(crate) fn targets(trials: &[Trial]) -> Vec<PathBuf> {
    let mut paths: BTreeSet<PathBuf> = trials.iter().flat_map(|trial| bound(&trial.case)).collect();
    let root = Root::live();
    // Where they cannot be read, a file below one is still kept by its data.
    let devices = Devices::read(&root).unwrap_or_default();
    let below = |path: &PathBuf| {
        let found = location::identify(&root, &devices, path).ok()?.whole(&devices)?;
        let Object::Block(name) = found else { return None };
        let DeviceKind::Loop(Some(backing)) = &devices.find(&name)?.kind else { return None };
        Some(backing.file.clone())
    };
    let below: Vec<PathBuf> = paths.iter().filter_map(below).collect();
    paths.extend(below);
    paths.into_iter().collect()
}

fn bound(case: &Case) -> impl Iterator<Item = PathBuf> {
    case.targets.iter().flat_map(Target::real).map(PathBuf::from)
}

/// The store is written in place, so it must not be a target either.
pub(crate) fn assure_store_apart(store: &StoreOption, targets: &[PathBuf]) -> Result<(), Problem> {
    Ok(outfile::assure_apart(&place::path(store)?, targets)?)
}

/// What the kernel says of a file that is being written.
pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> Problem {
    let text = format!("cannot write {}: {error}; name another file", path.display());
    Problem::new(ExitStatus::Obstacle, text)
}

impl From<Trouble> for Problem {
    fn from(trouble: Trouble) -> Self {
        let status = if trouble.is_refusal() { ExitStatus::Refused } else { ExitStatus::Obstacle };
        Self::new(status, trouble)
    }
}
