//! The rate that the study asked for: reached, with slots to spare.

use iopath_record::Measure;

use super::{Cause, Evidence, Fact, Judgement, RateOf, Weight};
use crate::judges::metrics::{StreamUse, TrialMetrics};
use crate::thresholds::limits::{RATE_REACHED_SHARE, SLOTS_TAKEN_SHARE};

pub(super) fn judge(metrics: &TrialMetrics) -> Judgement {
    let mut judgement = Judgement::open(Cause::Rate);
    let Some(reached) = reached(metrics) else { return judgement };
    let slots = slots(&metrics.streams);
    let is_free = slots.as_ref().is_none_or(|line| line.value <= SLOTS_TAKEN_SHARE);
    let proves = reached.value >= RATE_REACHED_SHARE && is_free;
    judgement.add(reached, Weight::of(proves));
    judgement.evidence.extend(slots);
    judgement
}

/// How much of the wanted rate was reached; of rates of requests and of bytes, the worse. None
/// where a stream has no rate: it runs as fast as it can, so the rate is not what holds the trial.
pub(crate) fn reached(metrics: &TrialMetrics) -> Option<Evidence> {
    if metrics.streams.iter().any(|stream| stream.wanted.is_none()) {
        return None;
    }
    let each = [RateOf::Requests, RateOf::Bytes];
    let each = each.map(|measure| reached_of(&metrics.streams, measure));
    each.into_iter().flatten().min_by(|a, b| a.value.total_cmp(&b.value))
}

/// What all streams together are to do, in one measure; none where a stream has no such rate.
pub(crate) fn wanted(metrics: &TrialMetrics, measure: Measure) -> Option<f64> {
    let of = |stream: &StreamUse| {
        let limit = stream.wanted.as_ref().filter(|limit| limit.measure == measure)?;
        Some(limit.per_sec as f64)
    };
    let rates: Option<Vec<f64>> = metrics.streams.iter().map(of).collect();
    rates.filter(|rates| !rates.is_empty()).map(|rates| rates.iter().sum())
}

/// Of the streams whose rate is in one measure. None where there is none, or where all their
/// rates are below one a second and rounded to nothing.
fn reached_of(streams: &[StreamUse], measure: RateOf) -> Option<Evidence> {
    let (of, counted): (fn(&StreamUse) -> f64, _) = match measure {
        RateOf::Bytes => (|stream| stream.bytes_per_sec, Measure::Bytes),
        RateOf::Requests => (|stream| stream.operations_per_sec, Measure::Operations),
    };
    let rated = || {
        let wanted = streams.iter().filter_map(|s| Some((s, s.wanted.as_ref()?)));
        wanted.filter(|(_, limit)| limit.measure == counted)
    };
    let sum: u64 = rated().map(|(_, limit)| limit.per_sec).sum();
    let achieved: f64 = rated().map(|(stream, _)| of(stream)).sum();
    let wanted = sum as f64;
    (sum > 0).then(|| Evidence {
        entity: "all streams".to_owned(),
        fact: Fact::WantedRate { achieved, wanted, measure },
        value: achieved / wanted,
        threshold: RATE_REACHED_SHARE,
    })
}

fn slots(streams: &[StreamUse]) -> Option<Evidence> {
    let slots: u64 = streams.iter().filter_map(|stream| stream.depth).sum();
    let in_flight: f64 = streams.iter().map(|stream| stream.in_flight).sum();
    (slots > 0).then(|| Evidence {
        entity: "all streams".to_owned(),
        fact: Fact::FreeSlots { in_flight, slots },
        value: in_flight / slots as f64,
        threshold: SLOTS_TAKEN_SHARE,
    })
}
