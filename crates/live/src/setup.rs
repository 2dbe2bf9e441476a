//! What a process is to serve: JSON in the run directory of the emulation.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use iopath_path::Network;
use iopath_study::case::Failure;
use iopath_study::selector::Selector;
use iopath_study::{Case, Scale, Source, parse};
use iopath_units::Nanos;
use serde::{Deserialize, Serialize};

use crate::trouble::Trouble;

/// A system to serve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The study of the case alone, as text.
    pub case: String,
    /// By how much its rates and sizes are divided, and its times multiplied.
    pub scale: u64,
    pub stretch: u64,
    pub seed: u64,
    /// What fails besides.
    pub fails: Vec<Fail>,
    /// Whether what fails does so at its time from the first request behind a restart on, rather
    /// than from the beginning.
    pub fails_when_asked: bool,
    /// The directory to mount on.
    pub mount: PathBuf,
    /// The socket to be asked by.
    pub control: PathBuf,
    /// The file to record requests in.
    pub arrivals: Option<PathBuf>,
    /// A file for each export of the case, in their order.
    pub files: Vec<ExportFile>,
}

/// A part that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fail {
    /// A selector.
    pub of: String,
    pub at_ns: u64,
    /// For good where nothing is said.
    pub lasts_ns: Option<u64>,
}

impl Fail {
    /// What it is in a case.
    ///
    /// # Errors
    ///
    /// Why the case has no such part.
    pub(crate) fn in_case(&self, case: &Case) -> Result<Failure, String> {
        let selector: Selector =
            self.of.parse().map_err(|error| format!("{}: {error}", self.of))?;
        let failure = case.failure(&selector, Nanos(self.at_ns), self.lasts_ns.map(Nanos));
        failure.map_err(|why| format!("{}: {}", self.of, why.join("; ")))
    }

    /// Lets it fail in a case.
    ///
    /// # Errors
    ///
    /// Why the case has no such part.
    pub fn add_to(&self, case: &mut Case) -> Result<(), String> {
        let failure = self.in_case(case)?;
        case.failures.push(failure);
        Ok(())
    }
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportFile {
    /// Its name in the directory.
    pub name: String,
    /// Where its data is; none is kept where nothing is said.
    pub medium: Option<PathBuf>,
}

impl Setup {
    /// Reads one.
    ///
    /// # Errors
    ///
    /// It is not there, or not whole.
    pub fn read(path: &Path) -> Result<Self, Trouble> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| Trouble::file("read", path, error))?;
        serde_json::from_str(&text).map_err(|error| Trouble::Setup(error.to_string()))
    }

    pub(crate) fn scale(&self) -> Result<Scale, Trouble> {
        let scale = Scale::new(self.scale, self.stretch);
        scale.map_err(|error| Trouble::Setup(error.to_string()))
    }

    /// The case at its scale, and its network.
    pub(crate) fn case(&self) -> Result<(Case, Network), Trouble> {
        let source = Source { name: "case".to_owned(), text: self.case.clone() };
        let wrong = |why: &dyn std::fmt::Display| Trouble::Setup(why.to_string());
        let study = parse(&source, &[]).map_err(|mistakes| wrong(&mistakes))?;
        let cases = study.cases().map_err(|mistakes| wrong(&mistakes))?;
        let [case] = &cases[..] else { return Err(wrong(&"it is not one case")) };
        let scale = self.scale()?;
        let mut case = case.clone();
        self.fails.iter().try_for_each(|fail| fail.add_to(&mut case)).map_err(|why| wrong(&why))?;
        let case = case.scaled(scale).map_err(|error| wrong(&error))?;
        let network = Network::build(&case, &BTreeSet::new());
        let network = network.map_err(|_| wrong(&"its path is not whole"))?;
        Ok((case, network))
    }
}
