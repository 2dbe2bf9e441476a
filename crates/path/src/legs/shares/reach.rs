//! How the arm of a member gets to the parts of one request.
//!
//! A read-modify-write comes to the same place twice: it reads what was there and writes it anew,
//! so the place comes round again after one turn and nothing is sought. The first part of a request
//! on a member may be anywhere; all others lie close behind it, or behind one another. Without
//! parity parts are told apart by nothing: what a request has of a member is one run (`pieces` of a
//! request), or blocks that lie anywhere.
//!
//! Left out: what lies between them, which passes at least, and what other requests do meanwhile:
//! an arm that has left in between seeks. So it is the least.

use iopath_units::Op;

use crate::split::Part;
use crate::volume::{Geometry, Volume};

/// How an arm gets to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// From anywhere.
    Seek,
    /// It was there before, for an earlier phase.
    Again,
    /// Another part ends in front of it.
    Behind,
}

/// A part, and how an arm gets to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Met {
    pub part: Part,
    pub reach: Reach,
}

impl Met {
    /// What parts of one kind have in common on all members.
    pub(super) fn like(&self) -> (u8, Op, Reach) {
        (self.part.phase, self.part.op, self.reach)
    }
}

/// The parts of one request to a volume; they are put into order.
pub(super) fn fill(volume: &Volume, parts: &mut [Part], met: &mut Vec<Met>) {
    met.clear();
    if !matches!(volume.geometry, Geometry::Parity(_)) {
        return met.extend(parts.iter().map(|part| Met { part: *part, reach: Reach::Seek }));
    }
    parts.sort_unstable_by_key(|part| (part.member, part.phase, part.offset));
    for parts in parts.chunk_by(|one, other| one.member == other.member) {
        met.extend(parts.iter().enumerate().map(|(rank, &part)| {
            let Some(before) = rank.checked_sub(1) else {
                return Met { part, reach: Reach::Seek };
            };
            let begins = parts[before].phase < part.phase;
            let is_again = begins && parts[..rank].iter().any(|one| one.offset == part.offset);
            Met { part, reach: if is_again { Reach::Again } else { Reach::Behind } }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::Range;
    use crate::volume::{Parity, Rotation};

    fn reaches(op: Op, offset: u64, bytes: u64) -> Vec<(u8, Op, Reach)> {
        let (parity, groups, rotation) = (1, 1, Rotation::Last);
        let layout = Parity { segment: 4096, parity, groups, rotation };
        let volume = Volume::new(Geometry::Parity(layout), 5);
        let mut met = Vec::new();
        fill(&volume, &mut volume.split(Range { op, offset, bytes }), &mut met);
        met.iter().map(|one| (one.part.phase, one.part.op, one.reach)).collect()
    }

    #[test]
    fn what_is_read_to_be_written_is_come_to_again() {
        let each = [(0, Op::Read, Reach::Seek), (1, Op::Write, Reach::Again)];
        assert_eq!(reaches(Op::Write, 0, 4096), [each, each].concat());
    }

    #[test]
    fn reads_and_full_stripes_seek_once_on_each_member() {
        assert_eq!(reaches(Op::Read, 0, 8192), [(0, Op::Read, Reach::Seek); 2]);
        assert_eq!(reaches(Op::Write, 0, 16384), [(0, Op::Write, Reach::Seek); 5]);
    }

    #[test]
    fn a_part_that_another_one_ends_at_follows_it() {
        let found = reaches(Op::Write, 0, 20480);
        let second = |op: Op| found.iter().filter(move |one| one.1 == op && one.2 != Reach::Seek);
        assert_eq!(second(Op::Read).count(), 2, "{found:?}");
        assert_eq!(second(Op::Write).count(), 2, "{found:?}");
    }
}
