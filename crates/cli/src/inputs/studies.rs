//! Study files from disk, with all their mistakes told at once.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use iopath_study::{Asked, Assignment, Case, Plan, Source, Study, Trial, includes, parse_asked};

use crate::bundled_studies;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::{again, filter};
use crate::output;

/// The largest text that is a study.
const MOST_BYTES: u64 = 4 << 20;

/// A study and its plan.
pub(crate) struct Planned {
    pub study: Study,
    /// The cases that were asked for.
    pub plan: Plan,
    /// The study as it was written.
    pub text: String,
}

impl Planned {
    /// The trials, each to be taken by itself.
    pub(crate) fn trials(&self) -> Vec<&Trial> {
        self.plan.trials.iter().collect()
    }

    /// The cases of all trials, in their order.
    pub(crate) fn cases(&self) -> Vec<Case> {
        self.plan.trials.iter().map(|trial| trial.case.clone()).collect()
    }
}

/// Reads a file as a study.
pub(crate) fn read(path: &Path, sets: &[String]) -> Result<Planned, Problem> {
    planned(source(path)?, sets, None)
}

/// Reads a file as a study for cases of these names (`--case`): `--set` holds where they are.
pub(crate) fn read_for(path: &Path, sets: &[String], cases: &[String]) -> Result<Planned, Problem> {
    planned(source(path)?, sets, Some(cases))
}

/// Reads a file as a template: its factors are choices, of which there may be very many.
pub(crate) fn template(path: &Path, sets: &[String], cases: &[String]) -> Result<Study, Problem> {
    template_of(&source(path)?, sets, cases)
}

/// Understands a text as a template.
pub(crate) fn template_of(
    source: &Source,
    sets: &[String],
    cases: &[String],
) -> Result<Study, Problem> {
    let sets = assignments(sets)?;
    let asked = Asked { sets: &sets, cases: Some(cases), is_template: true };
    parse_asked(source, &included(source), asked).map_err(Problem::mistake)
}

/// The text of a study file.
pub(crate) fn source(path: &Path) -> Result<Source, Problem> {
    let text = text_of(path).map_err(|error| {
        let text = format!("cannot read the study {}: {error}", path.display());
        Problem::new(ExitStatus::Obstacle, text)
    })?;
    Ok(Source { name: path.display().to_string(), text })
}

/// Reads no more than a study can have: whoever names a device by mistake shall not wait for it.
fn text_of(path: &Path) -> io::Result<String> {
    let no_study = |why: &str| {
        let path = again::quoted(&path.display().to_string());
        io::Error::other(format!("{why}; to measure it: iopath measure --target {path}"))
    };
    let kind = path.metadata()?.file_type();
    if kind.is_dir() || kind.is_block_device() {
        return Err(no_study("it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(no_study("it is larger than 4 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| no_study("it is not text"))
}

/// Understands a text as a study.
pub(crate) fn plan(name: &str, text: String, sets: &[String]) -> Result<Planned, Problem> {
    planned(Source { name: name.to_owned(), text }, sets, None)
}

fn planned(source: Source, sets: &[String], cases: Option<&[String]>) -> Result<Planned, Problem> {
    let study = understood(&source, sets, cases)?;
    let cases = cases.unwrap_or_default();
    let plan = filter::plan(&study, cases)?;
    filter::ambiguous(&plan, cases).iter().for_each(|text| output::tell(text));
    Ok(Planned { study, plan, text: source.text })
}

/// The same, where only cases of these names must be possible.
pub(crate) fn understand_for(source: &Source, cases: &[String]) -> Result<Study, Problem> {
    understood(source, &[], Some(cases))
}

/// Understands a text as a study, its cases left aside.
pub(crate) fn understand(source: &Source, sets: &[String]) -> Result<Study, Problem> {
    understood(source, sets, None)
}

fn understood(
    source: &Source,
    sets: &[String],
    cases: Option<&[String]>,
) -> Result<Study, Problem> {
    let sets = assignments(sets)?;
    let asked = Asked { sets: &sets, cases, is_template: false };
    parse_asked(source, &included(source), asked).map_err(Problem::mistake)
}

/// The files that a study takes paths from, and those that these take from. What cannot be read is
/// left out: the parser tells it at the line that names it.
fn included(study: &Source) -> Vec<Source> {
    let mut all: Vec<Source> = Vec::new();
    let mut names = includes(study);
    while let Some(name) = names.pop() {
        if all.iter().any(|source| source.name == name) {
            continue;
        }
        let read = || Some(Source { name: name.clone(), text: text_of(Path::new(&name)).ok()? });
        if let Some(source) = read().or_else(|| bundled_studies::named(&name)) {
            names.extend(includes(&source));
            all.push(source);
        }
    }
    all
}

fn assignments(sets: &[String]) -> Result<Vec<Assignment>, Problem> {
    let mistakes = wrong(sets);
    if mistakes.is_empty() {
        return Ok(sets.iter().filter_map(|set| Assignment::parse(set).ok()).collect());
    }
    Err(Problem::mistake(mistakes.join("\n\n")))
}

/// What is wrong with assignments, before it is known what they are for.
pub(crate) fn wrong(sets: &[String]) -> Vec<String> {
    sets.iter().filter_map(|set| Assignment::parse(set).err()).map(|m| m.to_string()).collect()
}
