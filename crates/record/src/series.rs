//! Cumulative counters over time. Stored as a first value and differences, because differences
//! are short; a rate is never stored.

use serde::{Deserialize, Serialize};

use crate::EntityId;

/// One counter of one entity at every instant of the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Whose.
    pub entity: EntityId,
    /// Which.
    pub counter: Counter,
    /// Value at the first instant.
    pub first: u64,
    /// Difference from each instant to the next.
    pub steps: Vec<i64>,
    /// Instants (by position) at which it could not be read; the value before is repeated.
    pub missing: Vec<u32>,
}

/// What is counted. Cumulative unless said otherwise; the name carries the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counter {
    /// Bytes read.
    ReadBytes,
    /// Bytes written.
    WriteBytes,
    /// Read requests completed.
    ReadOperations,
    /// Write requests completed.
    WriteOperations,
    /// Time read requests spent here, summed over requests.
    ReadNs,
    /// Time write requests spent here, summed over requests.
    WriteNs,
    /// Bytes moved either way, where nothing tells which. Since format 4.
    MovedBytes,
    /// Requests issued.
    Submitted,
    /// Requests completed, where nothing tells which read and which wrote. Since format 4.
    Completed,
    /// Requests merged with a neighbour.
    Merged,
    /// Time with at least one request in flight.
    BusyNs,
    /// Requests in flight, integrated over time.
    InFlightNs,
    /// Gauge: requests in flight now.
    InFlight,
    /// Time finished parts waited for their siblings.
    JoinWaitNs,
    /// Time requests waited for a token.
    PoolWaitNs,
    /// Time requests were held back by a limit.
    ThrottledNs,
    /// Time with nothing to do.
    IdleNs,
    /// Processor time in user mode.
    UserNs,
    /// Processor time in the kernel.
    SystemNs,
    /// Processor time of kernel workers that serve this process (io-wq).
    WorkerNs,
    /// Time that threads were runnable and waited for a processor. Since format 4.
    RunWaitNs,
    /// Processor time idle while a request was outstanding.
    IoWaitNs,
    /// Processor time in interrupts.
    InterruptNs,
    /// Processor time that the hypervisor gave to others.
    StealNs,
    /// Interrupts of devices. Since format 5.
    Interrupts,
    /// Pages found in a cache.
    CacheHits,
    /// Pages not found in a cache.
    CacheMisses,
    /// Pages that a memory node gave to a task that ran on it. Since format 5.
    LocalPages,
    /// Pages that a memory node gave to a task that ran on another. Since format 5.
    RemotePages,
    /// Gauge: bytes in the page cache.
    CachedBytes,
    /// Gauge: bytes not written back yet.
    DirtyBytes,
    /// Gauge: bytes being written back.
    WritebackBytes,
    /// Gauge: bytes that a stream is behind the one it follows. Since format 3.
    LagBytes,
    /// Gauge: resident memory.
    ResidentBytes,
    /// Failed requests.
    Errors,
    /// Requests that were not answered in time. Since format 5.
    Timeouts,
    /// Flushes of a volatile cache completed. Since format 7.
    FlushOperations,
    /// Time flushes spent here, summed over flushes. Since format 7.
    FlushNs,
    /// Discards completed. Since format 7.
    DiscardOperations,
    /// Bytes discarded. Since format 7.
    DiscardBytes,
    /// Time discards spent here, summed over discards. Since format 7.
    DiscardNs,
}

/// What a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    Bytes,
    Time,
    Count,
}

impl Counter {
    /// Whether it is a momentary value, which may fall.
    #[must_use]
    pub fn is_gauge(self) -> bool {
        matches!(
            self,
            Self::InFlight
                | Self::CachedBytes
                | Self::DirtyBytes
                | Self::WritebackBytes
                | Self::LagBytes
                | Self::ResidentBytes
        )
    }

    /// What it counts.
    pub(crate) fn counted(self) -> Counted {
        match self {
            Self::ReadBytes
            | Self::WriteBytes
            | Self::MovedBytes
            | Self::CachedBytes
            | Self::DirtyBytes
            | Self::WritebackBytes
            | Self::LagBytes
            | Self::DiscardBytes
            | Self::ResidentBytes => Counted::Bytes,
            Self::ReadNs
            | Self::WriteNs
            | Self::FlushNs
            | Self::DiscardNs
            | Self::BusyNs
            | Self::InFlightNs
            | Self::JoinWaitNs
            | Self::PoolWaitNs
            | Self::ThrottledNs
            | Self::IdleNs
            | Self::UserNs
            | Self::SystemNs
            | Self::WorkerNs
            | Self::RunWaitNs
            | Self::IoWaitNs
            | Self::InterruptNs
            | Self::StealNs => Counted::Time,
            Self::ReadOperations
            | Self::WriteOperations
            | Self::FlushOperations
            | Self::DiscardOperations
            | Self::Submitted
            | Self::Completed
            | Self::Merged
            | Self::InFlight
            | Self::CacheHits
            | Self::CacheMisses
            | Self::Interrupts
            | Self::LocalPages
            | Self::RemotePages
            | Self::Errors
            | Self::Timeouts => Counted::Count,
        }
    }
}

impl Series {
    /// The values at every instant.
    pub fn values(&self) -> impl Iterator<Item = u64> + '_ {
        let rest = self.steps.iter().scan(self.first, |value, step| {
            *value = value.wrapping_add_signed(*step);
            Some(*value)
        });
        std::iter::once(self.first).chain(rest)
    }

    /// The series of `values`; an empty slice gives a series of one zero.
    #[must_use]
    pub fn from_values(entity: EntityId, counter: Counter, values: &[u64]) -> Self {
        let steps = values.windows(2).map(|w| w[1].wrapping_sub(w[0]).cast_signed()).collect();
        let first = values.first().copied().unwrap_or_default();
        Self { entity, counter, first, steps, missing: Vec::new() }
    }
}
