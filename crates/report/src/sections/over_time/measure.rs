//! What lines over time are of: the name, the column and the axis of each.

use iopath_units::System;

use super::Line;
use crate::document::{Axis, Column};

/// What lines are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sections) enum Measure {
    Throughput,
    Requests,
    Latency,
    /// Requests in flight.
    Queue,
    /// Share of the time with a request in flight.
    Busy,
    /// Share of the processors' time.
    Processors,
    Flushes,
}

impl Measure {
    /// The column of a line with this name.
    pub(super) fn column_of(self, name: &str) -> String {
        format!("{name}_{}", self.column())
    }

    /// What columns are called after the name of a line, with the unit last.
    const fn column(self) -> &'static str {
        match self {
            Self::Throughput => "throughput_bytes_per_sec",
            Self::Requests => "operations_per_sec",
            Self::Latency => "latency_ns",
            Self::Queue => "in_flight_requests",
            Self::Busy => "busy_share",
            Self::Processors => "processor_share",
            Self::Flushes => "flushes_per_sec",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Requests => "requests",
            Self::Latency => "latency",
            Self::Queue => "requests in flight",
            Self::Busy => "busy",
            Self::Processors => "processor time",
            Self::Flushes => "flushes",
        }
    }

    /// What the lines with the least and the most of it are called.
    pub(super) const fn ends(self) -> [&'static str; 2] {
        match self {
            Self::Throughput => ["slowest", "fastest"],
            Self::Requests | Self::Queue | Self::Processors | Self::Flushes => {
                ["lowest", "highest"]
            }
            Self::Latency => ["shortest", "longest"],
            Self::Busy => ["least busy", "busiest"],
        }
    }

    /// The vertical axis. A single line has no legend, so the axis has its name.
    pub(super) fn axis(self, lines: &[Line], columns: &[Column], system: System) -> Axis {
        let title = match lines {
            [one] => format!("{} of {}", self.title(), one.name),
            _ => self.title().to_owned(),
        };
        match self {
            Self::Throughput => Axis::bytes_per_sec(&title, columns, system),
            Self::Requests | Self::Flushes => Axis::operations_per_sec(&title, columns),
            Self::Latency => Axis::ns(&title, columns).in_factors(columns),
            Self::Queue => Axis::plain(&title, ""),
            Self::Busy | Self::Processors => Axis::percent(&title).spanning(Some((0.0, 1.0))),
        }
    }
}
