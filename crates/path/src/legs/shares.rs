//! What requests of one kind become on the members of a volume, on average over its whole layout.
//!
//! Offsets of a stream are `start + k * step`. The parts of such requests repeat after the least
//! common multiple of the step and of the layout's own period, so shares come from all offsets of
//! one such period. Where there are too many, offsets are spread evenly over it, a prime number of
//! them, so that they do not fall into step with members; what is equal by symmetry (members that a
//! shift of the layout maps onto one another) is averaged, so that shares of members stay exact
//! and only sizes of parts are sampled.
//!
//! Left out: where a stream is at an instant.

mod passed;
mod reach;
mod symmetry;
mod tallies;

use iopath_units::Op;

pub(crate) use self::reach::Reach;
use self::tallies::Tallies;
use crate::volume::{Geometry, Volume};

/// Offsets of requests: `start`, `start + step`, and so on; all the same where the step is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Offsets {
    /// The first, below the step.
    pub start: u64,
    /// The distance.
    pub step: u64,
}

/// Requests of one size and operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Asked {
    pub op: Op,
    pub bytes: u64,
    pub at: Offsets,
}

/// Parts of one size on one member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share {
    pub member: u32,
    pub asked: Asked,
    /// How many for one request, on average.
    pub times: f64,
    /// How many of them one request makes at once, at most.
    pub at_once: f64,
    pub phase: u8,
    /// How the arm of the member gets there.
    pub reach: Reach,
    /// Those of one number stand for one another.
    pub choice: Option<u16>,
    /// Share of the requests that have any like it, on whichever member.
    pub often: f64,
    /// Bytes of the member that lie between what one request has of it and what the next one has,
    /// at the least; none where it is not split, or that is not known.
    pub apart: Option<u64>,
}

/// What is told of parts of different sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sizes {
    /// Those that matter, each for itself: what they become below depends on them.
    Apart,
    Mean,
}

impl Offsets {
    pub(crate) fn new(start: u64, step: u64) -> Self {
        Self { start: start.checked_rem(step).unwrap_or(start), step }
    }
}

/// The parts of requests on each member, on average.
pub(crate) fn shares(volume: &Volume, asked: Asked, sizes: Sizes) -> Vec<Share> {
    let one = |member, times, choice| {
        let (at_once, phase, reach, often) = (1.0, 0, Reach::Seek, 1.0);
        Share { member, asked, times, at_once, phase, reach, choice, often, apart: None }
    };
    let there = (0..volume.members).filter(|member| !volume.missing.contains(member));
    match &volume.geometry {
        Geometry::Whole => cut(volume, there.map(|member| one(member, 1.0, None))),
        Geometry::Mirror => {
            let sides = volume.members - volume.missing.len() as u32;
            let (times, choice) = match asked.op {
                Op::Read => (1.0 / f64::from(sides), Some(0)),
                Op::Write => (1.0, None),
            };
            cut(volume, there.map(|member| one(member, times, choice)))
        }
        Geometry::Concat { sizes } => {
            let total: u64 = sizes.iter().sum();
            let share = |member: u32| sizes[member as usize] as f64 / total as f64;
            cut(volume, there.map(|member| one(member, share(member), Some(0))))
        }
        Geometry::Stripe { .. }
        | Geometry::Scattered { .. }
        | Geometry::StripedMirrors { .. }
        | Geometry::Parity(_) => Tallies::of(volume, asked, sizes).shares(volume),
    }
}

/// Cuts parts that are larger than a member is asked for.
fn cut(volume: &Volume, shares: impl Iterator<Item = Share>) -> Vec<Share> {
    let largest = volume.largest.unwrap_or(u64::MAX);
    let fits = |share: Share| -> Vec<Share> {
        if share.asked.bytes <= largest {
            return vec![share];
        }
        let there = pieces(share, largest).into_iter().filter(|(size, _)| *size > 0);
        there.map(|(_, share)| share).collect()
    };
    shares.flat_map(fits).collect()
}

/// What of a share is cut into the largest size, and what is left, each with how much it is.
fn pieces(share: Share, largest: u64) -> [(u64, Share); 2] {
    let Asked { bytes, at, .. } = share.asked;
    let (whole, rest) = (bytes / largest, bytes % largest);
    let start = Offsets::new(at.start, gcd(at.step, largest));
    let whole_ones = Share {
        asked: Asked { bytes: largest, at: start, ..share.asked },
        times: share.times * whole as f64,
        at_once: share.at_once * whole as f64,
        ..share
    };
    let at = Offsets::new(at.start + whole * largest, at.step);
    let choice = share.choice.map(|choice| choice + u16::from(whole > 0));
    let rest_one = Share { asked: Asked { bytes: rest, at, ..share.asked }, choice, ..share };
    [(whole, whole_ones), (rest, rest_one)]
}

