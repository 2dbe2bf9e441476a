//! What a request to a volume becomes on its members: the only code that knows RAID.
//!
//! * A stripe or concatenation asks each member for what of the request lies there.
//! * A mirror reads one side, chosen by the offset so that requests of one size take turns, or each
//!   `turn` of bytes, and writes every side.
//! * Parity is written from what the request brings where it brings a full stripe; else by
//!   read-modify-write (old data and old parity, then both anew) or by reconstruct-write (the rest
//!   of the row, then data and parity), whichever reads less (Chen et al., RAID: High-performance,
//!   reliable secondary storage, ACM Computing Surveys 26, 1994, section 3). Parts of a
//!   phase start when all parts of the phase before are done.
//! * Where rows wait until they are full ([`Volume::gathers`]), nothing is read: parity is written
//!   with the last byte of its row. md keeps rows that are written in part in its stripe cache, and
//!   reads for them only after others have passed them by (`stripe_cache_size` and
//!   `preread_bypass_threshold`, md.rst of the kernel's admin guide).
//!
//! What is contiguous on a member is one part, up to the volume's largest request. Left out: what
//! caches collect before a request gets here, and how long parts take.

mod columns;
mod parity;
mod runs;

pub use runs::Run;

use iopath_units::Op;

use crate::volume::{Geometry, Volume};

/// One request to a member that is due to a request to the volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// It starts when all parts of the phase before are done.
    pub phase: u8,
    /// What it does.
    pub op: Op,
    pub member: u32,
    /// Where on it, in bytes.
    pub offset: u64,
    /// How much.
    pub bytes: u64,
}

/// A range of bytes with what is done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// What is done.
    pub op: Op,
    /// The first byte.
    pub offset: u64,
    /// How many.
    pub bytes: u64,
}

impl Volume {
    /// The parts of a request. The volume is whole ([`Volume::is_whole`]), or what is lost is left
    /// out.
    #[must_use]
    pub fn split(&self, request: Range) -> Vec<Part> {
        let mut parts = Vec::new();
        self.split_into(request, &mut parts);
        parts
    }

    /// [`Volume::split`] into memory that is there already; what it held is gone.
    pub fn split_into(&self, request: Range, parts: &mut Vec<Part>) {
        parts.clear();
        if request.bytes == 0 {
            return;
        }
        match &self.geometry {
            Geometry::Whole => parts.push(part(0, request)),
            Geometry::Stripe { unit } => columns::stripe((*unit, self.members), request, parts),
            Geometry::Scattered { block } => {
                columns::blocks((*block, self.members), request, parts);
            }
            Geometry::Concat { sizes } => columns::concat(sizes, request, parts),
            Geometry::Mirror => parts.extend(self.sides(0..self.members, (request, request))),
            Geometry::StripedMirrors { segment } => self.pairs(*segment, request, parts),
            Geometry::Parity(layout) => {
                let mut runs = Vec::new();
                parity::split(self, layout, request, &mut runs);
                parts.extend(runs.iter().map(|run| run.part));
                merge(parts);
            }
        }
        parts.retain(|part| !self.missing.contains(&part.member));
        if let Some(largest) = self.largest {
            cut(parts, largest);
        }
    }

    fn pairs(&self, segment: u64, request: Range, parts: &mut Vec<Part>) {
        let mut pairs = Vec::new();
        columns::stripe((segment, self.members / 2), request, &mut pairs);
        for Part { member: pair, op, offset, bytes, .. } in pairs {
            let range = Range { op, offset, bytes };
            parts.extend(self.sides(2 * pair..2 * pair + 2, (range, range)));
        }
    }
}

/// A part of the first phase.
fn part(member: u32, range: Range) -> Part {
    Part { phase: 0, op: range.op, member, offset: range.offset, bytes: range.bytes }
}

/// Joins parts that follow one another on a member.
fn merge(parts: &mut Vec<Part>) {
    parts.sort_unstable();
    parts.dedup_by(|next, first| {
        let like = (next.phase, next.op, next.member) == (first.phase, first.op, first.member);
        let follows = like && next.offset <= first.offset + first.bytes;
        if follows {
            let end = (first.offset + first.bytes).max(next.offset + next.bytes);
            first.bytes = end - first.offset;
        }
        follows
    });
}

/// Cuts parts that are larger than a member is asked for.
fn cut(parts: &mut Vec<Part>, largest: u64) {
    if parts.iter().all(|part| part.bytes <= largest) {
        return;
    }
    *parts = parts
        .iter()
        .flat_map(|part| {
            let starts = (0..part.bytes).step_by(usize::try_from(largest).unwrap_or(usize::MAX));
            starts.map(|start| Part {
                offset: part.offset + start,
                bytes: largest.min(part.bytes - start),
                ..*part
            })
        })
        .collect();
}
