//! What `measure` measures and `plan` plans: a study file, a load by name, one case made from
//! options, or the quick study.

use std::path::Path;

use iopath_machine::Root;

use crate::arguments::{CaseOptions, StudyOptions};
use crate::exit_status::Problem;
use crate::inputs::flags::{self, quoted};
use crate::inputs::quick;
use crate::inputs::studies::{self, Planned};

/// What was chosen.
pub(crate) struct Chosen {
    pub planned: Planned,
    pub choice: Choice,
    /// Assignments that its text does not hold.
    sets: Vec<String>,
}

/// Which of the four it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// A file of the user's.
    File,
    /// A load by its name.
    Load(String),
    /// Options.
    Options,
    /// The quick study.
    Quick,
}

/// What earlier trials change in later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adjust {
    /// Nothing.
    Nothing,
    /// Later trials use as much of a scratch file as the first has written in its time, so that
    /// nothing must be filled.
    ToWhatWasWritten,
}

pub(crate) fn choose(study: &StudyOptions, case: &CaseOptions) -> Result<Chosen, Problem> {
    let given = flags::given(case);
    let StudyOptions { study, like, set, cases } = study;
    match (study, like) {
        (Some(_), _) if !given.is_empty() => Err(flags::in_study::refused(&given)),
        (Some(path), _) => {
            let planned = studies::read_for(path, set, cases)?;
            Ok(Chosen { planned, choice: Choice::File, sets: set.clone() })
        }
        (None, Some(name)) => {
            let mut load = flags::laid(name, case, set)?;
            load.sets.extend(set.iter().cloned());
            written(&format!("(load {name})"), load.text, load.sets, Choice::Load(name.clone()))
        }
        (None, None) if given.is_empty() => {
            let mut sets = quick::sets(&Root::live(), Path::new("."))?;
            sets.extend(set.iter().cloned());
            written("quick.kdl", quick::STUDY.to_owned(), sets, Choice::Quick)
        }
        (None, None) => {
            let text = flags::study(case, set)?;
            written("(options)", text, set.clone(), Choice::Options)
        }
    }
}

fn written(name: &str, text: String, sets: Vec<String>, choice: Choice) -> Result<Chosen, Problem> {
    let planned = studies::plan(name, text, &sets)?;
    Ok(Chosen { planned, choice, sets })
}

impl Chosen {
    /// What earlier trials change in later ones.
    pub(crate) fn adjust(&self) -> Adjust {
        match self.choice {
            Choice::Quick => Adjust::ToWhatWasWritten,
            Choice::File | Choice::Load(_) | Choice::Options => Adjust::Nothing,
        }
    }

    /// Its study with the assignments: what a file must hold to be planned like this.
    pub(crate) fn text(&self) -> String {
        let sets = self.sets.iter().filter_map(|set| set.split_once('='));
        let sets = sets.map(|(path, value)| format!("set {}={}\n", key(path), value_of(value)));
        let sets: String = sets.collect();
        let text = &self.planned.text;
        if sets.is_empty() {
            text.clone()
        } else {
            format!("{text}\n// From the command line.\n{sets}")
        }
    }
}

/// The path of a property as a study has it.
fn key(path: &str) -> String {
    let path = path.trim().trim_matches('"');
    if path.contains('[') { quoted(path) } else { path.to_owned() }
}

/// A value as a study has it: numbers and truth values are bare.
fn value_of(value: &str) -> String {
    match value.trim().trim_matches('"') {
        value @ ("true" | "false") => format!("#{value}"),
        value @ ("#true" | "#false") => value.to_owned(),
        value
            if value.starts_with(|c: char| c.is_ascii_digit()) && value.parse::<f64>().is_ok() =>
        {
            value.to_owned()
        }
        value => quoted(value),
    }
}
