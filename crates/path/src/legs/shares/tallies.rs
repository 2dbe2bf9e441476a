//! Counts what requests at many offsets become, and makes shares of the counts.

use std::collections::BTreeMap;

use iopath_units::Op;

use super::passed::Passed;
use super::reach::{self, Met, Reach};
use super::symmetry::{classes, on_member};
use super::{Asked, Offsets, Share, Sizes, gcd};
use crate::split::Range;
use crate::volume::{Geometry, Volume};

/// The most offsets of a period that are all looked at.
const OFFSETS: u64 = 4096;

/// The most parts that are looked at for one kind of request: bounds the time it takes.
const PARTS: u64 = 1 << 18;

/// How many offsets are looked at of more: primes, the most that stay below [`PARTS`].
const SAMPLES: [u64; 4] = [4093, 1021, 251, 61];

/// Sizes of parts that are kept apart, each with at least a tenth of the bytes; others are one
/// size, their mean. Chosen: full stripes must not be mixed with what is cut off at an end.
const SIZES: usize = 4;

/// Which parts were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    class: u32,
    phase: u8,
    op: Op,
    reach: Reach,
}

/// How often parts of one size were met, on all members of a class.
#[derive(Clone, Copy, Debug)]
struct Tally {
    /// Their bytes and number.
    total: u64,
    count: u64,
    /// The most that one request had on one member.
    most: u64,
    at: Offsets,
}

pub(super) struct Tallies {
    /// How many requests were looked at.
    requests: u64,
    classes: Vec<u32>,
    sizes: Sizes,
    by_kind: BTreeMap<Kind, BTreeMap<u64, Tally>>,
    /// How many requests have any of a kind, on whichever member.
    having: BTreeMap<(u8, Op, Reach), u64>,
    /// Bytes between what one request has of a member and what the next has, by class; none where
    /// not all requests were looked at.
    apart: BTreeMap<u32, u64>,
}

impl Tallies {
    pub(super) fn of(volume: &Volume, asked: Asked, sizes: Sizes) -> Self {
        let period = volume.period();
        let Offsets { start, step } = asked.at;
        let count = if step == 0 { 1 } else { period / gcd(step, period) };
        let requests = requests(count, parts(volume, asked));
        // After so many bytes of a member everything comes again.
        let again = u128::from(count) * u128::from(step) / u128::from(period);
        let again = again * u128::from(on_member(&volume.geometry, volume.members));
        let again = u64::try_from(again).unwrap_or(0);
        let classes = classes(volume, step);
        let (by_kind, having, apart) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut tallies = Self { requests, classes, sizes, by_kind, having, apart };
        let (mut passed, is_apart) = (Passed::default(), step > asked.bytes);
        let (mut parts, mut met) = (Vec::new(), Vec::new());
        for sample in 0..requests {
            let number = u128::from(sample) * u128::from(count) / u128::from(requests);
            let offset = u128::from(start) + number * u128::from(step);
            // A layout repeats: what lies beyond 64 bits is looked at in its first period.
            let offset = match u64::try_from(offset) {
                Ok(offset) if offset.checked_add(asked.bytes).is_some() => offset,
                _ => (offset % u128::from(period)) as u64,
            };
            volume.split_into(Range { op: asked.op, offset, bytes: asked.bytes }, &mut parts);
            reach::fill(volume, &mut parts, &mut met);
            if is_apart {
                passed.add(&met);
            }
            tallies.add(&mut met, again);
        }
        if is_apart && requests == count {
            tallies.apart = passed.least(again, &tallies.classes);
        }
        tallies
    }

