//! From the words of a study to the layout of a volume, a file system or a file.
//!
//! Where a study says nothing: level 0; two groups for levels 50 and 60, or the least number that
//! divides the members. Units, segments and blocks that it leaves out are those of [`System`].

use std::fmt;

use iopath_study::words::Extents;
use iopath_study::{PartId, System};
use iopath_units::Bytes;

use crate::volume::{Geometry, Parity, Rotation, Volume};

/// Size of members of a concatenation that do not say theirs; only the ratio matters.
const MEMBER: u64 = 1 << 40;

/// The longest layout, in bytes: four times it is more than 64 bits count, and offsets of requests
/// lie behind the first period, too. Chosen.
const LONGEST: u64 = 1 << 62;

/// Why members cannot make up a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GeometryError {
    /// Fewer members than its level needs.
    TooFew {
        volume: String,
        /// Its RAID level.
        level: u64,
        /// Members that it has.
        members: u32,
        /// Members that it needs.
        least: u32,
    },
    /// Mirrored in pairs, but one member is left over.
    Odd {
        volume: String,
        /// Members that it has.
        members: u32,
    },
    /// No groups of equal size.
    Groups {
        volume: String,
        /// Its RAID level.
        level: u64,
        /// Members that it has.
        members: u32,
        /// Members that each group needs.
        least: u32,
    },
    /// Its layout exceeds the range of offsets.
    TooLong {
        volume: String,
        /// Members that it has.
        members: u32,
    },
}

impl fmt::Display for GeometryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew { volume, level, members, least } => write!(
                f,
                "{volume} has {members} members without spares; level {level} needs {least}"
            ),
            Self::Odd { volume, members } => {
                write!(
                    f,
                    "{volume} has {members} members without spares; pairs need an even number"
                )
            }
            Self::Groups { volume, level, members, least } => write!(
                f,
                "{members} members of {volume} do not form equal groups of {least} or more, which \
                 level {level} needs"
            ),
            Self::TooLong { volume, members } => write!(
                f,
                "{volume} lays out more bytes over its {members} members before it repeats than \
                 offsets can count: {} at most",
                Bytes(LONGEST)
            ),
        }
    }
}

impl std::error::Error for GeometryError {}

impl Volume {
    /// The volume, file system or file that a part is, over these members without spares.
    pub fn read(system: &System, id: PartId, members: &[PartId]) -> Result<Self, GeometryError> {
        let count = u32::try_from(members.len()).unwrap_or(u32::MAX);
        let volume = Self::new(geometry(system, id, members)?, count);
        if volume.period() > LONGEST {
            let volume = system.part(id).name.clone();
            return Err(GeometryError::TooLong { volume, members: count });
        }
        let largest = system.size(id, "largest-request").map(|size| size.0);
        let turn = system.size(id, "turn").map(|size| size.0);
        Ok(Self { largest, turn, ..volume })
    }
}

fn geometry(system: &System, id: PartId, members: &[PartId]) -> Result<Geometry, GeometryError> {
    Ok(match system.kind(id) {
        "stripe" => Geometry::Stripe { unit: system.unit(id).0 },
        "concat" => Geometry::Concat { sizes: sizes(system, members) },
        "mirror" => Geometry::Mirror,
        "lun" | "raid" => return raid(system, id, members),
        "filesystem" => file_system(system, id, members),
        "file" => match system.choice(id, "extents") {
            Some(Extents::Random) => members.first().map_or(Geometry::Whole, |below| {
                Geometry::Scattered { block: system.block(*below).0 }
            }),
            _ => Geometry::Whole,
        },
        _ => Geometry::Whole,
    })
}

fn sizes(system: &System, members: &[PartId]) -> Vec<u64> {
    let stated: Option<Vec<u64>> =
        members.iter().map(|member| system.size(*member, "size").map(|size| size.0)).collect();
    stated.unwrap_or_else(|| vec![MEMBER; members.len()])
}

fn file_system(system: &System, id: PartId, members: &[PartId]) -> Geometry {
    let block = system.block(id).0;
    match system.choice(id, "allocation") {
        Some(Extents::Random) => Geometry::Scattered { block },
        _ if members.len() == 1 => Geometry::Whole,
        _ => Geometry::Stripe { unit: block },
    }
}

fn raid(system: &System, id: PartId, members: &[PartId]) -> Result<Geometry, GeometryError> {
    let level = system.count(id, "level").unwrap_or(0);
    let count = u32::try_from(members.len()).unwrap_or(u32::MAX);
    let least = match level {
        1 | 10 => 2,
        3..=5 => 3,
        6 => 4,
        50 => 6,
        60 => 8,
        _ => 0,
    };
    let name = || system.part(id).name.clone();
    if count < least {
        return Err(GeometryError::TooFew { volume: name(), level, members: count, least });
    }
    let segment = system.segment(id).0;
    let parity =
        |parity, groups, rotation| Geometry::Parity(Parity { segment, parity, groups, rotation });
    let grouped = |width: u32| {
        let fits = |groups: &u32| count.is_multiple_of(*groups);
        (2..=count / width).find(fits).ok_or_else(|| GeometryError::Groups {
            volume: name(),
            level,
            members: count,
            least: width,
        })
    };
    Ok(match level {
        1 => Geometry::Mirror,
        3 | 4 => parity(1, 1, Rotation::Last),
        5 => parity(1, 1, Rotation::LeftSymmetric),
        6 => parity(2, 1, Rotation::LeftSymmetric),
        10 if !count.is_multiple_of(2) => {
            return Err(GeometryError::Odd { volume: name(), members: count });
        }
        10 => Geometry::StripedMirrors { segment },
        50 => parity(1, grouped(3)?, Rotation::LeftSymmetric),
        60 => parity(2, grouped(4)?, Rotation::LeftSymmetric),
        _ if count == 1 => Geometry::Whole,
        _ => Geometry::Stripe { unit: segment },
    })
}
