//! The fast way to read /proc/diskstats again and again: no allocation, only wanted devices.
//!
//! The file stays open and is read with pread into one buffer; which line holds which wanted device
//! is remembered from the last sample and checked by number, so a line costs its number and, when
//! wanted, its columns. A device that has gone yields `None` until it comes back.
//! Leaves out: time stamps; the caller reads its own clock beside [`DiskSampler::sample`].

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

use super::diskstats::{DeviceNumber, DiskCounters, FILE, malformed, parse_counters, parse_head};
use crate::error::ReadError;
use crate::root::Root;

const FIRST_BUFFER_BYTES: usize = 64 << 10;

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
        })
    }

    /// Reads all wanted devices now, in the order of `open`; `None` for a device that is not there.
    pub fn sample(&mut self) -> Result<&[Option<DiskCounters>], ReadError> {
        let length = self.fill()?;
        self.samples.fill(None);
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
                    self.plan.truncate(index);
                    self.plan.push((head.number, slot));
                    slot
                }
            };
            if let Some(slot) = slot {
                self.samples[slot] = Some(parse_counters(head.rest).ok_or_else(wrong)?);
            }
        }
        Ok(&self.samples)
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
