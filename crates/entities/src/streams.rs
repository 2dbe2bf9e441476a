//! Streams as entities.

use std::collections::BTreeMap;

use iopath_path::{FlushQueues, Flushing, Network};
use iopath_record::{Direction, EntityId, Kind, Limit, LimitId, Measure, Origin};
use iopath_study::Case;
use iopath_study::case::{Pacing, Rate, Stream};
use iopath_units::{Bytes, Nanos};

use crate::names::selector;
use crate::table::{OfClass, Table, plain};

/// Streams that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamClass {
    /// Positions in the network's streams, ascending.
    pub streams: Vec<usize>,
    /// Requests that each keeps in flight.
    pub in_flight: f64,
    /// Requests per second that each wants.
    pub wants: Option<f64>,
    /// Mean bytes of a request.
    pub bytes: f64,
    /// Seconds for which the one thread of each is busy with a request; 0 where it is not limited.
    pub thread_s: f64,
    /// What its writes wait for until they are on stable storage.
    pub flushing: Option<Flushing>,
}

impl StreamClass {
    /// The streams of each group that ask for as much, in the order of their first streams: what
    /// is known of them before anything runs.
    #[must_use]
    pub fn by_group(case: &Case, network: &Network) -> Vec<Self> {
        let mut known: BTreeMap<(&str, [u64; 4], Option<_>), usize> = BTreeMap::new();
        let mut classes: Vec<Self> = Vec::new();
        for (position, load) in network.streams.iter().enumerate() {
            let wants = load.wants_per_sec.map_or(u64::MAX, f64::to_bits);
            let (bytes, thread) = (load.bytes.to_bits(), load.thread_s.to_bits());
            let flush = load.flushing.map(|flushing| flushing.figures());
            let figures = [load.in_flight.to_bits(), wants, bytes, thread];
            let group = case.streams[load.stream].group.as_str();
            let class = *known.entry((group, figures, flush)).or_insert(classes.len());
            if class == classes.len() {
                classes.push(Self {
                    streams: Vec::new(),
                    in_flight: load.in_flight,
                    wants: load.wants_per_sec,
                    bytes: load.bytes,
                    thread_s: load.thread_s,
                    flushing: load.flushing,
                });
            }
            classes[class].streams.push(position);
        }
        classes
    }
}

impl Table {
    /// Adds every stream that counts, and before several that are alike what they have in common.
    pub(crate) fn add_streams(&mut self, case: &Case, network: &Network, classes: &[StreamClass]) {
        self.streams = vec![EntityId(0); network.streams.len()];
        for class in classes {
            let of = |position: usize| &case.streams[network.streams[position].stream];
            let limits = limits((case, network), of(class.streams[0]), class);
            let parent = (class.streams.len() > 1).then(|| {
                let name = selector(class.streams.iter().map(|at| of(*at).name.as_str()));
                self.add(plain(name, Kind::Streams, class.streams.len() as u32, limits.clone()))
            });
            for position in &class.streams {
                let name = of(*position).name.clone();
                let mut stream = plain(name, Kind::Stream, 1, limits.clone());
                stream.parent = parent;
                self.streams[*position] = self.add(stream);
            }
            let entity = parent.unwrap_or(self.streams[class.streams[0]]);
            let find = |is: &dyn Fn(&Limit) -> bool| {
                let limit = limits.iter().position(is)? as u32;
                Some(LimitId { entity, limit })
            };
            let is_own =
                |limit: &Limit| matches!(limit.measure, Measure::BusyNs | Measure::FlushNs);
            self.of_class.push(OfClass {
                depth: find(&|limit| limit.tokens.is_some()),
                wanted: find(&|limit| limit.tokens.is_none() && !is_own(limit)),
                thread: find(&|limit| limit.measure == Measure::BusyNs),
                flush: find(&|limit| limit.measure == Measure::FlushNs),
            });
        }
    }
}

/// Of a second.
const SECOND_NS: u64 = 1_000_000_000;

/// The property of caches and devices.
const FLUSH_TIME: &str = "flush-time";

/// Who says how much of a thread there is.
const ONE_THREAD: &str = "one thread";

/// What a stream cannot exceed by its own settings: requests in flight, its rate where it has one,
/// the time of its thread where requests cost some, and of its flushes where these take any.
fn limits((case, network): (&Case, &Network), stream: &Stream, class: &StreamClass) -> Vec<Limit> {
    let limit = |measure, per_sec: u64, tokens| Limit {
        measure,
        direction: Direction::Both,
        per_sec,
        origin: Origin::Study,
        tokens,
    };
    let mut limits = vec![limit(Measure::Requests, 0, Some(class.in_flight.ceil() as u64))];
    if let Some(wants) = class.wants {
        let in_bytes = matches!(stream.pacing, Pacing::Open { rate: Rate::Bytes(_), .. });
        let (measure, scale) = wanted_in(in_bytes, class);
        limits.push(limit(measure, (wants * scale).round() as u64, None));
    }
    if class.thread_s > 0.0 {
        let origin = ONE_THREAD.into();
        limits.push(Limit { origin, ..limit(Measure::BusyNs, SECOND_NS, None) });
    }
    if let Some(flushing) = class.flushing.filter(Flushing::takes_time) {
        let outstanding = flushing.covers.outstanding(class.in_flight);
        let is_shared = outstanding * class.streams.len() as f64 >= 2.0;
        let is_named = |queues: &FlushQueues| Some(queues.device) == flushing.longest;
        let queues = flushing.queues.filter(|queues| queues.count == 1 && is_shared);
        let queue = queues.filter(is_named).map_or("", |_| " with hw-queues=1");
        let origin = format!("{}{queue}", flush_time(case, network, flushing)).into();
        let direction = Direction::Write;
        let per_sec = SECOND_NS * outstanding.ceil() as u64;
        limits.push(Limit { origin, direction, ..limit(Measure::FlushNs, per_sec, None) });
    }
    limits
}

/// What a flush takes, as the study says it, and of what: `flush-time=(rated)"900 us" of h.ssd`;
/// before that, what the page cache writes back.
fn flush_time(case: &Case, network: &Network, flushing: Flushing) -> String {
    let Flushing { takes, longest, empties, writes_back, .. } = flushing;
    let name = |id| network.component(id).name.as_str();
    let back = writes_back.map(|back| {
        let leg = network.leg(back.leg);
        format!("write-back of {} by {}", Bytes(leg.bytes), name(leg.to))
    });
    let down = empties.map(|at| format!("destaging of {}", name(at)));
    let stated = (takes > Nanos(0)).then(|| {
        let value = longest.and_then(|at| case.system.value(at.into(), FLUSH_TIME));
        let origin = value.map_or_else(String::new, |value| value.origin.to_string());
        let of = longest.map_or_else(String::new, |at| format!(" of {}", name(at)));
        format!("{FLUSH_TIME}={origin}\"{takes}\"{of}")
    });
    let end = match (down, stated) {
        (Some(down), Some(stated)) => Some(format!("{down}, at least {stated}")),
        (down, stated) => down.or(stated),
    };
    let parts: Vec<String> = back.into_iter().chain(end).collect();
    parts.join(", then ")
}

/// The measure of a wanted rate, and what one request per second is in it.
fn wanted_in(in_bytes: bool, class: &StreamClass) -> (Measure, f64) {
    if in_bytes { (Measure::Bytes, class.bytes) } else { (Measure::Operations, 1.0) }
}
