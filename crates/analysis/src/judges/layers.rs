//! Layers compared with one another: bytes, requests, mean size and time of a request in each, and
//! why bytes below differ from bytes above.
//!
//! What is below should move what is above, times the copies that a relation states. A ratio that
//! is left is explained from factors that are known (`factors`), never fitted: framing of links and
//! slips between units, these only where a meter's text leaves its unit open. Only where a meter's
//! unit was said by the user, not by its text, may a few percent besides remain. What is in flight
//! at the edges is counted by one side only.
//!
//! Tiers are compared over the time in which both were counted and all streams were active, by what
//! was read at the same instants where streams were sampled.

use std::collections::BTreeMap;

use iopath_record::{EntityId, Kind, Layer, Record};
use serde::Serialize;

use crate::thresholds::groups::MOSTLY_READS_SHARE;
use crate::usage::counters::Span;
use crate::usage::flow::Flow;
use crate::usage::place::{self, Place};
use crate::usage::related::{Joined, counted_steps, depths};

mod explained;
mod factors;

use explained::Moved;
pub use explained::{Explanation, Reason, ReasonKind};
use factors::Factors;
pub use factors::{Frame, Meter, MistakenUnit, Slip};

/// The layers of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layers {
    /// What each layer did, in the order of the picture of the path.
    pub tiers: Vec<Tier>,
    /// Each pair of layers that relations join.
    pub steps: Vec<LayerTransition>,
}

/// Everything of one kind at one depth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tier {
    /// Where.
    pub layer: Layer,
    /// What it is.
    pub kind: Kind,
    /// Their names.
    pub members: Vec<String>,
    /// Over which time, in ns.
    pub span_ns: u64,
    /// Bytes read per second; none where not counted by direction.
    pub read_bytes_per_sec: Option<f64>,
    /// Bytes written per second.
    pub write_bytes_per_sec: Option<f64>,
    /// Bytes per second, both ways.
    pub bytes_per_sec: Option<f64>,
    /// Requests per second.
    pub operations_per_sec: Option<f64>,
    /// Mean bytes of a request.
    pub request_bytes_mean: Option<f64>,
    /// Mean time of a request.
    pub service_ns_mean: Option<f64>,
    /// Requests in flight, all members together.
    pub in_flight_mean: Option<f64>,
}

/// Two layers that relations join.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LayerTransition {
    /// Names above.
    pub upper: Vec<String>,
    /// Where they are.
    pub upper_layer: Layer,
    /// Names below.
    pub lower: Vec<String>,
    /// Where they are.
    pub lower_layer: Layer,
    /// The time over which they are compared.
    pub span_ns: u64,
    /// Bytes per second above.
    pub upper_bytes_per_sec: f64,
    /// Bytes per second below.
    pub lower_bytes_per_sec: f64,
    /// Bytes below for each byte above, as relations state copies.
    pub copies: f64,
    /// Bytes below over bytes above × copies.
    pub ratio: f64,
    /// Requests below over requests above; none where one of them is not counted.
    pub request_ratio: Option<f64>,
    /// Why the ratio is what it is, the simplest first.
    #[serde(skip)]
    pub explanations: Vec<Explanation>,
}

/// All layers that somebody counted.
#[must_use]
pub fn layers(record: &Record) -> Layers {
    let flow = Flow::of(record);
    let joined = counted_steps(record, &|id| flow.known(id).is_some());
    let steps = joined.iter().filter_map(|joined| step(&flow, joined)).collect();
    Layers { tiers: tiers(&flow), steps }
}

fn tiers(flow: &Flow<'_>) -> Vec<Tier> {
    let all = grouped(flow).into_iter();
    all.filter_map(|(layer, kind, ids)| tier(flow, layer, &kind, &ids)).collect()
}

/// What was counted, by kind and depth, in the order of the picture of the path; parts of a whole
/// that is counted besides are left out, and what no relation puts on the way beside it.
pub(crate) fn grouped(flow: &Flow<'_>) -> Vec<(Layer, Kind, Vec<EntityId>)> {
    type Key<'a> = (bool, Option<Place>, Option<usize>, Layer, &'a Kind);
    let record = flow.pass.record;
    let related = depths(record);
    let places = place::all(record);
    let depths = with_what_contains_them(record, &related);
    let mut all: BTreeMap<Key<'_>, Vec<EntityId>> = BTreeMap::new();
    for (id, entity) in (0u32..).map(EntityId).zip(&record.entities) {
        let inside = entity.parent.and_then(|parent| record.entities.get(parent.0 as usize));
        let is_part = inside.is_some_and(|outer| outer.kind == entity.kind);
        let on_path = related.contains_key(&id);
        if flow.known(id).is_some() && (on_path || !is_part && !entity.layer.is_beside()) {
            let (place, depth) = (places[id.0 as usize], depths[id.0 as usize]);
            let key = (place.is_none(), place, depth, entity.layer, &entity.kind);
            all.entry(key).or_default().push(id);
        }
    }
    all.into_iter().map(|((_, _, _, layer, kind), ids)| (layer, kind.clone(), ids)).collect()
}

