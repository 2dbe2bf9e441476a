//! Blocks of a page as HTML.

use maud::{Markup, html};

use super::diagram::diagram;
use super::figure::figure;
use crate::numbers::UNKNOWN;
use crate::page::{Block, Table};
use crate::words::advice::AdviceText;

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

/// Figures stand right, so that their digits do, and so does what heads them; the first column is a
/// name.
pub(super) fn table(table: &Table) -> Markup {
    let numbers: Vec<bool> = (0..table.head.len()).map(|at| is_of_figures(table, at)).collect();
    html! {
        div.wide {
            table {
                @if !table.title.is_empty() { caption { (table.title) } }
                thead {
                    tr {
                        @for (cell, number) in table.head.iter().zip(&numbers) {
                            th class=[number.then_some("number")] scope="col" { (cell) }
                        }
                    }
                }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (at, cell) in row.iter().enumerate() {
                                @let number = is_figure(cell) || numbers.get(at) == Some(&true);
                                td class=[(at > 0 && number).then_some("number")] { (cell) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Whether a column holds figures, and nothing else but cells in which none is known.
fn is_of_figures(table: &Table, at: usize) -> bool {
    let cells = || table.rows.iter().filter_map(|row| row.get(at));
    let is_nothing = |cell: &String| cell.is_empty() || cell == UNKNOWN;
    at > 0
        && cells().any(|cell| is_figure(cell))
        && cells().all(|cell| is_figure(cell) || is_nothing(cell))
}

fn is_figure(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['+', '-']);
    digits.starts_with(|c: char| c.is_ascii_digit()) && cell.chars().count() <= FIGURE
}

fn advice(advice: &AdviceText) -> Markup {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_heads_figures_stands_above_them() {
        let words = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = vec![words(["a", "5 MB/s", "1 of 2 hold"]), words(["b", "-", "none"])];
        let (head, title) = (words(["case", "throughput", "found"]), String::new());
        let text = table(&Table { title, head, rows }).into_string();
        assert!(text.contains("<th class=\"number\" scope=\"col\">throughput</th>"), "{text}");
        assert!(text.contains("<td class=\"number\">-</td>"), "{text}");
        assert!(text.contains("<th scope=\"col\">found</th>"), "{text}");
    }
}
