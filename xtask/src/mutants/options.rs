//! What the words after `mutants` ask for.

use anyhow::{Context, Result, bail};

/// Crates whose mistakes would be believed: figures, and the words for them.
const CRATES: [&str; 2] = ["analysis", "report"];

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub count: usize,
    pub seed: u64,
    /// By their folders' names.
    pub crates: Vec<String>,
}

impl Options {
    /// `seed` is the one where none is given.
    pub(crate) fn parse(words: &[&str], seed: u64) -> Result<Self> {
        let mut options = Self { count: 30, seed, crates: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || match words.next() {
                Some(value) => value.parse().with_context(|| format!("{word} {value}: no number")),
                None => bail!("{word}: a number is missing"),
            };
            match *word {
                "--count" => options.count = usize::try_from(value()?)?,
                "--seed" => options.seed = value()?,
                option if option.starts_with('-') => {
                    bail!("no such option: {option}; there are --count and --seed")
                }
                name => options.crates.push(name.to_owned()),
            }
        }
        if options.crates.is_empty() {
            options.crates = CRATES.map(str::to_owned).to_vec();
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_said_means_30_of_analysis_and_report() {
        let crates = vec!["analysis".to_owned(), "report".to_owned()];
        assert_eq!(Options::parse(&[], 7).unwrap(), Options { count: 30, seed: 7, crates });
    }

    #[test]
    fn options_and_crates_come_in_any_order() {
        let crates = vec!["units".to_owned()];
        let words = ["--count", "3", "units", "--seed", "9"];
        assert_eq!(Options::parse(&words, 7).unwrap(), Options { count: 3, seed: 9, crates });
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let refusal = |words: &[&str]| format!("{:#}", Options::parse(words, 7).unwrap_err());
        assert_eq!(refusal(&["--jobs"]), "no such option: --jobs; there are --count and --seed");
        assert_eq!(refusal(&["--count"]), "--count: a number is missing");
        assert!(refusal(&["--seed", "x"]).starts_with("--seed x: no number"));
    }
}
