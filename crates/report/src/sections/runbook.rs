//! A runbook: its steps with what was expected, what was measured, and what that comes to.

use iopath_units::System;

use crate::document::{Block, Document, Section, Table};
use crate::numbers::{UNKNOWN, between, maybe_time};
use crate::view::runbook::{Outcome, PlannedStep, Runbook, StepCase, StepFound};
use crate::words::runbook as words;

/// The whole runbook, with an earlier run of it where there is one.
#[must_use]
pub fn document(runbook: &Runbook, before: Option<&Runbook>, system: System) -> Document {
    let sections = vec![section(runbook, before, system)];
    Document { title: runbook.title.clone(), sections, ..Document::default() }
}

/// The steps before they are run, each with its time and with what is known to expect.
#[must_use]
pub fn plan(steps: &[PlannedStep], system: System) -> Document {
    let rows: Vec<(usize, &PlannedStep)> = steps.iter().enumerate().collect();
    let table = Table::of(&rows)
        .column("step", |(at, one)| format!("{}. {}", at + 1, one.step.title))
        .column("time", |(_, one)| match (&one.step.needs, one.time_ns) {
            (Some(_), _) => "not run".to_owned(),
            (None, ns) => maybe_time(ns.map(|ns| ns as f64), system),
        })
        .column("expected", |(_, one)| words::planned(one, system))
        .column("question", |(_, one)| one.step.why.clone().unwrap_or_default());
    let mut blocks = vec![Block::Table(table.done())];
    blocks.extend(Block::lines(words::needs(steps.iter().map(|one| &one.step))));
    Document::of_blocks("Steps".to_owned(), blocks)
}

pub(crate) fn section(runbook: &Runbook, before: Option<&Runbook>, system: System) -> Section {
    let rows: Vec<Row<'_>> = rows(runbook, before);
    let table = Table::of(&rows)
        .column("step", |row| format!("{}. {}", row.number, row.now.step.title))
        .column("measured", |row| measured(row.now, system))
        .column("expected", |row| expected(row.now, system))
        .column("from", |row| from(row.now))
        .column_if(before.is_some(), "before", |row| {
            row.before.map_or_else(|| UNKNOWN.to_owned(), |one| measured(one, system))
        })
        .column_if(before.is_some(), "change", |row| change(row))
        .column("result", |row| words::outcome(row.now.outcome).to_owned())
        .expendable(1, "question", |row| row.now.step.why.clone().unwrap_or_default());
    let mut blocks = vec![Block::Verdict(words::sentence(runbook)), Block::Table(table.done())];
    let remarks = runbook.steps.iter().filter_map(|one| words::remark(one, system));
    let rest = words::unexpected(runbook).into_iter().chain(words::needs(
        runbook.steps.iter().filter(|one| one.outcome == Outcome::NotRun).map(|one| &one.step),
    ));
    blocks.extend(Block::lines(remarks.chain(rest).collect()));
    Section { id: "runbook", title: "runbook".to_owned(), blocks }
}

/// A step, and the same in an earlier run.
struct Row<'a> {
    number: usize,
    now: &'a StepFound,
    before: Option<&'a StepFound>,
}

fn rows<'a>(runbook: &'a Runbook, before: Option<&'a Runbook>) -> Vec<Row<'a>> {
    let earlier = |now: &StepFound| {
        let is_same = |one: &&'a StepFound| one.step.title == now.step.title;
        before.and_then(|all| all.steps.iter().find(is_same))
    };
    let row = |(at, now): (usize, &'a StepFound)| Row { number: at + 1, now, before: earlier(now) };
    runbook.steps.iter().enumerate().map(row).collect()
}

fn measured(found: &StepFound, system: System) -> String {
    ends(found, system, |case| Some(case.bytes_per_sec))
}

fn expected(found: &StepFound, system: System) -> String {
    ends(found, system, |case| case.expected.as_ref().map(|one| one.bytes_per_sec))
}

/// The least and the most of a figure over the cases of a step.
fn ends(found: &StepFound, system: System, of: fn(&StepCase) -> Option<f64>) -> String {
    let mut all: Vec<(f64, f64)> =
        found.cases.iter().filter_map(|case| Some((of(case)?, case.request_bytes))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(least), Some(most)) = (all.first(), all.last()) else { return UNKNOWN.to_owned() };
    let [least, most] = [least, most].map(|(rate, size)| words::amount(*rate, *size, system));
    if least == most { most } else { between(&least, &most) }
}

/// Where an expectation is from.
fn from(found: &StepFound) -> String {
    let expected = found.cases.iter().find_map(|case| case.expected.as_ref());
    match expected.map(|one| one.like.as_ref()) {
        None => UNKNOWN.to_owned(),
        Some(None) => "path".to_owned(),
        Some(Some(like)) => words::share_of(&found.step, like),
    }
}

/// Of the cases that both runs have.
fn change(row: &Row<'_>) -> String {
    let cases = row.before.iter().flat_map(|before| &before.cases);
    let pair = |before: &StepCase| {
        let now = row.now.cases.iter().find(|now| now.levels == before.levels)?;
        Some([before.bytes_per_sec, now.bytes_per_sec])
    };
    let pairs: Vec<[f64; 2]> = cases.filter_map(pair).collect();
    let [before, now] = [0, 1].map(|at| pairs.iter().map(|pair| pair[at]).sum::<f64>());
    match before > 0.0 {
        true => format!("{:+.1} %", 100.0 * (now / before - 1.0)),
        false => UNKNOWN.to_owned(),
    }
}
