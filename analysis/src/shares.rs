//! disks of a volume. Over a whole record [`mod@crate::balance`] judges with more to go by.
//!
//! Members are judged on what they carry and on how long they take, together: equal rates with
//! unequal times mean that a policy feeds a slow path. A member that carries nothing is told apart,
//! since a standby path is no fault. It leaves out how much each was meant to carry.

use iopath_record::{EntityId, Relation};
use serde::Serialize;

use crate::activity::Activity;

/// Most carried over least from which members that carry something are uneven: chosen.
const UNEVEN: f64 = 1.5;

/// Longest time of a request over shortest from which members are uneven: chosen; the times of
/// equal disks differ by some tens of percent.
const SLOW: f64 = 2.0;

/// Requests a second from which the time of a member means something: chosen.
const FEW: f64 = 1.0;

/// The members below one entity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemberShares {
    /// How many members there are.
    pub members: usize,
    /// How many carried nothing.
    pub idle: usize,
    /// Least share of the traffic of all, among those that carried something.
    pub least_share: f64,
    /// Greatest share of it.
    pub most_share: f64,
    /// Shortest mean time of a request, among those with at least one a second.
    pub least_ns: Option<f64>,
    /// Longest of them.
    pub most_ns: Option<f64>,
    /// The member that takes longest, where the times are uneven; else the one that carries most,
    /// where the shares are.
    pub odd: Option<EntityId>,
}

/// The shares of the members of a relation; none where there is one only, or nothing was moved.
#[must_use]
pub fn of(relation: &Relation, all: &[Activity]) -> Option<MemberShares> {
    let members: Vec<(EntityId, &Activity)> =
        relation.lower.iter().filter_map(|id| Some((*id, all.get(id.0 as usize)?))).collect();
    let carried = |of: &Activity| of.bytes_per_sec().unwrap_or_default();
    let sum: f64 = members.iter().map(|(_, of)| carried(of)).sum();
    if members.len() < 2 || sum <= 0.0 {
        return None;
    }
    let busy: Vec<(EntityId, f64)> =
        members.iter().map(|(id, of)| (*id, carried(of) / sum)).filter(|(_, s)| *s > 0.0).collect();
    let times: Vec<(EntityId, f64)> = members
        .iter()
        .filter(|(_, of)| of.operations_per_sec().is_some_and(|rate| rate >= FEW))
        .filter_map(|(id, of)| Some((*id, of.ns_mean()?)))
        .collect();
    let (least, most) = (extreme(&busy, |a, b| a < b)?, extreme(&busy, |a, b| a > b)?);
    let (fast, slow) = (extreme(&times, |a, b| a < b), extreme(&times, |a, b| a > b));
    let slow_one = fast.zip(slow).filter(|(fast, slow)| slow.1 >= SLOW * fast.1 && fast.1 > 0.0);
    let uneven = (most.1 >= UNEVEN * least.1).then_some(most.0);
    Some(MemberShares {
        members: members.len(),
        idle: members.len() - busy.len(),
        least_share: least.1,
        most_share: most.1,
        least_ns: fast.map(|(_, ns)| ns),
        most_ns: slow.map(|(_, ns)| ns),
        odd: slow_one.map(|(_, (id, _))| id).or(uneven),
    })
}

fn extreme(all: &[(EntityId, f64)], wins: fn(f64, f64) -> bool) -> Option<(EntityId, f64)> {
    all.iter().copied().reduce(|best, next| if wins(next.1, best.1) { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(members: &[(f64, f64)]) -> Option<MemberShares> {
        let lower = (1u32..).take(members.len()).map(EntityId).collect();
        let (read_copies_ppm, write_copies_ppm) = (1_000_000, 1_000_000);
        let upper = EntityId(0);
        let relation = Relation { upper, lower, read_copies_ppm, write_copies_ppm };
        let activity = |(bytes, ns): &(f64, f64)| Activity {
            read_bytes_per_sec: Some(*bytes),
            read_operations_per_sec: Some(bytes / 1e3),
            read_ns_mean: (*bytes > 0.0).then_some(*ns),
            ..Activity::default()
        };
        let all: Vec<Activity> =
            [Activity::default()].into_iter().chain(members.iter().map(activity)).collect();
        of(&relation, &all)
    }

    #[test]
    fn equal_members_are_even_and_a_slow_one_is_named_although_it_carries_as_much() {
        let even = shares(&[(1e6, 1e6), (1.2e6, 1.3e6)]).unwrap();
        assert_eq!((even.members, even.idle, even.odd), (2, 0, None));
        assert!((even.most_share - 1.2 / 2.2).abs() < 1e-9);
        let slow = shares(&[(1e6, 1e6), (1e6, 4e6), (1e6, 1e6)]).unwrap();
        assert_eq!(slow.odd, Some(EntityId(2)));
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