/// How many relations each is below the streams; where none leads to it, how many the first thing
/// is that stands in the same array or host. So ports of an array and of one behind it are two.
fn with_what_contains_them(
    record: &Record,
    related: &BTreeMap<EntityId, usize>,
) -> Vec<Option<usize>> {
    let roots = place::roots(&record.entities);
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for (id, depth) in related {
        let (root, _) = roots[id.0 as usize];
        first.entry(root).and_modify(|known| *known = (*depth).min(*known)).or_insert(*depth);
    }
    let depth = |(id, (root, _)): (EntityId, &(usize, usize))| {
        related.get(&id).or_else(|| first.get(root)).copied()
    };
    (0..).map(EntityId).zip(&roots).map(depth).collect()
}

fn tier(flow: &Flow<'_>, layer: Layer, kind: &Kind, ids: &[EntityId]) -> Option<Tier> {
    let span = flow.common(ids)?;
    let sum = flow.together(ids, span);
    sum.transfers.bytes_per_sec.or(sum.transfers.operations_per_sec)?;
    Some(Tier {
        layer,
        kind: kind.clone(),
        members: names(flow, ids),
        span_ns: span.length_ns(),
        read_bytes_per_sec: sum.read.bytes_per_sec,
        write_bytes_per_sec: sum.write.bytes_per_sec,
        bytes_per_sec: sum.transfers.bytes_per_sec,
        operations_per_sec: sum.transfers.operations_per_sec,
        request_bytes_mean: sum.transfers.bytes_mean(),
        service_ns_mean: sum.transfers.ns_mean,
        in_flight_mean: sum.in_flight_mean,
    })
}

fn step(flow: &Flow<'_>, joined: &Joined<'_>) -> Option<LayerTransition> {
    let record = flow.pass.record;
    let ends: Vec<EntityId> = joined.uppers.iter().chain(&joined.lowers).copied().collect();
    let span = flow.common(&ends)?;
    let sampled = |ids| flow.sampled_together(ids, span);
    let (above, below) = (sampled(&joined.uppers), sampled(&joined.lowers));
    let (upper, lower) = (above.transfers.bytes_per_sec?, below.transfers.bytes_per_sec?);
    let expected: f64 = joined.relations.iter().filter_map(|one| expected(flow, one, span)).sum();
    if upper <= 0.0 || expected <= 0.0 {
        return None;
    }
    let layer = |ids: &[EntityId]| record.entities[ids[0].0 as usize].layer;
    let requests = above.transfers.operations_per_sec.zip(below.transfers.operations_per_sec);
    let requests = requests.filter(|(above, _)| *above > 0.0);
    let mut step = LayerTransition {
        upper: names(flow, &joined.uppers),
        upper_layer: layer(&joined.uppers),
        lower: names(flow, &joined.lowers),
        lower_layer: layer(&joined.lowers),
        span_ns: span.length_ns(),
        upper_bytes_per_sec: upper,
        lower_bytes_per_sec: lower,
        copies: expected / upper,
        ratio: lower / expected,
        request_ratio: requests.map(|(above, below)| below / above),
        explanations: Vec::new(),
    };
    let totals = flow.together(&joined.uppers, span);
    let reads = above.read.bytes_per_sec.is_some_and(|read| read > MOSTLY_READS_SHARE * upper);
    let kind = &record.entities[joined.lowers[0].0 as usize].kind;
    let bytes = upper * span.length_ns() as f64 / 1e9;
    let cut_ns = match flow.are_sampled(&joined.uppers) {
        true => 0,
        false => flow.cut_intervals_ns(&joined.lowers, span),
    };
    let cut_share = (cut_ns as f64 / 2.0 / span.length_ns() as f64).min(1.0);
    let moved = Moved { bytes, held_bytes: totals.transfers.held_bytes(), reads, cut_share };
    step.explanations = explained::why(&step, &Factors::of(record, &step, kind), moved);
    Some(step)
}

/// Bytes a second below that a relation leads to expect.
fn expected(flow: &Flow<'_>, relation: &iopath_record::Relation, span: Span) -> Option<f64> {
    let above = flow.sampled(relation.upper, span);
    let [read, write] =
        [relation.read_copies_ppm, relation.write_copies_ppm].map(|ppm| ppm as f64 / 1e6);
    match (above.read.bytes_per_sec, above.write.bytes_per_sec) {
        (Some(moved), Some(written)) => Some(moved * read + written * write),
        (Some(moved), None) => Some(moved * read),
        (None, Some(written)) => Some(written * write),
        // Without directions copies can only be told where they are equal.
        (None, None) => {
            above.transfers.bytes_per_sec.filter(|_| read == write).map(|bytes| bytes * read)
        }
    }
}

fn names(flow: &Flow<'_>, ids: &[EntityId]) -> Vec<String> {
    ids.iter().map(|id| flow.pass.record.entities[id.0 as usize].name.clone()).collect()
}

#[cfg(test)]
mod tests;
