//! How a volume lies over its members: the numbers that every split needs.
//!
//! Members are counted from 0 in the order in which the study names them. Rotation of parity is
//! the left-symmetric one that Linux uses by default (`drivers/md/raid5.c`,
//! ALGORITHM_LEFT_SYMMETRIC and its form for level 6; md(4)). Levels 50 and 60 are stripes over
//! groups, each group taking one whole stripe of its own in turn.
//!
//! Left out: where the members are, and what they can do.

mod reading;

use std::collections::BTreeSet;

pub use reading::GeometryError;

/// A volume, a file system or a file, as far as a split needs to know it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Volume {
    /// How bytes are laid out.
    pub geometry: Geometry,
    /// Over how many members; spares are none.
    pub members: u32,
    /// The largest part that it hands down, in bytes; larger ones are cut.
    pub largest: Option<u64>,
    /// Bytes that a mirror reads of one side before the next one's turn; that of a request where
    /// nothing is said.
    pub turn: Option<u64>,
    /// Members that are gone.
    pub missing: BTreeSet<u32>,
    /// Whether a row of which a part is written waits for the rest, as in the stripe cache of md.
    pub gathers: bool,
}

/// How the bytes of a volume are laid out over its members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Geometry {
    /// One member holds everything.
    Whole,
    /// The members in turn.
    Stripe {
        /// Bytes on one member before the next one's turn.
        unit: u64,
    },
    /// One member after the other.
    Concat {
        /// Bytes of each.
        sizes: Vec<u64>,
    },
    /// Every member holds everything.
    Mirror,
    /// Level 10: pairs of neighbours in turn, each byte on both of its pair.
    StripedMirrors {
        /// Bytes on one pair before the next one's turn.
        segment: u64,
    },
    /// Data in turn, with parity in each row.
    Parity(Parity),
    /// Blocks of a file system or file on members in turn; each block is a request of its own,
    /// because the one that follows it lies elsewhere on its member.
    Scattered {
        /// Bytes of a block.
        block: u64,
    },
}

/// A layout with parity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parity {
    /// Bytes on one member before the next one's turn.
    pub segment: u64,
    /// Members of a row that hold parity: 1 to 3.
    pub parity: u32,
    /// How many rows of their own are striped over: 1 but for levels 50 and 60.
    pub groups: u32,
    /// Where parity is.
    pub rotation: Rotation,
}

/// On which members parity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rotation {
    /// One place to the left from row to row; data follows behind it. Levels 5 and 6.
    LeftSymmetric,
    /// Always on the last. Levels 3 and 4.
    Last,
}

/// What a scan does not read between the data of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ParityGap {
    /// Bytes of a gap.
    pub bytes: u64,
    /// Bytes that are read from one gap to the next.
    pub every: u64,
}

impl Volume {
    /// A volume with all its members and no limit of a part.
    #[must_use]
    pub fn new(geometry: Geometry, members: u32) -> Self {
        let (missing, gathers) = (BTreeSet::new(), false);
        Self { geometry, members, largest: None, turn: None, missing, gathers }
    }

