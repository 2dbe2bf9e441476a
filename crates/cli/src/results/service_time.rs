//! How long a device is busy with a request: a fixed time and one of each byte, from the rates of
//! several sizes with enough requests in flight.
//!
//! Law: time(size) = fixed + size / rate, fitted so that the relative errors are least (weighted
//! least squares). Two sizes have one line.

use iopath_analysis::capacities::Figure;
use iopath_report::{AloneProfile, ComponentProfile, LoadCarried, Profile};
use iopath_study::language::Kind;

/// The line through the times of several sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Service {
    pub fixed_s: f64,
    pub byte_s: f64,
    /// How many sizes it was fitted to.
    pub sizes: usize,
    /// The greatest relative distance of one from it.
    pub off: f64,
}

/// Below this share of the time of a small request a fixed time is noise: chosen, as passes of a
/// second differ by 3 %.
const LEAST_SHARE: f64 = 0.05;

impl Service {
    /// Of a component that was full of operations and of bytes; none where it cannot state it, or
    /// its requests have no fixed time.
    pub(crate) fn of(
        profile: &Profile,
        component: &ComponentProfile,
        full: &[&LoadCarried],
    ) -> Option<Self> {
        Kind::named(component.kind)?.property("read-time")?;
        let mut points: Vec<(f64, f64)> = full.iter().filter_map(|one| point(one)).collect();
        if points.len() < 2 {
            return None;
        }
        let op = full.first()?.load.op;
        let alone = profile.alone.iter().filter(|one| {
            profile.uses(&one.device, component.part) && one.load.op == op && is_of_size(one)
                // What this machine limited says nothing of the device.
                && !one.limit.is_of_host()
        });
        points.extend(alone.map(|one| (one.load.block as f64, 1.0 / one.operations_per_sec)));
        let service = Self::through(&points)?;
        let small = points.iter().map(|(_, time)| *time).fold(f64::INFINITY, f64::min);
        (service.fixed_s > LEAST_SHARE * small).then_some(service)
    }

    fn through(points: &[(f64, f64)]) -> Option<Self> {
        // Σ ((a + b s) / t - 1)² is least: two linear equations in a and b.
        let (mut uu, mut uv, mut vv, mut u, mut v) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (size, time) in points {
            let (x, y) = (1.0 / time, size / time);
            (uu, uv, vv) = (uu + x * x, uv + x * y, vv + y * y);
            (u, v) = (u + x, v + y);
        }
        let determinant = uu * vv - uv * uv;
        if determinant <= 0.0 {
            return None;
        }
        let fixed_s = (u * vv - v * uv) / determinant;
        let byte_s = (v * uu - u * uv) / determinant;
        let off = |(size, time): &(f64, f64)| ((fixed_s + byte_s * size) / time - 1.0).abs();
        let off = points.iter().map(off).fold(0.0, f64::max);
        (byte_s > 0.0).then_some(Self { fixed_s, byte_s, sizes: points.len(), off })
    }
}

/// Bytes of a request and seconds between two.
fn point(one: &LoadCarried) -> Option<(f64, f64)> {
    let bytes = one.load.block as f64;
    let seen = one.carried.seen()?;
    match one.load.figure {
        Figure::Throughput => Some((bytes, bytes / seen)),
        Figure::Operations => Some((bytes, 1.0 / seen)),
        _ => None,
    }
}

/// A size between the others, with as many in flight as fill a device.
fn is_of_size(one: &AloneProfile) -> bool {
    one.load.is_of_size() && one.operations_per_sec > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_through_two_sizes_and_between_more() {
        let time = |size: f64| 14e-6 + size / 1.3e9;
        let two = Service::through(&[(4096.0, time(4096.0)), (1e6, time(1e6))]).unwrap();
        assert!((two.fixed_s / 14e-6 - 1.0).abs() < 1e-9 && two.off < 1e-9, "{two:?}");
        assert!((two.byte_s * 1.3e9 - 1.0).abs() < 1e-9);
        let sizes = [4096.0, 16384.0, 65536.0, 1e6];
        let noisy: Vec<(f64, f64)> = sizes
            .iter()
            .zip([1.02, 0.97, 1.01, 0.99])
            .map(|(size, off)| (*size, time(*size) * off))
            .collect();
        let found = Service::through(&noisy).unwrap();
        assert!((found.fixed_s / 14e-6 - 1.0).abs() < 0.05, "{found:?}");
        assert!(found.off < 0.05, "{found:?}");
    }
}
