//! Blocks of a page as HTML.

use iopath_analysis::Advice;
use maud::{Markup, html};

use super::diagram::diagram;
use super::figure::figure;
use crate::page::{Block, Table};

pub(super) fn block(block: &Block) -> Markup {
    match block {
        Block::Verdict(text) => html! { p.verdict { (text) } },
        Block::Text(text) => html! { p { (text) } },
        Block::Lines(lines) => html! { ul { @for line in lines { li { (line) } } } },
        Block::Verbatim(text) => html! { pre { (text) } },
        Block::Notice(what, text) => {
            html! { p.notice role="note" { strong { (what) } ": " (text) } }
        }
        Block::Table(table) => self::table(table),
        Block::Figure(of) => figure(of),
        Block::Diagram(of) => diagram(of),
        Block::Advice(advice) => self::advice(advice),
        Block::Fold(title, blocks) => html! {
            details {
                summary { (title) }
                @for inner in blocks { (self::block(inner)) }
            }
        },
    }
}

pub(super) fn has_chart(block: &Block) -> bool {
    match block {
        Block::Figure(_) => true,
        Block::Fold(_, blocks) => blocks.iter().any(has_chart),
        Block::Verdict(_)
        | Block::Text(_)
        | Block::Lines(_)
        | Block::Verbatim(_)
        | Block::Notice(..)
        | Block::Table(_)
        | Block::Diagram(_)
        | Block::Advice(_) => false,
    }
}

/// Characters up to which a cell that begins with a digit is a figure, and not a sentence: chosen.
const FIGURE: usize = 20;

/// Figures stand right, so that their digits do; the first column is a name.
pub(super) fn table(table: &Table) -> Markup {
    html! {
        div.wide {
            table {
                @if !table.title.is_empty() { caption { (table.title) } }
                thead { tr { @for cell in &table.head { th scope="col" { (cell) } } } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (at, cell) in row.iter().enumerate() {
                                td.number[at > 0 && is_figure(cell)] { (cell) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn is_figure(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['+', '-']);
    digits.starts_with(|c: char| c.is_ascii_digit()) && cell.chars().count() <= FIGURE
}

fn advice(advice: &Advice) -> Markup {
    let said = [("gain", &advice.gain), ("risk", &advice.risk), ("restart", &advice.restart)];
    html! {
        div.advice {
            p { strong { (advice.what) } }
            @if !advice.commands.is_empty() { pre { (advice.commands.join("\n")) } }
            dl {
                @for (word, text) in said { dt { (word) } dd { (text) } }
                @if let Some(text) = &advice.persistent { dt { "to keep it" } dd { (text) } }
                @if !advice.undo.is_empty() {
                    dt { "undo" }
                    dd { code { (advice.undo.join("; ")) } }
                }
            }
        }
    }
}