    /// Whether every byte can still be read.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let gone = |members: std::ops::Range<u32>| self.missing.range(members).count() as u32;
        match &self.geometry {
            Geometry::Whole
            | Geometry::Stripe { .. }
            | Geometry::Concat { .. }
            | Geometry::Scattered { .. } => self.missing.is_empty(),
            Geometry::Mirror => gone(0..self.members) < self.members,
            Geometry::StripedMirrors { .. } => {
                (0..self.members / 2).all(|pair| gone(2 * pair..2 * pair + 2) < 2)
            }
            Geometry::Parity(parity) => {
                let width = parity.width(self.members);
                (0..parity.groups)
                    .all(|group| gone(group * width..(group + 1) * width) <= parity.parity)
            }
        }
    }

    /// Bytes after which the layout repeats: the same members in the same order again. One that is
    /// longer than 64 bits can count is as long as they can; [`Volume::read`] makes none of these.
    #[must_use]
    pub fn period(&self) -> u64 {
        u64::try_from(self.exact_period()).unwrap_or(u64::MAX)
    }

    /// Sizes and counts are of 64 and 32 bits: their products saturate only where parity lies over
    /// more members and bytes than 128 bits count, which is too long anyway.
    fn exact_period(&self) -> u128 {
        let times = |count: u32, bytes: u64| u128::from(count) * u128::from(bytes);
        match &self.geometry {
            Geometry::Whole | Geometry::Mirror => 1,
            Geometry::Stripe { unit: bytes } | Geometry::Scattered { block: bytes } => {
                times(self.members, *bytes)
            }
            Geometry::Concat { sizes } => sizes.iter().map(|size| u128::from(*size)).sum(),
            Geometry::StripedMirrors { segment } => times(self.members / 2, *segment),
            Geometry::Parity(parity) => {
                let rows = match parity.rotation {
                    Rotation::LeftSymmetric => parity.width(self.members),
                    Rotation::Last => 1,
                };
                let stripe = times(parity.data(self.members), parity.segment);
                let groups = u128::from(rows) * u128::from(parity.groups);
                stripe.saturating_mul(groups)
            }
        }
    }

    /// Whether each part lies elsewhere on its member than the one before.
    #[must_use]
    pub fn is_scattered(&self) -> bool {
        matches!(self.geometry, Geometry::Scattered { .. })
    }

    /// The parity between the data of each member, where it rotates. Rows that hold parity on one
    /// member follow one another, so it is one gap. For each member that is gone, a scan reads one
    /// parity more in every row.
    #[must_use]
    pub fn parity_gap(&self) -> Option<ParityGap> {
        let Geometry::Parity(parity) = &self.geometry else { return None };
        let width = parity.width(self.members);
        let gone = |group: u32| self.missing.range(group * width..(group + 1) * width).count();
        let most_gone = (0..parity.groups).map(gone).max().unwrap_or(0) as u32;
        let unread = parity.parity.saturating_sub(most_gone);
        let rotates = parity.rotation == Rotation::LeftSymmetric;
        (rotates && unread > 0).then(|| ParityGap {
            bytes: u64::from(unread) * parity.segment,
            every: u64::from(parity.data(self.members)) * parity.segment,
        })
    }

    /// Bytes of a full stripe, the least that is written without reading; none without parity.
    #[must_use]
    pub fn full_stripe(&self) -> Option<u64> {
        match &self.geometry {
            Geometry::Parity(parity) => Some(parity.stripe(self.members)),
            Geometry::Whole
            | Geometry::Stripe { .. }
            | Geometry::Concat { .. }
            | Geometry::Mirror
            | Geometry::StripedMirrors { .. }
            | Geometry::Scattered { .. } => None,
        }
    }
}

impl Parity {
    /// Members of one group.
    #[must_use]
    pub fn width(&self, members: u32) -> u32 {
        members / self.groups
    }

    /// Members of one group that hold data in a row.
    #[must_use]
    pub fn data(&self, members: u32) -> u32 {
        self.width(members) - self.parity
    }

    /// Bytes of data in one row of one group.
    #[must_use]
    pub fn stripe(&self, members: u32) -> u64 {
        u64::from(self.data(members)) * self.segment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raid(parity: u32, groups: u32, rotation: Rotation) -> Geometry {
        Geometry::Parity(Parity { segment: 4096, parity, groups, rotation })
    }

    #[test]
    fn a_volume_is_whole_while_its_redundancy_lasts() {
        let cases: [(Geometry, u32, &[u32], bool); 10] = [
            (Geometry::Whole, 1, &[0], false),
            (Geometry::Stripe { unit: 4096 }, 4, &[2], false),
            (Geometry::Mirror, 2, &[0], true),
            (Geometry::Mirror, 2, &[0, 1], false),
            (Geometry::StripedMirrors { segment: 4096 }, 4, &[1, 2], true),
            (Geometry::StripedMirrors { segment: 4096 }, 4, &[2, 3], false),
            (raid(1, 1, Rotation::LeftSymmetric), 5, &[4], true),
            (raid(1, 1, Rotation::LeftSymmetric), 5, &[0, 4], false),
            (raid(2, 1, Rotation::LeftSymmetric), 6, &[0, 4], true),
            (raid(1, 2, Rotation::LeftSymmetric), 6, &[0, 5], true),
        ];
        for (geometry, members, missing, whole) in cases {
            let mut volume = Volume::new(geometry, members);
            volume.missing = missing.iter().copied().collect();
            assert_eq!(volume.is_whole(), whole, "{volume:?}");
        }
    }

    #[test]
    fn a_layout_repeats_when_parity_is_back_where_it_was() {
        let cases = [
            (Geometry::Stripe { unit: 512 }, 3, 1536),
            (Geometry::StripedMirrors { segment: 512 }, 6, 1536),
            (raid(1, 1, Rotation::LeftSymmetric), 5, 5 * 4 * 4096),
            (raid(2, 2, Rotation::LeftSymmetric), 10, 5 * 2 * 3 * 4096),
            (raid(1, 1, Rotation::Last), 5, 4 * 4096),
        ];
        for (geometry, members, bytes) in cases {
            assert_eq!(Volume::new(geometry, members).period(), bytes);
        }
    }
}
