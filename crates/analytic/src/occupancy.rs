//! How many components of each declaration requests keep busy, by each of their limits.
//!
//! Law: a component is busy for the rate of requests times what each of them demands of it over
//! what it serves with (utilisation law; Denning and Buzen, ACM Computing Surveys 10, 1978). Added
//! over all components of a declaration, this is how many of them the requests keep busy, so at
//! least that many are needed, however the load spreads over them.
//!
//! Limits are looked at one by one, as reads and writes may use the two directions of one link at
//! once. Where components of one declaration serve with different rates, each counts as the
//! fastest, so the number is never too high. It leaves out what keeps them from being busy all the
//! time.

use std::collections::BTreeMap;

use iopath_path::visits::Charges;
use iopath_path::{Direction, Measure, Network, Row, RowId, assumed_processors};
use iopath_study::{Case, PartId};

use crate::compose::shares_of_bytes;
use crate::demand::{Demand, StreamClass};
use crate::times::{NoSlowdown, Span, Stages, alone, spans};

/// What all streams keep busy, and what there is of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Occupancies {
    /// The limits that count.
    pub limits: Vec<Limit>,
    /// Of each limit, how many components there are, in numbers of the fastest of them.
    pub there: Vec<f64>,
    /// By class of streams; nothing where streams run one after the other.
    pub classes: Vec<Occupancy>,
}

/// One of the limits that components of a declaration have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Limit {
    /// The name of the declaration without indices.
    pub of: String,
    property: &'static str,
    measure: Measure,
    direction: Direction,
    /// Among those of one component that are equal in all of this.
    nth: usize,
}

/// What requests of some streams move and keep busy.
#[derive(Clone, Debug, PartialEq)]
pub struct Occupancy {
    /// Bytes of one, by [`iopath_units::Op::index`].
    pub bytes: [f64; 2],
    /// Of each limit, how many components one a second keeps busy.
    pub busy: Vec<f64>,
    /// Requests per second of all of the streams at most, while no others are in the way: by those
    /// that they keep in flight (Little's law), and by the rate that they have.
    pub most: f64,
}

/// What the streams of a case keep busy. Processor times that are assumed are left out, as they may
/// limit nothing (see `evaluate`); with them, requests in flight limit nothing either.
#[must_use]
pub fn occupancies(case: &Case, network: &Network) -> Occupancies {
    let charges = Charges::of(network);
    let rates: Vec<f64> = network.rows.iter().map(|row| alone(row, row.capacity)).collect();
    let spans = spans(network, &Stages::of(network, &charges, &rates), &NoSlowdown);
    let demand = Demand::of(network, &|_| 0, (&charges, &spans));
    if demand.epochs > 1 {
        return Occupancies::default();
    }
    let assumed = assumed_processors(&case.system, network);
    let rows = Rows::of(case, network, &|row| assumed.contains(&row));
    let of = |(number, class): (usize, &StreamClass)| {
        let mut busy = vec![0.0; rows.limits.len()];
        for (row, amount) in demand.matrix.limits_of(number) {
            if let Some(Some(limit)) = rows.limit_of.get(*row as usize) {
                busy[*limit] += amount / class.count() / rows.fastest[*limit];
            }
        }
        let shares = shares_of_bytes(network, &network.streams[class.streams[0]]);
        let most = if assumed.is_empty() { most(class, &spans) } else { f64::INFINITY };
        Occupancy { bytes: shares.map(|share| share * class.bytes), busy, most }
    };
    let classes = demand.classes.iter().enumerate().map(of).collect();
    let there = rows.all.iter().zip(&rows.fastest).map(|(all, fastest)| all / fastest).collect();
    Occupancies { limits: rows.limits, there, classes }
}

/// Requests per second of all streams of a class at most.
fn most(class: &StreamClass, spans: &[Span]) -> f64 {
    let in_flight = class.in_flight / class.zero_load(spans);
    class.count() * class.wants.map_or(in_flight, |wants| wants.min(in_flight))
}

/// The rows of a network by limit.
#[derive(Default)]
struct Rows {
    limits: Vec<Limit>,
    /// By row; none where it does not count.
    limit_of: Vec<Option<usize>>,
    /// By limit: what the fastest component serves with, and what all do.
    fastest: Vec<f64>,
    all: Vec<f64>,
}

impl Rows {
    fn of(case: &Case, network: &Network, is_left_out: &dyn Fn(RowId) -> bool) -> Self {
        let (mut rows, mut known, mut seen) = (Self::default(), BTreeMap::new(), BTreeMap::new());
        for (at, row) in network.rows.iter().enumerate() {
            let Row { component, property, measure, direction, capacity, .. } = *row;
            let nth: &mut usize =
                seen.entry((component, property, measure, direction)).or_default();
            *nth += 1;
            let id = PartId(component.0 as usize);
            let key = (case.system.part(id).declared, property, measure, direction, *nth);
            let limit = *known.entry(key).or_insert_with(|| {
                let of = case.system.path(id);
                rows.add(Limit { of, property, measure, direction, nth: *nth })
            });
            rows.fastest[limit] = rows.fastest[limit].max(capacity);
            rows.all[limit] += capacity;
            rows.limit_of.push((!is_left_out(RowId(at as u32))).then_some(limit));
        }
        rows
    }

    fn add(&mut self, limit: Limit) -> usize {
        self.limits.push(limit);
        self.fastest.push(0.0);
        self.all.push(0.0);
        self.limits.len() - 1
    }
}
