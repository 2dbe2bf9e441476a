//! What the words after `live` ask for.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

/// A part of the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Fio,
    Due,
    Rate,
    Capacity,
    Failures,
    Profile,
}

impl Part {
    const ALL: [Self; 6] =
        [Self::Fio, Self::Due, Self::Rate, Self::Capacity, Self::Failures, Self::Profile];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fio => "fio",
            Self::Due => "due",
            Self::Rate => "rate",
            Self::Capacity => "capacity",
            Self::Failures => "failures",
            Self::Profile => "profile",
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// The one part that is wanted.
    pub only: Option<Part>,
    /// The one case of the parts that is wanted.
    pub case: Option<String>,
    pub program: Option<PathBuf>,
    /// Where studies and what programs print go.
    pub keep: Option<PathBuf>,
    /// How often each part of a path fails.
    pub moments: u64,
    /// Of the moments.
    pub seed: u64,
}

/// Chosen: all failures then take some five minutes.
const MOMENTS: u64 = 20;

const KNOWN: &str =
    "--only PART, --case NAME, --program FILE, --keep DIR, --moments N and --seed N";

impl Default for Options {
    fn default() -> Self {
        Self { only: None, case: None, program: None, keep: None, moments: MOMENTS, seed: 1 }
    }
}

impl Options {
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let known = ["--only", "--case", "--program", "--keep", "--moments", "--seed"];
            if !known.contains(word) {
                bail!("no such option: {word}; there are {KNOWN}");
            }
            let value = words.next().with_context(|| format!("{word}: a value is missing"))?;
            let number = || value.parse().with_context(|| format!("{word} {value}: no number"));
            match *word {
                "--only" => options.only = Some(part(value)?),
                "--case" => options.case = Some((*value).to_owned()),
                "--program" => options.program = Some(PathBuf::from(value)),
                "--keep" => options.keep = Some(PathBuf::from(value)),
                "--moments" => options.moments = number()?,
                _ => options.seed = number()?,
            }
        }
        if options.moments == 0 {
            bail!("--moments takes 1 at least");
        }
        if options.case.is_some() && options.only.is_none() {
            bail!("--case NAME needs --only PART: each part has cases of its own");
        }
        Ok(options)
    }

    pub(crate) fn parts(&self) -> Vec<Part> {
        self.only.map_or_else(|| Part::ALL.to_vec(), |only| vec![only])
    }

    /// Whether a case is wanted.
    pub(crate) fn wants(&self, case: &str) -> bool {
        self.case.as_ref().is_none_or(|wanted| wanted == case)
    }
}

fn part(name: &str) -> Result<Part> {
    let names = Part::ALL.map(Part::name);
    let found = Part::ALL.into_iter().find(|part| part.name() == name);
    found.with_context(|| format!("no such part: {name}; there are {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_any_order() {
        let words = ["--seed", "7", "--only", "due", "--case", "4k", "--moments", "3"];
        let options = Options::parse(&words).unwrap();
        let expected = Options {
            only: Some(Part::Due),
            case: Some("4k".to_owned()),
            moments: 3,
            seed: 7,
            ..Options::default()
        };
        assert_eq!(options, expected);
        assert_eq!(options.parts(), [Part::Due]);
        assert!(options.wants("4k") && !options.wants("8k"));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let refusal = |words: &[&str]| format!("{:#}", Options::parse(words).unwrap_err());
        assert!(
            refusal(&["--pairs", "1"]).starts_with("no such option: --pairs; there are --only")
        );
        assert!(refusal(&["--only", "x"]).starts_with("no such part: x; there are fio, due"));
        assert_eq!(refusal(&["--keep"]), "--keep: a value is missing");
        assert_eq!(refusal(&["--moments", "0"]), "--moments takes 1 at least");
    }
}
