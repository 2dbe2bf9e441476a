//! Tables that fit: when one is too wide, its less important columns are left out; when that is
//! not enough, cells are broken into lines.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use crate::wrap::harmless;

/// A column with its cells.
pub(crate) struct Column {
    pub title: &'static str,
    pub cells: Vec<String>,
    /// Order in which columns are left out, the greatest first; 0 always stays.
    pub expendable: u8,
}

impl Column {
    pub(crate) fn needed(title: &'static str, cells: Vec<String>) -> Self {
        Self { title, cells, expendable: 0 }
    }
}

/// The table, indented by two, and a line about columns that were left out.
pub(crate) fn render(mut columns: Vec<Column>, width: u16) -> String {
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
        left_out.push(columns.remove(at).title);
    }
}

fn most_expendable(columns: &[Column]) -> Option<usize> {
    let each = columns.iter().enumerate().filter(|(_, column)| column.expendable > 0);
    each.max_by_key(|(_, column)| column.expendable).map(|(at, _)| at)
}

fn draw(columns: &[Column], room: Option<u16>) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(columns.iter().map(|column| column.title));
    if let Some(room) = room {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(room);
    }
    let rows = columns.iter().map(|column| column.cells.len()).max().unwrap_or_default();
    for row in 0..rows {
        table.add_row(
            columns.iter().map(|column| harmless(column.cells.get(row).map_or("", String::as_str))),
        );
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
        text.push_str(&format!("\n  (left out for want of width: {})", left_out.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        let column = |title, cell: &str, expendable| Column {
            title,
            cells: vec![cell.to_owned()],
            expendable,
        };
        vec![column("trial", "read", 0), column("p50", "4.000 ms", 2), column("max", "9 ms", 1)]
    }

    #[test]
    fn drops_the_most_expendable_column_first() {
        assert!(!render(columns(), 80).contains("left out"));
        let narrow = render(columns(), 22);
        assert!(narrow.contains("max") && narrow.contains("width: p50"), "{narrow}");
    }

    #[test]
    fn breaks_cells_when_nothing_can_be_left_out() {
        let cells = vec!["a name that is far too long for it".to_owned()];
        let text = render(vec![Column::needed("trial", cells)], 22);
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.len() <= 22), "{text}");
    }
}
