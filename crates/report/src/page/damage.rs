//! What verification found: how many blocks of each kind, and the first of them with their places.
//! `iopath show RUN --json` lists up to a thousand of them.

use iopath_record::{BadBlock, BadKind};

use super::compose::Shown;
use super::{Block, Section, Table};
use crate::numbers::{UNKNOWN, size};
use crate::run::TrialReport;

/// Blocks of a trial that have a row: chosen, more are a pattern already.
const ROWS: usize = 100;

/// Rows up to which they are open: chosen, half a screen.
const OPEN: usize = 20;

pub(super) fn section(shown: &Shown<'_>) -> Option<Section> {
    let trials = &shown.run.report.trials;
    let damaged = trials.iter().filter(|trial| !trial.findings.bad_blocks.is_empty());
    let blocks: Vec<Block> = damaged.flat_map(|trial| blocks(trial, shown)).collect();
    let title = "Bad blocks".to_owned();
    (!blocks.is_empty()).then_some(Section { id: "bad-blocks", title, blocks })
}

fn blocks(trial: &TrialReport, shown: &Shown<'_>) -> Vec<Block> {
    let found = &trial.findings.bad_blocks;
    let counts = found.counts.iter();
    let rows = counts.map(|(kind, count)| {
        vec![kind.name().to_owned(), count.to_string(), meaning(*kind).to_owned()]
    });
    let kinds = table(format!("{}: {found}", trial.label()), &["kind", "blocks", "what"], rows);
    let listed = found.listed.iter().take(ROWS).map(|block| row(block, shown));
    let title = match found.total().saturating_sub(ROWS as u64) {
        0 => "Where they are".to_owned(),
        _ => format!("Where the first {ROWS} are"),
    };
    let head =
        ["target", "offset", "kind", "write wanted", "write found", "belongs to", "in words"];
    let places = Block::Table(table(title.clone(), &head, listed));
    let places = match found.listed.len() {
        ..=OPEN => places,
        _ => Block::Fold(title, vec![places]),
    };
    vec![Block::Table(kinds), places]
}

fn table(title: String, head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Table {
    let head = head.iter().map(|word| (*word).to_owned()).collect();
    Table { title, head, rows: rows.collect() }
}

fn row(block: &BadBlock, shown: &Shown<'_>) -> Vec<String> {
    let number = |value: Option<u32>| value.map_or_else(unknown, |value| value.to_string());
    let place = |bytes: u64| format!("{bytes} ({})", size(bytes, shown.system));
    vec![
        block.target.clone(),
        place(block.offset_bytes),
        block.kind.name().to_owned(),
        number(block.wanted_generation),
        number(block.found_generation),
        block.found_offset_bytes.map_or_else(unknown, place),
        block.what.clone(),
    ]
}

fn unknown() -> String {
    UNKNOWN.to_owned()
}

/// What a kind says, as in `docs/how-it-measures.md`.
fn meaning(kind: BadKind) -> &'static str {
    match kind {
        BadKind::Stale => "whole and in place, but an older write",
        BadKind::Misplaced => "whole, but it belongs somewhere else",
        BadKind::Foreign => "whole and in place, but of another run or another target",
        BadKind::Torn => "beginning and end are from different writes",
        BadKind::Corrupt => "wrong bytes otherwise",
        BadKind::Unstamped => "without a stamp of iopath",
        BadKind::OtherUnit => "stamped for blocks of another size",
        BadKind::Unreadable => "the kernel could not read it",
    }
}
