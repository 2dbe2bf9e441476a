//! Why bytes below are not the bytes above.

use iopath_record::Layer;
use iopath_units::{Bytes, Human, System};
use serde::Serialize;

use super::Step;
use super::factors::Factors;
use crate::thresholds::groups::{
    IN_FLIGHT_BYTES_SHARE, LAYER_DIFFERENCE, LOOSE_LAYER_DIFFERENCE, UNSTATED_COPIES,
};

/// A reason for a ratio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Which kind of reason.
    pub because: Because,
    /// By which factor it explains the ratio.
    pub factor: f64,
    /// What remains: ratio / factor.
    pub rest: f64,
    /// In words.
    pub text: String,
}

/// Kinds of reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// Nothing to explain.
    Equal,
    /// What was in flight at the edges is counted on one side only.
    InFlight,
    /// What a link carries besides data.
    Framing,
    /// A unit that is off.
    UnitSlip,
    /// A unit that is off, and what a link carries besides.
    SlipAndFraming,
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
}

/// What could explain a ratio, the simplest first; several where the figures cannot tell them
/// apart.
pub(super) fn why(step: &Step, factors: &Factors, moved: Moved) -> Vec<Explanation> {
    let ratio = step.ratio;
    if is_near(ratio, LAYER_DIFFERENCE) {
        return vec![explain(Because::Equal, 1.0, ratio, "what is below moves what is above")];
    }
    let held = in_flight(ratio, moved);
    let exact: Vec<Explanation> =
        held.into_iter().chain(known(ratio, factors, LAYER_DIFFERENCE, moved.reads)).collect();
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
    let share = moved.held_bytes? / moved.bytes;
    let text = format!(
        "{} were in flight on average, {:.1} % of the {} that were moved: counters above and below \
         may be as much apart",
        amount(moved.held_bytes?),
        share * 100.0,
        amount(moved.bytes)
    );
    (share <= IN_FLIGHT_BYTES_SHARE && is_near(ratio, share))
        .then(|| explain(Because::InFlight, 1.0, ratio, &text))
}

fn amount(bytes: f64) -> String {
    Bytes(bytes.round() as u64).human(System::Decimal).to_string()
}

/// Factors within a tolerance, the nearest first: one alone before two together. Two only where a
/// unit was said by the user: so many products fit much.
fn known(ratio: f64, factors: &Factors, tolerance: f64, reads: bool) -> Vec<Explanation> {
    let fits = |factor: f64| is_near(ratio / factor, tolerance);
    let mut found: Vec<Explanation> = Vec::new();
    for frame in factors.frames.iter().filter(|frame| fits(frame.factor)) {
        found.push(explain(Because::Framing, frame.factor, ratio, frame.name));
    }
    let copies = ratio.round();
    if !reads && (2.0..=UNSTATED_COPIES).contains(&copies) && fits(copies) {
        let text = format!("{copies:.0} copies of what is written, which no relation states");
        found.push(explain(Because::Copies, copies, ratio, &text));
    }
    let slips = factors.slips();
    for (factor, text) in slips.iter().filter(|(factor, _)| fits(*factor)) {
        found.push(explain(Because::UnitSlip, *factor, ratio, text));
    }
    if found.is_empty() && factors.is_said {
        for (slip, text) in slips {
            for frame in factors.frames.iter().filter(|frame| fits(slip * frame.factor)) {
                let text = format!("{text}, and {}", frame.name);
                found.push(explain(Because::SlipAndFraming, slip * frame.factor, ratio, &text));
            }
        }
    }
    found.sort_by(|a, b| (a.rest - 1.0).abs().total_cmp(&(b.rest - 1.0).abs()));
    found
}

fn otherwise(ratio: f64, reads: bool) -> Explanation {
    let percent = (ratio - 1.0).abs() * 100.0;
    let (because, text) = match (ratio < 1.0, reads) {
        (true, _) => (
            Because::ServedAbove,
            format!(
                "{percent:.1} % of the bytes did not come below: a cache, holes, or several that \
                 read the same"
            ),
        ),
        (false, true) => (
            Because::ReadMore,
            format!("{percent:.1} % more is read below: readahead that is not used, or others"),
        ),
        (false, false) => (
            Because::WrittenMore,
            format!(
                "{percent:.1} % more is written below: parity, journals, whole blocks for parts \
                 of them, or others"
            ),
        ),
    };
    explain(because, 1.0, ratio, &text)
}

fn explain(because: Because, factor: f64, ratio: f64, text: &str) -> Explanation {
    Explanation { because, factor, rest: ratio / factor, text: text.to_owned() }
}

fn is_near(value: f64, tolerance: f64) -> bool {
    (value - 1.0).abs() <= tolerance
}
