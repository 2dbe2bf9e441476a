//! What the words after `situations` ask for.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::catalogue::ALL;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// The one situation that is wanted.
    pub only: Option<String>,
    pub program: Option<PathBuf>,
    /// Where what the programs print goes.
    pub keep: Option<PathBuf>,
    /// Of each run.
    pub seconds: u64,
    /// How often each program runs.
    pub pairs: u64,
}

/// Chosen: iostat then has some whole seconds, and all situations take some ten minutes.
const SECONDS: u64 = 8;
const PAIRS: u64 = 3;

const KNOWN: &str = "--only NAME, --keep DIR, --runtime S, --pairs N and --program FILE";

impl Options {
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        let mut options =
            Self { only: None, program: None, keep: None, seconds: SECONDS, pairs: PAIRS };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !["--only", "--keep", "--runtime", "--pairs", "--program"].contains(word) {
                bail!("no such option: {word}; there are {KNOWN}");
            }
            let value = words.next().with_context(|| format!("{word}: a value is missing"))?;
            let number = || value.parse().with_context(|| format!("{word} {value}: no number"));
            match *word {
                "--only" => options.only = Some((*value).to_owned()),
                "--keep" => options.keep = Some(PathBuf::from(value)),
                "--runtime" => options.seconds = number()?,
                "--pairs" => options.pairs = number()?,
                _ => options.program = Some(PathBuf::from(value)),
            }
        }
        options.check()?;
        Ok(options)
    }

    fn check(&self) -> Result<()> {
        if self.seconds < 3 || self.pairs == 0 {
            bail!("iostat needs runs of 3 s at least, and one pair");
        }
        let is_known = |name: &String| ALL.iter().any(|one| one.name == name);
        if let Some(name) = self.only.as_ref().filter(|name| !is_known(name)) {
            let names: Vec<&str> = ALL.iter().map(|one| one.name).collect();
            bail!("no such situation: {name}; there are {}", names.join(", "));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_any_order() {
        let options = Options::parse(&["--runtime", "5", "--only", "zram"]).unwrap();
        let (only, keep) = (Some("zram".to_owned()), None);
        assert_eq!(options, Options { only, keep, program: None, seconds: 5, pairs: PAIRS });
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let refusal = |words: &[&str]| format!("{:#}", Options::parse(words).unwrap_err());
        assert!(refusal(&["--seed", "1"]).starts_with("no such option: --seed; there are --only"));
        assert_eq!(refusal(&["--keep"]), "--keep: a value is missing");
        assert!(refusal(&["--only", "zfs"]).starts_with("no such situation: zfs; there are btrfs"));
        assert!(refusal(&["--runtime", "1"]).starts_with("iostat needs runs of 3 s"));
    }
}
