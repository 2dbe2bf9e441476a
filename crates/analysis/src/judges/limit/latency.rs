//! Too few requests in flight: nothing on their way is full, and the streams never pause, so the
//! time of single requests decides (Little's law: throughput = in flight / time).
//!
//! Only of models, where everything that could be full is described and counted. How many slots
//! there are says nothing: buffered requests are few, and what is read ahead for them is many.

use super::{Cause, Evidence, Fact, Judgement, LatencyUse, Weight};
use crate::judges::metrics::TrialMetrics;
use crate::thresholds::limits::IN_FLIGHT_PER_STREAM;

pub(super) fn judge(metrics: &TrialMetrics) -> Judgement {
    let mut judgement = Judgement::open(Cause::Latency);
    let in_flight = metrics.in_flight();
    let operations: f64 = metrics.streams.iter().map(|one| one.operations_per_sec).sum();
    if operations <= 0.0 {
        return judgement;
    }
    let fullest = metrics.fullest.classes.first();
    let streams = metrics.streams.len();
    let value = in_flight / streams as f64;
    let line = Evidence {
        entity: "all streams".to_owned(),
        fact: Fact::Latency(LatencyUse {
            in_flight,
            streams,
            mean_ns: in_flight / operations * 1e9,
            fullest: fullest.map(|one| (one.class.name.clone(), one.most)),
        }),
        value,
        threshold: IN_FLIGHT_PER_STREAM,
    };
    judgement.add(line, Weight::of(value >= IN_FLIGHT_PER_STREAM));
    judgement.evidence.extend(at_devices(metrics, in_flight));
    judgement
}

/// How many requests at the devices each request of a stream has at once: below one where it
/// spends its time elsewhere, and far below its parts where these go out one by one.
fn at_devices(metrics: &TrialMetrics, in_flight: f64) -> Option<Evidence> {
    let below = metrics.devices.iter().filter_map(|device| device.usage.in_flight_mean);
    let value = below.reduce(|sum, next| sum + next)? / in_flight;
    let entity = "all devices".to_owned();
    Some(Evidence { entity, fact: Fact::AtDevices, value, threshold: 1.0 })
}
