//! A curve of response time against load: where it bends, and the lines that it bends between.
//!
//! Asymptotes: without queues a request takes as long as the lightest load shows, and throughput
//! ends at saturation (Denning and Buzen, ACM Computing Surveys 10, 1978). The knee is the load
//! with the most power, throughput over response time (Kleinrock, ICC 1979): beyond it response
//! grows faster than throughput.
//! It leaves out what a curve is made of.

use crate::prediction::LoadPoint;

/// What a curve bends between, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// Mean time of a request at the lightest load.
    pub unloaded_response_ns: f64,
    /// Requests a second at saturation.
    pub saturated_operations_per_sec: f64,
    /// Bytes a second there.
    pub saturated_bytes_per_sec: f64,
    /// Position of the knee among the points.
    pub knee: usize,
}

/// The bend of a curve; none of one with fewer than two points, or without load.
#[must_use]
pub fn bend(curve: &[LoadPoint]) -> Option<Bend> {
    let (first, last) = (curve.first()?, curve.last()?);
    if curve.len() < 2 || last.load <= 0.0 {
        return None;
    }
    let power = |point: &LoadPoint| point.operations_per_sec / point.response_ns.max(1.0);
    let by_power =
        |a: &(usize, &LoadPoint), b: &(usize, &LoadPoint)| power(a.1).total_cmp(&power(b.1));
    Some(Bend {
        unloaded_response_ns: first.response_ns,
        saturated_operations_per_sec: last.operations_per_sec / last.load,
        saturated_bytes_per_sec: last.throughput_bytes_per_sec / last.load,
        knee: curve.iter().enumerate().max_by(by_power)?.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One server of 1 ms: R = S / (1 - load), whose power is greatest at half the load.
    #[test]
    fn the_knee_of_a_single_server_is_at_half_its_load() {
        let point = |load: f64| LoadPoint {
            load,
            throughput_bytes_per_sec: 4096.0 * 1000.0 * load,
            operations_per_sec: 1000.0 * load,
            response_ns: 1e6 / (1.0 - load),
        };
        let curve: Vec<LoadPoint> = (0..20).map(|step| point(f64::from(step) * 0.05)).collect();
        let bend = bend(&curve).unwrap();
        assert_eq!((bend.knee, bend.unloaded_response_ns), (10, 1e6));
        assert!((bend.saturated_operations_per_sec - 1000.0).abs() < 1e-6);
        assert!((bend.saturated_bytes_per_sec - 4_096_000.0).abs() < 1e-3);
        assert_eq!(super::bend(&curve[..1]), None);
    }
}
