//! /proc/net/dev: what every network interface has carried.
//!
//! Format: `dev_seq_printf_stats` in net/core/net-procfs.c; two lines of titles, then 16 values a
//! line, 8 received and 8 sent. The name may touch the first value (`eth0:123`). Interfaces of this
//! process's network namespace only; a bond or bridge repeats the traffic of its members.
//! Leaves out: protocols, queues, speed.

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
    /// Packets dropped for want of room.
    pub dropped: u64,
    /// Overruns of the card's own memory.
    pub fifo_errors: u64,
    /// Received: frame errors; sent: collisions.
    pub frame_errors: u64,
    /// Compressed packets.
    pub compressed: u64,
    /// Received: multicast packets; sent: carrier losses.
    pub others: u64,
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
    let mut items = rest.split_ascii_whitespace();
    let mut next = |item| line.parse::<u64>(item, items.next());
    let received = Traffic {
        bytes: next("bytes received")?,
        packets: next("packets received")?,
        errors: next("receive errors")?,
        dropped: next("receive drops")?,
        fifo_errors: next("receive overruns")?,
        frame_errors: next("frame errors")?,
        compressed: next("compressed packets received")?,
        others: next("multicast packets")?,
    };
    let bytes = next("bytes sent")?;
    let packets = next("packets sent")?;
    let errors = next("send errors")?;
    let dropped = next("send drops")?;
    let fifo_errors = next("send overruns")?;
    let frame_errors = next("collisions")?;
    let others = next("carrier losses")?;
    let compressed = next("compressed packets sent")?;
    let sent =
        Traffic { bytes, packets, errors, dropped, fifo_errors, frame_errors, compressed, others };
    Ok(Interface { name: name.trim().to_owned(), received, sent })
}
