//! A target as it lies on what is real: volumes down to the first parts that stand for something.
//!
//! Files lie in their file system one behind the other, in the order of the study, each from a
//! whole block on: what a file system does that is new and does not fragment. Left out: what a
//! file system keeps for itself, and blocks at random.

use std::fmt;

use iopath_study::{Class, PartId, System};

use crate::members::members;
use crate::volume::{GeometryError, Volume};

/// A target, and what it lies on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Laid {
    /// Something real.
    Real(PartId),
    /// A volume, a file system or a file that is split over others.
    Volume {
        part: PartId,
        volume: Volume,
        /// Over what, one for each member of the volume.
        members: Vec<Laid>,
    },
    /// Some bytes of another.
    Piece {
        of: Box<Laid>,
        /// From where on.
        offset: u64,
        /// How many.
        bytes: u64,
    },
}

/// Why a target cannot be laid on anything real.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unlaid {
    /// This part lies on nothing and stands for nothing.
    Unreal(PartId),
    /// Its members make no volume.
    Geometry(GeometryError),
    /// A file needs a size to have a place in its file system.
    Sizeless(PartId),
}

impl fmt::Display for Unlaid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreal(_) => f.write_str("a part of it stands for nothing real"),
            Self::Geometry(error) => error.fmt(f),
            Self::Sizeless(_) => f.write_str("a file of its file system has no size"),
        }
    }
}

impl std::error::Error for Unlaid {}

impl Laid {
    /// Lays a part on those that are real.
    ///
    /// # Errors
    /// [`Unlaid`]: the first part, in order, that is in the way.
    pub fn of(
        system: &System,
        part: PartId,
        is_real: &dyn Fn(PartId) -> bool,
    ) -> Result<Self, Unlaid> {
        if is_real(part) {
            return Ok(Self::Real(part));
        }
        let below = members(system, part);
        if below.is_empty() {
            return Err(Unlaid::Unreal(part));
        }
        let volume = Volume::read(system, part, &below).map_err(Unlaid::Geometry)?;
        let pieces = system.kind(part) == "file";
        let lay = |member: &PartId| {
            let laid = Self::of(system, *member, is_real)?;
            if pieces { laid.piece(system, part, *member) } else { Ok(laid) }
        };
        let members = below.iter().map(lay).collect::<Result<_, _>>()?;
        Ok(Self::Volume { part, volume, members })
    }

    /// The place of a file in its file system.
    fn piece(self, system: &System, file: PartId, below: PartId) -> Result<Self, Unlaid> {
        let block = system.size(below, "block").map_or(1, |size| size.0.max(1));
        let size_of = |id: PartId| {
            let size = system.size(id, "size").ok_or(Unlaid::Sizeless(id))?;
            Ok(size.0.next_multiple_of(block))
        };
        let shares = |id: &PartId| {
            system.class(*id) == Class::File && system.part(*id).members.contains(&below)
        };
        let before = system.ids().take_while(|id| *id < file).filter(shares);
        let offset = before.map(size_of).sum::<Result<u64, _>>()?;
        Ok(Self::Piece { of: Box::new(self), offset, bytes: size_of(file)? })
    }

    /// What is real of it, in order; a part that is met twice stands twice.
    #[must_use]
    pub fn real(&self) -> Vec<PartId> {
        match self {
            Self::Real(part) => vec![*part],
            Self::Volume { members, .. } => members.iter().flat_map(Self::real).collect(),
            Self::Piece { of, .. } => of.real(),
        }
    }
}
