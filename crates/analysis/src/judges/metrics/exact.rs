//! Rates of devices from exact edges: samples lie up to an interval beside the measured part, and
//! what a throttle lets through at first, or a warm-up moves, is in the first of them.
//!
//! Of direct I/O nothing stays behind, so a device's share of all bytes since go is its share of
//! those of the measured part, which streams count to the nanosecond. It leaves out buffered
//! requests, which reach devices at another time, and streams that run one after the other.

use super::TrialMetrics;

/// The facts, with rates of devices over the streams' own time.
pub(super) fn timed(mut metrics: TrialMetrics) -> TrialMetrics {
    let is_direct = metrics.targets.iter().all(|one| one.cache.as_deref() == Some("direct"));
    let moved: f64 = metrics.application_bytes.iter().sum();
    let rate: f64 = metrics.streams.iter().map(|stream| stream.bytes_per_sec).sum();
    let is_told = !metrics.targets.is_empty() && moved > 0.0 && rate > 0.0;
    if metrics.is_model || metrics.is_live || metrics.is_watched || !is_direct || !is_told {
        return metrics;
    }
    for device in metrics.devices.iter_mut().chain(&mut metrics.members) {
        let all = device.bytes.map(|[read, written]| (read + written) / moved * rate);
        let usage = &mut device.usage;
        let sampled = usage.transfers.bytes_per_sec.filter(|sampled| *sampled > 0.0);
        let Some(scale) = all.zip(sampled).map(|(exact, sampled)| exact / sampled) else {
            continue;
        };
        for requests in [&mut usage.transfers, &mut usage.read, &mut usage.write] {
            for rate in [&mut requests.bytes_per_sec, &mut requests.operations_per_sec] {
                *rate = rate.map(|rate| rate * scale);
            }
        }
    }
    metrics
}
