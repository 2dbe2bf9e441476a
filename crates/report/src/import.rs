//! What was understood of the texts of other tools.

use iopath_record::{Record, Warning};

use iopath_units::System;

use crate::document::{Block, Document, Section, Table};
use crate::numbers::maybe_time;

/// One text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedFile {
    /// The file's name.
    pub file: String,
    /// Whose text it is.
    pub tool: &'static str,
    /// Where its intervals begin and end, in ns since it began; empty where it has none.
    pub edges_ns: Vec<u64>,
}

/// Names of one kind that are shown before the rest is only counted: chosen.
const NAMES: usize = 8;

/// What was understood.
#[must_use]
pub fn document(run: &str, files: &[ImportedFile], records: &[Record], system: System) -> Document {
    let answer =
        vec![Block::Verdict(format!("imported as run {run}")), Block::Table(table(files, system))];
    let all = warnings(records).into_iter();
    let all = all.map(|one| Block::warning(String::new(), one.text.clone())).collect();
    let next = vec![Block::Text(format!("next: iopath show {run}"))];
    let sections = [
        Section::of("verdict", "verdict", answer),
        Section::of("understood", "understood", vec![Block::Lines(understood(records))]),
        Section::of("warnings", "warnings", all),
        Section::of("next", "", next),
    ];
    Document { sections: sections.into_iter().flatten().collect(), ..Document::default() }
}

pub(crate) fn span_ns(file: &ImportedFile) -> Option<u64> {
    file.edges_ns.last().zip(file.edges_ns.first()).map(|(last, first)| last - first)
}

fn table(files: &[ImportedFile], system: System) -> Table {
    let span = |file: &ImportedFile| maybe_time(span_ns(file).map(|ns| ns as f64), system);
    let intervals = |file: &ImportedFile| file.edges_ns.len().saturating_sub(1).to_string();
    Table::of(files)
        .column("file", |file| file.file.clone())
        .column("tool", |file| file.tool.to_owned())
        .column("intervals", intervals)
        .column("over", span)
        .done()
}

/// Names of what has figures, by kind, in the order in which kinds appear.
pub(crate) fn kinds(records: &[Record]) -> Vec<(String, Vec<&str>)> {
    let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
    for entity in records.iter().flat_map(|record| &record.entities) {
        let place = kinds.iter().position(|(kind, _)| kind == entity.kind.as_str());
        let place = place.unwrap_or_else(|| {
            kinds.push((entity.kind.to_string(), Vec::new()));
            kinds.len() - 1
        });
        let names = &mut kinds[place].1;
        if !names.contains(&entity.name.as_str()) {
            names.push(&entity.name);
        }
    }
    kinds
}

fn understood(records: &[Record]) -> Vec<String> {
    let line = |(kind, names): &(String, Vec<&str>)| {
        let shown = names.iter().take(NAMES).copied().collect::<Vec<_>>().join(", ");
        let rest = names.len().saturating_sub(NAMES);
        let rest = if rest == 0 { String::new() } else { format!(" and {rest} more") };
        format!("{} {kind}: {shown}{rest}", names.len())
    };
    let trials = (records.len() > 1).then(|| format!("{} trials", records.len()));
    kinds(records).iter().map(line).chain(trials).collect()
}

pub(crate) fn warnings(records: &[Record]) -> Vec<&Warning> {
    let mut all: Vec<&Warning> = Vec::new();
    for warning in records.iter().flat_map(|record| &record.warnings) {
        if !all.contains(&warning) {
            all.push(warning);
        }
    }
    all
}
