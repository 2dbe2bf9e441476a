//! What flows, as counters: all that an entity's components carry in the window, together.

use iopath_entities::Table;
use iopath_record::{Counter, EntityId, Series};
use iopath_units::Op;

use super::bounds::whole;
use crate::model::Model;
use crate::traffic::{Flow, Traffic};

/// A value at the beginning, which is none, and after each epoch. What stays at none is left out.
pub(super) fn series(
    model: &Model<'_>,
    table: &Table,
    epochs: &[Traffic],
    seconds: u64,
) -> Vec<Series> {
    let sums: Vec<Vec<Sum>> = epochs.iter().map(|traffic| sums(model, table, traffic)).collect();
    let entities = 0..table.entities.len() as u32;
    entities.flat_map(|entity| of_entity(EntityId(entity), &sums, seconds)).collect()
}

/// What each entity carries per second.
fn sums(model: &Model<'_>, table: &Table, traffic: &Traffic) -> Vec<Sum> {
    let mut sums = vec![Sum::default(); table.entities.len()];
    for (component, entity) in table.components.iter().enumerate() {
        let Some(entity) = entity else { continue };
        let sum = &mut sums[entity.0 as usize];
        sum.add(traffic.components[component]);
        let rows = model.network.components[component].rows.iter().map(|row| row.0 as usize);
        let own =
            rows.filter(|row| table.limits[*row].is_some_and(|limit| limit.entity == *entity));
        sum.busy += own.map(|row| busy(model, traffic, row)).sum::<f64>();
    }
    for (entity, rows) in &table.apart {
        let sum = &mut sums[entity.0 as usize];
        for row in rows.iter().map(|row| row.0 as usize) {
            sum.busy += busy(model, traffic, row);
            if model.network.rows[row].measure == iopath_path::Measure::Bytes {
                let bytes = traffic.rows[row];
                sum.add(Flow { bytes, ..Flow::default() });
            }
        }
    }
    sums
}

fn of_entity(entity: EntityId, epochs: &[Vec<Sum>], seconds: u64) -> Vec<Series> {
    let of = |epoch: &Vec<Sum>| epoch[entity.0 as usize].counters();
    let counters: Vec<[(Counter, f64); 5]> = epochs.iter().map(of).collect();
    let series = (0..5).filter_map(|number| {
        let counter = counters.first()?[number].0;
        let mut values = vec![0];
        let mut sum = 0.0;
        for epoch in &counters {
            sum += epoch[number].1 * seconds as f64;
            values.push(whole(sum));
        }
        (sum > 0.0).then(|| Series::from_values(entity, counter, &values))
    });
    series.collect()
}

/// Seconds of service per second of a row; 0 of one that counts something else.
fn busy(model: &Model<'_>, traffic: &Traffic, row: usize) -> f64 {
    match model.network.rows[row].measure {
        iopath_path::Measure::Busy => traffic.rows[row].iter().sum(),
        iopath_path::Measure::Bytes | iopath_path::Measure::Operations => 0.0,
    }
}

/// What one entity carries per second.
#[derive(Clone, Copy, Default)]
struct Sum {
    flow: Flow,
    busy: f64,
}

impl Sum {
    fn add(&mut self, flow: Flow) {
        for at in Op::BOTH.map(Op::index) {
            self.flow.bytes[at] += flow.bytes[at];
            self.flow.operations[at] += flow.operations[at];
        }
    }

    fn counters(&self) -> [(Counter, f64); 5] {
        let [read, write] = Op::BOTH.map(Op::index);
        [
            (Counter::ReadBytes, self.flow.bytes[read]),
            (Counter::WriteBytes, self.flow.bytes[write]),
            (Counter::ReadOperations, self.flow.operations[read]),
            (Counter::WriteOperations, self.flow.operations[write]),
            (Counter::BusyNs, self.busy * 1e9),
        ]
    }
}
