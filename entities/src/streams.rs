//! Streams as entities.

use std::collections::BTreeMap;

use iopath_path::Network;
use iopath_record::{EntityId, Limit, LimitId};
use iopath_study::Case;
use iopath_study::case::{Pacing, Rate, Stream};

use crate::names::plain_selector;
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
}

impl StreamClass {
    /// The streams of each group that ask for as much, in the order of their first streams: what
    /// is known of them before anything runs.
    #[must_use]
    pub fn by_group(case: &Case, network: &Network) -> Vec<Self> {
        let mut known: BTreeMap<(&str, [u64; 4]), usize> = BTreeMap::new();
        let mut classes: Vec<Self> = Vec::new();
        for (position, load) in network.streams.iter().enumerate() {
            let wants = load.wants_per_sec.map_or(u64::MAX, f64::to_bits);
            let (bytes, thread) = (load.bytes.to_bits(), load.thread_s.to_bits());
            let figures = [load.in_flight.to_bits(), wants, bytes, thread];
            let group = case.streams[load.stream].group.as_str();
            let class = *known.entry((group, figures)).or_insert(classes.len());
            if class == classes.len() {
                classes.push(Self {
                    streams: Vec::new(),
                    in_flight: load.in_flight,
                    wants: load.wants_per_sec,
                    bytes: load.bytes,
                    thread_s: load.thread_s,
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
            let limits = limits(of(class.streams[0]), class);
            let parent = (class.streams.len() > 1).then(|| {
                let name = plain_selector(class.streams.iter().map(|at| of(*at).name.as_str()));
                self.add(plain(name, "streams", class.streams.len() as u32, limits.clone()))
            });
            for position in &class.streams {
                let name = of(*position).name.clone();
                let mut stream = plain(name, "stream", 1, limits.clone());
                stream.parent = parent;
                self.streams[*position] = self.add(stream);
            }
            let entity = parent.unwrap_or(self.streams[class.streams[0]]);
            let find = |is: &dyn Fn(&Limit) -> bool| {
                let limit = limits.iter().position(is)? as u32;
                Some(LimitId { entity, limit })
            };
            let is_thread = |limit: &Limit| limit.measure == BUSY;
            self.of_class.push(OfClass {
                depth: find(&|limit| limit.tokens.is_some()),
                wanted: find(&|limit| limit.tokens.is_none() && !is_thread(limit)),
                thread: find(&is_thread),
            });
        }
    }
}

/// The measure of a thread's time.
const BUSY: &str = "busy-ns";

/// Who says how much of it there is.
const ONE_THREAD: &str = "one thread";

/// What a stream cannot exceed by its own settings: requests in flight, its rate where it has one,
/// the time of its thread where requests cost some.
fn limits(stream: &Stream, class: &StreamClass) -> Vec<Limit> {
    let limit = |measure: &str, per_sec: u64, tokens| Limit {
        measure: measure.to_owned(),
        direction: "both".to_owned(),
        per_sec,
        origin: "study".to_owned(),
        tokens,
    };
    let mut limits = vec![limit("requests", 0, Some(class.in_flight.ceil() as u64))];
    if let Some(wants) = class.wants {
        let in_bytes = matches!(stream.pacing, Pacing::Open { rate: Rate::Bytes(_), .. });
        let (measure, scale) = wanted_in(in_bytes, class);
        limits.push(limit(measure, (wants * scale).round() as u64, None));
    }
    if class.thread_s > 0.0 {
        let origin = ONE_THREAD.to_owned();
        limits.push(Limit { origin, ..limit(BUSY, 1_000_000_000, None) });
    }
    limits
}

/// The measure of a wanted rate, and what one request per second is in it.
fn wanted_in(in_bytes: bool, class: &StreamClass) -> (&'static str, f64) {
    if in_bytes { ("bytes", class.bytes) } else { ("operations", 1.0) }
}
