//! What streams use up of every limit, as one matrix.
//!
//! Streams of one declaration that ask for the same are one class. What one request uses of a row
//! is the sum over the legs that it reaches, background included, of charges times visits: legs
//! are linear in requests, so shares are exact and no offset is sampled. A pool is one more limit:
//! by Little's law (Operations Research 9, 1961) a rate times the time for which a request holds
//! its tokens is how many are held, and that cannot exceed how many there are. With the zero-load
//! time, which is the shortest, that is an upper bound of the rate.
//!
//! It leaves out queues: under load, tokens are held for longer.

use std::collections::BTreeMap;

use iopath_path::visits::{Charges, LANES, Lanes, Scatter, Visits};
use iopath_path::{ComponentId, FlushFigures, Flushing, Leg, LegId, Network, Next, PoolId};
use iopath_units::Op;

use crate::flushes::{Flushes, emptied};
use crate::matrix::{Entry, Matrix};
use crate::times::Span;

/// Streams that ask for the same.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamClass {
    /// Positions in the network's streams, ascending.
    pub streams: Vec<usize>,
    /// When they run: epochs share nothing.
    pub epoch: u32,
    /// First legs with their shares; where several are alike, those of the first stream.
    pub roots: Vec<(LegId, f64)>,
    /// Mean bytes of a request.
    pub bytes: f64,
    /// Requests that each keeps in flight.
    pub in_flight: f64,
    /// Requests per second that each wants.
    pub wants: Option<f64>,
    /// Seconds for which the thread of each is busy with a request; 0 where it limits nothing.
    pub thread_s: f64,
    /// What its writes wait for until they are on stable storage.
    pub flushing: Option<Flushing>,
    /// Legs below caches that its flushes empty, with the share of writes that go there.
    pub(crate) emptied: Vec<(LegId, f64)>,
    /// Flushes that may be outstanding at the one queue of its device: of its own streams, and of
    /// others of their declaration whose requests take as long.
    pub(crate) flushers: f64,
}

/// All classes, and what they use.
#[derive(Clone, Debug)]
pub struct Demand {
    /// In the order of their first streams.
    pub classes: Vec<StreamClass>,
    /// Limits are the network's rows, then its pools, once for each epoch.
    pub matrix: Matrix,
    /// The classes' requests in flight.
    pub weights: Vec<f64>,
    /// How many epochs there are; at least one.
    pub epochs: u32,
}

impl Demand {
    /// The demand of a network's streams; `group` numbers the declarations of the case's streams.
    #[must_use]
    pub(crate) fn of(
        network: &Network,
        group: &dyn Fn(usize) -> u32,
        (charges, spans): (&Charges, &[Span]),
    ) -> Self {
        let classes = classes(network, group, spans);
        let epochs = classes.iter().map(|class| class.epoch + 1).max().unwrap_or(1);
        let weights = classes.iter().map(|class| class.in_flight).collect();
        let matrix = used(network, &classes, (charges, spans));
        Self { classes, matrix, weights, epochs }
    }

    /// What the same classes use when requests take as long as this.
    pub(crate) fn over(&self, network: &Network, taken: (&Charges, &[Span])) -> Self {
        let Self { classes, weights, epochs, .. } = self.clone();
        let matrix = used(network, &classes, taken);
        Self { classes, matrix, weights, epochs }
    }

    /// Bytes per second of all streams together, over all epochs.
    #[must_use]
    pub fn bytes_per_sec(&self, rates: &[f64]) -> f64 {
        let bytes = |(class, rate): (&StreamClass, &f64)| class.count() * rate * class.bytes;
        self.classes.iter().zip(rates).map(bytes).sum::<f64>() / f64::from(self.epochs)
    }

    /// Requests per second of all streams together, over all epochs.
    #[must_use]
    pub fn operations_per_sec(&self, rates: &[f64]) -> f64 {
        let requests = self.classes.iter().zip(rates).map(|(class, rate)| class.count() * rate);
        requests.sum::<f64>() / f64::from(self.epochs)
    }
}

