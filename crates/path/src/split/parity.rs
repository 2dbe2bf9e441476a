//! Layouts with parity.
//!
//! ```text
//! level 5 over 4, left-symmetric     D0 D1 D2 P     pd = n-1 - row mod n
//!                                    D4 D5 P  D3    data k of a row on (pd+1+k) mod n
//!                                    D8 P  D6 D7
//! ```
//!
//! A row is cut into bands, ranges within the segment in which the request touches the same
//! members. Each band is written as one whole, so that a request that covers two halves of
//! neighbouring segments reads the other halves and no more.

use std::ops::Range as Span;

use iopath_units::Op;

use super::{Part, Range, Run};
use crate::volume::{Parity, Rotation, Volume};

/// The parts of a request; contiguous ones are not joined.
pub(super) fn split(volume: &Volume, layout: &Parity, request: Range, runs: &mut Vec<Run>) {
    let stripe = layout.stripe(volume.members);
    let end = request.offset + request.bytes;
    let mut at = request.offset;
    while at < end {
        let bytes = (stripe - at % stripe).min(end - at);
        let start = at % stripe;
        let touched = start..start + bytes;
        let row = Row::new(volume, layout, (at / stripe, at - request.offset, start));
        match request.op {
            Op::Read => row.read(touched, runs),
            Op::Write if volume.gathers => row.gather(touched, runs),
            Op::Write => row.write(touched, runs),
        }
        at += bytes;
    }
}

/// One row of one group.
struct Row<'a> {
    volume: &'a Volume,
    segment: u64,
    rotation: Rotation,
    /// The first member of the group.
    first: u32,
    /// Members of the group.
    width: u32,
    /// Members that hold data in it.
    data: u32,
    /// The row's number within the group.
    number: u64,
    /// Where in the request the byte `start` of the row's data lies.
    at: u64,
    start: u64,
}

/// Some of the data of a row, and the range within the segment.
struct Band {
    /// Which of the row's segments.
    touched: Span<u32>,
    /// Bytes within each of them.
    within: Span<u64>,
}

impl<'a> Row<'a> {
    fn new(volume: &'a Volume, layout: &Parity, (stripe, at, start): (u64, u64, u64)) -> Self {
        let groups = u64::from(layout.groups);
        let width = layout.width(volume.members);
        Self {
            volume,
            segment: layout.segment,
            rotation: layout.rotation,
            first: (stripe % groups) as u32 * width,
            width,
            data: layout.data(volume.members),
            number: stripe / groups,
            at,
            start,
        }
    }

    /// Member that holds a segment of data, or behind those, of parity.
    fn member(&self, index: u32) -> u32 {
        let (width, data) = (self.width, self.data);
        let place = match self.rotation {
            Rotation::Last => index,
            Rotation::LeftSymmetric => {
                let parity = width - 1 - (self.number % u64::from(width)) as u32;
                // Parity comes first, then the data: index `data` is the first place.
                (parity + (index + width - data) % width) % width
            }
        };
        self.first + place
    }

    fn is_there(&self, index: u32) -> bool {
        !self.volume.missing.contains(&self.member(index))
    }

    /// A part that has no bytes of the request.
    fn beside(&self, (phase, op): (u8, Op), index: u32, within: &Span<u64>) -> Run {
        let member = self.member(index);
        let offset = self.number * self.segment + within.start;
        let bytes = within.end - within.start;
        Run { part: Part { phase, op, member, offset, bytes }, at: None }
    }

    /// A part that moves bytes of the request.
    fn asked(&self, what: (u8, Op), index: u32, within: &Span<u64>) -> Run {
        let data = u64::from(index) * self.segment + within.start;
        Run { at: Some(self.at + data - self.start), ..self.beside(what, index, within) }
    }

    fn read(&self, range: Span<u64>, runs: &mut Vec<Run>) {
        for band in bands(&range, self.segment) {
            if band.touched.clone().all(|index| self.is_there(index)) {
                let touched = band.touched.clone();
                runs.extend(touched.map(|index| self.asked((0, Op::Read), index, &band.within)));
            } else {
                self.read_survivors((&band, Op::Read), runs);
            }
        }
    }

    /// As many of the row as it takes to make out a lost one; those that are asked for are among
    /// them, because data goes before parity.
    fn read_survivors(&self, (band, op): (&Band, Op), runs: &mut Vec<Run>) {
        let there = (0..self.width).filter(|index| self.is_there(*index));
        runs.extend(there.take(self.data as usize).map(|index| {
            let is_asked = op == Op::Read && band.touched.contains(&index);
            let run = if is_asked { Self::asked } else { Self::beside };
            run(self, (0, Op::Read), index, &band.within)
        }));
    }

    fn write(&self, range: Span<u64>, runs: &mut Vec<Run>) {
        for band in bands(&range, self.segment) {
            let before = runs.len();
            self.read_before(&band, runs);
            let what = (u8::from(runs.len() > before), Op::Write);
            let within = &band.within;
            runs.extend(band.touched.clone().map(|index| self.asked(what, index, within)));
            let parity = self.data..self.width;
            runs.extend(parity.map(|index| self.beside(what, index, within)));
        }
    }

    /// Its data; the row is full with its last byte, and its parity written.
    fn gather(&self, range: Span<u64>, runs: &mut Vec<Run>) {
        for Band { touched, within } in bands(&range, self.segment) {
            runs.extend(touched.map(|index| self.asked((0, Op::Write), index, &within)));
        }
        if range.end == u64::from(self.data) * self.segment {
            let parity = self.data..self.width;
            let within = 0..self.segment;
            runs.extend(parity.map(|index| self.beside((0, Op::Write), index, &within)));
        }
    }

    /// What must be read before parity can be written.
    fn read_before(&self, band: &Band, runs: &mut Vec<Run>) {
        let there = |index: &u32| self.is_there(*index);
        let parity = (self.data..self.width).filter(there);
        let kept = parity.clone().count();
        if kept == 0 {
            return;
        }
        let touched = band.touched.clone();
        let rest = (0..touched.start).chain(touched.end..self.data);
        let modify = touched.clone().all(|index| self.is_there(index));
        let reconstruct = rest.clone().all(|index| self.is_there(index));
        let read = |index| self.beside((0, Op::Read), index, &band.within);
        if reconstruct && (!modify || rest.clone().count() < touched.len() + kept) {
            runs.extend(rest.map(read));
        } else if modify {
            runs.extend(touched.chain(parity).map(read));
        } else {
            self.read_survivors((band, Op::Write), runs);
        }
    }
}

/// The bands of a range of a row's data. Empty ones are left out.
fn bands(range: &Span<u64>, segment: u64) -> impl Iterator<Item = Band> + use<> {
    let (first, last) = ((range.start / segment) as u32, ((range.end - 1) / segment) as u32);
    let (from, to) = (range.start % segment, (range.end - 1) % segment + 1);
    // Below `low` the first segment or the last one is untouched, and so above `high`.
    let (low, high) = (from.min(to), from.max(to));
    let bands = if first == last {
        [(first, last, from..to), (0, 0, 0..0), (0, 0, 0..0)]
    } else if from < to {
        [(first + 1, last, 0..low), (first, last, low..high), (first, last - 1, high..segment)]
    } else {
        [
            (first + 1, last, 0..low),
            (first + 1, last - 1, low..high),
            (first, last - 1, high..segment),
        ]
    };
    let bands = bands.map(|(first, last, within)| Band { touched: first..last + 1, within });
    bands.into_iter().filter(|band| !band.within.is_empty() && !band.touched.is_empty())
}
