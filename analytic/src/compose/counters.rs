//! What flows, as counters: all that an entity's components carry in the window, together.

use iopath_record::{Counter, EntityId, Series};
use iopath_units::Op;

use super::bounds::whole;
use crate::entities::Table;
use crate::model::Model;
use crate::traffic::{Flow, Traffic};

/// Two values a counter: none at the beginning, all at the end. What stays at none is left out.
pub(super) fn series(
    model: &Model<'_>,
    table: &Table,
    traffic: &Traffic,
    seconds: u64,
) -> Vec<Series> {
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
    let of = |(entity, sum): (u32, &Sum)| sum.series(EntityId(entity), seconds);
    (0..).zip(&sums).flat_map(of).collect()
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

    fn series(&self, entity: EntityId, seconds: u64) -> impl Iterator<Item = Series> + use<> {
        let [read, write] = Op::BOTH.map(Op::index);
        let counters = [
            (Counter::ReadBytes, self.flow.bytes[read]),
            (Counter::WriteBytes, self.flow.bytes[write]),
            (Counter::ReadOperations, self.flow.operations[read]),
            (Counter::WriteOperations, self.flow.operations[write]),
            (Counter::BusyNs, self.busy * 1e9),
        ];
        counters.into_iter().filter(|(_, per_sec)| *per_sec > 0.0).map(move |(counter, per_sec)| {
            let total = whole(per_sec * seconds as f64);
            Series::from_values(entity, counter, &[0, total])
        })
    }
}
