//! Response time against load.
//!
//! A request takes its zero-load time and waits at every row on its way. What waits at a row with
//! one server is told by the law of Pollaczek and Khinchine, with c servers by Sakasegawa's
//! approximation (Annals of the Institute of Statistical Mathematics 29, 1977), which for one
//! server is the same:
//!
//! ```text
//! wait = ρ^(√(2(c+1)) − 1) / (c (1 − ρ)) · E[S²] / (2 E[S])
//! ```
//!
//! with utilisation ρ and the service times S of all kinds of requests that come there; their own
//! coefficient of variation is the stated one, else 1, as of exponential times. Rows of one
//! component are served side by side, so one waits for the slower. At a contended drive
//! ([`crate::contention`]) a request that takes s alone takes s / (1 − c ρ) where that is longer.
//! The thread that sends a stream's requests is a server, too, with exponential times. Load grows
//! in proportion: of streams with a rate of their own by that, of closed ones by their fair share;
//! the first row or thread that is used up is the end of it.
//!
//! It leaves out that arrivals behind a queue are no longer random, pools, that requests of one row
//! of a contended drive feel those of another, and, for parts of one
//! request, that their waits differ: the mean one counts, or the longest of copies.

use iopath_path::visits::Use;
use iopath_path::{LegId, Measure, RowId};
use iopath_record::CurvePoint;

use crate::model::Model;
use crate::times::{Slowdown, spans};
use crate::traffic::flows;

/// Loads as shares of saturation (chosen: the knee lies between 80 % and 95 % for most servers).
const LOADS: [f64; 6] = [0.10, 0.50, 0.80, 0.90, 0.95, 0.99];

/// The coefficient of variation where none is stated.
const UNSTATED: f64 = 1.0;

/// How a network responds to a load.
pub(crate) struct Curve<'a> {
    model: &'a Model<'a>,
    /// Requests per second of each of the network's streams at saturation.
    saturated: Vec<f64>,
    /// What each row serves then.
    service: Vec<Service>,
    /// The wanted rate as a share of that.
    wanted: Option<f64>,
}

/// What one row serves per second.
#[derive(Clone, Copy, Debug, Default)]
struct Service {
    /// Requests.
    visits: f64,
    /// Seconds of service.
    seconds: f64,
    /// Sum of the squares of service times.
    squares: f64,
}

impl<'a> Curve<'a> {
    /// The curve in proportion to some rates; none where no row is used.
    pub(crate) fn of(model: &'a Model<'a>, shares: &[f64]) -> Option<Self> {
        let streams = &model.network.streams;
        let wants = |at: usize| streams[at].wants_per_sec.unwrap_or(shares[at]);
        let rates: Vec<f64> = (0..streams.len()).map(wants).collect();
        let service = services(model, &rates);
        let rows = model.network.rows.iter().zip(&service);
        let fullest =
            rows.map(|(row, service)| service.seconds / servers(row.capacity, row.measure));
        let threads = streams.iter().zip(&rates).map(|(stream, rate)| stream.thread_s * rate);
        let fullest = fullest.chain(threads).fold(0.0, f64::max);
        if fullest <= 0.0 || !fullest.is_finite() {
            return None;
        }
        let is_open = streams.iter().any(|stream| stream.wants_per_sec.is_some());
        Some(Self {
            model,
            saturated: rates.iter().map(|rate| rate / fullest).collect(),
            service: service.iter().map(|service| service.times(1.0 / fullest)).collect(),
            wanted: is_open.then_some(fullest),
        })
    }

    /// The points of the curve, and that of the wanted load where it can be met.
    pub(crate) fn points(&self) -> Vec<CurvePoint> {
        let wanted = self.wanted.filter(|load| *load < 1.0);
        let mut loads: Vec<f64> = LOADS.into_iter().chain(wanted).collect();
        loads.sort_unstable_by(f64::total_cmp);
        let mut points: Vec<CurvePoint> = loads.into_iter().map(|load| self.point(load)).collect();
        points.dedup_by_key(|point| point.load_ppm);
        points
    }

    /// Mean seconds of each stream at the wanted load; none where nobody wants one or it cannot be
    /// met.
    pub(crate) fn wanted_responses(&self) -> Option<Vec<f64>> {
        self.wanted.filter(|load| *load < 1.0).map(|load| self.responses(load))
    }

