//! Why bytes below are not the bytes above.

use iopath_record::Layer;
use serde::Serialize;

use super::Step;
use super::factors::{Factor, SLIPS, framing};

/// How far a ratio may be from a factor to be explained by it: chosen. Counters of one layer agreed
/// within 0.5 % in a published study (Veritas, 2015).
const CLOSE: f64 = 0.005;

/// What may remain besides where the meter's unit was not told by its text: chosen. Two meters that
/// are read at other instants and average otherwise differed by up to 3.3 % in that study.
const LOOSE: f64 = 0.035;

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

/// What could explain a ratio, the simplest first; several where the figures cannot tell them
/// apart.
pub(super) fn why(step: &Step, kind: &str, reads: bool, is_said: bool) -> Vec<Explanation> {
    let frames = framing(step.lower_layer, kind);
    let ratio = step.ratio;
    if is_near(ratio, CLOSE) {
        return vec![explain(Because::Equal, 1.0, ratio, "what is below moves what is above")];
    }
    let exact = known(ratio, frames, CLOSE, (reads, is_said));
    if !exact.is_empty() {
        return exact;
    }
    let foreign = matches!(step.lower_layer, Layer::Port | Layer::Switch);
    if is_said && foreign {
        // The nearest alone: a few percent fit much.
        let mut loose = known(ratio, frames, LOOSE, (reads, is_said));
        loose.truncate(1);
        if !loose.is_empty() {
            return loose;
        }
    }
    vec![otherwise(ratio, reads)]
}

/// Factors within a tolerance, the nearest first: one alone before two together. Two only where a
/// unit was said by the user: so many products fit much.
fn known(
    ratio: f64,
    frames: &[Factor],
    tolerance: f64,
    (reads, is_said): (bool, bool),
) -> Vec<Explanation> {
    let fits = |factor: f64| is_near(ratio / factor, tolerance);
    let mut found: Vec<Explanation> = Vec::new();
    for frame in frames.iter().filter(|frame| fits(frame.factor)) {
        found.push(explain(Because::Framing, frame.factor, ratio, frame.name));
    }
    let copies = ratio.round();
    if !reads && (2.0..=4.0).contains(&copies) && fits(copies) {
        let text = format!("{copies:.0} copies of what is written, which no relation states");
        found.push(explain(Because::Copies, copies, ratio, &text));
    }
    let slips = SLIPS.iter().flat_map(|slip| ways(*slip));
    for (factor, text) in slips.clone().filter(|(factor, _)| fits(*factor)) {
        found.push(explain(Because::UnitSlip, factor, ratio, &text));
    }
    if found.is_empty() && is_said {
        for (slip, text) in slips {
            for frame in frames.iter().filter(|frame| fits(slip * frame.factor)) {
                let text = format!("{text}, and {}", frame.name);
                found.push(explain(Because::SlipAndFraming, slip * frame.factor, ratio, &text));
            }
        }
    }
    found.sort_by(|a, b| (a.rest - 1.0).abs().total_cmp(&(b.rest - 1.0).abs()));
    found
}

/// A slip of the meter below, or of the one above.
fn ways(slip: Factor) -> [(f64, String); 2] {
    let told = |which: &str| format!("a unit of the meter {which} is off: {}", slip.name);
    [(slip.factor, told("below")), (1.0 / slip.factor, told("above"))]
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
