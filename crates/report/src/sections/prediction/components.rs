//! The path as a tree with the use of every capacity, equal components as one line.

use std::collections::BTreeSet;

use iopath_analysis::prediction::{ComponentUse, LimitUse, Prediction};
use iopath_analysis::thresholds::limits::FULL_SHARE;
use iopath_study::unindexed;
use iopath_units::System;

use crate::document::{Block, Section, Table};
use crate::look::Detail;
use crate::numbers::{UNKNOWN, operations, rate};
use crate::words::prediction as words;

/// One line.
#[derive(Default)]
struct Row {
    component: String,
    count: String,
    carries: String,
    rated: String,
    used: String,
    origin: String,
}

pub(crate) fn section(prediction: &Prediction, detail: Detail, system: System) -> Option<Section> {
    let all = &prediction.components;
    let shown = shown(all, detail);
    let rows: Vec<Row> = shown.iter().flat_map(|at| rows(all, *at, detail, system)).collect();
    let table = Table::of(&rows)
        .column("component", |row| row.component.clone())
        .expendable(1, "count", |row| row.count.clone())
        .column("each carries", |row| row.carries.clone())
        .column("of", |row| row.rated.clone())
        .column("utilisation", |row| row.used.clone())
        .expendable(2, "origin", |row| row.origin.clone());
    let table = Block::table(table.done())?;
    let rest = match all.len() - shown.len() {
        0 => None,
        1 => Some("(1 line of idle components is left out; --full shows it)".to_owned()),
        idle => Some(format!("({idle} lines of idle components are left out; --full shows them)")),
    };
    let rest = rest.map(|text| Block::Lines(vec![text]));
    Section::of("components", "path", std::iter::once(table).chain(rest).collect())
}

/// What is used, and what contains it.
fn shown(all: &[ComponentUse], detail: Detail) -> BTreeSet<usize> {
    if detail == Detail::Full {
        return (0..all.len()).collect();
    }
    let mut shown = BTreeSet::new();
    let used = (0..all.len()).filter(|index| all[*index].is_used());
    for mut index in used {
        // Parents stand before what they contain, so this ends.
        while shown.insert(index) {
            match all[index].parent {
                Some(parent) => index = parent,
                None => break,
            }
        }
    }
    shown
}

/// A component, and below it its other limits where all are asked for.
fn rows(all: &[ComponentUse], index: usize, detail: Detail, system: System) -> Vec<Row> {
    let one = &all[index];
    let indent = "  ".repeat(depth(all, index));
    let mut first = Row {
        component: format!("{indent}{}", own_name(all, index)),
        count: count(one),
        carries: carried(one, system),
        ..Row::default()
    };
    if let Some(limit) = one.limits.first() {
        fill(&mut first, limit, system);
    }
    let others = one.limits.iter().skip(1).filter(|_| detail == Detail::Full);
    let others = others.map(|limit| {
        let mut row = Row { component: format!("{indent}  ·"), ..Row::default() };
        fill(&mut row, limit, system);
        row
    });
    std::iter::once(first).chain(others).collect()
}

fn fill(row: &mut Row, limit: &LimitUse, system: System) {
    row.carries = words::amount(&limit.limit, limit.used_per_sec, system);
    row.rated = words::allowed(&limit.limit, limit.limit.per_sec, system);
    let full = if limit.utilisation >= FULL_SHARE { "full " } else { "" };
    row.used = format!("{full}{}", words::percent(limit.utilisation));
    row.origin = words::origin(&limit.limit).to_owned();
}

fn carried(one: &ComponentUse, system: System) -> String {
    let bytes = one.bytes_per_sec().filter(|bytes| *bytes > 0.0);
    let requests = one.operations_per_sec.filter(|requests| *requests > 0.0);
    match (bytes, requests) {
        (Some(bytes), _) => rate(bytes, system),
        (None, Some(requests)) => operations(requests, system),
        (None, None) => UNKNOWN.to_owned(),
    }
}

fn count(one: &ComponentUse) -> String {
    if one.count == one.of { one.count.to_string() } else { format!("{} of {}", one.count, one.of) }
}

fn depth(all: &[ComponentUse], index: usize) -> usize {
    std::iter::successors(all[index].parent, |parent| all[*parent].parent).count()
}

/// Longest name with its indices: chosen, the count says the rest.
const LONGEST: usize = 24;

/// The name without that of what contains it, which stands above; without indices where they
/// would fill the line.
fn own_name(all: &[ComponentUse], index: usize) -> String {
    let name = &all[index].name;
    let Some(parent) = all[index].parent else { return words::short(name) };
    let inside = |name: &str, parent: &str| {
        let rest = name.strip_prefix(parent).and_then(|rest| rest.strip_prefix('.'));
        rest.map(str::to_owned)
    };
    let parent = &all[parent].name;
    let exact = inside(name, parent).filter(|own| own.len() <= LONGEST && !own.contains(", "));
    let (name, parent) = (words::short(name), words::short(parent));
    let plain = || inside(&unindexed(&name), &unindexed(&parent));
    exact.or_else(plain).unwrap_or(name)
}
