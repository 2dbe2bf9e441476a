//! Bounds with the names of what binds, the one that decides, and the next upgrades.

use iopath_record::{Bound, BoundKind, LimitId, Measure, Price, Record, Technique, Upgrade};
use serde::Serialize;

use super::limits::{LimitClass, fold, most_used};
use super::names::Names;
use crate::thresholds::groups::EQUAL_BOUNDS;
use crate::thresholds::limits::FULL_SHARE;
use crate::usage::pass::Pass;

/// An upper bound.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BoundFinding {
    /// Under which freedom of the software it holds.
    pub kind: BoundKind,
    /// Bytes of all streams over time.
    pub throughput_bytes_per_sec: f64,
    /// Requests of all streams over time.
    pub operations_per_sec: f64,
    /// What binds, dearest first; several are co-bottlenecks.
    pub binding: Vec<Binding>,
    /// What to raise next, each step on top of those before.
    pub upgrades: Vec<UpgradeFinding>,
    /// What it does not account for.
    pub leaves_out: Vec<LeftOut>,
}

/// Limits that bind, and what more of them would give.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Binding {
    /// Which.
    #[serde(flatten)]
    pub limits: LimitClass,
    /// Relative growth of the total over that of these limits, all raised together.
    pub gain: f64,
    /// Whether they are not used up: more of them only makes requests shorter. Of a single
    /// declaration of streams `gain` is then their share of a request's time.
    pub shortens: bool,
}

/// One of the next upgrades.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UpgradeFinding {
    /// What to raise, together.
    pub raise: Vec<RaiseFinding>,
    /// Bytes of all streams over time after it.
    pub then_throughput_bytes_per_sec: f64,
    /// Requests of all streams over time after it.
    pub then_operations_per_sec: f64,
    /// What binds then; empty where nothing that is described does.
    pub then_binds: Vec<LimitClass>,
}

/// Limits and how far to raise each of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RaiseFinding {
    /// Which.
    #[serde(flatten)]
    pub limits: LimitClass,
    /// To how much, in the limit's own measure.
    pub to_per_sec: u64,
}

/// Something that a bound does not account for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// A stable word.
    pub kind: String,
    /// In words.
    pub text: String,
}

pub(super) fn all(pass: &Pass<'_>, names: &Names<'_>) -> Vec<BoundFinding> {
    let bounds = &pass.record.bounds;
    let tightest = bounds.last().map_or(0.0, |bound| bound.bytes_per_sec as f64);
    // What is counted is what the tightest bound allows.
    let is_counted = |bound: &Bound| {
        is_equal(bound.bytes_per_sec as f64, tightest)
            && pass.record.technique == Technique::Analytic
    };
    bounds.iter().map(|bound| finding(pass, names, bound, is_counted(bound))).collect()
}

fn finding(pass: &Pass<'_>, names: &Names<'_>, bound: &Bound, is_counted: bool) -> BoundFinding {
    let record = pass.record;
    let is_idle = |price: &Price| is_counted && is_idle(pass, bound, price.of);
    let binding = fold(record, names, &bound.binding, |price| price.of);
    let binding = binding.into_iter().map(|(limits, members)| {
        // Each of a class says what all of them give together.
        let gains = members.iter().map(|index| bound.binding[*index].gain_ppm);
        let gain = gains.max().unwrap_or_default() as f64 / 1e6;
        let shortens = members.iter().all(|index| is_idle(&bound.binding[*index]));
        Binding { limits, gain, shortens }
    });
    let left_out = |text: &String| {
        let (kind, text) = text.split_once(": ").unwrap_or((text, ""));
        LeftOut { kind: kind.to_owned(), text: text.to_owned() }
    };
    BoundFinding {
        kind: bound.kind,
        throughput_bytes_per_sec: bound.bytes_per_sec as f64,
        operations_per_sec: bound.operations_milli_per_sec as f64 / 1e3,
        binding: binding.collect(),
        upgrades: bound.upgrades.iter().map(|step| upgrade(record, names, step)).collect(),
        leaves_out: bound.leaves_out.iter().map(left_out).collect(),
    }
}

/// Whether a limit only lengthens requests: a rate that is not used up, flushes that bind with the
/// requests in flight of the same streams. Tokens bind only where they are used up.
fn is_idle(pass: &Pass<'_>, bound: &Bound, id: LimitId) -> bool {
    let limits = |id: LimitId| &pass.record.entities[id.entity.0 as usize].limits;
    let limit = &limits(id)[id.limit as usize];
    if limit.measure == Measure::FlushNs {
        let mut others = bound.binding.iter().map(|price| price.of);
        return others.any(|other| {
            let is_own = other.entity == id.entity;
            is_own && limits(other)[other.limit as usize].tokens.is_some()
        });
    }
    let is_rate = limit.tokens.is_none();
    is_rate && most_used(pass, id.entity, limit).is_some_and(|used| used < FULL_SHARE)
}

fn upgrade(record: &Record, names: &Names<'_>, step: &Upgrade) -> UpgradeFinding {
    let raise = fold(record, names, &step.raise, |raise| raise.of);
    let raise = raise.into_iter().map(|(limits, members)| {
        let to_per_sec = members.iter().map(|index| step.raise[*index].to_per_sec).max();
        RaiseFinding { limits, to_per_sec: to_per_sec.unwrap_or_default() }
    });
    let binds = fold(record, names, &step.then_binds, |id: &LimitId| *id);
    UpgradeFinding {
        raise: raise.collect(),
        then_throughput_bytes_per_sec: step.then_bytes_per_sec as f64,
        then_operations_per_sec: step.then_operations_milli_per_sec as f64 / 1e3,
        then_binds: binds.into_iter().map(|(limits, _)| limits).collect(),
    }
}

/// The freest of the bounds that are as low as the tightest: freedom beyond it would change
/// nothing. The free split tells only what freedom would give: its prices are shared among what
/// binds together, and a step of one of these gives less than they say.
pub(super) fn deciding(bounds: &[BoundFinding]) -> Option<&BoundFinding> {
    let forced = tightest(bounds).find(|bound| bound.kind != BoundKind::FreeSplit);
    forced.or_else(|| tightest(bounds).next())
}

/// Upgrades that hold for every bound: those of the tightest that has any.
pub(super) fn upgrades(bounds: &[BoundFinding]) -> &[UpgradeFinding] {
    let last = tightest(bounds).filter(|bound| !bound.upgrades.is_empty()).last();
    last.map_or(&[], |bound| &bound.upgrades)
}

/// What even the tightest bound does not account for.
pub(super) fn leaves_out(bounds: &[BoundFinding]) -> &[LeftOut] {
    bounds.last().map_or(&[], |bound| &bound.leaves_out)
}

/// The tightest bound, which is what streams are said to do, and those before it that say the
/// same. A freer one may be lower in all: a stream that is held back takes less from others.
fn tightest(bounds: &[BoundFinding]) -> impl Iterator<Item = &BoundFinding> {
    let last = bounds.last().map(size).unwrap_or_default();
    bounds.iter().filter(move |bound| is_equal(size(bound), last))
}

fn is_equal(one: f64, other: f64) -> bool {
    (one - other).abs() <= one.min(other) * EQUAL_BOUNDS
}

/// Bytes tell bounds of one case apart, and operations where no bytes are moved.
fn size(bound: &BoundFinding) -> f64 {
    if bound.throughput_bytes_per_sec > 0.0 {
        bound.throughput_bytes_per_sec
    } else {
        bound.operations_per_sec
    }
}
