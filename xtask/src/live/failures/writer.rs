//! A writer of its own part of a file: it writes blocks at random, reads some back, flushes where
//! flushes count, and knows of each block what must be there.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::Result;

use super::Seen;
use super::blocks::{BLOCK, SECTOR, content, writes};
use super::catalogue::Promise;
use crate::limits::Draw;

/// Blocks of a writer (chosen: after a failure it does not write all of them again, which would
/// hide what was lost).
const BLOCKS: u64 = 512;
/// One request in so many reads.
const READS: u64 = 4;
/// Writes between two flushes.
const FLUSHED: usize = 8;

/// When a part fails and is known to have: what is flushed meanwhile was in a cache that is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outage {
    pub from: SystemTime,
    pub to: SystemTime,
    /// Whether what is written from when writers begin is safe from it.
    pub keeps_all: bool,
}

pub(crate) struct Writer {
    file: File,
    /// Of its blocks.
    first: u64,
    blocks: Vec<Block>,
    draw: Draw,
    promise: Promise,
    /// Acknowledged writes that no flush covers, and since when there are any.
    unflushed: Vec<usize>,
    since: SystemTime,
    pub seen: Seen,
}

/// Writes of a block, by their numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    issued: u64,
    acknowledged: u64,
    /// The oldest that may be there.
    promised: u64,
}

impl Writer {
    /// The writer of this number, on a file.
    pub(crate) fn new(file: &Path, number: u64, promise: Promise, seed: u64) -> Result<Self> {
        Ok(Self {
            file: OpenOptions::new().read(true).write(true).open(file)?,
            first: number * BLOCKS,
            blocks: vec![Block::default(); BLOCKS as usize],
            draw: Draw::of(&format!("writer {number}"), seed),
            promise,
            unflushed: Vec::new(),
            since: SystemTime::now(),
            seen: Seen::default(),
        })
    }

    /// Writes until a time, or until a request fails.
    pub(crate) fn write_until(&mut self, until: SystemTime, outage: Outage) {
        self.since = SystemTime::now();
        if self.promise == Promise::NotOwned {
            // What its owner had may be lost by now, or is when it fails.
            self.blocks.iter_mut().for_each(|block| block.promised = 0);
        }
        while SystemTime::now() < until {
            let begin = SystemTime::now();
            let done = match self.draw.within(1, READS) {
                1 => self.read_one(),
                _ => self.write_one(outage),
            };
            let done = done.and_then(|()| self.flush(outage));
            let took = begin.elapsed().unwrap_or_default().as_secs_f64() * 1e3;
            self.seen.longest_ms = self.seen.longest_ms.max(took);
            if done.is_err() {
                self.seen.errors += 1;
                return;
            }
        }
    }

    fn drawn(&mut self) -> usize {
        self.draw.within(0, BLOCKS - 1) as usize
    }

    fn write_one(&mut self, outage: Outage) -> io::Result<()> {
        let index = self.drawn();
        let (place, block) = (self.first + index as u64, &mut self.blocks[index]);
        block.issued += 1;
        self.file.write_all_at(&content(place, block.issued), place * BLOCK as u64)?;
        block.acknowledged = block.issued;
        self.seen.writes += 1;
        match self.promise {
            Promise::Acknowledged => block.promised = block.acknowledged,
            Promise::Flushed => self.unflushed.push(index),
            Promise::NotOwned if outage.keeps_all => block.promised = block.acknowledged,
            Promise::NotOwned | Promise::None => {}
        }
        Ok(())
    }

    /// Flushes where it is time for it. What a cache lost no later flush brings back: writes of
    /// before an outage that are flushed after it are not promised.
    fn flush(&mut self, outage: Outage) -> io::Result<()> {
        if self.unflushed.len() < FLUSHED {
            return Ok(());
        }
        self.file.sync_data()?;
        let now = SystemTime::now();
        let is_whole = now < outage.from || self.since > outage.to;
        for index in self.unflushed.drain(..) {
            let block = &mut self.blocks[index];
            if is_whole {
                block.promised = block.acknowledged;
            }
        }
        self.since = now;
        Ok(())
    }

    fn read_one(&mut self) -> io::Result<()> {
        let index = self.drawn();
        let place = self.first + index as u64;
        let mut data = vec![0; BLOCK];
        self.file.read_exact_at(&mut data, place * BLOCK as u64)?;
        self.seen.broken += broken(&self.blocks[index], place, &data);
        Ok(())
    }

    /// Reads everything back; gives acknowledged bytes that are not there.
    pub(crate) fn check(&mut self) -> u64 {
        let lost = self.read_all();
        self.seen.errors += u64::from(lost.is_err());
        lost.unwrap_or_default()
    }

    fn read_all(&mut self) -> io::Result<u64> {
        let mut all = vec![0; BLOCKS as usize * BLOCK];
        self.file.read_exact_at(&mut all, self.first * BLOCK as u64)?;
        let mut lost = 0;
        for ((place, block), data) in (self.first..).zip(&mut self.blocks).zip(all.chunks(BLOCK)) {
            self.seen.broken += broken(block, place, data);
            let found = || writes(place, data).flatten();
            let older = found().filter(|write| *write < block.acknowledged).count();
            lost += (older * SECTOR) as u64;
            block.acknowledged = found().min().unwrap_or_default();
        }
        self.unflushed.clear();
        self.seen.lost += lost;
        Ok(lost)
    }
}

/// Bytes of a block that are older than promised, newer than issued, or of no write of it.
fn broken(block: &Block, place: u64, data: &[u8]) -> u64 {
    let allowed = block.promised..=block.issued;
    let wrong = writes(place, data).filter(|write| write.is_none_or(|one| !allowed.contains(&one)));
    (wrong.count() * SECTOR) as u64
}

impl Outage {
    /// Of a part that fails at this time, with room for two clocks.
    pub(crate) fn at(moment: SystemTime, lasts: Duration) -> Self {
        const ROOM: Duration = Duration::from_millis(20);
        Self { from: moment - ROOM, to: moment + lasts + ROOM, keeps_all: false }
    }
}