pub(crate) fn gcd(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::split::Range;
    use crate::volume::{Parity, Rotation};

    fn volumes() -> impl Strategy<Value = Volume> {
        let unit = 1_u64..6;
        prop_oneof![
            (unit.clone(), 1_u32..7)
                .prop_map(|(unit, members)| Volume::new(Geometry::Stripe { unit }, members)),
            (unit.clone(), 1_u32..7)
                .prop_map(|(block, members)| Volume::new(Geometry::Scattered { block }, members)),
            (unit.clone(), 1_u32..4).prop_map(|(segment, pairs)| {
                Volume::new(Geometry::StripedMirrors { segment }, 2 * pairs)
            }),
            (unit, 1_u32..3, 1_u32..3, 1_u32..5, prop::bool::ANY).prop_map(
                |(segment, parity, groups, data, rotates)| {
                    let rotation = if rotates { Rotation::LeftSymmetric } else { Rotation::Last };
                    let layout = Parity { segment, parity, groups, rotation };
                    Volume::new(Geometry::Parity(layout), groups * (data + parity))
                }
            ),
        ]
    }

    /// Without some members, as long as every byte can still be read.
    fn degraded() -> impl Strategy<Value = Volume> {
        (volumes(), prop::collection::vec(0_u32..12, 0..4)).prop_map(|(mut volume, lost)| {
            for member in lost.into_iter().filter(|member| *member < volume.members) {
                volume.missing.insert(member);
                if !volume.is_whole() {
                    volume.missing.remove(&member);
                }
            }
            volume
        })
    }

    /// What is exact together only: sides of a pair, whose reads take turns that offsets may be out
    /// of; and groups with parity that lack as many members.
    fn together(volume: &Volume, member: u32) -> u32 {
        match &volume.geometry {
            Geometry::StripedMirrors { .. } => member / 2,
            Geometry::Parity(parity) if !volume.missing.is_empty() => {
                let width = parity.width(volume.members);
                let first = member / width * width;
                volume.missing.range(first..first + width).count() as u32
            }
            _ => member,
        }
    }

    /// Bytes on each member, by going through all requests of many periods.
    fn counted(volume: &Volume, asked: Asked) -> BTreeMap<(u32, Op), f64> {
        let requests = volume.period() * 4;
        let mut sums = BTreeMap::new();
        for number in 0..requests {
            let offset = asked.at.start + number * asked.at.step;
            for part in volume.split(Range { op: asked.op, offset, bytes: asked.bytes }) {
                let sum = sums.entry((part.member, part.op)).or_insert(0.0);
                *sum += part.bytes as f64 / requests as f64;
            }
        }
        sums
    }

    proptest! {
        /// Every kind of offsets, strides and offsets of their own included.
        #[test]
        fn shares_of_members_are_those_of_all_their_requests(
            volume in degraded(), read in prop::bool::ANY, bytes in 1_u64..40, step in 1_u64..50,
            start in 0_u64..50,
        ) {
            let op = if read { Op::Read } else { Op::Write };
            let asked = Asked { op, bytes, at: Offsets::new(start, step) };
            let slow = counted(&volume, asked);
            let summed = |all: &BTreeMap<(u32, Op), f64>| {
                let mut sums: BTreeMap<(u32, Op), f64> = BTreeMap::new();
                for ((member, op), bytes) in all {
                    *sums.entry((together(&volume, *member), *op)).or_default() += bytes;
                }
                sums
            };
            let slow = summed(&slow);
            for sizes in [Sizes::Apart, Sizes::Mean] {
                let mut fast: BTreeMap<(u32, Op), f64> = BTreeMap::new();
                for share in shares(&volume, asked, sizes) {
                    prop_assert!(share.times <= share.at_once);
                    prop_assert!(!volume.missing.contains(&share.member));
                    let bytes = share.times * share.asked.bytes as f64;
                    *fast.entry((share.member, share.asked.op)).or_default() += bytes;
                }
                if matches!(volume.geometry, Geometry::StripedMirrors { .. }) {
                    for ((member, op), bytes) in &fast {
                        let other = fast.get(&(member ^ 1, *op)).copied();
                        let lost = volume.missing.contains(&(member ^ 1));
                        prop_assert_eq!(other, (!lost).then_some(*bytes), "sides of {}", member);
                    }
                }
                let fast = summed(&fast);
                for key in slow.keys().chain(fast.keys()) {
                    let [fast, slow] = [&fast, &slow].map(|all| all.get(key).copied());
                    let (fast, slow) = (fast.unwrap_or(0.0), slow.unwrap_or(0.0));
                    prop_assert!((fast - slow).abs() < 1e-9 * slow.max(1.0), "{key:?}");
                }
            }
        }
    }

    #[test]
    fn a_period_too_long_to_look_at_leaves_shares_exact() {
        // 256 MB on 1 MiB units over 106 members repeat after 27,787,264 requests.
        let volume = Volume::new(Geometry::Stripe { unit: 1 << 20 }, 106);
        let at = Offsets::new(0, 256_000_000);
        let asked = Asked { op: Op::Read, bytes: 256_000_000, at };
        let mut bytes = vec![0.0; 106];
        for share in shares(&volume, asked, Sizes::Apart) {
            bytes[share.member as usize] += share.times * share.asked.bytes as f64;
        }
        for bytes in bytes {
            assert!((bytes - 256e6 / 106.0).abs() < 1e-6, "{bytes}");
        }
    }

    #[test]
    fn requests_in_step_with_members_do_not_bias_sizes() {
        // Each of 4096 members holds as much, and requests are not aligned: a sample that always
        // met the same place within a unit would find parts of one size.
        let volume = Volume::new(Geometry::Stripe { unit: 4096 }, 4096);
        let asked = Asked { op: Op::Read, bytes: 512, at: Offsets::new(0, 1) };
        let cut: f64 = shares(&volume, asked, Sizes::Apart)
            .iter()
            .filter(|share| share.asked.bytes < 512)
            .map(|share| share.times)
            .sum();
        // 511 of 4096 places cross a border and make two parts.
        assert!((cut / 2.0 - 511.0 / 4096.0).abs() < 0.01, "{cut}");
    }
}
