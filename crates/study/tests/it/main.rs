//! The study language as a reader of studies meets it: cases of studies, and mistakes.

mod cases;
mod examples;
mod grafts;
mod includes;
mod language;
mod limits;
mod mistakes;
mod mutations;
mod packets;
mod path_mistakes;
mod paths;
mod round_trip;
mod scaling;
mod selectors;
mod sets;
mod templates;
mod trees;
mod volumes;

use iopath_study::{Assignment, Case, Mistakes, Source, Study, parse};

/// Reads a text with assignments beside it.
fn read_with(text: &str, sets: &[&str]) -> Result<Study, Mistakes> {
    let source = Source { name: "study.kdl".into(), text: text.into() };
    let sets: Vec<_> = sets.iter().map(|set| Assignment::parse(set).unwrap()).collect();
    parse(&source, &sets)
}

/// The cases of a text without mistakes.
fn cases_of(text: &str) -> Vec<Case> {
    cases_with(text, &[])
}

fn cases_with(text: &str, sets: &[&str]) -> Vec<Case> {
    let study = read_with(text, sets).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"));
    study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"))
}

/// Levels of a case in one line.
fn levels(case: &Case) -> String {
    let levels = case.levels.iter().map(|chosen| format!("{}={}", chosen.factor, chosen.level));
    levels.collect::<Vec<_>>().join(", ")
}
