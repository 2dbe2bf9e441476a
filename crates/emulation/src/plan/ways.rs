//! The ways of a leg as turns: requests take one after the other, so a way with twice the share
//! stands twice. Shares that few turns cannot express become equal, which is told.

use iopath_path::{RouteId, Way};

/// The most turns of one leg (chosen).
const MOST_TURNS: usize = 16;

/// How far a share may be from that of its turns, relative (chosen: below what a run shows).
const TOLERANCE: f64 = 0.02;

/// Routes in turn, and whether their shares are those of the ways.
pub(super) fn turns(ways: &[Way]) -> (Vec<RouteId>, bool) {
    for count in ways.len()..=MOST_TURNS.max(ways.len()) {
        let parts = |way: &Way| way.share * count as f64;
        let whole = |way: &Way| {
            let times = parts(way).round();
            times >= 1.0 && (parts(way) - times).abs() <= TOLERANCE * times
        };
        if ways.iter().all(whole) {
            let mut turns: Vec<RouteId> = Vec::with_capacity(count);
            for way in ways {
                turns.extend(std::iter::repeat_n(way.route, parts(way).round() as usize));
            }
            return (turns, true);
        }
    }
    (ways.iter().map(|way| way.route).collect(), false)
}

/// After how many turns those of several legs come together again; as many as the longest has,
/// where that is too far.
pub(super) fn rounds(lengths: impl Iterator<Item = usize> + Clone) -> usize {
    const MOST: usize = 64;
    let lengths = lengths.filter(|length| *length > 0);
    let common = lengths.clone().try_fold(1_usize, |all, length| {
        let next = all / gcd(all, length) * length;
        (next <= MOST).then_some(next)
    });
    common.unwrap_or_else(|| lengths.max().unwrap_or(1))
}

fn gcd(one: usize, other: usize) -> usize {
    if other == 0 { one } else { gcd(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways(shares: &[f64]) -> Vec<Way> {
        (0..)
            .zip(shares)
            .map(|(route, share)| Way { route: RouteId(route), share: *share })
            .collect()
    }

    #[test]
    fn shares_become_turns() {
        let routes = |shares: &[f64]| {
            let (turns, exact) = turns(&ways(shares));
            (turns.iter().map(|route| route.0).collect::<Vec<_>>(), exact)
        };
        assert_eq!(routes(&[]), (vec![], true));
        assert_eq!(routes(&[0.5, 0.5]), (vec![0, 1], true));
        assert_eq!(routes(&[2.0 / 3.0, 1.0 / 3.0]), (vec![0, 0, 1], true));
        assert_eq!(routes(&[0.97, 0.03]), (vec![0, 1], false));
    }

    #[test]
    fn turns_of_several_legs_come_together() {
        assert_eq!(rounds([0, 1, 4, 4].into_iter()), 4);
        assert_eq!(rounds([4, 6].into_iter()), 12);
        assert_eq!(rounds([].into_iter()), 1);
        assert_eq!(rounds([64, 63].into_iter()), 64);
    }
}
