//! Written data that only a cache has: kept until it is on the media, or lost.
//!
//! A write is put into its file when the system has it, not when it arrives. From then on each
//! sector of a volume whose cache may be lost keeps what the media have instead ([`Sector::old`]);
//! while it is on its way there and is written again, also what is on its way ([`Sector::next`]).
//! What is lost is put back. A sector that went to the media a second time before the first was
//! there counts as there with the first: more is kept than the system promises, never less.
//!
//! Left out: volumes behind a mirror or parity of the host, which has the data elsewhere too.

use std::collections::HashMap;

use iopath_path::{ComponentId, Geometry, Laid, Range, members};
use iopath_simulation::{Fate, What};
use iopath_study::{Case, PartId};
use iopath_units::Op;

use crate::media::Medium;

/// The unit that is kept or lost as a whole, as that of a disk.
const SECTOR: usize = 512;

/// What only caches have.
#[derive(Debug)]
pub(crate) struct Volatile<'c> {
    case: &'c Case,
    /// The part that each file is.
    parts: Vec<PartId>,
    /// How a file lies on a volume, as far as it was asked.
    laid: HashMap<(usize, ComponentId), Option<Laid>>,
    /// Writes that are not answered, by their tickets.
    held: HashMap<u32, Held>,
    sectors: HashMap<(ComponentId, u64), Sector>,
    lost_bytes: u64,
}

/// A write.
#[derive(Debug)]
struct Held {
    file: usize,
    offset: u64,
    data: Vec<u8>,
    /// Whether some of it is in a cache already.
    is_stored: bool,
    /// Why it could not be put into its file.
    failed: Option<std::io::Error>,
}

/// A sector that the media do not have as the file has it.
#[derive(Debug)]
struct Sector {
    file: usize,
    /// Where in the file.
    at: u64,
    /// As the media have it.
    old: Box<[u8]>,
    /// As it is on its way there, where the file has something newer.
    next: Option<Box<[u8]>>,
    leaves: bool,
}

/// Bytes of a file that are bytes of a volume.
#[derive(Clone, Copy, Debug)]
struct Piece {
    on_volume: u64,
    in_file: u64,
    bytes: u64,
}

impl Piece {
    /// A range of a file, of which it is not known yet where it lies.
    fn of(offset: u64, bytes: u64) -> Self {
        Self { on_volume: offset, in_file: offset, bytes }
    }
}

impl<'c> Volatile<'c> {
    /// Of a case whose files are these parts.
    pub(crate) fn new(case: &'c Case, parts: Vec<PartId>) -> Self {
        Self {
            case,
            parts,
            laid: HashMap::new(),
            held: HashMap::new(),
            sectors: HashMap::new(),
            lost_bytes: 0,
        }
    }

    /// How much was lost until now.
    pub(crate) fn lost_bytes(&self) -> u64 {
        self.lost_bytes
    }

    /// A write has come, and is not in its file yet.
    pub(crate) fn hold(&mut self, ticket: u32, file: usize, offset: u64, data: &[u8]) {
        let held = Held { file, offset, data: data.to_vec(), is_stored: false, failed: None };
        self.held.insert(ticket, held);
    }

    /// A write is answered: what no cache kept is on the media. A refused one leaves nothing.
    pub(crate) fn answered(
        &mut self,
        ticket: u32,
        is_refused: bool,
        media: &[Medium],
    ) -> std::io::Result<()> {
        match self.held.remove(&ticket) {
            None => Ok(()),
            Some(Held { failed: Some(error), .. }) => Err(error),
            Some(held) if held.is_stored || is_refused => Ok(()),
            Some(held) => media[held.file].write(held.offset, &held.data),
        }
    }

    /// Something has happened to data.
    pub(crate) fn follow(&mut self, fate: &Fate, media: &[Medium]) -> std::io::Result<()> {
        match fate.what {
            What::Stored(ticket) => {
                let stored = self.store(fate, ticket, media);
                if let Some(held) = self.held.get_mut(&ticket) {
                    held.failed = held.failed.take().or(stored.err());
                }
                Ok(())
            }
            What::Leaves => {
                self.each(fate, |sector| {
                    if let Some(next) = sector.next.take() {
                        sector.old = next;
                    }
                    sector.leaves = true;
                });
                Ok(())
            }
            What::Settled => {
                self.settle(fate);
                Ok(())
            }
            What::Lost => self.lose(fate, media),
        }
    }

    fn each(&mut self, fate: &Fate, mut each: impl FnMut(&mut Sector)) {
        for number in sectors(fate.start, fate.end) {
            if let Some(sector) = self.sectors.get_mut(&(fate.volume, number)) {
                each(sector);
            }
        }
    }

