//! How much longer a drive takes for each request the more are in flight, from small reads at
//! several depths.
//!
//! Law: with n in flight one takes s + c b (n - 1), or n b once the drive is full; s is what one
//! alone takes, b that at the greatest depth over the depth. The share c (`contention`) is found in
//! steps of 0.01, so that the worst relative error is least. None where no depth between was
//! measured, or a queue alone explains them as well. Equal drives have one curve.

use iopath_analysis::capacities::{Figure, Load};
use iopath_report::{ComponentProfile, Profile};
use iopath_study::language::Kind;
use iopath_units::Op;

/// A share, and how far the worst of the depths is off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Contended {
    pub share: f64,
    pub depths: usize,
    pub off: f64,
}

/// Less improvement than this is noise: chosen, as passes differ by 3 %.
const LEAST: f64 = 0.05;

impl Contended {
    /// Of a drive that was full of small reads.
    pub(crate) fn of(profile: &Profile, component: &ComponentProfile) -> Option<Self> {
        Kind::named(component.kind)?.property("contention")?;
        let equal = |one: &&ComponentProfile| one.equal == component.equal;
        let mut equal = profile.components.iter().filter(equal);
        equal.find_map(|one| Self::through(times(profile, one)?))
    }

    /// Depths, and the seconds that a request takes at each.
    fn through(mut times: Vec<(f64, f64)>) -> Option<Self> {
        times.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let [(1.0, alone), between @ .., (deepest, longest)] = &times[..] else { return None };
        let busy = longest / deepest;
        let off = |share: f64| {
            let each = between.iter().map(|(depth, time)| {
                let law = (alone + share * busy * (depth - 1.0)).max(busy * depth);
                (law / time - 1.0).abs()
            });
            each.fold(0.0, f64::max)
        };
        let shares = (0..=100).map(|hundredths| f64::from(hundredths) / 100.0);
        let share = shares.min_by(|one, other| off(*one).total_cmp(&off(*other)))?;
        let is_better = !between.is_empty() && off(0.0) - off(share) > LEAST;
        is_better.then(|| Self { share, depths: times.len(), off: off(share) })
    }
}

/// Depths, and the seconds that a small read takes at each; none where the drive was never full of
/// them.
fn times(profile: &Profile, component: &ComponentProfile) -> Option<Vec<(f64, f64)>> {
    let is_read = |load: Load, figure| load.figure == figure && load.op == Op::Read;
    component
        .carried
        .iter()
        .find(|one| is_read(one.load, Figure::Operations) && one.carried.capacity().is_some())?;
    let figures = [Figure::Latency, Figure::Curve, Figure::Operations];
    let alone = profile.alone.iter().filter(|one| {
        figures.iter().any(|figure| is_read(one.load, *figure))
            && !one.load.is_of_size()
            && profile.uses(&one.device, component.part)
            // What this machine limited says nothing of the device.
            && !one.limit.is_of_host()
            && one.operations_per_sec > 0.0
    });
    let times = alone.map(|one| {
        let depth = f64::from(one.load.depth);
        (depth, depth / one.operations_per_sec)
    });
    Some(times.collect())
}

#[cfg(test)]
mod tests {
    use super::Contended;

    /// What requests take at four depths of a drive that is busy for 13 µs with each.
    fn times(share: f64, noise: f64) -> Vec<(f64, f64)> {
        let time = |depth: f64| (42e-6 + share * 13e-6 * (depth - 1.0)).max(13e-6 * depth);
        let noisy = |(depth, sign): (f64, f64)| (depth, time(depth) * (1.0 + sign * noise));
        [(64.0, -1.0), (1.0, 1.0), (128.0, -1.0), (4.0, 1.0), (16.0, -1.0)].map(noisy).to_vec()
    }

    #[test]
    fn the_share_is_found() {
        for share in [0.5, 0.75, 1.0] {
            let found = Contended::through(times(share, 0.0)).unwrap();
            assert!((found.share - share).abs() < 0.05, "{share}: {found:?}");
            assert!(found.off < 0.03, "{share}: {found:?}");
            assert_eq!(found.depths, 5);
            let noisy = Contended::through(times(share, 0.02)).unwrap();
            assert!((noisy.share - share).abs() < 0.15, "{share}: {noisy:?}");
        }
    }

    #[test]
    fn a_queue_alone_is_no_contention_and_two_depths_tell_nothing() {
        assert_eq!(Contended::through(times(0.0, 0.0)), None);
        assert_eq!(Contended::through(times(0.0, 0.02)), None);
        let ends = times(1.0, 0.0).into_iter().filter(|(depth, _)| [1.0, 128.0].contains(depth));
        assert_eq!(Contended::through(ends.collect()), None);
        let (_, deep): (Vec<_>, Vec<_>) = times(1.0, 0.0).into_iter().partition(|one| one.0 == 1.0);
        assert_eq!(Contended::through(deep), None);
    }
}
