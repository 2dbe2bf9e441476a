//! The columns of a row: figures that read from their last digit, with the units in the titles.

use iopath_analysis::Usage;
use iopath_analysis::thresholds::limits::FULL_SHARE;
use iopath_analysis::thresholds::reports::WARM_SHARE;
use iopath_units::System;

use crate::look::Look;

/// Columns from which reads and writes are told apart, and busy time is drawn: chosen.
const WIDE: u16 = 112;

/// Columns from which flushes are told too: chosen.
const WIDER: u16 = 128;

/// Cells of the drawn busy time.
const BAR: usize = 10;

/// A column: its title, its width with the blank before it, and its figure.
struct Cell {
    title: &'static str,
    width: usize,
    value: fn(&Usage, System) -> String,
}

const fn cell(title: &'static str, width: usize, value: fn(&Usage, System) -> String) -> Cell {
    Cell { title, width, value }
}

const READ: Cell = cell("rd MB/s", 9, |of, system| rate(of.read.bytes_per_sec, system));
const WRITE: Cell = cell("wr MB/s", 9, |of, system| rate(of.write.bytes_per_sec, system));
const SIZE: Cell = cell("kB/req", 8, |of, system| {
    figure(of.transfers.bytes_mean().map(|bytes| bytes / kilo(system)))
});
const QUEUE: Cell = cell("queue", 7, |of, _| figure(of.in_flight_mean));
const READ_TIME: Cell = cell("rd ms", 8, |of, _| figure(of.read.ns_mean.map(|ns| ns / 1e6)));
const WRITE_TIME: Cell = cell("wr ms", 8, |of, _| figure(of.write.ns_mean.map(|ns| ns / 1e6)));
const BUSY: Cell = cell("busy", 7, |of, _| share(of.utilisation));

const NARROW_CELLS: [Cell; 8] = [
    READ,
    WRITE,
    cell("req/s", 9, |of, _| figure(of.transfers.operations_per_sec)),
    SIZE,
    QUEUE,
    READ_TIME,
    WRITE_TIME,
    BUSY,
];

const WIDE_CELLS: [Cell; 10] = [
    READ,
    WRITE,
    cell("rd/s", 9, |of, _| figure(of.read.operations_per_sec)),
    cell("wr/s", 9, |of, _| figure(of.write.operations_per_sec)),
    SIZE,
    QUEUE,
    cell("now", 6, |of, _| of.gauges.in_flight.map_or_else(unknown, |count| count.to_string())),
    READ_TIME,
    WRITE_TIME,
    BUSY,
];

const WIDER_CELLS: [Cell; 12] = {
    let [read, write, reads, writes, kilo, queue, now, read_time, write_time, busy] = WIDE_CELLS;
    let flushes = cell("f/s", 8, |of, _| figure(of.flush.operations_per_sec));
    let time = cell("f ms", 8, |of, _| figure(of.flush.ns_mean.map(|ns| ns / 1e6)));
    [read, write, reads, writes, kilo, queue, now, read_time, write_time, flushes, time, busy]
};

fn cells(look: &Look) -> &'static [Cell] {
    match look.width {
        WIDER.. => &WIDER_CELLS,
        WIDE.. => &WIDE_CELLS,
        _ => &NARROW_CELLS,
    }
}

/// What is left of the width for names; the sign of what is full takes two.
pub(super) fn name_width(look: &Look) -> usize {
    let taken: usize = cells(look).iter().map(|cell| cell.width).sum();
    let bar = if look.width >= WIDE { BAR + 1 } else { 0 };
    usize::from(look.width).saturating_sub(taken + bar + 2).clamp(8, 28)
}

/// The line above all rows.
pub(super) fn titles(look: &Look) -> String {
    let mut line = " ".repeat(name_width(look));
    for cell in cells(look) {
        let title = match look.system {
            System::Decimal => cell.title.to_owned(),
            System::Binary => cell.title.replace("MB", "MiB").replace("kB", "KiB"),
        };
        line.push_str(&format!("{title:>width$}", width = cell.width));
    }
    line
}

/// The line of one thing.
pub(super) fn row(name: &str, of: &Usage, look: &Look) -> String {
    let width = name_width(look);
    let mut line = format!("{:<width$}", super::cut(name, width));
    for cell in cells(look) {
        let value = (cell.value)(of, look.system);
        line.push_str(&format!("{value:>width$}", width = cell.width));
    }
    if look.width >= WIDE {
        line.push(' ');
        line.push_str(&bar(of.utilisation));
    }
    line.push_str(sign(of.utilisation));
    line
}

/// How much of the time something was busy, as a picture.
fn bar(share: Option<f64>) -> String {
    let full = share.map_or(0, |share| (share * BAR as f64).round() as usize).min(BAR);
    format!("{}{}", "█".repeat(full), "·".repeat(BAR - full))
}

fn sign(share: Option<f64>) -> &'static str {
    match share {
        Some(share) if share >= FULL_SHARE => " !",
        Some(share) if share >= WARM_SHARE => " +",
        _ => "",
    }
}

/// What a share of time makes of its line.
pub(super) fn mark(share: Option<f64>) -> super::Mark {
    match share {
        Some(share) if share >= FULL_SHARE => super::Mark::Full,
        Some(share) if share >= WARM_SHARE => super::Mark::Warm,
        _ => super::Mark::Plain,
    }
}

fn unknown() -> String {
    "-".to_owned()
}

fn kilo(system: System) -> f64 {
    match system {
        System::Decimal => 1e3,
        System::Binary => 1024.0,
    }
}

fn rate(bytes_per_sec: Option<f64>, system: System) -> String {
    figure(bytes_per_sec.map(|rate| rate / (kilo(system) * kilo(system))))
}

/// Three digits where it is small; nothing behind the point where it is not.
fn figure(value: Option<f64>) -> String {
    match value {
        None => unknown(),
        Some(0.0) => "0".to_owned(),
        Some(value) if value < 9.995 => format!("{value:.2}"),
        Some(value) if value < 99.95 => format!("{value:.1}"),
        Some(value) if value < 999_999.5 => format!("{value:.0}"),
        Some(value) => format!("{:.2}M", value / 1e6),
    }
}

/// A share in percent.
pub(super) fn share(share: Option<f64>) -> String {
    share.map_or_else(unknown, |share| format!("{:.0} %", share * 100.0))
}
