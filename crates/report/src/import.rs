//! What was understood of the texts of other tools.

use std::collections::BTreeMap;

use iopath_record::{Record, Warning};
use serde_json::{Value, json};

use crate::look::{Look, Tone};
use crate::numbers::time;
use crate::table::{Column, render};
use crate::wrap::wrap;

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

/// What was understood, as text.
#[must_use]
pub fn render_import(run: &str, files: &[ImportedFile], records: &[Record], look: &Look) -> String {
    let mut parts = vec![
        look.paint(Tone::Verdict, &format!("imported as run {run}")),
        table(files, look),
        understood(records, look),
    ];
    let told = warnings(records);
    if !told.is_empty() {
        let lines =
            told.iter().map(|one| look.paint(Tone::Warning, &wrap(&one.text, 2, look.width)));
        parts.push(format!("what to know\n{}", lines.collect::<Vec<_>>().join("\n")));
    }
    parts.push(format!("next: iopath show {run}\n"));
    parts.join("\n\n")
}

/// The same as JSON, `iopath-import/1`.
#[must_use]
pub fn import_json(run: &str, files: &[ImportedFile], records: &[Record]) -> Value {
    let file = |one: &ImportedFile| {
        json!({
            "file": one.file,
            "tool": one.tool,
            "intervals": one.edges_ns.len().saturating_sub(1),
            "span_ns": span_ns(one),
        })
    };
    let entities: BTreeMap<String, Vec<&str>> = kinds(records).into_iter().collect();
    json!({
        "format": "iopath-import/1",
        "run": run,
        "files": files.iter().map(file).collect::<Vec<_>>(),
        "trials": records.len(),
        "entities": entities,
        "warnings": warnings(records),
    })
}

fn span_ns(file: &ImportedFile) -> Option<u64> {
    file.edges_ns.last().zip(file.edges_ns.first()).map(|(last, first)| last - first)
}

fn table(files: &[ImportedFile], look: &Look) -> String {
    let span = |file: &ImportedFile| {
        span_ns(file).map_or_else(|| "-".to_owned(), |ns| time(ns as f64, look.system))
    };
    let columns = vec![
        Column::needed("file", files.iter().map(|file| file.file.clone()).collect()),
        Column::needed("tool", files.iter().map(|file| file.tool.to_owned()).collect()),
        Column::needed(
            "intervals",
            files.iter().map(|file| file.edges_ns.len().saturating_sub(1).to_string()).collect(),
        ),
        Column::needed("over", files.iter().map(span).collect()),
    ];
    render(columns, look.width)
}

/// Names of what has figures, by kind, in the order in which kinds appear.
fn kinds(records: &[Record]) -> Vec<(String, Vec<&str>)> {
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

fn understood(records: &[Record], look: &Look) -> String {
    let line = |(kind, names): &(String, Vec<&str>)| {
        let shown = names.iter().take(NAMES).copied().collect::<Vec<_>>().join(", ");
        let rest = names.len().saturating_sub(NAMES);
        let rest = if rest == 0 { String::new() } else { format!(" and {rest} more") };
        wrap(&format!("{} {kind}: {shown}{rest}", names.len()), 2, look.width)
    };
    let mut lines: Vec<String> = kinds(records).iter().map(line).collect();
    let trials = records.len();
    if trials > 1 {
        lines.push(format!("  {trials} trials"));
    }
    format!("understood\n{}", lines.join("\n"))
}

fn warnings(records: &[Record]) -> Vec<&Warning> {
    let mut all: Vec<&Warning> = Vec::new();
    for warning in records.iter().flat_map(|record| &record.warnings) {
        if !all.contains(&warning) {
            all.push(warning);
        }
    }
    all
}
