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

use std::collections::BTreeMap;

use iopath_units::Op;

use crate::split::{Part, Range};
use crate::volume::{Geometry, Parity, Rotation, Volume};

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
    /// Those of one number stand for one another.
    pub choice: Option<u16>,
}

/// The most offsets of a period that are all looked at.
const OFFSETS: u64 = 4096;

/// The most parts that are looked at for one kind of request: bounds the time it takes.
const PARTS: u64 = 1 << 18;

/// How many offsets are looked at of more: primes, the most that stay below [`PARTS`].
const SAMPLES: [u64; 4] = [4093, 1021, 251, 61];

/// Sizes of parts that are kept apart, each with at least a tenth of the bytes; others are one
/// size, their mean. Chosen: full stripes must not be mixed with what is cut off at an end.
const SIZES: usize = 4;

impl Offsets {
    pub(crate) fn new(start: u64, step: u64) -> Self {
        Self { start: start.checked_rem(step).unwrap_or(start), step }
    }
}

/// The parts of requests on each member, on average.
pub(crate) fn shares(volume: &Volume, asked: Asked) -> Vec<Share> {
    let one =
        |member, times, choice| Share { member, asked, times, at_once: 1.0, phase: 0, choice };
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
        | Geometry::Parity(_) => Tallies::of(volume, asked).shares(volume),
    }
}

/// Cuts parts that are larger than a member is asked for.
fn cut(volume: &Volume, shares: impl Iterator<Item = Share>) -> Vec<Share> {
    let largest = volume.largest.unwrap_or(u64::MAX);
    let pieces = |share: Share| {
        let Asked { bytes, at, .. } = share.asked;
        let (whole, rest) = (bytes / largest, bytes % largest);
        let whole_ones = Share {
            asked: Asked {
                bytes: largest,
                at: Offsets::new(at.start, gcd(at.step, largest)),
                ..share.asked
            },
            times: share.times * whole as f64,
            at_once: share.at_once * whole as f64,
            ..share
        };
        let at = Offsets::new(at.start + whole * largest, at.step);
        let choice = share.choice.map(|choice| choice + u16::from(whole > 0));
        let rest_one = Share { asked: Asked { bytes: rest, at, ..share.asked }, choice, ..share };
        [(whole, whole_ones), (rest, rest_one)]
    };
    let fits = |share: Share| -> Vec<Share> {
        if share.asked.bytes <= largest {
            return vec![share];
        }
        let there = pieces(share).into_iter().filter(|(size, _)| *size > 0);
        there.map(|(_, share)| share).collect()
    };
    shares.flat_map(fits).collect()
}

/// Which parts were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    class: u32,
    phase: u8,
    op: Op,
}

/// How often parts of one size were met, on all members of a class.
#[derive(Clone, Copy, Debug)]
struct Tally {
    bytes: u64,
    total: u64,
    count: u64,
    /// The most that one request made on one member.
    most: u64,
    at: Offsets,
}

struct Tallies {
    /// How many requests were looked at.
    requests: u64,
    classes: Vec<u32>,
    by_kind: BTreeMap<Kind, BTreeMap<u64, Tally>>,
}

impl Tallies {
    fn of(volume: &Volume, asked: Asked) -> Self {
        let period = volume.period();
        let Offsets { start, step } = asked.at;
        let count = if step == 0 { 1 } else { period / gcd(step, period) };
        let requests = requests(count, parts(volume, asked));
        // After so many bytes of a member everything comes again.
        let again = u128::from(count) * u128::from(step) / u128::from(period);
        let again = again * u128::from(on_member(&volume.geometry, volume.members));
        let again = u64::try_from(again).unwrap_or(0);
        let mut tallies =
            Self { requests, classes: classes(volume, step), by_kind: BTreeMap::new() };
        let mut parts = Vec::new();
        for sample in 0..requests {
            let number = u128::from(sample) * u128::from(count) / u128::from(requests);
            let offset = u128::from(start) + number * u128::from(step);
            // A layout repeats: what lies beyond 64 bits is looked at where it began.
            let offset = u64::try_from(offset).unwrap_or(start);
            volume.split_into(Range { op: asked.op, offset, bytes: asked.bytes }, &mut parts);
            tallies.add(&mut parts, again);
        }
        tallies
    }

