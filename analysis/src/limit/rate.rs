//! The rate that the study asked for: reached, with slots to spare.

use super::{Cause, Evidence, Judgement, Weight, percent};
use crate::observed::{Observed, StreamUse};

/// Share of the wanted rate that counts as reached: chosen; Poisson arrivals of 10 s at 100/s
/// spread by 3 %.
const REACHED: f64 = 0.98;

/// Mean share of the slots in use up to which slots are free: chosen.
const FREE: f64 = 0.9;

pub(super) fn judge(observed: &Observed) -> Judgement {
    let mut judgement = Judgement::open(Cause::Rate);
    let Some(reached) = reached(observed) else { return judgement };
    let slots = slots(&observed.streams);
    let is_free = slots.as_ref().is_none_or(|line| line.value <= FREE);
    let proves = reached.value >= REACHED && is_free;
    judgement.add(reached, Weight::of(proves));
    judgement.evidence.extend(slots);
    judgement
}

/// How much of the wanted rate was reached. None where a stream has no rate: it runs as fast as
/// it can, so the rate is not what holds the trial.
pub(crate) fn reached(observed: &Observed) -> Option<Evidence> {
    let wanted: Option<Vec<_>> = observed.streams.iter().map(|s| s.wanted.as_ref()).collect();
    let wanted = wanted.filter(|wanted| !wanted.is_empty())?;
    let sum: u64 = wanted.iter().map(|limit| limit.per_sec).sum();
    let is_bytes = wanted[0].measure == "bytes";
    let achieved = if is_bytes { observed.bytes_per_sec } else { observed.operations_per_sec };
    let unit = if is_bytes { "bytes" } else { "requests" };
    let value = achieved / sum.max(1) as f64;
    let text = format!(
        "{achieved:.0} of the wanted {sum} {unit} a second were reached: {}",
        percent(value)
    );
    let entity = "all streams".to_owned();
    Some(Evidence { entity, law: "wanted-rate", value, threshold: REACHED, text })
}

fn slots(streams: &[StreamUse]) -> Option<Evidence> {
    let depth: u64 = streams.iter().filter_map(|stream| stream.depth).sum();
    let in_flight: f64 = streams.iter().map(|stream| stream.in_flight).sum();
    let value = in_flight / depth.max(1) as f64;
    (depth > 0).then(|| Evidence {
        entity: "all streams".to_owned(),
        law: "free-slots",
        value,
        threshold: FREE,
        text: format!("{in_flight:.1} of {depth} slots were in use on average"),
    })
}
