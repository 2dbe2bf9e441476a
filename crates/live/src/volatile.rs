//! Written data that only a cache has: kept until it is on the media, or lost.
//!
//! A write is put into its file when the system has it, not when it arrives. From then on each
//! sector of a volume whose cache may be lost keeps what the media have instead, and what other
//! caches have or send there ([`Sector`]). What a cache loses gives way to the newest version that
//! is left. A sector that went to the media a second time before the first was there counts as
//! there with the first: more is kept than the system promises, never less. So it is with a write
//! that is safe at once: what caches have of that place is over.
//!
//! Left out: volumes behind a mirror or parity of the host, which has the data elsewhere too.

mod sector;

use std::collections::HashMap;

use iopath_path::{ComponentId, Geometry, Laid, Range, members};
use iopath_simulation::{Fate, What};
use iopath_study::{Case, PartId};
use iopath_units::Op;

use self::sector::Sector;
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
    /// What no cache has that may be lost, in the file.
    rest: Vec<std::ops::Range<u64>>,
    /// Why it could not be put into its file.
    failed: Option<std::io::Error>,
}

impl Held {
    fn part(&self, range: &std::ops::Range<u64>) -> &[u8] {
        let at = |place: u64| (place - self.offset) as usize;
        &self.data[at(range.start)..at(range.end)]
    }

    fn is_kept(&mut self, kept: &std::ops::Range<u64>) {
        let cut = |range: std::ops::Range<u64>| {
            let before = range.start..range.end.min(kept.start);
            let behind = range.start.max(kept.end)..range.end;
            [before, behind]
        };
        let rest = std::mem::take(&mut self.rest).into_iter().flat_map(cut);
        self.rest = rest.filter(|range| range.start < range.end).collect();
    }
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
        let rest = std::iter::once(offset..offset + data.len() as u64).collect();
        let held = Held { file, offset, data: data.to_vec(), rest, failed: None };
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
            Some(_) if is_refused => Ok(()),
            Some(held) => held.rest.iter().try_for_each(|range| {
                self.overtake(held.file, range);
                media[held.file].write(range.start, held.part(range))
            }),
        }
    }

    /// A range of a file is written past the caches that may be lost: what they have of whole
    /// sectors of it does not count any more.
    fn overtake(&mut self, file: usize, range: &std::ops::Range<u64>) {
        let known = self.laid.keys().filter(|(of, _)| *of == file);
        let volumes: Vec<ComponentId> = known.map(|(_, volume)| *volume).collect();
        for volume in volumes {
            let all = Piece::of(range.start, range.end - range.start);
            for Piece { on_volume, bytes, .. } in self.pieces(volume, file, all) {
                let sector = SECTOR as u64;
                for number in on_volume.div_ceil(sector)..(on_volume + bytes) / sector {
                    self.sectors.remove(&(volume, number));
                }
            }
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
                self.each(fate, |sector| sector.leave(fate.cache));
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
        let (file, all) = (held.file, Piece::of(held.offset, held.data.len() as u64));
        for piece in self.pieces(fate.volume, file, all) {
            let from = piece.on_volume.max(fate.start);
            let to = (piece.on_volume + piece.bytes).min(fate.end);
            if from >= to {
                continue;
            }
            let in_file = piece.in_file + (from - piece.on_volume);
            let kept = Piece { on_volume: from, in_file, bytes: to - from };
            self.keep_older(fate, kept, file, media)?;
            let Some(held) = self.held.get_mut(&ticket) else { return Ok(()) };
            let range = in_file..in_file + (to - from);
            held.is_kept(&range);
            media[file].write(in_file, held.part(&range))?;
        }
        Ok(())
    }

    /// Keeps what the file has of a range that a cache is about to have.
    fn keep_older(
        &mut self,
        fate: &Fate,
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
            let cache = fate.cache;
            match self.sectors.get_mut(&(fate.volume, number)) {
                Some(sector) if sector.is_newest_kept(cache) => {
                    sector.store_beside(cache, now()?);
                }
                Some(sector) => sector.store(cache),
                None => {
                    let sector = Sector::new(file, at, now()?, cache);
                    self.sectors.insert((fate.volume, number), sector);
                }
            }
        }
        Ok(())
    }

    fn settle(&mut self, fate: &Fate) {
        self.each(fate, |sector| sector.settle(fate.cache));
        self.forget_settled(fate);
    }

    fn lose(&mut self, fate: &Fate, media: &[Medium]) -> std::io::Result<()> {
        let mut done = Ok(());
        let mut lost = 0;
        self.each(fate, |sector| {
            if let Some(left) = sector.lose(fate.cache) {
                let written = media[sector.file].write(sector.at, &left);
                lost += SECTOR as u64;
                done = std::mem::replace(&mut done, Ok(())).and(written);
            }
        });
        self.lost_bytes += lost;
        self.forget_settled(fate);
        done
    }

    fn forget_settled(&mut self, fate: &Fate) {
        for number in sectors(fate.start, fate.end) {
            let key = (fate.volume, number);
            if self.sectors.get(&key).is_some_and(Sector::is_settled) {
                self.sectors.remove(&key);
            }
        }
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
