//! What the words after `bench` ask for.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Of benchmarks; none stands for all.
    pub names: Vec<String>,
    /// How often each tool runs.
    pub pairs: usize,
    /// How long each run is.
    pub length: Duration,
    /// Where all figures go as JSON.
    pub json: Option<PathBuf>,
    /// A commit whose iopath runs in turns with this one, instead of another tool.
    pub against: Option<String>,
}

impl Options {
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        let length = Duration::from_secs(5);
        let mut options = Self { names: Vec::new(), pairs: 15, length, json: None, against: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word}: a value is missing"));
            match *word {
                "--pairs" => options.pairs = count(word, value()?)? as usize,
                "--seconds" => {
                    options.length = Duration::from_secs(u64::from(count(word, value()?)?));
                }
                "--against" => options.against = Some((*value()?).to_owned()),
                "--json" => options.json = Some(PathBuf::from(value()?)),
                option if option.starts_with('-') => {
                    bail!(
                        "no such option: {option}; there are --pairs, --seconds, --against, --json"
                    )
                }
                name => options.names.push(name.to_owned()),
            }
        }
        Ok(options)
    }
}

fn count(option: &str, text: &str) -> Result<u32> {
    match text.parse() {
        Ok(count @ 1..) => Ok(count),
        _ => bail!("{option}: \"{text}\" is no whole number above 0"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_said_means_15_pairs_of_5_seconds_of_everything() {
        let expected = Options {
            names: Vec::new(),
            pairs: 15,
            length: Duration::from_secs(5),
            json: None,
            against: None,
        };
        assert_eq!(Options::parse(&[]).unwrap(), expected);
    }

    #[test]
    fn names_and_options_may_be_mixed() {
        let words = [
            "null",
            "--pairs",
            "2",
            "memory",
            "--seconds",
            "1",
            "--json",
            "a.json",
            "--against",
            "HEAD~1",
        ];
        let expected = Options {
            names: vec!["null".to_owned(), "memory".to_owned()],
            pairs: 2,
            length: Duration::from_secs(1),
            json: Some("a.json".into()),
            against: Some("HEAD~1".to_owned()),
        };
        assert_eq!(Options::parse(&words).unwrap(), expected);
    }

    #[test]
    fn mistakes_are_told() {
        let cases = [
            (&["--pairs", "0"][..], "--pairs: \"0\" is no whole number above 0"),
            (&["--seconds", "0.5"], "--seconds: \"0.5\" is no whole number above 0"),
            (&["--json"], "--json: a value is missing"),
            (
                &["--pair", "3"],
                "no such option: --pair; there are --pairs, --seconds, --against, --json",
            ),
        ];
        for (words, expected) in cases {
            assert_eq!(Options::parse(words).unwrap_err().to_string(), expected);
        }
    }
}
