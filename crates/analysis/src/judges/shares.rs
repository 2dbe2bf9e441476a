//! Who carries how much below one entity, at a glance: paths of a multipath device, disks of a
//! volume. Whether they are even is judged as in [`mod@crate::judges::balance`], over
//! what passed in one interval.
//!
//! Members are judged on what they carry and on how long they take, together: equal rates with
//! unequal times mean that a policy feeds a slow path. A member that carries nothing is told apart,
//! since a standby path is no fault. It leaves out how much each was meant to carry.

use iopath_record::{EntityId, Relation};
use serde::Serialize;

use crate::judges::balance::{BalanceVerdict, assess};
use crate::usage::Usage;

/// The members below one entity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemberShares {
    /// How many members there are.
    pub members: usize,
    /// How many carried nothing, or next to nothing.
    pub idle: usize,
    /// Least share of the traffic of all, among those that carried something.
    pub least_share: f64,
    /// Greatest share of it.
    pub most_share: f64,
    /// Shortest mean time of a request.
    pub least_ns: Option<f64>,
    /// Longest of them.
    pub most_ns: Option<f64>,
    /// The member that takes longest, where the times are uneven; else the one that carries most,
    /// where the shares are.
    #[serde(skip)]
    pub odd: Option<EntityId>,
}

/// The shares of the members of a relation over an interval; none where there is one only, or
/// nothing was moved.
#[must_use]
pub fn of(relation: &Relation, all: &[Usage], interval_ns: u64) -> Option<MemberShares> {
    let known = relation.lower.iter().filter_map(|id| Some((*id, all.get(id.0 as usize)?)));
    let members: assess::Members<EntityId> = known.map(|(id, of)| (id, *of)).collect();
    let count = members.len();
    let carried = |of: &Usage| of.transfers.bytes_per_sec.unwrap_or_default();
    let sum: f64 = members.iter().map(|(_, of)| carried(of)).sum();
    if count < 2 || sum <= 0.0 {
        return None;
    }
    let (active, idle) = assess::divided(members);
    let shares: Vec<_> = active.iter().map(|(id, of)| (*id, carried(of) / sum)).collect();
    let times = active.iter().filter_map(|(id, of)| Some((*id, of.transfers.ns_mean?)));
    let times: Vec<(EntityId, f64)> = times.collect();
    let (least, most) = (extreme(&shares, |a, b| a < b)?, extreme(&shares, |a, b| a > b)?);
    let (fast, slow) = (extreme(&times, |a, b| a < b), extreme(&times, |a, b| a > b));
    let found = assess::assess(&active, &idle, interval_ns)?;
    Some(MemberShares {
        members: count,
        idle: idle.len(),
        least_share: least.1,
        most_share: most.1,
        least_ns: fast.map(|(_, ns)| ns),
        most_ns: slow.map(|(_, ns)| ns),
        odd: match found.verdict {
            BalanceVerdict::SlowMembers | BalanceVerdict::UnevenAndSlow => slow.map(|(id, _)| id),
            // A standby path is no fault.
            BalanceVerdict::UnevenRate if found.is_even => None,
            BalanceVerdict::UnevenRate => Some(most.0),
            BalanceVerdict::Balanced | BalanceVerdict::Unlike => None,
        },
    })
}

fn extreme(all: &[(EntityId, f64)], wins: fn(f64, f64) -> bool) -> Option<(EntityId, f64)> {
    all.iter().copied().reduce(|best, next| if wins(next.1, best.1) { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::Requests;

    fn shares(members: &[(f64, f64)]) -> Option<MemberShares> {
        let lower = (1u32..).take(members.len()).map(EntityId).collect();
        let (read_copies_ppm, write_copies_ppm) = (1_000_000, 1_000_000);
        let upper = EntityId(0);
        let relation = Relation { upper, lower, read_copies_ppm, write_copies_ppm };
        let usage = |(bytes, ns): &(f64, f64)| Usage {
            transfers: Requests {
                bytes_per_sec: Some(*bytes),
                operations_per_sec: Some(bytes / 1e3),
                ns_mean: (*bytes > 0.0).then_some(*ns),
            },
            ..Usage::default()
        };
        let all: Vec<Usage> =
            [Usage::default()].into_iter().chain(members.iter().map(usage)).collect();
        of(&relation, &all, 1_000_000_000)
    }

    #[test]
    fn equal_members_are_even_and_a_slow_one_is_named_although_it_carries_as_much() {
        let even = shares(&[(1e6, 1e6), (1.1e6, 1.3e6)]).unwrap();
        assert_eq!((even.members, even.idle, even.odd), (2, 0, None));
        assert!((even.most_share - 1.1 / 2.1).abs() < 1e-9);
        let slow = shares(&[(1e6, 1e6), (1e6, 4e6), (1e6, 1e6)]).unwrap();
        assert_eq!(slow.odd, Some(EntityId(2)));
        // 30 and 20 requests differ by chance.
        assert_eq!(shares(&[(3e4, 1e6), (2e4, 1e6)]).unwrap().odd, None);
    }

    #[test]
    fn the_one_that_carries_too_much_is_named_and_a_standby_path_is_not() {
        assert_eq!(shares(&[(1e6, 1e6), (3e6, 1e6)]).unwrap().odd, Some(EntityId(2)));
        let standby = shares(&[(1e6, 1e6), (0.0, 0.0)]).unwrap();
        assert_eq!((standby.idle, standby.odd, standby.most_share), (1, None, 1.0));
        assert_eq!(shares(&[(0.0, 0.0), (0.0, 0.0)]), None);
        assert_eq!(shares(&[(1e6, 1e6)]), None);
    }
}
