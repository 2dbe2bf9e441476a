//! Why bytes below are not the bytes above.

use iopath_record::Layer;
use serde::{Serialize, Serializer};
use strum::EnumDiscriminants;

use super::LayerTransition;
use super::factors::{Factors, Frame, Slip};
use crate::thresholds::groups::{
    IN_FLIGHT_BYTES_SHARE, LAYER_DIFFERENCE, LOOSE_LAYER_DIFFERENCE, UNSTATED_COPIES,
};

/// From such a share on anything may be hidden: chosen.
const HALF: f64 = 0.5;

/// An explanation of a ratio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Why, with what else a sentence about it needs.
    #[serde(rename = "because", serialize_with = "kind")]
    pub reason: Reason,
    /// By which factor it explains the ratio.
    pub factor: f64,
    /// What remains: ratio / factor.
    pub rest: f64,
}

impl Explanation {
    /// Which kind of reason.
    #[must_use]
    pub fn kind(&self) -> ReasonKind {
        ReasonKind::from(&self.reason)
    }
}

fn kind<S: Serializer>(reason: &Reason, serializer: S) -> Result<S::Ok, S::Error> {
    ReasonKind::from(reason).serialize(serializer)
}

/// Reasons for a ratio.
#[derive(Clone, Copy, Debug, PartialEq, EnumDiscriminants)]
#[strum_discriminants(
    name(ReasonKind),
    doc = "Kinds of reasons.",
    derive(Serialize),
    serde(rename_all = "kebab-case")
)]
pub enum Reason {
    /// Nothing to explain.
    Equal,
    /// What was in flight at the edges is counted on one side only.
    InFlight { held_bytes: f64, moved_bytes: f64 },
    /// What a link carries besides data.
    Framing(Frame),
    /// The load began and ended within intervals of what counts below, which tell no more than
    /// their mean.
    CutIntervals { share: f64 },
    /// A unit that is off.
    UnitSlip(Slip),
    /// A unit that is off, and what a link carries besides.
    SlipAndFraming(Slip, Frame),
    /// Copies that no relation states: a mirror.
    Copies,
    /// Less below: a cache, holes, or requests that were served once for several.
    ServedAbove,
    /// More read below: readahead that was not used, or somebody else.
    ReadMore,
    /// More written below: parity, journals, whole blocks for parts, or somebody else.
    WrittenMore,
}

/// What moved above.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    pub bytes: f64,
    /// In flight on average; none where no one counted it.
    pub held_bytes: Option<f64>,
    /// Whether most of it was read.
    pub reads: bool,
    /// The share of it that intervals which are cut may hide.
    pub cut_share: f64,
}

/// What could explain a ratio, the simplest first; several where the figures cannot tell them
/// apart.
pub(super) fn why(step: &LayerTransition, factors: &Factors, moved: Moved) -> Vec<Explanation> {
    let ratio = step.ratio;
    if is_near(ratio, LAYER_DIFFERENCE) {
        return vec![explain(Reason::Equal, 1.0, ratio)];
    }
    let held = in_flight(ratio, moved);
    let factored = known(ratio, factors, LAYER_DIFFERENCE, moved.reads);
    let exact = held.into_iter().chain(factored).chain(cut(ratio, moved));
    let exact: Vec<Explanation> = exact.collect();
    if !exact.is_empty() {
        return exact;
    }
    let foreign = matches!(step.lower_layer, Layer::Port | Layer::Switch);
    if factors.is_said && foreign {
        // The nearest alone: a few percent fit much.
        let mut loose = known(ratio, factors, LOOSE_LAYER_DIFFERENCE, moved.reads);
        loose.truncate(1);
        if !loose.is_empty() {
            return loose;
        }
    }
    vec![otherwise(ratio, moved.reads)]
}

/// Requests that the one side has counted and the other has not: at the end of a pass as many as
/// are in flight.
fn in_flight(ratio: f64, moved: Moved) -> Option<Explanation> {
    let Moved { bytes: moved_bytes, held_bytes, .. } = moved;
    let held_bytes = held_bytes?;
    let share = held_bytes / moved_bytes;
    (share <= IN_FLIGHT_BYTES_SHARE && is_near(ratio, share))
        .then(|| explain(Reason::InFlight { held_bytes, moved_bytes }, 1.0, ratio))
}

/// Below an interval of the length L that the load fills for the time o counts o / L of its bytes:
/// at most a quarter of L is missing at each end, and as much again where meters start apart.
fn cut(ratio: f64, moved: Moved) -> impl Iterator<Item = Explanation> {
    let share = moved.cut_share;
    let is_hidden = ratio < 1.0 && 1.0 - ratio <= share;
    let hidden = is_hidden.then(|| explain(Reason::CutIntervals { share }, 1.0, ratio));
    // So long intervals hide a cache as well.
    let is_either = is_hidden && share > HALF;
    hidden.into_iter().chain(is_either.then(|| otherwise(ratio, moved.reads)))
}

/// Factors within a tolerance, the nearest first: one alone before two together. Two only where a
/// unit was said by the user: so many products fit much.
fn known(ratio: f64, factors: &Factors, tolerance: f64, reads: bool) -> Vec<Explanation> {
    let fits = |factor: f64| is_near(ratio / factor, tolerance);
    let mut found: Vec<Explanation> = Vec::new();
    let mut add = |reason, factor| {
        if fits(factor) {
            found.push(explain(reason, factor, ratio));
        }
    };
    factors.frames.iter().for_each(|frame| add(Reason::Framing(*frame), frame.factor()));
    let copies = ratio.round();
    if !reads && (2.0..=UNSTATED_COPIES).contains(&copies) {
        add(Reason::Copies, copies);
    }
    factors.slips().for_each(|slip| add(Reason::UnitSlip(slip), slip.factor()));
    if found.is_empty() && factors.is_said {
        for slip in factors.slips() {
            for frame in factors.frames {
                let factor = slip.factor() * frame.factor();
                if fits(factor) {
                    found.push(explain(Reason::SlipAndFraming(slip, *frame), factor, ratio));
                }
            }
        }
    }
    found.sort_by(|a, b| (a.rest - 1.0).abs().total_cmp(&(b.rest - 1.0).abs()));
    found
}

fn otherwise(ratio: f64, reads: bool) -> Explanation {
    let reason = match (ratio < 1.0, reads) {
        (true, _) => Reason::ServedAbove,
        (false, true) => Reason::ReadMore,
        (false, false) => Reason::WrittenMore,
    };
    explain(reason, 1.0, ratio)
}

fn explain(reason: Reason, factor: f64, ratio: f64) -> Explanation {
    Explanation { reason, factor, rest: ratio / factor }
}

fn is_near(value: f64, tolerance: f64) -> bool {
    (value - 1.0).abs() <= tolerance
}
