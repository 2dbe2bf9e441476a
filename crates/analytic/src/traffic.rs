//! What crosses and reaches every component when streams have the rates of a solution.
//!
//! One pass over the legs in their order: what reaches a leg goes on to those it leads to. Where a
//! component has rows for its reads and writes, its traffic is what they count, so that it can be
//! held against them: behind its cache, for a volume. Else it is what requests carry.

use iopath_entities::is_apart;
use iopath_path::visits::enters;
use iopath_path::{ComponentId, Measure, Network, Row, RowId, Way};
use iopath_units::Op;

/// Per second, by operation (see [`Op::index`]).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Flow {
    pub bytes: [f64; 2],
    pub operations: [f64; 2],
}

/// Everything that flows.
pub(crate) struct Traffic {
    /// Requests per second of each leg.
    pub legs: Vec<f64>,
    /// What is used up of each row, by operation.
    pub rows: Vec<[f64; 2]>,
    /// What crosses or reaches each component.
    pub components: Vec<Flow>,
}

impl Traffic {
    /// The traffic at rates of the network's streams, in requests per second.
    pub(crate) fn of(network: &Network, rates: &[f64]) -> Self {
        let mut traffic = Self {
            legs: flows(network, rates),
            rows: vec![[0.0; 2]; network.rows.len()],
            components: vec![Flow::default(); network.components.len()],
        };
        let enters = enters(network);
        for (index, leg) in network.legs.iter().enumerate() {
            let flow = traffic.legs[index];
            if flow > 0.0 {
                traffic.add(network, index, enters[index]);
            }
            for charge in &leg.charges {
                traffic.rows[charge.row.0 as usize][leg.op.index()] += flow * charge.amount;
            }
        }
        for (index, component) in network.components.iter().enumerate() {
            traffic.count_rows(network, index, &component.rows);
        }
        traffic
    }

    /// Adds what one leg carries over its ways to its end.
    fn add(&mut self, network: &Network, leg: usize, enters: bool) {
        let flow = self.legs[leg];
        let leg = &network.legs[leg];
        let mut is_crossed = false;
        for Way { route, share } in &leg.ways {
            for (component, flipped) in &network.route(*route).crossed {
                let op = if *flipped { leg.op.reverse() } else { leg.op };
                self.cross(*component, op, flow * share, leg.bytes);
                is_crossed |= *component == leg.to;
                for row in &network.component(*component).rows {
                    self.use_up(network, (*row, op), flow * share, leg.bytes);
                }
            }
        }
        if enters && !is_crossed {
            self.cross(leg.to, leg.op, flow, leg.bytes);
        }
    }

    fn cross(&mut self, component: ComponentId, op: Op, flow: f64, bytes: u64) {
        let sum = &mut self.components[component.0 as usize];
        sum.bytes[op.index()] += flow * bytes as f64;
        sum.operations[op.index()] += flow;
    }

    /// As [`Network::crossing`], but by the operation that the row sees.
    fn use_up(&mut self, network: &Network, (row, op): (RowId, Op), flow: f64, bytes: u64) {
        let limit = network.row(row);
        if let Some(amount) = limit.used_by(op, bytes).filter(|_| limit.crossed) {
            self.rows[row.0 as usize][op.index()] += flow * amount;
        }
    }

    /// Puts what its rows count in the place of what requests carry.
    fn count_rows(&mut self, network: &Network, component: usize, rows: &[RowId]) {
        let flow = &mut self.components[component];
        for op in Op::BOTH {
            let counted = |measure: Measure| {
                let counts = |row: &&RowId| counts_traffic(network.row(**row), measure, op);
                let used = |row: &RowId| self.rows[row.0 as usize][op.index()];
                rows.iter().filter(counts).map(used).reduce(f64::max)
            };
            let (bytes, operations) = (counted(Measure::Bytes), counted(Measure::Operations));
            let at = op.index();
            flow.bytes[at] = bytes.unwrap_or(flow.bytes[at]);
            flow.operations[at] = operations.unwrap_or(flow.operations[at]);
        }
    }
}

/// Whether a row counts what passes its component, and not a resource of its own.
fn counts_traffic(row: &Row, measure: Measure, op: Op) -> bool {
    row.measure == measure && row.direction.carries(op) && !is_apart(row)
}

/// Requests per second of each leg when streams have these rates.
pub(crate) fn flows(network: &Network, rates: &[f64]) -> Vec<f64> {
    let mut flows = vec![0.0; network.legs.len()];
    for (stream, rate) in network.streams.iter().zip(rates) {
        for (leg, share) in &stream.roots {
            flows[leg.0 as usize] += rate * share;
        }
    }
    for index in 0..flows.len() {
        for next in &network.legs[index].next {
            flows[next.leg.0 as usize] += flows[index] * next.times;
        }
    }
    flows
}
