//! Tables, column by column.

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What it shows, in a few words; may be empty.
    pub title: String,
    /// As long as one another.
    pub columns: Vec<Cells>,
}

/// A column of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    pub title: String,
    /// Cells, as they are read.
    pub cells: Vec<String>,
    /// The order in which columns give way on a narrow terminal, the greatest first; 0 stays.
    pub expendable: u8,
    /// Bars below the cells, from 0 to 1; empty where there are none.
    pub bars: Vec<f64>,
}

impl Table {
    /// A table about things of one kind, a row each.
    pub(crate) fn of<T>(rows: &[T]) -> Rows<'_, T> {
        Rows { rows, table: Self::default() }
    }

    /// How many rows it has.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.cells.len())
    }
}

/// Things of which a table is made, column by column.
pub(crate) struct Rows<'a, T> {
    rows: &'a [T],
    table: Table,
}

impl<T> Rows<'_, T> {
    pub(crate) fn titled(mut self, title: impl Into<String>) -> Self {
        self.table.title = title.into();
        self
    }

    /// A column that stays on narrow terminals.
    pub(crate) fn column(self, title: &str, cell: impl Fn(&T) -> String) -> Self {
        self.expendable(0, title, cell)
    }

    /// A column that gives way, the greatest order first.
    pub(crate) fn expendable(
        mut self,
        order: u8,
        title: &str,
        cell: impl Fn(&T) -> String,
    ) -> Self {
        let cells = self.rows.iter().map(cell).collect();
        let column = Cells { title: title.to_owned(), cells, expendable: order, bars: Vec::new() };
        self.table.columns.push(column);
        self
    }

    /// A column that is only there where it says something.
    pub(crate) fn column_if(
        self,
        is_there: bool,
        title: &str,
        cell: impl Fn(&T) -> String,
    ) -> Self {
        if is_there { self.column(title, cell) } else { self }
    }

    /// Bars in the last column, as shares of the greatest amount.
    pub(crate) fn bars(mut self, amount: impl Fn(&T) -> f64) -> Self {
        let amounts: Vec<f64> = self.rows.iter().map(amount).collect();
        let most = amounts.iter().copied().fold(0.0, f64::max);
        if let Some(column) = self.table.columns.last_mut().filter(|_| most > 0.0) {
            column.bars = amounts.into_iter().map(|amount| amount / most).collect();
        }
        self
    }

    pub(crate) fn done(self) -> Table {
        self.table
    }
}

impl<T> From<Rows<'_, T>> for Table {
    fn from(rows: Rows<'_, T>) -> Self {
        rows.done()
    }
}
