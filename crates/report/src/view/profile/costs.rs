//! What a request costs a processor here: the line through the times of small and large requests.

use iopath_analysis::capacities::Figure;
use iopath_units::Op;

use super::AloneProfile;

/// Processor time of reads that bypass the page cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostCosts {
    /// Seconds of a request, whatever its size.
    pub request_s: f64,
    /// Seconds of a byte.
    pub byte_s: f64,
}

impl HostCosts {
    /// Medians over all devices; none where processor time was not counted.
    pub(super) fn of(alone: &[AloneProfile]) -> Option<Self> {
        let (small, few) = middle(alone, Figure::Operations)?;
        let (large, many) = middle(alone, Figure::Throughput)?;
        let byte_s = ((many - few) / (large - small)).max(0.0);
        Some(Self { request_s: (few - byte_s * small).max(0.0), byte_s })
    }
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