impl StreamClass {
    /// How many streams it stands for.
    #[must_use]
    pub fn count(&self) -> f64 {
        self.streams.len() as f64
    }

    /// Seconds that one request takes while nothing is in its way.
    pub(crate) fn zero_load(&self, spans: &[Span]) -> f64 {
        self.roots.iter().map(|(leg, share)| share * spans[leg.0 as usize].total()).sum()
    }

    /// The same with the flushes that are within requests.
    pub(crate) fn response(&self, network: &Network, spans: &[Span]) -> f64 {
        let flushes = Flushes::of(network, self, spans);
        self.zero_load(spans) + flushes.map_or(0.0, |flushes| flushes.in_request_s())
    }

    /// The share of requests that are writes, and the seconds of a request that are theirs.
    pub(crate) fn writes(&self, network: &Network, spans: &[Span]) -> (f64, f64) {
        let writes = self.roots.iter().filter(|(leg, _)| network.leg(*leg).op == Op::Write);
        writes.fold((0.0, 0.0), |(shares, seconds), (leg, share)| {
            (shares + share, seconds + share * spans[leg.0 as usize].total())
        })
    }
}

/// What requests of the classes use of every limit.
fn used(
    network: &Network,
    classes: &[StreamClass],
    (charges, spans): (&Charges, &[Span]),
) -> Matrix {
    let limits = network.rows.len() + network.pools.len();
    let epochs = classes.iter().map(|class| class.epoch + 1).max().unwrap_or(1);
    let (mut walk, mut sums) = (Visits::new(network), Scatter::new(limits));
    let mut of_class: Vec<Vec<Entry>> = vec![Vec::new(); classes.len()];
    for together in in_company(network, classes).chunks(LANES) {
        walk.all(&roots(classes, together), |leg, visits| {
            for used in charges.of_leg(leg) {
                sums.add(used.row as usize, visits * used.share * used.amount);
            }
            holds(network, network.leg(leg), spans[leg.0 as usize], |pool, held| {
                sums.add(network.rows.len() + pool.0 as usize, visits * held);
            });
        });
        sums.take(|limit, amounts| {
            for (number, amount) in together.iter().zip(amounts.0).filter(|one| one.1 > 0.0) {
                let class = &classes[*number as usize];
                let limit = class.epoch * limits as u32 + limit;
                let entry = Entry { limit, class: *number, amount: amount * class.count() };
                of_class[*number as usize].push(entry);
            }
        });
    }
    Matrix::new(limits * epochs as usize, classes.len(), &of_class.concat())
}

/// Classes in an order in which those that lead to the same stand together.
fn in_company(network: &Network, classes: &[StreamClass]) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..classes.len() as u32).collect();
    numbers.sort_by_key(|number| {
        let root = classes[*number as usize].roots.first();
        root.and_then(|(leg, _)| network.leg(*leg).next.first()).map(|next| next.leg)
    });
    numbers
}

/// The first legs of some classes, each class in its lane.
fn roots(classes: &[StreamClass], together: &[u32]) -> Vec<(LegId, Lanes)> {
    let of = |(lane, number): (usize, &u32)| {
        let roots = classes[*number as usize].roots.iter();
        roots.map(move |(leg, share)| (*leg, Lanes::one(lane, *share)))
    };
    together.iter().enumerate().flat_map(of).collect()
}

/// What makes streams ask for the same: declaration and epoch, roots, bytes, in flight, wanted
/// rate, time of their thread and of a flush, what that writes back. One declaration flushes after
/// as many writes.
type Key = ((u32, u32), Vec<(u32, u64)>, [u64; 4], Option<FlushFigures>);

