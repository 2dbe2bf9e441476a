//! Tables as HTML.

use maud::{Markup, html};

use crate::document::{Cells, Table};
use crate::numbers::UNKNOWN;

/// Characters up to which a cell that begins with a digit is a figure, and not a sentence: chosen.
const FIGURE: usize = 20;

/// Figures stand right, so that their digits do, and so does what heads them; the first column is a
/// name.
pub(super) fn table(table: &Table) -> Markup {
    let numbers: Vec<bool> = (0..).zip(&table.columns).map(is_of_figures).collect();
    html! {
        div.wide {
            table {
                @if !table.title.is_empty() { caption { (table.title) } }
                thead {
                    tr {
                        @for (column, number) in table.columns.iter().zip(&numbers) {
                            th class=[number.then_some("number")] scope="col" { (column.title) }
                        }
                    }
                }
                tbody {
                    @for row in 0..table.rows() {
                        tr {
                            @for (at, column) in table.columns.iter().enumerate() {
                                @let is_figure = is_figure(&column.cells[row]);
                                (cell(column, row, at > 0 && (is_figure || numbers[at])))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A cell, with a bar below it where its column has some.
fn cell(column: &Cells, row: usize, is_number: bool) -> Markup {
    let bar = column.bars.get(row).filter(|share| **share > 0.0);
    html! {
        td class=[is_number.then_some("number")] {
            (column.cells[row])
            @if let Some(share) = bar {
                span.bar style=(format!("--share: {:.1}%", share * 100.0)) {}
            }
        }
    }
}

/// Whether a column holds figures, and nothing else but cells in which none is known.
fn is_of_figures((at, column): (usize, &Cells)) -> bool {
    let is_nothing = |cell: &String| cell.is_empty() || cell == UNKNOWN;
    at > 0
        && column.cells.iter().any(|cell| is_figure(cell))
        && column.cells.iter().all(|cell| is_figure(cell) || is_nothing(cell))
}

fn is_figure(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['+', '-']);
    digits.starts_with(|c: char| c.is_ascii_digit()) && cell.chars().count() <= FIGURE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_heads_figures_stands_above_them() {
        let rows = [["a", "5 MB/s", "1 of 2 hold"], ["b", "-", "none"]];
        let table = Table::of(&rows)
            .column("case", |row| row[0].to_owned())
            .column("throughput", |row| row[1].to_owned())
            .column("found", |row| row[2].to_owned());
        let text = self::table(&table.done()).into_string();
        assert!(text.contains("<th class=\"number\" scope=\"col\">throughput</th>"), "{text}");
        assert!(text.contains("<td class=\"number\">-</td>"), "{text}");
        assert!(text.contains("<th scope=\"col\">found</th>"), "{text}");
    }
}
