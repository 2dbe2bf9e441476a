//! The rows of a network as stations: what serves, and how evenly.
//!
//! Service is as long as a rate says (no variation), unless the study states a `variability` of
//! the component: then it is gamma distributed with that coefficient of variation, so that 1 is
//! exactly exponential.
//!
//! Buckets of tokens begin empty: a full one outlasts a simulation (those of the studies 30
//! minutes), and what is asked for is what lasts. A load that leaves part of the rate unused fills
//! them.

use iopath_path::{Burst, Measure, Network, Pool as Tokens, Row};
use iopath_study::Case;
use iopath_study::words::Waiting;

use iopath_workload::{Purpose, Source};

use crate::core::{Bucket, Pool, Ps, Service, Station};

/// What serves the requests of a row.
pub(crate) fn station(row: &Row) -> Station {
    match (row.measure, row.burst) {
        (Measure::Busy, _) => Station::of(row.capacity.round() as u32),
        (Measure::Bytes | Measure::Operations, Some(Burst { tokens, rate })) => {
            Station::Bucket(Bucket::empty(tokens, rate, row.capacity))
        }
        (Measure::Bytes | Measure::Operations, None) => Station::of(1),
    }
}

/// Tokens, and in which order those that wait get them: as they came, unless the part says
/// `waiting="any-order"` of its `outstanding`.
pub(crate) fn pool(case: &Case, network: &Network, pool: &Tokens, seed: u64) -> Pool {
    let system = &case.system;
    let in_any_order = system.choice(pool.component.into(), "waiting") == Some(Waiting::AnyOrder);
    if !in_any_order || pool.property != "outstanding" {
        return Pool::new(pool.tokens);
    }
    let name = &network.component(pool.component).name;
    Pool::in_any_order(pool.tokens, Source::of(seed, name, Purpose::Order))
}

/// How evenly rows serve.
#[derive(Debug)]
pub(crate) struct Varying {
    rows: Vec<Option<(Service, Source)>>,
}

impl Varying {
    pub(crate) fn new(network: &Network, seed: u64) -> Self {
        let draws = |row: &Row| {
            let component = network.component(row.component);
            let cv = component.variability.filter(|cv| *cv > 0.0)?;
            let name = format!("{} {}", component.name, row.property);
            Some((Service::gamma(cv), Source::of(seed, &name, Purpose::Service)))
        };
        Self { rows: network.rows.iter().map(draws).collect() }
    }

    /// The time that one request is served.
    #[inline]
    pub(crate) fn draw(&mut self, row: u32, mean: Ps) -> Ps {
        match &mut self.rows[row as usize] {
            None => mean,
            Some((service, source)) => service.draw(mean, source),
        }
    }
}