fn classes(network: &Network, group: &dyn Fn(usize) -> u32, spans: &[Span]) -> Vec<StreamClass> {
    let mut known: BTreeMap<Key, usize> = BTreeMap::new();
    let mut classes: Vec<StreamClass> = Vec::new();
    for (position, stream) in network.streams.iter().enumerate() {
        let roots: Vec<_> =
            stream.roots.iter().map(|(leg, share)| (beyond(network, *leg), *share)).collect();
        let named = roots.iter().map(|(leg, share)| (leg.0, share.to_bits())).collect();
        let wants = stream.wants_per_sec.map_or(u64::MAX, f64::to_bits);
        let thread = stream.thread_s.to_bits();
        let flush = stream.flushing.map(|flushing| flushing.figures());
        let numbers = [stream.bytes.to_bits(), stream.in_flight.to_bits(), wants, thread];
        let group = (group(stream.stream), stream.epoch);
        let class = *known.entry((group, named, numbers, flush)).or_insert(classes.len());
        if class == classes.len() {
            let emptied = stream.flushing.map(|flushing| emptied(network, flushing, &roots));
            classes.push(StreamClass {
                emptied: emptied.unwrap_or_default(),
                streams: Vec::new(),
                epoch: stream.epoch,
                roots,
                bytes: stream.bytes,
                in_flight: stream.in_flight,
                wants: stream.wants_per_sec,
                thread_s: stream.thread_s,
                flushing: stream.flushing,
                flushers: 0.0,
            });
        }
        classes[class].streams.push(position);
    }
    count_flushers(network, &mut classes, &known, spans);
    classes
}

/// Streams that differ in nothing but their files share the queue of the device below.
fn count_flushers(
    network: &Network,
    classes: &mut [StreamClass],
    known: &BTreeMap<Key, usize>,
    spans: &[Span],
) {
    let mut flushers: BTreeMap<_, f64> = BTreeMap::new();
    let mut kind_of = vec![None; classes.len()];
    for ((group, _, numbers, flush), at) in known {
        let class = &classes[*at];
        let is_one = |flushing: &Flushing| flushing.queues.is_some_and(|queues| queues.count == 1);
        let Some(flushing) = class.flushing.filter(is_one) else { continue };
        let nanos = |seconds: f64| (seconds * 1e9).round() as u64;
        let times = (nanos(class.zero_load(spans)), nanos(class.writes(network, spans).1));
        let kind = (group, numbers, flush, times);
        let outstanding = class.count() * flushing.covers.outstanding(class.in_flight);
        *flushers.entry(kind).or_default() += outstanding;
        kind_of[*at] = Some(kind);
    }
    for (class, kind) in classes.iter_mut().zip(kind_of) {
        class.flushers = kind.map_or(0.0, |kind| flushers[&kind]);
    }
}

/// The first leg from here on that costs anything: many files lie on one volume.
fn beyond(network: &Network, mut at: LegId) -> LegId {
    loop {
        let leg = network.leg(at);
        let end = network.component(leg.to);
        let is_free = leg.ways.is_empty()
            && leg.charges.is_empty()
            && leg.holds.is_empty()
            && end.latency_s <= 0.0;
        match leg.next[..] {
            [next] if is_free && is_same_request(network, next) => at = next.leg,
            _ => return at,
        }
    }
}

fn is_same_request(network: &Network, next: Next) -> bool {
    next.times == 1.0 && next.at_once == 1.0 && !network.leg(next.leg).background
}

/// Token-seconds that one request of a leg takes of each pool. Locks and threads are held from its
/// start to its end, what is `outstanding` from where the request comes to it.
fn holds(network: &Network, leg: &Leg, span: Span, mut see: impl FnMut(PoolId, f64)) {
    for hold in &leg.holds {
        let pool = &network.pools[hold.pool.0 as usize];
        let seconds = match pool.property {
            "outstanding" => span.at_end() + behind(network, leg, pool.component),
            _ => span.total(),
        };
        see(hold.pool, hold.tokens * seconds);
    }
}

/// Delays on the ways of a leg from a component on, wires left out; none where it is not crossed.
fn behind(network: &Network, leg: &Leg, component: ComponentId) -> f64 {
    let ways = leg.ways.iter().map(|way| &network.route(way.route).crossed);
    let delays = ways.filter_map(|crossed| {
        let from = crossed.iter().position(|(id, _)| *id == component)?;
        Some(crossed[from..].iter().map(|(id, _)| network.component(*id).latency_s).sum())
    });
    delays.reduce(f64::min).unwrap_or(0.0)
}
