//! What the words of a command name: one study, or targets. A study is an existing file that ends
//! in `.kdl`; everything else is a target.

use std::path::{Path, PathBuf};

use iopath_machine::Root;

use super::machine;
use crate::exit_status::Problem;

/// A study or targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named<'a> {
    Study(&'a Path),
    /// None where nothing is named.
    Targets(&'a [PathBuf]),
}

impl<'a> Named<'a> {
    /// What these words name.
    pub(crate) fn by(words: &'a [PathBuf]) -> Result<Self, Problem> {
        match words {
            [study] if is_study(study) => Ok(Self::Study(study)),
            [_, ..] if words.iter().any(|path| is_study(path)) => {
                Err(Problem::mistake("name one study, or targets only"))
            }
            targets => Ok(Self::Targets(targets)),
        }
    }
}

pub(crate) fn is_study(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "kdl") && path.is_file()
}

/// What can be named where a study or targets are expected.
pub(crate) const WANTED: &str = "a study, or a target";

/// Refuses targets of which one is not there.
pub(crate) fn assure_there(targets: &[PathBuf]) -> Result<(), Problem> {
    machine::assure_there(&Root::live(), targets, WANTED)
}
