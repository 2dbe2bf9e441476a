//! Too few requests in flight: nothing on their way is full, and every slot is taken, so the time
//! of single requests decides (Little's law: throughput = in flight / time).
//!
//! Only of models, where everything that could be full is described and counted.

use super::{Cause, Evidence, Judgement, Weight};
use crate::observed::Observed;

/// Share of the slots in use from which slots hold requests back: as for a wanted rate.
const TAKEN: f64 = super::rate::FREE;

pub(super) fn judge(observed: &Observed) -> Judgement {
    let mut judgement = Judgement::open(Cause::Latency);
    let slots: u64 = observed.streams.iter().filter_map(|stream| stream.depth).sum();
    let in_flight: f64 = observed.streams.iter().map(|stream| stream.in_flight).sum();
    let operations: f64 = observed.streams.iter().map(|one| one.operations_per_sec).sum();
    if slots == 0 || operations <= 0.0 {
        return judgement;
    }
    let value = in_flight / slots as f64;
    let text = format!(
        "{in_flight:.1} of {slots} slots were in use, each request took {:.3} ms, and nothing on \
         its way is full: with more in flight, more would be done",
        in_flight / operations * 1e3
    );
    let entity = "all streams".to_owned();
    let line = Evidence { entity, law: "latency", value, threshold: TAKEN, text };
    judgement.add(line, Weight::of(value >= TAKEN));
    judgement
}
