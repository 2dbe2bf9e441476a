//! What was understood of the texts of other tools.

use iopath_record::Record;
use iopath_units::System;

use crate::document::{Block, Document, Section, Table};
use crate::numbers::maybe_ns;
use crate::view::import::{ImportedFile, kinds, warnings};
use crate::words::counted;

/// Names of one kind that are shown before the rest is only counted: chosen.
const NAMES: usize = 8;

/// What was understood; the command shows the run.
#[must_use]
pub fn document(
    run: &str,
    command: &str,
    files: &[ImportedFile],
    records: &[Record],
    system: System,
) -> Document {
    let answer =
        vec![Block::Verdict(format!("imported as run {run}")), Block::Table(table(files, system))];
    let all = warnings(records).into_iter();
    let all = all.map(|one| Block::warning(String::new(), one.text.clone())).collect();
    let next = vec![Block::Text(format!("next: {command}"))];
    let sections = [
        Section::of("verdict", "verdict", answer),
        Section::of("understood", "understood", vec![Block::Lines(understood(records))]),
        Section::of("warnings", "warnings", all),
        Section::of("next", "", next),
    ];
    Document { sections: sections.into_iter().flatten().collect(), ..Document::default() }
}

fn table(files: &[ImportedFile], system: System) -> Table {
    let span = |file: &ImportedFile| maybe_ns(file.span_ns(), system);
    let intervals = |file: &ImportedFile| file.edges_ns.len().saturating_sub(1).to_string();
    Table::of(files)
        .column("file", |file| file.file.clone())
        .column("tool", |file| file.tool.to_owned())
        .column("intervals", intervals)
        .column("over", span)
        .done()
}

fn understood(records: &[Record]) -> Vec<String> {
    let line = |(kind, names): &(String, Vec<&str>)| {
        let shown = names.iter().take(NAMES).copied().collect::<Vec<_>>().join(", ");
        let rest = names.len().saturating_sub(NAMES);
        let rest = if rest == 0 { String::new() } else { format!(" and {rest} more") };
        format!("{}: {shown}{rest}", counted(names.len(), kind))
    };
    let trials = (records.len() > 1).then(|| format!("{} trials", records.len()));
    kinds(records).iter().map(line).chain(trials).collect()
}
