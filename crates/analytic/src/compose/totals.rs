//! Totals of the streams: all of an epoch are active from its beginning to its end, and epochs
//! follow one another.

use iopath_entities::Table;
use iopath_path::{Network, StreamLoad};
use iopath_record::{Phase, PhaseTotals, StreamTotals};
use iopath_units::{Action, Op};

use super::bounds::whole;
use crate::fill::TIE;
use crate::model::Model;
use crate::window::{Rounder, SECOND};

/// The most that any total grows by in a second, over all streams.
pub(super) fn most_per_sec(model: &Model<'_>, rates: &[f64]) -> f64 {
    let streams = || model.network.streams.iter();
    let bytes: f64 = streams().zip(rates).map(|(stream, rate)| stream.bytes * rate).sum();
    let operations: f64 = rates.iter().sum();
    let in_flight: f64 = streams().map(|stream| stream.in_flight.max(1.0)).sum();
    bytes.max(operations * 1e6).max(in_flight * SECOND as f64)
}

/// One entry a stream. A closed stream has in flight what it keeps there; one with a rate of its
/// own what that comes to over its response time (Little), where its rate can be met, and so has
/// one that waits for flushes.
pub(super) fn streams(
    model: &Model<'_>,
    table: &Table,
    (rates, responses, waits): (&[f64], Option<Vec<f64>>, &[bool]),
    seconds: u64,
) -> Vec<StreamTotals> {
    let mut rounders = Rounders::default();
    let times = responses.unwrap_or_else(|| times(model));
    let mut all = Vec::new();
    for (position, stream) in model.network.streams.iter().enumerate() {
        let rate = rates[position];
        let from_s = u64::from(stream.epoch) * seconds;
        let total = rounders.totals(model.network, stream, rate, seconds);
        let total =
            PhaseTotals { from_ns: from_s * SECOND, to_ns: (from_s + seconds) * SECOND, ..total };
        let in_flight = match stream.wants_per_sec {
            Some(wants) if rate >= wants * (1.0 - TIE) => {
                (rate * times[position]).min(stream.in_flight)
            }
            _ if waits.get(position) == Some(&true) => {
                (rate * times[position]).min(stream.in_flight)
            }
            Some(_) | None => stream.in_flight,
        };
        let in_flight_ns = (in_flight * (seconds * SECOND) as f64).round() as u64;
        all.push(StreamTotals {
            action: Action::Transfer,
            entity: table.streams[position],
            first_issue_ns: total.from_ns,
            first_done_ns: total.to_ns.min(total.from_ns + whole(times[position] * 1e9)),
            last_done_ns: total.to_ns,
            phases: vec![PhaseTotals { in_flight_ns, ..total }],
        });
    }
    all
}

/// Time of each stream's request with nothing in its way, in seconds.
fn times(model: &Model<'_>) -> Vec<f64> {
    let mut times = vec![0.0; model.network.streams.len()];
    for class in &model.demand.classes {
        let time = class.response(model.network, &model.spans);
        class.streams.iter().for_each(|position| times[*position] = time);
    }
    times
}

/// Totals whose sums over all streams are exact.
#[derive(Default)]
struct Rounders {
    requests: Rounder,
    operations: Rounder,
    bytes: [Rounder; 2],
}

impl Rounders {
    fn totals(
        &mut self,
        network: &Network,
        stream: &StreamLoad,
        rate: f64,
        seconds: u64,
    ) -> PhaseTotals {
        let requests = rate * seconds as f64;
        let shares = shares_of_bytes(network, stream);
        let mut bytes = Op::BOTH
            .map(Op::index)
            .map(|op| self.bytes[op].next(requests * stream.bytes * shares[op]));
        let completed = self.requests.next(requests);
        PhaseTotals {
            phase: Phase::Window,
            from_ns: 0,
            to_ns: seconds * SECOND,
            submitted: completed,
            completed,
            operations_ppm: self.operations.next(requests * 1e6),
            read_bytes: std::mem::take(&mut bytes[Op::Read.index()]),
            write_bytes: std::mem::take(&mut bytes[Op::Write.index()]),
            ..PhaseTotals::default()
        }
    }
}

/// Share of a stream's bytes that each operation moves.
pub(crate) fn shares_of_bytes(network: &Network, stream: &StreamLoad) -> [f64; 2] {
    let mut bytes = [0.0; 2];
    for (leg, share) in &stream.roots {
        let leg = network.leg(*leg);
        bytes[leg.op.index()] += share * leg.bytes as f64;
    }
    let all: f64 = bytes.iter().sum();
    if all > 0.0 { bytes.map(|bytes| bytes / all) } else { [0.0; 2] }
}
