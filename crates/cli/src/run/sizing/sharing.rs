//! Whether a build that is short might do if its load spread or its streams shared better: then one
//! with less may do where it does not.

use iopath_advice::{Compared, Judged, Needs};
use iopath_analysis::Prediction;
use iopath_record::BoundKind;

use super::demands::Demands;

/// Whether a build that is short by bounds might do with a better spread of its load, with fewer
/// streams, of which each gets more, or where these share better.
pub(super) fn might_with_less(
    judged: &Judged,
    bounds: &Prediction,
    demands: Option<&Demands>,
    needs: &Needs,
) -> bool {
    let (Judged { short, share, .. }, Some(demands)) = (judged, demands) else { return false };
    let spread = spread(bounds);
    let all = bounds.throughput_bytes_per_sec * spread;
    let by_streams = needs.of_all_streams().is_some_and(|needed| all >= needed);
    let is_held = short.iter().any(Compared::is_held);
    share * spread >= 1.0 || by_streams || (!is_held && demands.could_share(needs))
}

/// How many times more there could be at best if requests chose their ways freely, and no stripe
/// waited for its slowest member: what these two bounds take away. Only they may fall where there
/// is more of something.
fn spread(prediction: &Prediction) -> f64 {
    let of = |kind: BoundKind| {
        let bound = prediction.bounds.iter().find(|bound| bound.kind == kind)?;
        let bytes = bound.throughput_bytes_per_sec;
        Some(if bytes > 0.0 { bytes } else { bound.operations_per_sec })
    };
    let loss = |before: BoundKind, after: BoundKind| match (of(before), of(after)) {
        (Some(before), Some(after)) if after > 0.0 => (before / after).max(1.0),
        _ => 1.0,
    };
    loss(BoundKind::FreeSplit, BoundKind::FixedSplit)
        * loss(BoundKind::ClosedLoop, BoundKind::Synchronised)
}
