//! A run as a comparison names it.

use crate::view::{RunFacts, RunView};

/// One of several runs that are compared.
#[derive(Clone, Copy, Debug)]
pub struct ComparedRun<'a> {
    /// Its number, and when it began.
    pub facts: &'a RunFacts,
    /// Title of its study.
    pub study: &'a str,
}

impl<'a> From<&'a RunView> for ComparedRun<'a> {
    fn from(run: &'a RunView) -> Self {
        Self { facts: &run.facts, study: run.study() }
    }
}
