//! What verification found: how many blocks of each kind, and the first of them with their places.
//! `iopath show RUN --json` lists up to a thousand of them.

use iopath_record::{BadBlock, BadKind};
use iopath_units::System;

use super::Shown;
use crate::document::{Block, Section, Table};
use crate::numbers::{UNKNOWN, size};
use crate::view::run::TrialReport;

/// Blocks of a trial that have a row: chosen, more are a pattern already.
const ROWS: usize = 100;

/// Rows that are open: chosen, they show a pattern and fit a screen.
const OPEN: usize = 10;

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let trials = shown.trials;
    let damaged = trials.iter().filter(|trial| !trial.findings.bad_blocks.is_empty());
    let blocks: Vec<Block> = damaged.flat_map(|trial| blocks(trial, shown)).collect();
    Section::of("bad-blocks", "bad blocks", blocks)
}

fn blocks(trial: &TrialReport, shown: &Shown<'_>) -> Vec<Block> {
    let found = &trial.findings.bad_blocks;
    let kinds: Vec<_> = found.counts.iter().collect();
    let kinds = Table::of(&kinds)
        .column("kind", |(kind, _)| kind.name().to_owned())
        .column("blocks", |(_, count)| count.to_string())
        .column("what", |(kind, _)| meaning(**kind).to_owned());
    let first = &found.listed[..found.listed.len().min(ROWS)];
    let open = &first[..first.len().min(OPEN)];
    let mut blocks = vec![
        Block::broken(trial.label(), found.to_string()),
        Block::Table(kinds.done()),
        Block::Table(places(open, shown.system)),
    ];
    if first.len() > OPEN {
        let title = format!("where the first {} are", first.len());
        blocks.push(Block::Fold(title, vec![Block::Table(places(first, shown.system))]));
    }
    let more = found.total().saturating_sub(open.len() as u64);
    if more > 0 {
        let all = format!("… and {more} more: iopath show {} --json", shown.run.name());
        blocks.push(Block::Lines(vec![all]));
    }
    blocks
}

/// Blocks with their places.
fn places(blocks: &[BadBlock], system: System) -> Table {
    let unknown = || UNKNOWN.to_owned();
    let number = |value: Option<u32>| value.map_or_else(unknown, |value| value.to_string());
    let place = |bytes: u64| format!("{bytes} ({})", size(bytes, system));
    Table::of(blocks)
        .column("target", |block| block.target.clone())
        .column("offset", |block| place(block.offset_bytes))
        .expendable(1, "kind", |block| block.kind.name().to_owned())
        .expendable(4, "write wanted", |block| number(block.wanted_generation))
        .expendable(3, "write found", |block| number(block.found_generation))
        .expendable(2, "belongs to", |block| block.found_offset_bytes.map_or_else(unknown, place))
        .column("in words", |block| block.what.clone())
        .done()
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
