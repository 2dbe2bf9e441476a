//! Blocks of a page as HTML.

use maud::{Markup, html};

use super::diagram::diagram;
use super::figure::figure;
use super::late;
use super::table::table;
use crate::document::{AdviceText, Block, Notice, Tile};
use crate::look::Tone;

pub(super) mod choice;

pub(super) fn block(block: &Block) -> Markup {
    match block {
        Block::Verdict(text) => html! { p.verdict { (text) } },
        Block::Tiles(all) => tiles(all),
        Block::Text(text) => html! { p { (text) } },
        Block::Lines(lines) => {
            html! { ul { @for line in lines { li { (line.trim_start_matches("- ")) } } } }
        }
        Block::Commands(all) => html! { pre { (all.join("\n")) } },
        Block::Verbatim(text) => html! { pre { (text) } },
        Block::Notice(notice) => self::notice(notice),
        Block::Table(of) => table(of),
        Block::Figure(of) => figure(of),
        Block::Diagram(of) => diagram(of),
        Block::Advice(all) => html! { @for one in all { (advice(one)) } },
        // The sections on layers and time show what was watched.
        Block::Watched(_) | Block::Trees(_) => html! {},
        Block::Fold(title, blocks) => {
            let rows: usize = blocks.iter().map(rows).sum();
            late::fold(title, rows, &html! { @for inner in blocks { (self::block(inner)) } })
        }
        Block::Cases(cases) => choice::cases(cases),
    }
}

/// A sentence about an experiment among others: its name is what the eye looks for.
pub(super) fn one_of_several(text: &str) -> Markup {
    match text.split_once(": ") {
        Some((name, rest)) => html! { p."verdict one" { strong { (name) } ": " (rest) } },
        None => html! { p."verdict one" { (text) } },
    }
}

/// Rows up to which a table of the answer is open: chosen, the first chart begins on the first
/// screen.
const OPEN: usize = 8;

/// A block of the answer: a long table does not keep the charts below the first screen.
pub(super) fn of_answer(block: &Block) -> Markup {
    match block {
        Block::Table(table) if table.rows() > OPEN => {
            late::fold("all trials in figures", table.rows(), &super::table::table(table))
        }
        _ => self::block(block),
    }
}

/// Rows of the tables and lists of a block.
fn rows(block: &Block) -> usize {
    match block {
        Block::Table(table) => table.rows(),
        Block::Lines(lines) => lines.len(),
        Block::Fold(_, blocks) => blocks.iter().map(rows).sum(),
        _ => 0,
    }
}

pub(super) fn has_chart(block: &Block) -> bool {
    match block {
        Block::Figure(_) => true,
        Block::Fold(_, blocks) => blocks.iter().any(has_chart),
        Block::Cases(cases) => cases.iter().flat_map(|case| &case.blocks).any(has_chart),
        _ => false,
    }
}

fn tiles(all: &[Tile]) -> Markup {
    html! {
        dl.tiles {
            @for Tile { name, value, note } in all {
                div { dt { (name) } dd { (value) @if !note.is_empty() { small { (note) } } } }
            }
        }
    }
}

fn notice(Notice { tone, what, text }: &Notice) -> Markup {
    let class = if *tone == Tone::Broken { "notice broken" } else { "notice" };
    html! {
        p class=(class) role="note" {
            @if !what.is_empty() { strong { (what) } ": " }
            (text)
        }
    }
}

fn advice(advice: &AdviceText) -> Markup {
    html! {
        div.advice {
            p { strong { (advice.what) } }
            @if !advice.commands.is_empty() { pre { (advice.commands.join("\n")) } }
            dl {
                @for (word, text) in advice.facts() { dt { (word) } dd { (text) } }
                @if !advice.undo.is_empty() {
                    dt { "undo" }
                    dd { code { (advice.undo.join("; ")) } }
                }
            }
        }
    }
}
