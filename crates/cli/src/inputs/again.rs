//! The command of a run as facts of its records, so that advice can name the same command with one
//! property changed: `run.command`, for a shell, and `run.varied`, what a factor varies and
//! `--set` therefore cannot.

use std::collections::BTreeSet;

use iopath_record::Fact;
use iopath_study::Study;
use iopath_study::vary::Level;

/// The facts of a run of this study that was started by these words.
pub(crate) fn facts(words: impl Iterator<Item = String>, study: &Study) -> [(String, String); 2] {
    // However the program was called: where it lies is nothing that advice is about.
    let words = std::iter::once("iopath".to_owned()).chain(words.skip(1).map(|word| quoted(&word)));
    let factors = study.experiments.iter().flat_map(|experiment| &experiment.factors);
    let varied = factors.flat_map(|factor| &factor.levels).flat_map(Level::assigned);
    let varied: BTreeSet<String> = varied.collect();
    let varied: Vec<String> = varied.into_iter().collect();
    [Fact::Command.is(words.collect::<Vec<_>>().join(" ")), Fact::Varied.is(varied.join(" "))]
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@%+~".contains(c);
    match !word.is_empty() && !word.starts_with('~') && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        for (word, text) in [
            ("measure", "measure"),
            ("app.depth=2", "app.depth=2"),
            ("two words", "'two words'"),
            ("it's", "'it'\\''s'"),
            ("$HOME", "'$HOME'"),
            ("~", "'~'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), text);
        }
    }
}
