//! What the words after `lab` ask for.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Of jobs; none stands for all.
    pub names: Vec<String>,
    /// The program that is tried; none stands for the one that users build.
    pub program: Option<PathBuf>,
    /// Whether a shell in the guest follows the jobs.
    pub keep: bool,
}

impl Options {
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--program" => {
                    let file = words.next().context("--program: a file is missing")?;
                    options.program = Some(PathBuf::from(file));
                }
                "--keep" => options.keep = true,
                option if option.starts_with('-') => {
                    bail!("no such option: {option}; there are --program FILE and --keep")
                }
                name => options.names.push(name.to_owned()),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_options_may_be_mixed() {
        let words = ["md", "--program", "a", "paths", "--keep"];
        let expected = Options {
            names: vec!["md".to_owned(), "paths".to_owned()],
            program: Some("a".into()),
            keep: true,
        };
        assert_eq!(Options::parse(&words).unwrap(), expected);
        assert_eq!(Options::parse(&[]).unwrap(), Options::default());
    }

    #[test]
    fn mistakes_are_reported() {
        let error = |words: &[&str]| Options::parse(words).unwrap_err().to_string();
        assert_eq!(error(&["--program"]), "--program: a file is missing");
        assert_eq!(error(&["-k"]), "no such option: -k; there are --program FILE and --keep");
    }
}
