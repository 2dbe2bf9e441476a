//! /proc/PID/stat and /proc/PID/io: what a process has used, this one or another.
//!
//! Format: proc_pid_stat(5), proc_pid_io(5); times are USER_HZ ticks, usually 10 ms. The process
//! times include threads that have ended and io_uring's kernel workers (see [`super::tasks`]).
//! `io` of others' processes may be read by root only. Leaves out: children, scheduling, signals.

use crate::error::ReadError;
use crate::line::{Line, absent, lines};
use crate::root::Root;

const NS_PER_SECOND: u64 = 1_000_000_000;

/// What a process has used since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    /// Time in user mode.
    pub user_ns: u64,
    /// Time in kernel mode.
    pub system_ns: u64,
    /// Memory held now.
    pub resident_bytes: u64,
    /// Threads now, io_uring's kernel workers included.
    pub threads: u64,
    /// Page faults served without I/O.
    pub minor_faults: u64,
    /// Page faults that needed I/O.
    pub major_faults: u64,
}

/// Bytes and calls of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessIo {
    /// Bytes returned by read calls, from wherever.
    pub read_call_bytes: u64,
    /// Bytes handed to write calls.
    pub write_call_bytes: u64,
    pub read_calls: u64,
    pub write_calls: u64,
    /// Bytes this process caused to be read from devices.
    pub read_bytes: u64,
    /// Bytes this process caused to be written to devices.
    pub write_bytes: u64,
    /// Dirtied bytes that were dropped before they were written.
    pub cancelled_write_bytes: u64,
}

/// Reads /proc/self/stat.
pub fn read(root: &Root) -> Result<Process, ReadError> {
    read_stat(root, "/proc/self/stat")
}

/// Reads what a process of this number has used; it is missing when there is none.
pub fn read_of(root: &Root, id: u32) -> Result<Process, ReadError> {
    read_stat(root, &format!("/proc/{id}/stat"))
}

fn read_stat(root: &Root, file: &str) -> Result<Process, ReadError> {
    let text = root.read(file)?;
    let line = Line { root, file, number: 1, text: text.trim_end() };
    let fields = StatFields::cut(&line)?;
    let pages: u64 = fields.number("rss", 24)?;
    Ok(Process {
        user_ns: fields.ticks("utime", 14)?,
        system_ns: fields.ticks("stime", 15)?,
        resident_bytes: pages * rustix::param::page_size() as u64,
        threads: fields.number("num_threads", 20)?,
        minor_faults: fields.number("minflt", 10)?,
        major_faults: fields.number("majflt", 12)?,
    })
}

/// Reads /proc/self/io; `None` when the kernel keeps no such accounts.
pub fn read_io(root: &Root) -> Result<Option<ProcessIo>, ReadError> {
    read_io_file(root, "/proc/self/io")
}

/// Reads the same of a process; an error where it may not be looked at.
pub fn read_io_of(root: &Root, id: u32) -> Result<Option<ProcessIo>, ReadError> {
    read_io_file(root, &format!("/proc/{id}/io"))
}

fn read_io_file(root: &Root, file: &str) -> Result<Option<ProcessIo>, ReadError> {
    let Some(text) = root.read_if_present(file)? else { return Ok(None) };
    let need = |name: &'static str| {
        let line = lines(root, file, &text)
            .find(|line| line.text.split(':').next() == Some(name))
            .ok_or_else(|| absent(root.path(file), name))?;
        line.parse(name, line.text.split_ascii_whitespace().nth(1))
    };
    Ok(Some(ProcessIo {
        read_call_bytes: need("rchar")?,
        write_call_bytes: need("wchar")?,
        read_calls: need("syscr")?,
        write_calls: need("syscw")?,
        read_bytes: need("read_bytes")?,
        write_bytes: need("write_bytes")?,
        cancelled_write_bytes: need("cancelled_write_bytes")?,
    }))
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