    fn store(&mut self, fate: &Fate, ticket: u32, media: &[Medium]) -> std::io::Result<()> {
        let Some(held) = self.held.get(&ticket) else { return Ok(()) };
        let (file, begin, bytes) = (held.file, held.offset, held.data.len() as u64);
        for piece in self.pieces(fate.volume, file, Piece::of(begin, bytes)) {
            let from = piece.on_volume.max(fate.start);
            let to = (piece.on_volume + piece.bytes).min(fate.end);
            if from >= to {
                continue;
            }
            let in_file = piece.in_file + (from - piece.on_volume);
            let kept = Piece { on_volume: from, in_file, bytes: to - from };
            self.keep_old(fate.volume, kept, file, media)?;
            let Some(held) = self.held.get_mut(&ticket) else { return Ok(()) };
            held.is_stored = true;
            let at = (in_file - begin) as usize;
            media[file].write(in_file, &held.data[at..at + (to - from) as usize])?;
        }
        Ok(())
    }

    /// Keeps what the file has of a range that is about to be written.
    fn keep_old(
        &mut self,
        volume: ComponentId,
        piece: Piece,
        file: usize,
        media: &[Medium],
    ) -> std::io::Result<()> {
        let Piece { on_volume: from, in_file, bytes } = piece;
        for number in sectors(from, from + bytes) {
            // A sector that a piece covers in part lies as far before it in the file.
            let Some(at) = (in_file + number * SECTOR as u64).checked_sub(from) else { continue };
            let mut room = [0; SECTOR];
            let mut now = || media[file].read(at, SECTOR, &mut room).map(Box::from);
            match self.sectors.get_mut(&(volume, number)) {
                Some(sector) if sector.leaves && sector.next.is_none() => {
                    sector.next = Some(now()?);
                }
                Some(_) => {}
                None => {
                    let sector = Sector { file, at, old: now()?, next: None, leaves: false };
                    self.sectors.insert((volume, number), sector);
                }
            }
        }
        Ok(())
    }

    fn settle(&mut self, fate: &Fate) {
        for number in sectors(fate.start, fate.end) {
            let key = (fate.volume, number);
            let Some(sector) = self.sectors.get_mut(&key).filter(|sector| sector.leaves) else {
                continue;
            };
            match sector.next.take() {
                Some(next) => (sector.old, sector.leaves) = (next, false),
                None => drop(self.sectors.remove(&key)),
            }
        }
    }

    fn lose(&mut self, fate: &Fate, media: &[Medium]) -> std::io::Result<()> {
        for number in sectors(fate.start, fate.end) {
            if let Some(sector) = self.sectors.remove(&(fate.volume, number)) {
                media[sector.file].write(sector.at, &sector.old)?;
                self.lost_bytes += SECTOR as u64;
            }
        }
        Ok(())
    }

    /// The bytes of a file's range that lie on a volume.
    fn pieces(&mut self, volume: ComponentId, file: usize, range: Piece) -> Vec<Piece> {
        let (case, part) = (self.case, self.parts[file]);
        let laid = self.laid.entry((file, volume)).or_insert_with(|| {
            let is_end = |part: PartId| {
                ComponentId::from(part) == volume || members(&case.system, part).is_empty()
            };
            Laid::of(&case.system, part, &is_end).ok()
        });
        let mut pieces = Vec::new();
        if let Some(laid) = laid {
            collect(laid, volume, range, &mut pieces);
        }
        pieces
    }
}

/// The sectors that a range touches.
fn sectors(start: u64, end: u64) -> std::ops::Range<u64> {
    start / SECTOR as u64..end.div_ceil(SECTOR as u64)
}

/// The pieces of a range that come to a volume.
fn collect(laid: &Laid, volume: ComponentId, range: Piece, pieces: &mut Vec<Piece>) {
    match laid {
        Laid::Real(part) if ComponentId::from(*part) == volume => pieces.push(range),
        Laid::Real(_) => {}
        Laid::Piece { of, offset, .. } => {
            collect(of, volume, Piece { on_volume: range.on_volume + offset, ..range }, pieces);
        }
        Laid::Volume { volume: layout, members, .. } => {
            let is_plain = matches!(
                layout.geometry,
                Geometry::Whole
                    | Geometry::Stripe { .. }
                    | Geometry::Scattered { .. }
                    | Geometry::Concat { .. }
            );
            if !is_plain {
                return;
            }
            let request = Range { op: Op::Write, offset: range.on_volume, bytes: range.bytes };
            let mut runs = Vec::new();
            layout.runs_into(request, &mut runs);
            for run in runs {
                let member = members.get(run.part.member as usize).zip(run.at);
                if let Some((member, at)) = member {
                    let (on_volume, bytes) = (run.part.offset, run.part.bytes);
                    let in_file = range.in_file + at;
                    collect(member, volume, Piece { on_volume, in_file, bytes }, pieces);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
