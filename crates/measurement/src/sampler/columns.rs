//! Sampled values, column by column, in the order in which sources give them.

use iopath_record::{Counter, EntityId, Series};

/// One column a counter of an entity; a value a sample.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    columns: Vec<Column>,
    /// Samples that are complete.
    samples: usize,
    /// Where the next value is expected, as sources keep their order.
    next: usize,
}

#[derive(Debug)]
struct Column {
    entity: EntityId,
    counter: Counter,
    values: Vec<u64>,
    missing: Vec<u32>,
}

impl Columns {
    /// Takes a value of the present sample.
    pub(crate) fn put(&mut self, entity: EntityId, counter: Counter, value: u64) {
        let is = |column: &Column| column.entity == entity && column.counter == counter;
        let found = match self.columns.get(self.next) {
            Some(column) if is(column) => Some(self.next),
            _ => self.columns.iter().position(is),
        };
        let index = found.unwrap_or_else(|| {
            self.columns.push(Column::late(entity, counter, self.samples, value));
            self.columns.len() - 1
        });
        self.next = index + 1;
        self.columns[index].values.push(value);
    }

    pub(crate) fn put_all(&mut self, entity: EntityId, counters: &[(Counter, u64)]) {
        counters.iter().for_each(|(counter, value)| self.put(entity, *counter, *value));
    }

    /// Marks what was not given in this sample as missing.
    pub(crate) fn end_of_sample(&mut self) {
        self.samples += 1;
        self.next = 0;
        for column in &mut self.columns {
            if column.values.len() < self.samples {
                let last = column.values.last().copied().unwrap_or_default();
                column.missing.push(u32::try_from(self.samples - 1).unwrap_or(u32::MAX));
                column.values.push(last);
            }
        }
    }

    pub(crate) fn into_series(self) -> Vec<Series> {
        let series = |column: Column| Series {
            missing: column.missing,
            ..Series::from_values(column.entity, column.counter, &column.values)
        };
        self.columns.into_iter().map(series).collect()
    }
}

impl Column {
    /// A column that first could be read in a later sample: its first value stands for the
    /// earlier ones, marked as missing.
    fn late(entity: EntityId, counter: Counter, samples: usize, value: u64) -> Self {
        let missing = (0..u32::try_from(samples).unwrap_or(u32::MAX)).collect();
        Self { entity, counter, values: vec![value; samples], missing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_repeats_the_value_before_and_is_marked() {
        let mut columns = Columns::default();
        let (disk, cpu) = (EntityId(0), EntityId(1));
        columns.put(disk, Counter::ReadBytes, 5);
        columns.end_of_sample();
        columns.put(cpu, Counter::UserNs, 7);
        columns.end_of_sample();
        columns.put(disk, Counter::ReadBytes, 9);
        columns.put(cpu, Counter::UserNs, 8);
        columns.end_of_sample();
        let series = columns.into_series();
        assert_eq!(series[0].values().collect::<Vec<_>>(), [5, 5, 9]);
        assert_eq!(series[0].missing, [1]);
        assert_eq!(series[1].values().collect::<Vec<_>>(), [7, 7, 8]);
        assert_eq!(series[1].missing, [0]);
    }
}
