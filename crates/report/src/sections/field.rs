//! Field studies: what bounds say of systems that the models were not made for.

use iopath_analysis::agreement::{
    BELOW_PERCENT, FieldAnswer, FieldRow, FieldStudy, FieldSummary, field_summary,
};
use iopath_units::System;

use crate::document::{Block, Document, Section, Table};
use crate::numbers::UNKNOWN;
use crate::words::validation::{published_in, said};

/// Every study, and what all of them come to.
#[must_use]
pub fn document(studies: &[FieldStudy], about: String, system: System) -> Document {
    let blocks =
        vec![Block::Verdict(sentence(studies)), Block::Lines(sums(&field_summary(studies)))];
    let all = Section { id: "verdict", title: "verdict".to_owned(), blocks };
    let each = studies.iter().map(|study| Section {
        id: "study",
        title: study.study.clone(),
        blocks: vec![Block::Table(table(&study.rows, system))],
    });
    let sections = std::iter::once(all).chain(each).collect();
    Document { title: "Field studies".to_owned(), about, sections, parts: Vec::new() }
}

fn table(rows: &[FieldRow], system: System) -> Table {
    let is_calibrated = rows.iter().any(|row| row.calibrated.is_some());
    let calibrated = |row: &FieldRow, of: &dyn Fn(&FieldAnswer) -> String| {
        row.calibrated.as_ref().map_or_else(|| UNKNOWN.to_owned(), of)
    };
    let says = |row: &FieldRow, answer: &FieldAnswer| said(&answer.said, row.unit, system);
    Table::of(rows)
        .column("figure", |row| row.figure.clone())
        .column("published", |row| published_in(&row.published, system))
        .column("by ratings", |row| says(row, &row.ratings))
        .column("error", |row| error(&row.ratings))
        .column_if(is_calibrated, "calibrated", |row| calibrated(row, &|answer| says(row, answer)))
        .column_if(is_calibrated, "error", |row| calibrated(row, &error))
        .done()
}

/// How far off a number is, or whether the right component is named.
fn error(answer: &FieldAnswer) -> String {
    match (answer.is_right, answer.error_percent) {
        (Some(true), _) => "right".to_owned(),
        (Some(false), _) => "WRONG".to_owned(),
        (None, Some(percent)) => format!("{percent:+.1} %"),
        (None, None) => UNKNOWN.to_owned(),
    }
}

fn sentence(studies: &[FieldStudy]) -> String {
    let FieldSummary { ratings_percent, places: (all, right), .. } = field_summary(studies);
    let mean = ratings_percent.map_or_else(
        || "no figure has a number".to_owned(),
        |mean| format!("by ratings alone bounds are {mean:.0} % off in the mean over studies"),
    );
    format!("{mean}; {right} of {all} components named are right")
}

fn sums(of: &FieldSummary) -> Vec<String> {
    let mut lines = vec![format!(
        "{} of {} bounds by ratings lie more than {BELOW_PERCENT} % below what was measured",
        of.below, of.rates
    )];
    let median = of.calibrated_percent;
    lines.extend(median.map(|percent| format!("calibrated: median error {percent:.1} %")));
    lines
}
