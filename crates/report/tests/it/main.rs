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

use iopath_record::Record;
use iopath_report::document::Document;
use iopath_report::{Detail, Look, RunFacts, RunView, text};

/// A run of the store, called 7.
fn view(records: &[Record]) -> RunView {
    let facts = RunFacts { id: Some("7".to_owned()), ..RunFacts::default() };
    RunView::of(facts, records.to_vec()).unwrap()
}

fn brief(document: &Document, look: &Look) -> String {
    text::render(document, Detail::Brief, look)
}