    fn add(&mut self, met: &mut [Met], again: u64) {
        let size = |met: &Met| match self.sizes {
            Sizes::Apart => met.part.bytes,
            Sizes::Mean => 0,
        };
        let key = |met: &Met| {
            let part = met.part;
            (part.phase, part.op, met.reach, part.member, size(met))
        };
        met.sort_unstable_by_key(key);
        for alike in met.chunk_by(|one, other| one.like() == other.like()) {
            *self.having.entry(alike[0].like()).or_default() += 1;
        }
        for alike in met.chunk_by(|one, other| key(one) == key(other)) {
            let Met { part, reach } = alike[0];
            let class = self.classes[part.member as usize];
            let kind = Kind { class, phase: part.phase, op: part.op, reach };
            let at = Offsets { start: part.offset, step: again };
            let new = Tally { total: 0, count: 0, most: 0, at };
            let sizes = self.by_kind.entry(kind).or_default();
            sizes.entry(size(&alike[0])).or_insert(new).add(alike);
        }
    }

    pub(super) fn shares(self, volume: &Volume) -> Vec<Share> {
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
            let having = self.having[&(kind.phase, kind.op, kind.reach)];
            let often = having as f64 / self.requests as f64;
            for (rank, tally) in kept(sizes).into_iter().enumerate() {
                let bytes = tally.bytes();
                let at = Offsets::new(tally.at.start, tally.at.step);
                let asked = Asked { op: kind.op, bytes, at };
                // What is one size by averaging keeps its bytes.
                let times = tally.total as f64 / bytes as f64 / requests;
                let at_once = (tally.most as f64).max(times);
                let always = tally.count as f64 / requests >= tally.most as f64;
                shares.extend(members.iter().map(|&member| {
                    let is_forced = is_forced(&volume.geometry, kind.op) && always;
                    let choice =
                        (!is_forced).then(|| choices.of(&volume.geometry, kind, rank, member));
                    let Kind { phase, reach, .. } = kind;
                    let apart = self.apart.get(&kind.class).copied();
                    Share { member, asked, times, at_once, phase, reach, choice, often, apart }
                }));
            }
        }
        shares
    }
}

impl Tally {
    fn add(&mut self, met: &[Met]) {
        let parts = met.iter().map(|met| met.part);
        let bytes: u64 = parts.clone().map(|part| part.bytes).sum();
        self.count += met.len() as u64;
        self.total += bytes;
        self.most = self.most.max(met.len() as u64);
        for part in parts {
            self.at.step = gcd(self.at.step, part.offset.abs_diff(self.at.start));
        }
    }

    /// Their size, or the mean of their sizes.
    fn bytes(&self) -> u64 {
        ((self.total + self.count / 2) / self.count).max(1)
    }

    /// Both as one size, their mean.
    fn join(self, other: Self) -> Self {
        let apart = self.at.start.abs_diff(other.at.start);
        let step = gcd(gcd(self.at.step, other.at.step), apart);
        Self {
            total: self.total + other.total,
            count: self.count + other.count,
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
    numbers: BTreeMap<(u8, Op, Reach, usize, u32), u16>,
}

impl Choices {
    /// Parts of one size, operation and phase do; but not both sides of pairs that are written.
    fn of(&mut self, geometry: &Geometry, kind: Kind, rank: usize, member: u32) -> u16 {
        let is_pair = matches!(geometry, Geometry::StripedMirrors { .. }) && kind.op == Op::Write;
        let side = if is_pair { member % 2 } else { 0 };
        let next = u16::try_from(self.numbers.len()).unwrap_or(u16::MAX);
        let Kind { phase, op, reach, .. } = kind;
        *self.numbers.entry((phase, op, reach, rank, side)).or_insert(next)
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
        Geometry::StripedMirrors { segment } => (2 * (asked.bytes / segment) + 6).min(members),
        Geometry::Scattered { block } => asked.bytes / block + 2,
        Geometry::Parity(parity) => 2 * (asked.bytes / parity.segment) + 10,
        Geometry::Whole | Geometry::Concat { .. } | Geometry::Mirror => members,
    };
    pieces + asked.bytes / volume.largest.unwrap_or(u64::MAX)
}
