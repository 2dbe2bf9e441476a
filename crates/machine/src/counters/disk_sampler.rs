//! The fast way to read /proc/diskstats again and again: no allocation, only wanted devices.
//!
//! The file stays open and is read with pread into one buffer; which line holds which wanted device
//! is remembered from the last sample and checked by number, so a line costs its number and, when
//! wanted, its columns. A device that has gone yields `None` until it comes back.
//!
//! The kernel prints times as milliseconds in 32 bits (`%u` in diskstats_show, block/genhd.c),
//! which are full after 50 days of one request in flight, or after 9 hours of 128. Requests are
//! counted in the machine's word. So a time that falls while requests do not has wrapped, and is
//! carried on here; where requests fall, too, the device was made anew, and its counters are as it
//! says. Leaves out: time stamps; the caller reads its own clock beside [`DiskSampler::sample`].

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

use super::diskstats::{DeviceNumber, DiskCounters, FILE, malformed, parse_counters, parse_head};
use crate::error::ReadError;
use crate::root::Root;

const FIRST_BUFFER_BYTES: usize = 64 << 10;

/// What a time lost when it wrapped: 2^32 ms.
const WRAP_NS: u64 = (1 << 32) * 1_000_000;

/// Reads the counters of a fixed set of devices repeatedly.
#[derive(Debug)]
pub struct DiskSampler {
    root: Root,
    file: File,
    buffer: Vec<u8>,
    /// Position in `samples` of each wanted device.
    wanted: HashMap<DeviceNumber, usize>,
    /// What line n of the last sample held: the device, and its position if it is wanted.
    plan: Vec<(DeviceNumber, Option<usize>)>,
    samples: Vec<Option<DiskCounters>>,
    carries: Vec<Carry>,
    changes: u64,
}

/// What a device last said, and what its times lost by wrapping so far.
#[derive(Debug, Clone, Copy, Default)]
struct Carry {
    last: Option<DiskCounters>,
    lost_ns: [u64; 6],
}

impl DiskSampler {
    /// Opens the file; `devices`, all different, gives the order of the samples.
    pub fn open(root: &Root, devices: &[DeviceNumber]) -> Result<Self, ReadError> {
        let path = root.path(FILE);
        let file = File::open(&path).map_err(|source| ReadError::from_io(path, source))?;
        Ok(Self {
            root: root.clone(),
            file,
            buffer: vec![0; FIRST_BUFFER_BYTES],
            wanted: devices.iter().enumerate().map(|(index, &number)| (number, index)).collect(),
            plan: Vec::new(),
            samples: vec![None; devices.len()],
            carries: vec![Carry::default(); devices.len()],
            changes: 0,
        })
    }

    /// Reads all wanted devices now, in the order of `open`; `None` for a device that is not there.
    pub fn sample(&mut self) -> Result<&[Option<DiskCounters>], ReadError> {
        let length = self.fill()?;
        self.samples.fill(None);
        let mut lines = 0;
        let text = &self.buffer[..length];
        for (index, line) in text.split(|&b| b == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            let wrong = || malformed(&self.root, index + 1, line);
            let head = parse_head(line).ok_or_else(wrong)?;
            let slot = match self.plan.get(index) {
                Some(&(number, slot)) if number == head.number => slot,
                _ => {
                    // The set of devices changed: learn this line anew.
                    let slot = self.wanted.get(&head.number).copied();
                    self.changes += 1;
                    self.plan.truncate(index);
                    self.plan.push((head.number, slot));
                    slot
                }
            };
            if let Some(slot) = slot {
                let counters = parse_counters(head.rest).ok_or_else(wrong)?;
                self.samples[slot] = Some(self.carries[slot].onto(counters));
            }
            lines = index + 1;
        }
        if self.plan.len() > lines {
            self.changes += 1;
            self.plan.truncate(lines);
        }
        for (carry, sample) in self.carries.iter_mut().zip(&self.samples) {
            if sample.is_none() {
                *carry = Carry::default();
            }
        }
        Ok(&self.samples)
    }

    /// What the last sample read; `None` for all before the first.
    pub fn last(&self) -> &[Option<DiskCounters>] {
        &self.samples
    }

    /// Rises whenever a sample found other devices than the one before, wanted or not.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Reads the whole file into the buffer, which grows until the text fits; returns the length.
    fn fill(&mut self) -> Result<usize, ReadError> {
        let mut length = 0;
        loop {
            if length == self.buffer.len() {
                self.buffer.resize(2 * length, 0);
            }
            let read = self.file.read_at(&mut self.buffer[length..], length as u64);
            match read {
                Ok(0) => return Ok(length),
                Ok(count) => length += count,
                Err(source) if source.kind() == std::io::ErrorKind::Interrupted => {}
                Err(source) => return Err(ReadError::from_io(self.root.path(FILE), source)),
            }
        }
    }
}

impl Carry {
    /// The counters with what their times lost; remembers them as they are.
    fn onto(&mut self, mut counters: DiskCounters) -> DiskCounters {
        let times = |counters: &DiskCounters| {
            let DiskCounters { read_ns, write_ns, busy_ns, weighted_ns, .. } = *counters;
            let discard_ns = counters.discard.map_or(0, |discard| discard.ns);
            let flush_ns = counters.flush.map_or(0, |flush| flush.ns);
            [read_ns, write_ns, busy_ns, weighted_ns, discard_ns, flush_ns]
        };
        if let Some(last) = self.last.replace(counters) {
            let is_anew = counters.read_operations < last.read_operations
                || counters.write_operations < last.write_operations;
            if is_anew {
                self.lost_ns = [0; 6];
            } else {
                let pairs = times(&last).into_iter().zip(times(&counters));
                for (lost, (before, now)) in self.lost_ns.iter_mut().zip(pairs) {
                    *lost += if now < before { WRAP_NS } else { 0 };
                }
            }
        }
        let [read, write, busy, weighted, discard, flush] = self.lost_ns;
        counters.read_ns += read;
        counters.write_ns += write;
        counters.busy_ns += busy;
        counters.weighted_ns += weighted;
        if let Some(counters) = &mut counters.discard {
            counters.ns += discard;
        }
        if let Some(counters) = &mut counters.flush {
            counters.ns += flush;
        }
        counters
    }
}