    fn point(&self, load: f64) -> CurvePoint {
        let streams = self.model.network.streams.iter().zip(&self.saturated);
        let bytes: f64 = streams.map(|(stream, rate)| stream.bytes * rate).sum();
        let operations: f64 = self.saturated.iter().sum();
        let response = self.mean_response(load);
        CurvePoint {
            load_ppm: (load * 1e6).round() as u64,
            operations_milli_per_sec: (operations * load * 1e3).round() as u64,
            bytes_per_sec: (bytes * load).round() as u64,
            response_ns: (response * 1e9).round() as u64,
        }
    }

    /// Mean seconds of all requests.
    fn mean_response(&self, load: f64) -> f64 {
        let responses = self.responses(load);
        let sum: f64 = responses.iter().zip(&self.saturated).map(|(time, rate)| time * rate).sum();
        sum / self.saturated.iter().sum::<f64>()
    }

    /// Mean seconds of each of the network's streams at a share of saturation.
    fn responses(&self, load: f64) -> Vec<f64> {
        let network = self.model.network;
        let wait = |row: usize| self.wait(RowId(row as u32), load);
        let waits = Waits((0..network.rows.len()).map(wait).collect());
        let spans = spans(network, &self.model.stages, &waits);
        let mut responses = vec![0.0; network.streams.len()];
        for class in &self.model.demand.classes {
            let response = class.response(network, &spans);
            for position in &class.streams {
                responses[*position] = response + self.wait_for_thread(*position, load);
            }
        }
        responses
    }

    /// Seconds that a request of a stream waits until its thread takes it up.
    fn wait_for_thread(&self, stream: usize, load: f64) -> f64 {
        let busy = self.model.network.streams[stream].thread_s;
        let utilisation = load * self.saturated[stream] * busy;
        utilisation / (1.0 - utilisation) * busy
    }

    fn wait(&self, row: RowId, load: f64) -> f64 {
        let Service { visits, seconds, squares } = self.service[row.0 as usize];
        if visits <= 0.0 || seconds <= 0.0 {
            return 0.0;
        }
        let row = self.model.network.row(row);
        let component = self.model.network.component(row.component);
        let variation = component.variability.unwrap_or(UNSTATED);
        let servers = servers(row.capacity, row.measure);
        let utilisation = load * seconds / servers;
        let busy = utilisation.powf((2.0 * (servers + 1.0)).sqrt() - 1.0);
        let spread = squares / seconds * (1.0 + variation * variation) / 2.0;
        let queued = busy / (servers * (1.0 - utilisation)) * spread;
        let contended = component.contention * utilisation;
        let alone = component.latency_s + seconds / visits;
        queued.max(contended / (1.0 - contended) * alone)
    }
}

/// Servers of a row: what counts bytes or operations is one.
fn servers(capacity: f64, measure: Measure) -> f64 {
    match measure {
        Measure::Busy => capacity,
        Measure::Bytes | Measure::Operations => 1.0,
    }
}

/// Waiting times of all rows.
struct Waits(Vec<f64>);

impl Slowdown for Waits {
    fn waits(&self) -> Option<&[f64]> {
        Some(&self.0)
    }
}

impl Service {
    fn times(self, factor: f64) -> Self {
        let Self { visits, seconds, squares } = self;
        Self { visits: visits * factor, seconds: seconds * factor, squares: squares * factor }
    }
}

/// What every row serves when streams have these rates.
fn services(model: &Model<'_>, rates: &[f64]) -> Vec<Service> {
    let network = model.network;
    let mut services = vec![Service::default(); network.rows.len()];
    for (leg, flow) in (0..).zip(flows(network, rates)).filter(|(_, flow)| *flow > 0.0) {
        for Use { row, share, amount } in model.charges.of_leg(LegId(leg)) {
            let limit = network.row(RowId(*row));
            let seconds = match limit.measure {
                Measure::Busy => *amount,
                Measure::Bytes | Measure::Operations => amount / limit.capacity,
            };
            let service = &mut services[*row as usize];
            service.visits += flow * share;
            service.seconds += flow * share * seconds;
            service.squares += flow * share * seconds * seconds;
        }
    }
    services
}
