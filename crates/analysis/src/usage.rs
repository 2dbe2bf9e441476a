//! What an entity did over spans of time: bytes, requests, their time, how many were in flight, how
//! busy it was. The one place where counters become such figures.
//!
//! Utilisation law: utilisation = busy time / time. Little's law: requests in flight = requests a
//! second × mean time of one (Denning and Buzen, ACM Computing Surveys 10, 1978). What counters of
//! block devices mean is in Linux, Documentation/admin-guide/iostats.rst (its fields are cited) and
//! Documentation/block/stat.rst; iostat prints the same as `r/s`, `r_await`, `aqu-sz` and `%util`.
//!
//! Rates are of the time that the spans cover. `None` is not counted, never 0. It leaves out
//! percentiles, which no counter has, and how much of a rated capacity is used.

use std::ops::Add;

pub(crate) mod counters;
pub(crate) mod flow;
mod growth;
pub(crate) mod loaded;
pub(crate) mod pass;
pub(crate) mod place;
pub(crate) mod related;
mod sources;

pub use sources::{between, over};

/// What one entity did, or several together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Reads: fields 1, 3 and 4.
    pub read: Requests,
    /// Writes: fields 5, 7 and 8.
    pub write: Requests,
    /// Discards: fields 12, 14 and 15.
    pub discard: Requests,
    /// Flushes of a volatile cache: fields 16 and 17.
    pub flush: Requests,
    /// Reads and writes together; where neither is counted, what was moved or completed in all.
    /// Where their own times are not known, the mean time of all requests.
    pub transfers: Requests,
    /// Requests of every kind in flight on average: `time_in_queue` (field 11) / time; else the
    /// times of completed requests / time.
    pub in_flight_mean: Option<f64>,
    /// Requests merged with a neighbour a second: fields 2, 6 and 13.
    pub merged_per_sec: Option<f64>,
    /// Share of the time with a request in flight: `io_ticks` (field 10) / time, the mean of what
    /// the entity stands for. At most 1: the kernel counts whole ticks. Of what tasks wait for, the
    /// share in which one waited. None of several entities together.
    pub utilisation: Option<f64>,
    /// What the time of processors went to. None of several entities together.
    pub processor: Option<ProcessorShares>,
    /// Failed requests a second.
    pub errors_per_sec: Option<f64>,
    /// Share of the pages looked for that a cache had.
    pub hit_share: Option<f64>,
    /// Gauges at the end, while things are watched.
    pub gauges: Gauges,
}

/// Requests of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Requests {
    /// Bytes a second.
    pub bytes_per_sec: Option<f64>,
    /// Requests completed a second, after merging.
    pub operations_per_sec: Option<f64>,
    /// Mean time of a request, queue included, in ns: time that completed requests spent here /
    /// requests. None where none completed, 0 where they took less than the counter resolves.
    pub ns_mean: Option<f64>,
}

/// Shares of the time that the kernel accounted for (`/proc/stat`), which is not exactly what
/// passed. A state that is not counted took no time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProcessorShares {
    /// User mode.
    pub user: f64,
    /// The kernel.
    pub system: f64,
    /// Idle while a request was outstanding.
    pub io_wait: f64,
    /// Interrupts.
    pub interrupt: f64,
    /// Given to others by the hypervisor.
    pub steal: f64,
    /// Nothing to do.
    pub idle: f64,
    /// Time accounted for a second, in s: about how many processors there are.
    pub accounted: f64,
}

/// Values of gauges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gauges {
    /// Requests in flight: field 9.
    pub in_flight: Option<u64>,
    /// Bytes in the page cache.
    pub cached_bytes: Option<u64>,
    /// Bytes not written back yet.
    pub dirty_bytes: Option<u64>,
    /// Bytes being written back.
    pub writeback_bytes: Option<u64>,
}

impl Usage {
    /// Requests in flight as they came: one that was merged into another is there as long.
    pub(crate) fn held_mean(&self) -> Option<f64> {
        let requests = sum(self.transfers.operations_per_sec, self.discard.operations_per_sec);
        let merged = mean(self.merged_per_sec, requests).unwrap_or_default();
        Some(self.in_flight_mean? * (1.0 + merged))
    }

    /// Whether anything was moved or was in flight.
    #[must_use]
    pub fn is_active(&self) -> bool {
        let kinds = [self.transfers, self.discard, self.flush];
        let moved = kinds.iter().flat_map(|kind| [kind.bytes_per_sec, kind.operations_per_sec]);
        let mut any = moved.chain([self.in_flight_mean]).flatten();
        any.any(|value| value > 0.0) || self.gauges.in_flight > Some(0)
    }
}

impl Requests {
    /// Mean size; none where none completed.
    #[must_use]
    pub fn bytes_mean(&self) -> Option<f64> {
        mean(self.bytes_per_sec, self.operations_per_sec)
    }

    /// Bytes in flight on average, by Little's law.
    pub(crate) fn held_bytes(&self) -> Option<f64> {
        Some(self.bytes_per_sec? * self.ns_mean? / 1e9)
    }

    /// Mean number in flight, in ns a second, by Little's law: 0 where none completed.
    fn spent(&self) -> Option<f64> {
        match self.operations_per_sec? {
            0.0 => Some(0.0),
            operations => Some(self.ns_mean? * operations),
        }
    }
}

impl Add for Requests {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let operations_per_sec = both(self.operations_per_sec, other.operations_per_sec);
        Self {
            bytes_per_sec: both(self.bytes_per_sec, other.bytes_per_sec),
            operations_per_sec,
            ns_mean: mean(both(self.spent(), other.spent()), operations_per_sec),
        }
    }
}

impl Add for Usage {
    type Output = Self;

    /// Of both together, over the same spans; what is not known of one is not known of both.
    fn add(self, other: Self) -> Self {
        Self {
            read: self.read + other.read,
            write: self.write + other.write,
            discard: self.discard + other.discard,
            flush: self.flush + other.flush,
            transfers: self.transfers + other.transfers,
            in_flight_mean: both(self.in_flight_mean, other.in_flight_mean),
            merged_per_sec: both(self.merged_per_sec, other.merged_per_sec),
            errors_per_sec: both(self.errors_per_sec, other.errors_per_sec),
            utilisation: None,
            processor: None,
            hit_share: None,
            gauges: Gauges::default(),
        }
    }
}

impl ProcessorShares {
    /// All but idle and waiting.
    #[must_use]
    pub fn busy(&self) -> f64 {
        self.user + self.system + self.interrupt + self.steal
    }
}

/// The sum of what is known.
pub(crate) fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(|one, other| one + other)
}

fn both(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(one? + other?)
}

/// Of an amount over requests; none where there was none.
fn mean(amount: Option<f64>, operations: Option<f64>) -> Option<f64> {
    let operations = operations.filter(|count| *count > 0.0)?;
    Some(amount? / operations)
}

#[cfg(test)]
mod tests;
