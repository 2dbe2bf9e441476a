//! What a request counts for at the components on its way and at its end.
//!
//! A component that has rates counts what these use up, so that its counters can be held against
//! them; one without counts what the request carries. A component that is crossed against its
//! direction takes a read for a write. These are the rules of the analytic model's traffic. A
//! request is taken to be in every component from when it has its tokens until it is done: what it
//! waits for below counts above, too, as in the counters of a kernel's devices.

use std::collections::BTreeMap;

use iopath_entities::is_apart;
use iopath_path::{Charge, ComponentId, Departure, End, Hop, Measure, Network, Row, RowId};
use iopath_units::Op;

/// What one request counts for at one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passed {
    pub component: ComponentId,
    /// What it is to the component.
    pub op: Op,
    pub bytes: u64,
    pub operations: u64,
    /// Whether it spends its time there.
    pub stays: bool,
}

/// What one request uses of a row that is an entity of its own: memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    pub row: u32,
    pub op: Op,
    pub bytes: u64,
}

/// What one request has on its way.
pub(crate) struct OnWay<'a> {
    pub departure: &'a Departure,
    pub hop: &'a Hop,
    pub crossed: &'a [(ComponentId, bool)],
}

#[derive(Default)]
struct At {
    /// How often the request comes here.
    times: u64,
    stays: bool,
    charges: Vec<Charge>,
}

/// What a request counts for, by component.
pub(crate) fn passed(network: &Network, on_way: &OnWay<'_>) -> Vec<Passed> {
    let OnWay { departure, hop, crossed } = on_way;
    let Departure { to, op, bytes, .. } = **departure;
    let mut at: BTreeMap<(ComponentId, Op), At> = BTreeMap::new();
    for (component, flipped) in *crossed {
        let op = if *flipped { op.reverse() } else { op };
        let at = at.entry((*component, op)).or_default();
        at.times += 1;
        at.stays = true;
        at.charges.extend(crossing(network, &network.component(*component).rows, op, bytes));
    }
    let end = on_way.end();
    // What goes on behind a page cache has come to its file already.
    if departure.behind != Some(end) {
        let here = at.entry((end, op)).or_default();
        here.times = here.times.max(1);
        here.stays |= departure.behind.is_none() || network.component(to).outstanding.is_none();
    }
    if let Some(pool) = hop.outstanding {
        let holder = network.pools[pool.0 as usize].component;
        at.entry((holder, op)).or_default().stays = true;
    }
    for charge in hop.leaving.iter().chain(&hop.charges) {
        let row = network.row(charge.row);
        if !is_apart(row) {
            let here = at.entry((row.component, op)).or_default();
            // What goes on from a cache, or comes back to it, is in its memory meanwhile.
            here.stays |= departure.behind == Some(row.component);
            here.charges.push(*charge);
        }
    }
    let counted = at.into_iter().map(|((component, op), at)| Passed {
        component,
        op,
        bytes: used(network, (component, op), (&at, Measure::Bytes), bytes),
        operations: used(network, (component, op), (&at, Measure::Operations), 1),
        stays: at.stays,
    });
    counted.collect()
}

/// What a request moves through memory.
pub(crate) fn moved(network: &Network, on_way: &OnWay<'_>) -> Vec<Moved> {
    let charges = on_way.hop.leaving.iter().chain(&on_way.hop.charges);
    let of = |charge: &Charge| {
        let row = network.row(charge.row);
        (is_apart(row) && row.measure == Measure::Bytes).then(|| Moved {
            row: charge.row.0,
            op: on_way.departure.op,
            bytes: charge.amount.round() as u64,
        })
    };
    charges.filter_map(of).collect()
}

impl OnWay<'_> {
    /// What a request ends at: the cache in front of its volume, or the volume.
    pub(crate) fn end(&self) -> ComponentId {
        match &self.hop.end {
            End::Cache(end) => end.cache,
            End::Medium(_) | End::Volume { .. } | End::Bare | End::FileSystem { .. } => {
                self.departure.to
            }
        }
    }
}

/// What a request uses of the rows of a component that it crosses.
pub(super) fn crossing(network: &Network, rows: &[RowId], op: Op, bytes: u64) -> Vec<Charge> {
    let charge = |&row: &RowId| {
        let limit = network.row(row);
        let amount = limit.used_by(op, bytes).filter(|_| limit.crossed)?;
        Some(Charge { row, amount })
    };
    rows.iter().filter_map(charge).collect()
}

/// What the rows of a component count of a request, the most of them; what it carries where none
/// of them counts such.
fn used(
    network: &Network,
    (component, op): (ComponentId, Op),
    (at, measure): (&At, Measure),
    carried: u64,
) -> u64 {
    let counts = |row: &Row| row.measure == measure && row.direction.carries(op) && !is_apart(row);
    let rows = network.component(component).rows.iter();
    let of = |row: &RowId| {
        let mine = at.charges.iter().filter(|charge| charge.row == *row);
        mine.map(|charge| charge.amount).sum::<f64>()
    };
    let most = rows.filter(|row| counts(network.row(**row))).map(of).reduce(f64::max);
    most.map_or(carried * at.times, |most| most.round() as u64)
}
