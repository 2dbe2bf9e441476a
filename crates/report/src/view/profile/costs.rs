//! What a request costs a processor here: the line through the times of small and large requests,
//! and what is left of those that the page cache serves, which are copied.

use iopath_analysis::capacities::Figure;
use iopath_analysis::limit::Cause;
use iopath_units::Op;

use super::AloneProfile;

/// Processor time of reads that bypass the page cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostCosts {
    /// Seconds of a request, whatever its size.
    pub request_s: f64,
    /// Seconds of a byte.
    pub byte_s: f64,
    /// Seconds of a byte that is copied from the page cache.
    pub copied_byte_s: Option<f64>,
    /// Bytes per second that all processors copied together.
    pub copied_bytes_per_sec: Option<f64>,
}

impl HostCosts {
    /// Medians over all devices; none where processor time was not counted.
    pub(super) fn of(alone: &[AloneProfile]) -> Option<Self> {
        let (small, few) = middle(alone, Figure::Operations)?;
        let (large, many) = middle(alone, Figure::Throughput)?;
        let byte_s = ((many - few) / (large - small)).max(0.0);
        let request_s = (few - byte_s * small).max(0.0);
        let copied = |figure| served(alone, figure);
        let copied_byte_s = copied(Figure::Copy).and_then(|one| {
            Some((one.cpu_ns? / 1e9 - request_s) / one.load.block as f64).filter(|time| *time > 0.0)
        });
        let copied_bytes_per_sec = copied(Figure::Copies).map(|one| one.bytes_per_sec);
        Some(Self { request_s, byte_s, copied_byte_s, copied_bytes_per_sec })
    }
}

/// Reads that the page cache did serve.
fn served(alone: &[AloneProfile], figure: Figure) -> Option<&AloneProfile> {
    alone.iter().find(|one| one.load.figure == figure && one.limit == Cause::PageCache)
}

/// Bytes of a request of a load, and the median over devices of its processor time in seconds.
fn middle(alone: &[AloneProfile], figure: Figure) -> Option<(f64, f64)> {
    let is_it = |one: &&AloneProfile| one.load.figure == figure && one.load.op == Op::Read;
    let of_load = alone.iter().filter(is_it);
    let mut found: Vec<(u64, f64)> =
        of_load.filter_map(|one| Some((one.load.block, one.cpu_ns?))).collect();
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    found.get(found.len() / 2).map(|(bytes, ns)| (*bytes as f64, ns / 1e9))
}

#[cfg(test)]
mod tests {
    use iopath_analysis::capacities::{Load, loads};

    use super::*;

    /// Processor time: 2 µs a request, 0.1 ns a byte; so many ns a byte that is copied.
    fn alone(figure: Figure, limit: Cause, copied_ns: f64) -> AloneProfile {
        let is_it = |load: &Load| (load.figure, load.op) == (figure, Op::Read);
        let load = loads(false, false).find(is_it).expect("a load");
        let byte_ns = if load.is_cached() { copied_ns } else { 0.1 };
        AloneProfile {
            device: "disk".to_owned(),
            load,
            bytes_per_sec: 7e9,
            operations_per_sec: 0.0,
            latency_ns_p50: None,
            latency_ns_p99: None,
            cpu_ns: Some(2000.0 + byte_ns * load.block as f64),
            limit,
        }
    }

    #[test]
    fn a_copy_is_what_a_cached_read_takes_beyond_a_request() {
        let direct =
            [Figure::Operations, Figure::Throughput].map(|of| alone(of, Cause::Device, 0.0));
        let of = |limit, copied_ns| {
            let cached =
                [Figure::Copy, Figure::Copies].map(|figure| alone(figure, limit, copied_ns));
            HostCosts::of(&[&direct[..], &cached].concat()).expect("processor time")
        };
        let costs = of(Cause::PageCache, 0.25);
        let is = |seconds: f64, expected: f64| (seconds / expected - 1.0).abs() < 1e-9;
        assert!(is(costs.request_s, 2e-6) && is(costs.byte_s, 1e-10), "{costs:?}");
        assert!(costs.copied_byte_s.is_some_and(|copied| is(copied, 2.5e-10)), "{costs:?}");
        assert_eq!(costs.copied_bytes_per_sec, Some(7e9));
        // What a device served says nothing of copies.
        let costs = of(Cause::Device, 0.25);
        assert_eq!((costs.copied_byte_s, costs.copied_bytes_per_sec), (None, None));
        // Less time than a request takes is no time of a byte.
        assert_eq!(of(Cause::PageCache, -0.001).copied_byte_s, None);
    }
}
