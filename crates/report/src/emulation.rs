//! Emulated cases: what their devices carried beside what the model says, and what could not be
//! emulated.

use std::collections::BTreeMap;

use iopath_units::System;
use serde::Serialize;

use crate::document::{Block, Document, Table};
use crate::json;
use crate::numbers::{UNKNOWN, maybe_rate, rate};

/// One case on an emulated path; figures are multiplied back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EmulatedCase {
    /// Experiment and levels.
    #[serde(rename = "case")]
    pub name: String,
    /// Rates and sizes were divided by this.
    pub scale: u64,
    /// Rates were divided by this besides, and times multiplied.
    pub stretch: u64,
    /// How many devices stand for the path.
    pub devices: usize,
    /// How many rates they share.
    pub groups: usize,
    /// What the analytic model says of all streams together, in bytes per second.
    #[serde(rename = "predicted_bytes_per_sec")]
    pub predicted: f64,
    /// What was measured; none where nothing was.
    #[serde(rename = "measured_bytes_per_sec")]
    pub measured: Option<f64>,
    /// Streams that ran one after the other, in their order; empty where all ran together.
    #[serde(serialize_with = "json::emulation::epochs")]
    pub epochs: Vec<EmulatedEpoch>,
    /// Jain's index of the shares of its streams, where there are several.
    pub jain: Option<f64>,
    /// How long its devices took to come up; none where they stood already.
    pub bring_up_ns: Option<u64>,
    /// What each device carried alone, where that was tried.
    pub alone: Option<Alone>,
    /// What of the path could not be emulated.
    pub not_emulated: Vec<String>,
}

/// Streams that ran together on an emulated path, while others ran before or after them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EmulatedEpoch {
    /// Their declarations.
    pub streams: Vec<String>,
    /// What the analytic model says of them, in bytes per second.
    #[serde(rename = "predicted_bytes_per_sec")]
    pub predicted: f64,
    /// What was measured; none where nothing was.
    #[serde(rename = "measured_bytes_per_sec")]
    pub measured: Option<f64>,
}

/// Devices measured one after the other, each without the others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alone {
    /// How many were tried.
    pub devices: usize,
    /// The least share of its own rate that one carried.
    #[serde(rename = "least_share")]
    pub least: f64,
    /// The greatest share.
    #[serde(rename = "most_share")]
    pub most: f64,
    /// Which carried the least.
    pub least_device: String,
}

impl EmulatedCase {
    /// How far the measurement lies from the model, in percent of it; signed.
    #[must_use]
    pub fn off_percent(&self) -> Option<f64> {
        off_percent(self.predicted, self.measured)
    }
}

impl EmulatedEpoch {
    /// How far the measurement lies from the model, in percent of it; signed.
    #[must_use]
    pub fn off_percent(&self) -> Option<f64> {
        off_percent(self.predicted, self.measured)
    }
}

fn off_percent(predicted: f64, measured: Option<f64>) -> Option<f64> {
    let measured = measured.filter(|_| predicted > 0.0)?;
    Some((measured - predicted) / predicted * 100.0)
}

/// What the cases come to, their table, and what could not be emulated.
#[must_use]
pub fn document(cases: &[EmulatedCase], system: System) -> Document {
    let mut blocks: Vec<Block> = sentence(cases).map(Block::Verdict).into_iter().collect();
    blocks.push(Block::Table(table(cases, system)));
    blocks.extend(Block::lines(alone(cases).chain(not_emulated(cases)).collect()));
    Document::of_blocks("Emulated paths".to_owned(), blocks)
}

fn sentence(cases: &[EmulatedCase]) -> Option<String> {
    let off: Vec<f64> = cases.iter().filter_map(EmulatedCase::off_percent).collect();
    let worst = off.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    let mean = off.iter().map(|percent| percent.abs()).sum::<f64>() / off.len() as f64;
    Some(match off.len() {
        1 => format!("The emulated path lay {worst:+.2} % off the model."),
        cases => format!(
            "In {cases} cases the emulated path lay {mean:.2} % off the model in the mean, \
             {worst:+.2} % at worst."
        ),
    })
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

fn alone(cases: &[EmulatedCase]) -> impl Iterator<Item = String> {
    cases.iter().filter_map(|case| {
        let Alone { devices, least, most, least_device } = case.alone.as_ref()?;
        let (least, most) = (least * 100.0, most * 100.0);
        Some(format!(
            "{}: {devices} devices, each alone, carried {least:.1} to {most:.1} % of their own \
             rates; {least_device} the least",
            case.name
        ))
    })
}

/// What could not be emulated, each once, with the number of cases.
fn not_emulated(cases: &[EmulatedCase]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in cases.iter().flat_map(|case| &case.not_emulated) {
        *counts.entry(text).or_default() += 1;
    }
    let told = |(text, count): (&str, usize)| match count == cases.len() {
        true => format!("not emulated: {text}"),
        false => format!("not emulated in {count} of {} cases: {text}", cases.len()),
    };
    counts.into_iter().map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_without_a_measurement_is_off_by_nothing_known() {
        let case = EmulatedCase {
            name: "one".to_owned(),
            scale: 32,
            stretch: 1,
            devices: 3,
            groups: 4,
            predicted: 200e6,
            measured: None,
            epochs: Vec::new(),
            jain: None,
            bring_up_ns: None,
            alone: None,
            not_emulated: Vec::new(),
        };
        assert_eq!(case.off_percent(), None);
        let measured = EmulatedCase { measured: Some(190e6), ..case };
        assert_eq!(measured.off_percent(), Some(-5.0));
    }
}
