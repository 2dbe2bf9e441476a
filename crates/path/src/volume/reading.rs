//! From the words of a study to the layout of a volume, a file system or a file.
//!
//! Where a study says nothing: level 0; two groups for levels 50 and 60, or the least number that
//! divides the members; two members of parity for levels 6 and 60, which may have three. Units,
//! segments and blocks that it leaves out are those of [`System`].

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
    /// Groups of a stated width that its members do not make, or that its level cannot use.
    Width {
        volume: String,
        /// Members that it has.
        members: u32,
        /// Members of a group, as stated.
        width: u32,
        /// Members that each group needs.
        least: u32,
    },
    /// A property that its level does not have.
    Unfit {
        volume: String,
        /// Its RAID level.
        level: u64,
        /// The property.
        property: &'static str,
        /// The levels that have it.
        levels: &'static str,
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
            Self::Width { volume, members, width, least } => write!(
                f,
                "{members} members of {volume} do not form groups of width={width}, each of \
                 {least} or more"
            ),
            Self::Unfit { volume, level, property, levels } => write!(
                f,
                "{volume} states {property}=, which only levels {levels} have, and not level \
                 {level}"
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
    let array = Array {
        volume: &system.part(id).name,
        level: system.count(id, "level").unwrap_or(0),
        members: u32::try_from(members.len()).unwrap_or(u32::MAX),
        segment: system.segment(id).0,
    };
    let of = |property: &'static str, levels, fits: &[u64]| {
        let stated = system.count(id, property).map(|stated| u32::try_from(stated).unwrap_or(0));
        match stated.is_some() && !fits.contains(&array.level) {
            true => Err(array.unfit(property, levels)),
            false => Ok(stated),
        }
    };
    let (parity, width) =
        (of("parity", "6 and 60", &[6, 60])?, of("width", "50 and 60", &[50, 60])?);
    array.geometry(parity.unwrap_or(2), width)
}

/// An array of disks by its RAID level.
struct Array<'a> {
    volume: &'a str,
    level: u64,
    members: u32,
    segment: u64,
}

impl Array<'_> {
    /// With so much parity in levels 6 and 60, and such groups in levels 50 and 60.
    fn geometry(&self, double: u32, width: Option<u32>) -> Result<Geometry, GeometryError> {
        let Self { level, members, segment, .. } = *self;
        let least = match level {
            1 | 10 => 2,
            3..=5 => 3,
            6 => double + 2,
            50 => 6,
            60 => 2 * (double + 2),
            _ => 0,
        };
        if members < least {
            let volume = self.volume.to_owned();
            return Err(GeometryError::TooFew { volume, level, members, least });
        }
        let parity = |parity, groups, rotation| {
            Geometry::Parity(Parity { segment, parity, groups, rotation })
        };
        Ok(match level {
            1 => Geometry::Mirror,
            3 | 4 => parity(1, 1, Rotation::Last),
            5 => parity(1, 1, Rotation::LeftSymmetric),
            6 => parity(double, 1, Rotation::LeftSymmetric),
            10 if !members.is_multiple_of(2) => {
                return Err(GeometryError::Odd { volume: self.volume.to_owned(), members });
            }
            10 => Geometry::StripedMirrors { segment },
            50 => parity(1, self.groups(3, width)?, Rotation::LeftSymmetric),
            60 => parity(double, self.groups(double + 2, width)?, Rotation::LeftSymmetric),
            _ if members == 1 => Geometry::Whole,
            _ => Geometry::Stripe { unit: segment },
        })
    }

    /// Groups of at least so many members: of the width that is stated, or as few as are equal.
    fn groups(&self, least: u32, width: Option<u32>) -> Result<u32, GeometryError> {
        let (volume, members) = (self.volume.to_owned(), self.members);
        match width {
            Some(width) if width < least || !members.is_multiple_of(width) => {
                Err(GeometryError::Width { volume, members, width, least })
            }
            Some(width) => Ok(members / width),
            None => {
                let groups = (2..=members / least).find(|groups| members.is_multiple_of(*groups));
                let level = self.level;
                groups.ok_or(GeometryError::Groups { volume, level, members, least })
            }
        }
    }

    fn unfit(&self, property: &'static str, levels: &'static str) -> GeometryError {
        GeometryError::Unfit { volume: self.volume.to_owned(), level: self.level, property, levels }
    }
}
