//! Emulated cases: what their devices carried and what the model says, and what could not be
//! emulated.

use iopath_units::System;

use crate::document::{Block, Document, Table};
use crate::numbers::{UNKNOWN, maybe_rate, rate};
use crate::view::emulation::{EmulatedCase, off_percent};
use crate::words::emulation::{alone, lateness, not_emulated, sentence};

/// What the cases come to, their table, and what could not be emulated.
#[must_use]
pub fn document(cases: &[EmulatedCase], system: System) -> Document {
    let mut blocks: Vec<Block> = sentence(cases).map(Block::Verdict).into_iter().collect();
    blocks.push(Block::Table(table(cases, system)));
    let lines = lateness(cases).chain(alone(cases)).chain(not_emulated(cases));
    blocks.extend(Block::lines(lines.collect()));
    Document::of_blocks("Emulated paths".to_owned(), blocks)
}

/// A line of the table: a case, or what ran together in it.
struct Row {
    name: String,
    scale: String,
    devices: String,
    groups: String,
    predicted: f64,
    measured: Option<f64>,
    jain: String,
}

fn rows(case: &EmulatedCase) -> Vec<Row> {
    let jain = case.jain.map_or_else(|| UNKNOWN.to_owned(), |jain| format!("{jain:.3}"));
    let whole = Row {
        name: case.name.clone(),
        scale: match case.stretch {
            1 => format!("1:{}", case.scale),
            stretch => format!("1:{}, x {stretch}", case.scale),
        },
        devices: case.devices.to_string(),
        groups: case.groups.to_string(),
        predicted: case.predicted,
        measured: case.measured,
        jain,
    };
    let epochs = case.epochs.iter().map(|epoch| Row {
        name: format!("· {}", epoch.streams.join(", ")),
        scale: String::new(),
        devices: String::new(),
        groups: String::new(),
        predicted: epoch.predicted,
        measured: epoch.measured,
        jain: String::new(),
    });
    std::iter::once(whole).chain(epochs).collect()
}

fn table(cases: &[EmulatedCase], system: System) -> Table {
    let rows: Vec<Row> = cases.iter().flat_map(rows).collect();
    let off = |row: &Row| {
        let off = off_percent(row.predicted, row.measured);
        off.map_or_else(|| UNKNOWN.to_owned(), |percent| format!("{percent:+.2} %"))
    };
    let table = Table::of(&rows)
        .column("case", |row| row.name.clone())
        .expendable(1, "scale", |row| row.scale.clone())
        .expendable(2, "devices", |row| row.devices.clone())
        .expendable(3, "rates", |row| row.groups.clone())
        .column("model", |row| rate(row.predicted, system));
    if cases.iter().all(|case| case.measured.is_none()) {
        return table.done();
    }
    table
        .column("emulated", |row| maybe_rate(row.measured, system))
        .column("of model", off)
        .expendable(4, "Jain", |row| row.jain.clone())
        .done()
}
