//! Nested volumes, and a map from every byte of them to its places: slow, and written without the
//! code that splits.

use std::collections::BTreeMap;

use iopath_path::{Geometry, Laid, Parity, Rotation, Volume};
use iopath_study::PartId;
use proptest::prelude::*;

use crate::buffers::PAGE;
use crate::engine::volume::layout::{Layout, Real};

/// Bytes of each leaf.
pub(super) const LEAF: u64 = 2 * PAGE as u64;

/// A volume over volumes, or a leaf.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    Leaf(u16),
    Over(Geometry, Vec<Tree>),
}

pub(super) fn raid5(members: u16, segment: u64) -> Tree {
    let leaves = (0..members).map(Tree::leaf).collect();
    Tree::Over(parity(segment, 1), leaves)
}

fn parity(segment: u64, parity: u32) -> Geometry {
    let (groups, rotation) = (1, Rotation::LeftSymmetric);
    Geometry::Parity(Parity { segment, parity, groups, rotation })
}

fn geometries() -> impl Strategy<Value = (Geometry, u16)> {
    let unit = 1_u64..90;
    prop_oneof![
        (unit.clone(), 1_u16..5).prop_map(|(unit, n)| (Geometry::Stripe { unit }, n)),
        (unit.clone(), 1_u16..4).prop_map(|(block, n)| (Geometry::Scattered { block }, n)),
        (2_u16..4).prop_map(|n| (Geometry::Concat { sizes: vec![0; usize::from(n)] }, n)),
        (2_u16..4).prop_map(|n| (Geometry::Mirror, n)),
        (unit.clone(), 1_u16..3)
            .prop_map(|(segment, n)| (Geometry::StripedMirrors { segment }, 2 * n)),
        (unit.clone(), 3_u16..6).prop_map(|(segment, n)| (parity(segment, 1), n)),
        (unit, 4_u16..6).prop_map(|(segment, n)| (parity(segment, 2), n)),
    ]
}

/// Any two layouts, one over the other.
pub(super) fn trees() -> impl Strategy<Value = Tree> {
    (geometries(), prop::option::of(geometries())).prop_map(|((geometry, count), below)| {
        let mut next = 0;
        let mut leaf = || {
            next += 1;
            Tree::Leaf(next - 1)
        };
        let members = (0..count).map(|_| match &below {
            None => leaf(),
            Some((geometry, count)) => {
                Tree::Over(geometry.clone(), (0..*count).map(|_| leaf()).collect())
            }
        });
        Tree::Over(geometry, members.collect())
    })
}

impl Tree {
    pub(super) fn leaf(number: u16) -> Self {
        Self::Leaf(number)
    }

    fn laid(&self) -> Laid {
        match self {
            Self::Leaf(number) => Laid::Real(PartId(usize::from(*number))),
            Self::Over(geometry, members) => Laid::Volume {
                part: PartId(99),
                volume: Volume::new(geometry.clone(), members.len() as u32),
                members: members.iter().map(Self::laid).collect(),
            },
        }
    }

    pub(super) fn leaves(&self) -> u16 {
        match self {
            Self::Leaf(number) => number + 1,
            Self::Over(_, members) => members.iter().map(Self::leaves).max().unwrap_or(0),
        }
    }

    pub(super) fn layout(&self) -> Layout {
        let real = |number: u16| Real {
            first: number,
            ways: 1,
            turn: u32::from(number),
            copy: None,
            bytes: LEAF,
        };
        let reals: BTreeMap<PartId, Real> =
            (0..self.leaves()).map(|n| (PartId(usize::from(n)), real(n))).collect();
        Layout::new(&self.laid(), &reals)
    }

    /// Whole bytes that it holds.
    fn bytes(&self) -> u64 {
        self.layout().bytes
    }

    /// Every place at which a byte is kept.
    pub(super) fn places(&self, offset: u64) -> Vec<(u16, u64)> {
        let (geometry, members) = match self {
            Self::Leaf(number) => return vec![(*number, offset)],
            Self::Over(geometry, members) => (geometry, members),
        };
        let n = members.len() as u64;
        let on = |member: u64, offset| members[member as usize].places(offset);
        match geometry {
            Geometry::Whole => on(0, offset),
            Geometry::Stripe { unit } | Geometry::Scattered { block: unit } => {
                let (number, within) = (offset / unit, offset % unit);
                on(number % n, number / n * unit + within)
            }
            Geometry::Concat { .. } => {
                let mut left = offset;
                for member in members {
                    let here = member.bytes() / PAGE as u64 * PAGE as u64;
                    if left < here {
                        return member.places(left);
                    }
                    left -= here;
                }
                unreachable!("the test stays within the volume")
            }
            Geometry::Mirror => (0..n).flat_map(|side| on(side, offset)).collect(),
            Geometry::StripedMirrors { segment } => {
                let (number, within) = (offset / segment, offset % segment);
                let (pair, row) = (number % (n / 2), number / (n / 2));
                let side = |side| on(2 * pair + side, row * segment + within);
                (0..2).flat_map(side).collect()
            }
            Geometry::Parity(parity) => {
                let (number, within) = (offset / parity.segment, offset % parity.segment);
                let data = n - u64::from(parity.parity);
                let (row, index) = (number / data, number % data);
                // md's left-symmetric: the first parity moves one to the left each row, and what
                // follows it goes round.
                let first = n - 1 - row % n;
                let member = (first + u64::from(parity.parity) + index) % n;
                on(member, row * parity.segment + within)
            }
        }
    }
}
