//! /proc/self/stat and /proc/self/io: what this process has used.
//!
//! Format: proc_pid_stat(5), proc_pid_io(5); times are USER_HZ ticks, usually 10 ms.
//! Leaves out: its times, which `getrusage` gives, children, scheduling, signals.

use crate::error::ReadError;
use crate::line::{Line, Named};
use crate::root::Root;

const NS_PER_SECOND: u64 = 1_000_000_000;

/// Bytes that a process caused to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessIo {
    /// Read from devices.
    pub read_bytes: u64,
    /// Written to devices.
    pub write_bytes: u64,
}

/// Reads from /proc/self/stat how much memory this process holds.
pub fn resident_bytes(root: &Root) -> Result<u64, ReadError> {
    let file = "/proc/self/stat";
    let text = root.read(file)?;
    let line = Line { root, file, number: 1, text: text.trim_end() };
    let pages = StatFields::cut(&line)?.number("rss", 24)?;
    Ok(pages * rustix::param::page_size() as u64)
}

/// Reads /proc/self/io; `None` when the kernel keeps no such accounts.
pub fn read_io(root: &Root) -> Result<Option<ProcessIo>, ReadError> {
    let file = "/proc/self/io";
    let Some(text) = root.read_if_present(file)? else { return Ok(None) };
    let bytes = Named { root, file, text: &text };
    let (read_bytes, write_bytes) = (bytes.number("read_bytes")?, bytes.number("write_bytes")?);
    Ok(Some(ProcessIo { read_bytes, write_bytes }))
}

/// The fields of a stat line, numbered as in proc_pid_stat(5).
pub(crate) struct StatFields<'a> {
    line: &'a Line<'a>,
    /// Field 2: the name, which may hold blanks and parentheses.
    pub(crate) name: &'a str,
    /// Fields from 3 on.
    rest: Vec<&'a str>,
}

impl<'a> StatFields<'a> {
    pub(crate) fn cut(line: &'a Line<'a>) -> Result<Self, ReadError> {
        let (Some(open), Some(close)) = (line.text.find('('), line.text.rfind(')')) else {
            return Err(line.malformed("comm"));
        };
        if close < open {
            return Err(line.malformed("comm"));
        }
        let name = &line.text[open + 1..close];
        Ok(Self { line, name, rest: line.text[close + 1..].split_ascii_whitespace().collect() })
    }

    pub(crate) fn number(&self, item: &'static str, field: usize) -> Result<u64, ReadError> {
        self.line.parse(item, self.rest.get(field - 3).copied())
    }

    pub(crate) fn text(&self, field: usize) -> Option<&'a str> {
        self.rest.get(field - 3).copied()
    }

    pub(crate) fn ticks(&self, item: &'static str, field: usize) -> Result<u64, ReadError> {
        let ns_per_tick = NS_PER_SECOND / rustix::param::clock_ticks_per_second();
        self.line.scaled(item, self.rest.get(field - 3).copied(), ns_per_tick)
    }
}
