//! Tables that fit: when one is too wide, its less important columns are left out; when that is
//! not enough, cells are broken into lines.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table as Drawing};

use crate::document::{Cells, Table};
use crate::wrap::{harmless, wrap};

/// The table below its title, where it has one.
pub(super) fn titled(table: &Table, indent: usize, width: u16) -> String {
    match table.rows() {
        0 => String::new(),
        _ if table.title.is_empty() => render(table, width),
        _ => format!("{}\n{}", wrap(&table.title, indent, width), render(table, width)),
    }
}

/// The table, indented by two, and a line about columns that were left out.
fn render(table: &Table, width: u16) -> String {
    let mut columns: Vec<&Cells> = table.columns.iter().collect();
    let mut left_out = Vec::new();
    let room = width.saturating_sub(2).max(20);
    loop {
        let text = draw(&columns, None);
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or_default();
        if widest <= usize::from(room) {
            return finish(&text, &left_out);
        }
        let Some(at) = most_expendable(&columns) else {
            return finish(&draw(&columns, Some(room)), &left_out);
        };
        left_out.push(columns.remove(at).title.as_str());
    }
}

fn most_expendable(columns: &[&Cells]) -> Option<usize> {
    let each = columns.iter().enumerate().filter(|(_, column)| column.expendable > 0);
    each.max_by_key(|(_, column)| column.expendable).map(|(at, _)| at)
}

fn draw(columns: &[&Cells], room: Option<u16>) -> String {
    let mut table = Drawing::new();
    table.load_style(NOTHING).set_header(columns.iter().map(|column| &column.title));
    if let Some(room) = room {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(room);
    }
    let rows = columns.first().map_or(0, |column| column.cells.len());
    for row in 0..rows {
        table.add_row(columns.iter().map(|column| harmless(&column.cells[row])));
    }
    // Names read from the left, figures from their last digit; the first column is a name.
    for (column, ours) in table.column_iter_mut().zip(columns).skip(1) {
        if ours.cells.iter().any(|cell| cell.starts_with(|c: char| c.is_ascii_digit())) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

fn finish(text: &str, left_out: &[&str]) -> String {
    let indented: Vec<_> =
        text.lines().map(|line| format!(" {line}").trim_end().to_owned()).collect();
    let mut text = indented.join("\n");
    if !left_out.is_empty() {
        text.push_str(&format!("\n  (hidden, terminal too narrow: {})", left_out.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table::of(&[()])
            .column("trial", |()| "read".to_owned())
            .expendable(2, "p50", |()| "4.000 ms".to_owned())
            .expendable(1, "max", |()| "9 ms".to_owned())
            .done()
    }

    #[test]
    fn drops_the_most_expendable_column_first() {
        assert!(!render(&table(), 80).contains("hidden"));
        let narrow = render(&table(), 22);
        assert!(narrow.contains("max") && narrow.contains("narrow: p50"), "{narrow}");
    }

    #[test]
    fn breaks_cells_when_nothing_can_be_left_out() {
        let table = Table::of(&["a name that is far too long for it"]);
        let text = render(&table.column("trial", |name| (*name).to_owned()).done(), 22);
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.len() <= 22), "{text}");
    }
}
