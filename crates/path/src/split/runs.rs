//! The parts of a request that are not joined: where in the request the bytes of each lie.
//!
//! A real request moves one piece of memory, so what is contiguous on a member but not in the
//! request is several. Parity, and what is read before it can be written, has no bytes of its own
//! in the request.

use iopath_units::Op;

use super::{Part, Range, columns, parity, part};
use crate::volume::{Geometry, Volume};

/// A part that is one piece of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// What is done to the member.
    pub part: Part,
    /// Where in the request its bytes begin; none where they are no bytes of the request.
    pub at: Option<u64>,
}

impl Volume {
    /// The parts of a request like those of [`Volume::split`], but each is one piece of the
    /// request, into memory that is there already; what it held is gone.
    pub fn runs_into(&self, request: Range, runs: &mut Vec<Run>) {
        runs.clear();
        if request.bytes == 0 {
            return;
        }
        match &self.geometry {
            Geometry::Whole => runs.push(Run { part: part(0, request), at: Some(0) }),
            Geometry::Stripe { unit: bytes } | Geometry::Scattered { block: bytes } => {
                let units = columns::units((*bytes, self.members), request);
                runs.extend(units.map(|(part, at)| Run { part, at: Some(at) }));
            }
            Geometry::Concat { sizes } => columns::members(sizes, request, |part, at| {
                runs.push(Run { part, at: Some(at) });
            }),
            Geometry::Mirror => {
                let sides = self.sides(0..self.members, (request, request));
                runs.extend(sides.map(|part| Run { part, at: Some(0) }));
            }
            Geometry::StripedMirrors { segment } => self.runs_of_pairs(*segment, request, runs),
            Geometry::Parity(layout) => parity::split(self, layout, request, runs),
        }
        runs.retain(|run| !self.missing.contains(&run.part.member));
        if let Some(largest) = self.largest {
            cut(runs, largest);
        }
    }

    /// Which side of a pair is read follows from all that the request reads of the pair.
    fn runs_of_pairs(&self, segment: u64, request: Range, runs: &mut Vec<Run>) {
        let pairs = self.members / 2;
        for (unit, at) in columns::units((segment, pairs), request) {
            let first = columns::first_of(unit.member, (segment, pairs), request);
            let whole = columns::column((segment, pairs), request, first);
            let Part { member: pair, op, offset, bytes, .. } = unit;
            let sides = 2 * pair..2 * pair + 2;
            let of = Range { op, offset: whole.offset, bytes: whole.bytes };
            let here = Range { op, offset, bytes };
            runs.extend(self.sides(sides, (of, here)).map(|part| Run { part, at: Some(at) }));
        }
    }

    /// The parts of `here`, which belongs to the request `of`: reads one of some sides, writes all
    /// of them.
    pub(super) fn sides(
        &self,
        sides: std::ops::Range<u32>,
        (of, here): (Range, Range),
    ) -> impl Iterator<Item = Part> + use<'_> {
        let there = move || sides.clone().filter(|side| !self.missing.contains(side));
        let count = there().count() as u64;
        let turn = match of.op {
            Op::Read => (of.offset / self.turn.unwrap_or(of.bytes).max(1)).checked_rem(count),
            Op::Write => None,
        };
        let chosen = there().skip(turn.unwrap_or(0) as usize);
        chosen
            .take(if of.op == Op::Read { 1 } else { usize::MAX })
            .map(move |side| part(side, here))
    }
}

/// Cuts runs that are larger than a member is asked for; what is cut off comes last.
fn cut(runs: &mut Vec<Run>, largest: u64) {
    let mut index = 0;
    while let Some(Run { part, at }) = runs.get_mut(index) {
        if part.bytes > largest {
            let (offset, bytes) = (part.offset + largest, part.bytes - largest);
            let rest = Run { part: Part { offset, bytes, ..*part }, at: at.map(|at| at + largest) };
            part.bytes = largest;
            runs.push(rest);
        }
        index += 1;
    }
}
