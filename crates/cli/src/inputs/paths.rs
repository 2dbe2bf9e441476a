//! What is wrong with the paths of a study's cases, told like its other mistakes.

use std::collections::BTreeSet;

use iopath_path::PathMistake;
use iopath_study::Study;
use iopath_study::source::Span;

use crate::exit_status::Problem;

/// Mistakes of several cases, each once.
#[derive(Default)]
pub(crate) struct Mistakes(BTreeSet<(Option<Span>, String, Option<String>)>);

impl Mistakes {
    pub(crate) fn add(&mut self, wrong: Vec<PathMistake>) {
        let told = |PathMistake { span, text, hint, .. }: PathMistake| (span, text, hint);
        self.0.extend(wrong.into_iter().map(told));
    }

    /// All of them, in the order of their places; those that have none first.
    pub(crate) fn into_result(self, study: &Study) -> Result<(), Problem> {
        if self.0.is_empty() {
            return Ok(());
        }
        let told = self.0.into_iter().map(|(span, text, hint)| match (span, hint) {
            (Some(span), hint) => study.remark(span, &text, hint.as_deref()).to_string(),
            (None, Some(hint)) => format!("{text}\n = hint: {hint}"),
            (None, None) => text,
        });
        Err(Problem::mistake(told.collect::<Vec<_>>().join("\n\n")))
    }
}
