//! How requests choose among routes: the share of each.
//!
//! Round robin and its relatives send each route the same share. `queue-length` and `service-time`
//! feed a route as fast as it answers; where all are kept busy that makes shares in proportion to
//! what each can carry (Linux multipath's `service-time` divides bytes in flight by relative
//! throughput, Documentation/admin-guide/device-mapper/dm-service-time.rst). What else loads a
//! route is left out: shares then depend on the load, which only a simulation follows.

use iopath_study::system::{Multipath, Policy};

/// What a policy knows of a route.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// Whether it crosses no controller but the owner's.
    pub optimised: bool,
    /// The least capacity on it for what is asked, in bytes per second; infinite where none is
    /// stated.
    pub least: f64,
}

/// The shares of routes that are used, by their position; they sum to 1. None where the policy
/// may use none of them.
pub(crate) fn shares(multipath: Multipath, candidates: &[Candidate]) -> Vec<(usize, f64)> {
    let mut used = usable(multipath, candidates);
    let most = match multipath.policy {
        Policy::Fixed => Some(1),
        Policy::RoundRobin | Policy::QueueLength | Policy::ServiceTime | Policy::Owner => {
            multipath.most
        }
    };
    used.truncate(most.map_or(usize::MAX, |most| most as usize));
    let weights = weights(used.iter().map(|at| candidates[*at].least).collect());
    let total: f64 = weights.iter().sum();
    if is_adaptive(multipath.policy) && total > 0.0 {
        used.into_iter().zip(weights).map(|(at, weight)| (at, weight / total)).collect()
    } else {
        let count = used.len() as f64;
        used.into_iter().map(|at| (at, 1.0 / count)).collect()
    }
}

/// What each route can carry. One without a rating counts as the best that has one (chosen: it
/// limits nothing that is known, and must not take what the others could carry); none has: alike.
fn weights(least: Vec<f64>) -> Vec<f64> {
    let rated = least.iter().copied().filter(|least| least.is_finite());
    let best = rated.reduce(f64::max).unwrap_or(1.0);
    least.into_iter().map(|least| least.min(best)).collect()
}

/// Whether shares follow the load.
pub(crate) fn is_adaptive(policy: Policy) -> bool {
    match policy {
        Policy::QueueLength | Policy::ServiceTime => true,
        Policy::RoundRobin | Policy::Owner | Policy::Fixed => false,
    }
}

/// The optimised routes; all where those in reserve are used too, or where no other is left.
fn usable(multipath: Multipath, candidates: &[Candidate]) -> Vec<usize> {
    let all = 0..candidates.len();
    let optimised: Vec<usize> = all.clone().filter(|at| candidates[*at].optimised).collect();
    let owner_only = multipath.policy == Policy::Owner;
    let takes_all = uses_reserve(multipath) || (optimised.is_empty() && !owner_only);
    if takes_all { all.collect() } else { optimised }
}

/// Whether routes that are not optimised are used while others are left.
pub(crate) fn uses_reserve(multipath: Multipath) -> bool {
    multipath.standby_used && multipath.policy != Policy::Owner
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: [f64; 3] = [1e9, 3e9, 4e9];

    /// The first is in reserve.
    fn of(policy: Policy, standby_used: bool, most: Option<u32>) -> Vec<(usize, f64)> {
        let candidate = |at: usize| Candidate { optimised: at > 0, least: LEAST[at] };
        let multipath = Multipath { policy, most, standby_used, ..Multipath::default() };
        shares(multipath, &[candidate(0), candidate(1), candidate(2)])
    }

    #[test]
    fn routes_in_reserve_are_used_when_asked_for_only() {
        assert_eq!(of(Policy::RoundRobin, false, None), [(1, 0.5), (2, 0.5)]);
        assert_eq!(of(Policy::RoundRobin, true, Some(2)), [(0, 0.5), (1, 0.5)]);
        assert_eq!(of(Policy::Owner, true, None), [(1, 0.5), (2, 0.5)]);
        assert_eq!(of(Policy::Fixed, false, Some(9)), [(1, 1.0)]);
    }

    #[test]
    fn routes_in_reserve_are_used_where_no_other_is_left_but_not_by_owner() {
        let reserve = [Candidate { optimised: false, least: f64::INFINITY }; 2];
        let with = |policy| shares(Multipath { policy, ..Multipath::default() }, &reserve);
        assert_eq!(with(Policy::RoundRobin), [(0, 0.5), (1, 0.5)]);
        assert_eq!(with(Policy::ServiceTime), [(0, 0.5), (1, 0.5)]);
        assert!(with(Policy::Owner).is_empty());
    }

    #[test]
    fn a_route_without_a_rating_carries_as_much_as_the_best_of_the_others() {
        let least = [1e9, f64::INFINITY, 3e9];
        let candidates = least.map(|least| Candidate { optimised: true, least });
        let multipath = Multipath { policy: Policy::QueueLength, ..Multipath::default() };
        let [slow, open, fast] = [1.0, 3.0, 3.0].map(|weight| weight / 7.0);
        assert_eq!(shares(multipath, &candidates), [(0, slow), (1, open), (2, fast)]);
    }

    #[test]
    fn adaptive_policies_share_by_capacity() {
        assert_eq!(of(Policy::QueueLength, true, None), [(0, 0.125), (1, 0.375), (2, 0.5)]);
    }
}
