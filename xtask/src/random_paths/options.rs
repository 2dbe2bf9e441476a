//! What the words after `random-paths` ask for.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub count: u64,
    pub seed: u64,
    /// The number of the one path that is wanted.
    pub only: Option<u64>,
    pub program: Option<PathBuf>,
    /// Where studies of failing cases go.
    pub keep: Option<PathBuf>,
    /// Whether paths are profiled instead: as many that allow it.
    pub is_profiled: bool,
}

const KNOWN: &str = "--count N, --seed S, --only K, --program FILE, --keep DIR and --profile";

impl Options {
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        let mut options = Self { count: 10, seed: 1, ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if *word == "--profile" {
                options.is_profiled = true;
                continue;
            }
            let known = ["--count", "--seed", "--only", "--program", "--keep"];
            if !known.contains(word) {
                bail!("no such option: {word}; there are {KNOWN}");
            }
            let value = words.next().with_context(|| format!("{word}: a value is missing"))?;
            let number = || value.parse().with_context(|| format!("{word} {value}: no number"));
            match *word {
                "--count" => options.count = number()?,
                "--seed" => options.seed = number()?,
                "--only" => options.only = Some(number()?),
                "--program" => options.program = Some(PathBuf::from(value)),
                _ => options.keep = Some(PathBuf::from(value)),
            }
        }
        if options.count == 0 || options.only == Some(0) {
            bail!("paths are counted from 1: --count and --only take at least that");
        }
        Ok(options)
    }

    /// Numbers of the paths that are wanted.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        self.only.map_or_else(|| (1..=self.count).collect(), |only| vec![only])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_any_order() {
        let options = Options::parse(&["--seed", "7", "--profile", "--count", "3"]).unwrap();
        let expected = Options { count: 3, seed: 7, is_profiled: true, ..Options::default() };
        assert_eq!(options, expected);
        assert_eq!(options.numbers(), [1, 2, 3]);
        assert_eq!(Options::parse(&["--only", "9"]).unwrap().numbers(), [9]);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let refusal = |words: &[&str]| format!("{:#}", Options::parse(words).unwrap_err());
        assert!(refusal(&["--jobs"]).starts_with("no such option: --jobs; there are --count N"));
        assert_eq!(refusal(&["--keep"]), "--keep: a value is missing");
        assert!(refusal(&["--seed", "x"]).starts_with("--seed x: no number"));
        assert!(refusal(&["--count", "0"]).starts_with("paths are counted from 1"));
    }
}