    fn add(&mut self, parts: &mut [Part], again: u64) {
        parts.sort_unstable_by_key(|part| (part.phase, part.op, part.member, part.bytes));
        let alike = |one: &Part, other: &Part| {
            let key = |part: &Part| (part.phase, part.op, part.member, part.bytes);
            key(one) == key(other)
        };
        for parts in parts.chunk_by(alike) {
            let Part { phase, op, member, bytes, offset } = parts[0];
            let kind = Kind { class: self.classes[member as usize], phase, op };
            let at = Offsets { start: offset, step: again };
            let new = Tally { bytes, total: 0, count: 0, most: 0, at };
            let sizes = self.by_kind.entry(kind).or_default();
            sizes.entry(bytes).or_insert(new).add(parts);
        }
    }

    fn shares(self, volume: &Volume) -> Vec<Share> {
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (member, class) in (0..).zip(&self.classes) {
            if !volume.missing.contains(&member) {
                members.entry(*class).or_default().push(member);
            }
        }
        let mut choices = Choices::default();
        let mut shares = Vec::new();
        for (kind, sizes) in self.by_kind {
            let members = &members[&kind.class];
            let requests = self.requests as f64 * members.len() as f64;
            for (rank, tally) in kept(sizes).into_iter().enumerate() {
                let asked = Asked {
                    op: kind.op,
                    bytes: tally.bytes,
                    at: Offsets::new(tally.at.start, tally.at.step),
                };
                // What is one size by averaging keeps its bytes.
                let times = tally.total as f64 / tally.bytes as f64 / requests;
                let at_once = (tally.most as f64).max(times);
                shares.extend(members.iter().map(|&member| {
                    let is_forced = is_forced(&volume.geometry, kind.op) && times >= at_once;
                    let choice =
                        (!is_forced).then(|| choices.of(&volume.geometry, kind, rank, member));
                    Share { member, asked, times, at_once, phase: kind.phase, choice }
                }));
            }
        }
        shares
    }
}

impl Tally {
    fn add(&mut self, parts: &[Part]) {
        self.count += parts.len() as u64;
        self.total += self.bytes * parts.len() as u64;
        self.most = self.most.max(parts.len() as u64);
        for part in parts {
            self.at.step = gcd(self.at.step, part.offset.abs_diff(self.at.start));
        }
    }

    /// Both as one size, their mean.
    fn join(self, other: Self) -> Self {
        let (count, total) = (self.count + other.count, self.total + other.total);
        let apart = self.at.start.abs_diff(other.at.start);
        let step = gcd(gcd(self.at.step, other.at.step), apart);
        Self {
            bytes: ((total + count / 2) / count).max(1),
            total,
            count,
            most: self.most.max(other.most),
            at: Offsets { start: self.at.start, step },
        }
    }
}

/// The sizes that matter, and the mean of the others.
fn kept(sizes: BTreeMap<u64, Tally>) -> Vec<Tally> {
    let all: u64 = sizes.values().map(|tally| tally.total).sum();
    let mut sizes: Vec<Tally> = sizes.into_values().collect();
    if sizes.len() <= SIZES {
        return sizes;
    }
    sizes.sort_by_key(|tally| std::cmp::Reverse(tally.total));
    let large = sizes.iter().take_while(|tally| 10 * tally.total >= all).count();
    let others = sizes.split_off(large.min(SIZES - 1));
    sizes.extend(others.into_iter().reduce(Tally::join));
    sizes
}

/// Numbers of what stands for one another.
#[derive(Default)]
struct Choices {
    numbers: BTreeMap<(u8, Op, usize, u32), u16>,
}

impl Choices {
    /// Parts of one size, operation and phase do; but not both sides of pairs that are written.
    fn of(&mut self, geometry: &Geometry, kind: Kind, rank: usize, member: u32) -> u16 {
        let is_pair = matches!(geometry, Geometry::StripedMirrors { .. }) && kind.op == Op::Write;
        let side = if is_pair { member % 2 } else { 0 };
        let next = u16::try_from(self.numbers.len()).unwrap_or(u16::MAX);
        *self.numbers.entry((kind.phase, kind.op, rank, side)).or_insert(next)
    }
}

