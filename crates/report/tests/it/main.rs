//! Texts and JSON of whole runs, from records to what a person or a program reads.

mod check;
mod crash;
mod depths;
mod diagram;
mod import;
mod intensity;
mod json;
mod live;
mod load;
mod page;
mod path;
mod prediction;
mod probe;
mod texts;
mod units;
mod validation;
mod watch;

use iopath_analysis::compare;
use iopath_record::Record;
use iopath_report::document::Document;
use iopath_report::{ComparedRun, Detail, Look, RunFacts, RunView, compose, text};
use iopath_units::System;

/// A run of the store, called 7.
fn view(records: &[Record]) -> RunView {
    let facts = RunFacts::of_id(&7);
    RunView::of(facts, records.to_vec()).unwrap()
}

/// Run 3 and run 4, which began a day later.
fn compared(a: &[Record], b: &[Record], system: System) -> Document {
    let started = |id: &str, started_unix_ns| RunFacts {
        id: Some(id.to_owned()),
        started_unix_ns,
        ..RunFacts::default()
    };
    let facts = [("3", 1_700_000_000), ("4", 1_700_086_400)];
    let facts = facts.map(|(id, seconds)| started(id, seconds * 1_000_000_000));
    let study = |records: &[Record]| records[0].case.study.clone();
    let studies = [study(a), study(b)];
    let runs = [0, 1].map(|at| ComparedRun { facts: &facts[at], study: &studies[at] });
    compose::comparison(&compare(a, b).unwrap(), &runs, system)
}

fn brief(document: &Document, look: &Look) -> String {
    text::render(document, Detail::Brief, look)
}
