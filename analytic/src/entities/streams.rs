//! Streams as entities.

use iopath_record::{EntityId, Layer, Limit, LimitId};
use iopath_study::case::{Pacing, Rate, Stream};

use super::{Table, plain};
use crate::demand::StreamClass;
use crate::model::Model;
use crate::names::plain_selector;

impl Table {
    /// Adds every stream that counts, and before several that are alike what they have in common.
    pub(super) fn add_streams(&mut self, model: &Model<'_>) {
        self.streams = vec![EntityId(0); model.network.streams.len()];
        for class in &model.demand.classes {
            let of = |position: usize| &model.case.streams[model.network.streams[position].stream];
            let first = of(class.streams[0]);
            let limits = limits(first, class);
            let parent = (class.streams.len() > 1).then(|| {
                let name = plain_selector(class.streams.iter().map(|at| of(*at).name.as_str()));
                let count = class.streams.len() as u32;
                let mut group = plain(name, "streams", Layer::Application, count);
                group.limits.clone_from(&limits);
                self.add(group)
            });
            for position in &class.streams {
                let name = of(*position).name.clone();
                let mut stream = plain(name, "stream", Layer::Application, 1);
                (stream.parent, stream.limits) = (parent, limits.clone());
                self.streams[*position] = self.add(stream);
            }
            let entity = parent.unwrap_or(self.streams[class.streams[0]]);
            let limit = |limit: u32| Some(LimitId { entity, limit });
            self.of_class.push([limit(0), (limits.len() > 1).then(|| limit(1)).flatten()]);
        }
    }
}

/// What a stream cannot exceed by its own settings: requests in flight, and its rate where it has
/// one.
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
    limits
}

/// The measure of a wanted rate, and what one request per second is in it.
fn wanted_in(in_bytes: bool, class: &StreamClass) -> (&'static str, f64) {
    if in_bytes { ("bytes", class.bytes) } else { ("operations", 1.0) }
}
