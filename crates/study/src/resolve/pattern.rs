//! Patterns of offsets: which parameters each needs, and which fit a block and a region.

use iopath_units::{Bytes, Ratio};

use super::streams::View;
use crate::case::{Pattern, PatternKind};
use crate::mistake::{Collected, MistakeKind};
use crate::spc1;

/// Parameters and the one pattern that uses each.
pub(crate) const PARAMETERS: [(&str, &str); 8] = [
    ("stride", "strided"),
    ("theta", "zipf"),
    ("hot-share", "hot"),
    ("hot-band", "hot"),
    ("step", "walk"),
    ("hits", "resident"),
    ("write-hits", "resident"),
    ("set", "resident"),
];

/// The pattern with its parameters; `None` where one is missing or wrong.
pub(super) fn pattern(view: &View<'_>, collected: &mut Collected) -> Option<Pattern> {
    let word = view.word("pattern")?;
    let mut parameter = |name: &str| {
        let why = format!("has the pattern {word}, which needs {name}");
        Some(view.needed(name, &why, collected)?.value)
    };
    Some(match view.choice("pattern")? {
        PatternKind::Sequential => Pattern::Sequential,
        PatternKind::Staggered => Pattern::Staggered,
        PatternKind::RandomStart => Pattern::RandomStart,
        PatternKind::Interleaved => Pattern::Interleaved,
        PatternKind::Backwards => Pattern::Backwards,
        PatternKind::Strided => Pattern::Strided { stride: parameter("stride")?.size()? },
        PatternKind::Random => Pattern::Random,
        PatternKind::Zipf => Pattern::Zipf { theta: parameter("theta")?.share()? },
        PatternKind::Hot => {
            let (share, band) = (parameter("hot-share"), parameter("hot-band"));
            let band = band?.share()?;
            if band == Ratio(0) {
                let (message, hint) = ("hot-band: a band of nothing", "write hot-band=\"5 %\"");
                collected.hinted(MistakeKind::Value, view.span("hot-band"), message, hint);
                return None;
            }
            Pattern::Hot { share: share?.share()?, band }
        }
        PatternKind::Walk => Pattern::Walk { step: parameter("step")?.size()? },
        PatternKind::Resident => {
            let (hits, set) = (parameter("hits"), parameter("set"));
            let hits = hits?.share()?;
            let write_hits = match view.get("write-hits") {
                None => hits,
                Some(stated) => stated.value.share()?,
            };
            Pattern::Resident { hits, write_hits, set: set?.size()? }
        }
        PatternKind::Spc1Like => Pattern::Spc1Like,
    })
}

/// Offsets are whole blocks, so distances are too.
pub(super) fn whole_blocks(
    pattern: Pattern,
    block: Bytes,
    view: &View<'_>,
    collected: &mut Collected,
) {
    let Some((name, distance)) = distance(pattern) else { return };
    if distance.0 % block.0 == 0 {
        return;
    }
    let message = format!("{name}: {distance} is not a whole number of blocks of {block}");
    let near = Bytes(distance.0.div_ceil(block.0).saturating_mul(block.0));
    let hint = format!("write {name}=\"{near}\"");
    collected.hinted(MistakeKind::Contradiction, view.span(name), message, hint);
}

/// Distances and sets lie within the region.
pub(super) fn fits(
    (pattern, block): (Pattern, Bytes),
    (size, name): (Bytes, &str),
    view: &View<'_>,
    collected: &mut Collected,
) {
    let mut wrong = |property: &str, message: String| {
        collected.add(MistakeKind::Contradiction, view.span(property), message);
    };
    if let Some((property, distance)) = distance(pattern)
        && distance > size
    {
        wrong(property, format!("{property}: {distance} is larger than {name} ({size})"));
    }
    if pattern == Pattern::Spc1Like && size.0 / block.0 < spc1::LEAST_BLOCKS {
        let least = Bytes(block.0.saturating_mul(spc1::LEAST_BLOCKS));
        wrong("pattern", format!("spc1-like needs {least} at least; {name} has {size}"));
    }
    if let Pattern::Resident { hits, write_hits, set } = pattern {
        let rest = if hits.min(write_hits) < Ratio::ONE { block.0 } else { 0 };
        if set < block {
            wrong("set", format!("set: {set} is less than a block of {block}"));
        } else if set.0.saturating_add(rest) > size.0 {
            wrong("set", format!("set: {set} leaves no block of {name} ({size}) for misses"));
        }
    }
}

/// The distance that a pattern states, with the property that states it.
pub(crate) fn distance(pattern: Pattern) -> Option<(&'static str, Bytes)> {
    match pattern {
        Pattern::Strided { stride } => Some(("stride", stride)),
        Pattern::Walk { step } => Some(("step", step)),
        Pattern::Sequential
        | Pattern::Staggered
        | Pattern::RandomStart
        | Pattern::Interleaved
        | Pattern::Backwards
        | Pattern::Random
        | Pattern::Zipf { .. }
        | Pattern::Hot { .. }
        | Pattern::Resident { .. }
        | Pattern::Spc1Like => None,
    }
}
