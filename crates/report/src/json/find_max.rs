//! Searches for the highest load, `iopath-find-max/1`.

use iopath_units::System;
use serde::Serialize;
use serde_json::Value;

use super::versioned;
use crate::sections::find_max::{self, Searched};
use crate::view::RunView;
use crate::words::find_max::sentence;

#[derive(Serialize)]
struct Searches<'a> {
    run: Option<&'a str>,
    technique: Option<&'static str>,
    searches: Vec<WithSentence>,
}

#[derive(Serialize)]
pub(super) struct WithSentence {
    #[serde(flatten)]
    searched: Searched,
    text: String,
}

/// The searches of a run as a value; keys and units are described in `docs/json.md`.
#[must_use]
pub fn find_max_json(run: &RunView) -> Value {
    let searches = Searches {
        run: run.report.id.as_deref(),
        technique: run.report.trials.first().map(|trial| trial.technique.name()),
        searches: searches(run),
    };
    versioned("iopath-find-max/1", &searches)
}

/// Every search of a run with its answer in words.
pub(super) fn searches(run: &RunView) -> Vec<WithSentence> {
    let with = |searched: Searched| {
        let text = sentence(&searched.found, searched.limited_by.as_deref(), System::Decimal);
        WithSentence { searched, text }
    };
    find_max::of(run).into_iter().map(with).collect()
}
