//! The bytes of a device or file, read where the probes look.
//!
//! The first and the last MiB are read once, the rest when asked for. Past the end is nothing.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

const EDGE_BYTES: u64 = 1 << 20;

/// A readable medium of known size.
#[derive(Debug)]
pub(super) struct Medium<'a> {
    file: &'a File,
    /// Size of the medium.
    pub(super) bytes: u64,
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl<'a> Medium<'a> {
    /// Takes the size (by seeking to the end, which serves files and devices) and reads the edges.
    pub(super) fn new(mut file: &'a File) -> io::Result<Self> {
        let bytes = file.seek(SeekFrom::End(0))?;
        let edge = EDGE_BYTES.min(bytes);
        let head = read_fully(file, 0, edge)?;
        let tail = read_fully(file, bytes - edge, edge)?;
        Ok(Self { file, bytes, head, tail })
    }

    /// True when the first or the last MiB holds a byte that is not zero.
    pub(super) fn has_data(&self) -> bool {
        self.head.iter().chain(&self.tail).any(|&byte| byte != 0)
    }

    /// The `length` bytes at `offset`; `None` unless all of them exist.
    pub(super) fn at(&self, offset: u64, length: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(end) = offset.checked_add(length).filter(|&end| end <= self.bytes) else {
            return Ok(None);
        };
        let tail_start = self.bytes - self.tail.len() as u64;
        let piece = if end <= self.head.len() as u64 {
            self.head[offset as usize..end as usize].to_vec()
        } else if offset >= tail_start {
            self.tail[(offset - tail_start) as usize..(end - tail_start) as usize].to_vec()
        } else {
            read_fully(self.file, offset, length)?
        };
        Ok(Some(piece))
    }

    /// True when `bytes` stand at `offset`.
    pub(super) fn has(&self, offset: u64, bytes: &[u8]) -> io::Result<bool> {
        Ok(self.at(offset, bytes.len() as u64)?.is_some_and(|found| found == bytes))
    }

    /// A little-endian number of up to eight bytes; `None` past the end.
    pub(super) fn number(&self, offset: u64, length: u64) -> io::Result<Option<u64>> {
        Ok(self
            .at(offset, length)?
            .map(|bytes| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))))
    }

    /// A text that ends at a zero byte or after `length`; `None` when empty.
    pub(super) fn text(&self, offset: u64, length: u64) -> io::Result<Option<String>> {
        let Some(bytes) = self.at(offset, length)? else { return Ok(None) };
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        let text = String::from_utf8_lossy(&bytes[..end]).trim().to_owned();
        Ok((!text.is_empty()).then_some(text))
    }

    /// A 16-byte UUID; `None` when all zero.
    pub(super) fn uuid(&self, offset: u64) -> io::Result<Option<String>> {
        let Some(bytes) = self.at(offset, 16)? else { return Ok(None) };
        if bytes.iter().all(|&byte| byte == 0) {
            return Ok(None);
        }
        Ok(Some(uuid_of(bytes)))
    }
}

/// Bytes as a UUID is written.
pub(super) fn uuid_of(bytes: impl IntoIterator<Item = u8>) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.into_iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

fn read_fully(file: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length as usize];
    file.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}
