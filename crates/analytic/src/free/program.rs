//! A linear program as flows need it: columns that are not negative, limits and balances, and the
//! greatest worth.

/// The greatest `worth · x` of all `x ≥ 0` that keep every row's relation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Program {
    /// What one unit of each column is worth.
    pub worth: Vec<f64>,
    /// What holds in each row.
    pub relations: Vec<Relation>,
    /// The matrix by rows, then columns; each place at most once.
    pub entries: Vec<Entry>,
}

/// What the sum of a row must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Relation {
    /// At most so much; no factor of such a row is negative.
    AtMost(f64),
    /// Nothing: what comes in goes out.
    Balanced,
}

/// One place of the matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    pub row: u32,
    pub column: u32,
    pub factor: f64,
}

/// An optimum.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Solution {
    /// The worth: an upper bound of all that is possible, and attained but for rounding.
    pub total: f64,
    /// Of each column.
    pub values: Vec<f64>,
    /// Of each row: how much worth another unit of its limit gives.
    pub prices: Vec<f64>,
}

impl Solution {
    /// The optimum of a program in which nothing can flow, or nothing is worth anything.
    pub(super) fn nothing(program: &Program) -> Self {
        let values = vec![0.0; program.worth.len()];
        Self { total: 0.0, values, prices: vec![0.0; program.relations.len()] }
    }
}

impl Program {
    pub(super) fn add_column(&mut self, worth: f64) -> u32 {
        self.worth.push(worth);
        (self.worth.len() - 1) as u32
    }

    pub(super) fn add_row(&mut self, relation: Relation) -> u32 {
        self.relations.push(relation);
        (self.relations.len() - 1) as u32
    }

    /// Adds to a place of the matrix; [`Program::tidied`] sums what was added to one place.
    pub(super) fn add(&mut self, row: u32, column: u32, factor: f64) {
        if factor != 0.0 {
            self.entries.push(Entry { row, column, factor });
        }
    }

    /// The same program with its entries in order, each place once.
    pub(super) fn tidied(mut self) -> Self {
        self.entries = by_row(&self.entries, self.relations.len());
        for row in self.entries.chunk_by_mut(|one, other| one.row == other.row) {
            row.sort_by_key(|entry| entry.column);
        }
        self.entries.dedup_by(|later, first| {
            let same = (later.row, later.column) == (first.row, first.column);
            if same {
                first.factor += later.factor;
            }
            same
        });
        self
    }

    /// Each row that has entries: its relation and its entries.
    pub(super) fn rows(&self) -> impl Iterator<Item = (Relation, &[Entry])> {
        let rows = self.entries.chunk_by(|one, other| one.row == other.row);
        rows.map(|entries| (self.relations[entries[0].row as usize], entries))
    }
}

/// Entries in the order of their rows, those of one row as they were. Counting beats comparing:
/// there are many entries and not many in a row.
fn by_row(entries: &[Entry], rows: usize) -> Vec<Entry> {
    let mut next = vec![0; rows + 1];
    for entry in entries {
        next[entry.row as usize + 1] += 1;
    }
    for row in 0..rows {
        next[row + 1] += next[row];
    }
    let mut ordered = vec![Entry { row: 0, column: 0, factor: 0.0 }; entries.len()];
    for entry in entries {
        let place = &mut next[entry.row as usize];
        ordered[*place] = *entry;
        *place += 1;
    }
    ordered
}