/// Whether a part that every request makes on a member can be made nowhere else: copies, parity.
fn is_forced(geometry: &Geometry, op: Op) -> bool {
    match geometry {
        Geometry::Mirror | Geometry::StripedMirrors { .. } | Geometry::Parity(_) => op == Op::Write,
        Geometry::Whole
        | Geometry::Stripe { .. }
        | Geometry::Concat { .. }
        | Geometry::Scattered { .. } => false,
    }
}

/// How many requests of a period are looked at.
fn requests(count: u64, parts: u64) -> u64 {
    if count <= OFFSETS && count.saturating_mul(parts) <= PARTS {
        return count;
    }
    let fits = |samples: &&u64| **samples <= count && **samples * parts <= PARTS;
    SAMPLES.iter().find(fits).copied().unwrap_or(count.min(SAMPLES[SAMPLES.len() - 1]))
}

/// About how many parts one request has.
fn parts(volume: &Volume, asked: Asked) -> u64 {
    let members = u64::from(volume.members);
    let pieces = match &volume.geometry {
        Geometry::Stripe { unit } => (asked.bytes / unit + 2).min(members),
        Geometry::StripedMirrors { segment } => (2 * asked.bytes / segment + 4).min(members),
        Geometry::Scattered { block } => asked.bytes / block + 2,
        Geometry::Parity(parity) => 2 * asked.bytes / parity.segment + 8,
        Geometry::Whole | Geometry::Concat { .. } | Geometry::Mirror => members,
    };
    pieces + asked.bytes / volume.largest.unwrap_or(u64::MAX)
}

/// Bytes of each member that one period of the layout covers.
fn on_member(geometry: &Geometry, members: u32) -> u64 {
    match geometry {
        Geometry::Stripe { unit: bytes }
        | Geometry::Scattered { block: bytes }
        | Geometry::StripedMirrors { segment: bytes } => *bytes,
        Geometry::Parity(parity) => match parity.rotation {
            Rotation::LeftSymmetric => u64::from(parity.width(members)) * parity.segment,
            Rotation::Last => parity.segment,
        },
        Geometry::Whole | Geometry::Concat { .. } | Geometry::Mirror => 1,
    }
}

/// Members of one class have the same parts: shifting all offsets by a whole number of steps that
/// is also one of rows (or units) maps the requests onto themselves and members onto members.
fn classes(volume: &Volume, step: u64) -> Vec<u32> {
    let members = volume.members;
    let cycle = |bytes: u64, places: u32| {
        // A shift by `places` turns is none.
        let shift = if step == 0 { u64::from(places) } else { step / gcd(step, bytes) };
        gcd(shift, u64::from(places)) as u32
    };
    match &volume.geometry {
        Geometry::Stripe { unit: bytes } | Geometry::Scattered { block: bytes } => {
            let cycle = cycle(*bytes, members);
            (0..members).map(|member| member % cycle).collect()
        }
        Geometry::StripedMirrors { segment } => {
            let cycle = cycle(*segment, members / 2);
            let missing = |pair: u32| volume.missing.range(2 * pair..2 * pair + 2).count() as u32;
            let class = |pair: u32| {
                if volume.missing.is_empty() { pair % cycle } else { missing(pair) }
            };
            match cycle == 1 || volume.missing.is_empty() {
                true => (0..members).map(|member| class(member / 2)).collect(),
                false => (0..members).collect(),
            }
        }
        Geometry::Parity(parity) => parity_classes(volume, parity, step),
        Geometry::Whole | Geometry::Concat { .. } | Geometry::Mirror => (0..members).collect(),
    }
}

/// Parity that rotates makes members alike where requests begin in all rows; those of groups that
/// lack as many members are taken as alike, which is exact for what they do together.
fn parity_classes(volume: &Volume, parity: &Parity, step: u64) -> Vec<u32> {
    let members = 0..volume.members;
    let stripe = parity.stripe(volume.members);
    let rows = if step == 0 { 0 } else { step / gcd(step, stripe) };
    match parity.rotation {
        Rotation::LeftSymmetric if rows == 1 => {
            let width = parity.width(volume.members);
            let lacks = |group: u32| {
                volume.missing.range(group * width..(group + 1) * width).count() as u32
            };
            members.map(|member| lacks(member / width)).collect()
        }
        Rotation::LeftSymmetric | Rotation::Last => members.collect(),
    }
}

pub(crate) fn gcd(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
