//! /proc/net/dev: what every network interface has carried.
//!
//! Format: `dev_seq_printf_stats` in net/core/net-procfs.c; two lines of titles, then 16 values a
//! line, 8 received and 8 sent. The name may touch the first value (`eth0:123`). Interfaces of this
//! process's network namespace only; a bond or bridge repeats the traffic of its members.
//! Leaves out: drops and kinds of errors, protocols, queues, speed.

use crate::error::ReadError;
use crate::line::{Line, lines};
use crate::root::Root;

const FILE: &str = "/proc/net/dev";

/// What an interface has received or sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Bytes, with the headers of the link.
    pub bytes: u64,
    /// Packets; large ones may be counted before they are cut or after they are joined.
    pub packets: u64,
    /// Packets with errors.
    pub errors: u64,
}

/// One interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// Such as `eth0`.
    pub name: String,
    /// What came in.
    pub received: Traffic,
    /// What went out.
    pub sent: Traffic,
}

/// Reads all interfaces, in the kernel's order.
pub fn read(root: &Root) -> Result<Vec<Interface>, ReadError> {
    let text = root.read(FILE)?;
    lines(root, FILE, &text).skip(2).map(|line| parse(&line)).collect()
}

fn parse(line: &Line<'_>) -> Result<Interface, ReadError> {
    let (name, rest) = line.text.split_once(':').ok_or_else(|| line.malformed("interface"))?;
    let items: Vec<&str> = rest.split_ascii_whitespace().collect();
    let traffic = |first: usize| {
        let value = |item, at: usize| line.parse(item, items.get(first + at).copied());
        let (bytes, packets) = (value("bytes", 0)?, value("packets", 1)?);
        Ok::<_, ReadError>(Traffic { bytes, packets, errors: value("errors", 2)? })
    };
    let (received, sent) = (traffic(0)?, traffic(8)?);
    Ok(Interface { name: name.trim().to_owned(), received, sent })
}
