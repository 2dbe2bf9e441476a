//! Why a text could not be read: where, what, and what to do.

use std::fmt;

use thiserror::Error;

/// A text that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct Wrong {
    /// The file's name.
    pub file: String,
    /// The line, from 1; none where it is no single one.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub hint: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, what, hint } = self;
        match line {
            Some(line) => write!(f, "{file}:{line}: {what}; {hint}"),
            None => write!(f, "{file}: {what}; {hint}"),
        }
    }
}

impl Wrong {
    pub(crate) fn of(file: &str, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, what: what.into(), hint: hint.into() }
    }

    pub(crate) fn at(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }
}
