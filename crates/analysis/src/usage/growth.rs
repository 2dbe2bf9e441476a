//! From growth of counters to what was done: which counters say what, and which stand in for
//! others that are not there.

use iopath_record::Counter;

use super::{Gauges, ProcessorShares, Requests, Usage, mean, sum};

/// The counters of one kind of requests.
#[derive(Clone, Copy)]
struct Kind {
    bytes: Option<Counter>,
    operations: Counter,
    spent: Counter,
}

impl Kind {
    const fn of(bytes: Option<Counter>, operations: Counter, spent: Counter) -> Self {
        Self { bytes, operations, spent }
    }
}

const READ: Kind = Kind::of(Some(Counter::ReadBytes), Counter::ReadOperations, Counter::ReadNs);
const WRITE: Kind = Kind::of(Some(Counter::WriteBytes), Counter::WriteOperations, Counter::WriteNs);
const DISCARD: Kind =
    Kind::of(Some(Counter::DiscardBytes), Counter::DiscardOperations, Counter::DiscardNs);
const FLUSH: Kind = Kind::of(None, Counter::FlushOperations, Counter::FlushNs);

/// By how much counters grew over a time.
struct Growth<F> {
    seconds: f64,
    by: F,
}

impl<F: Fn(Counter) -> Option<f64>> Growth<F> {
    fn rate(&self, counter: Counter) -> Option<f64> {
        Some((self.by)(counter)? / self.seconds)
    }

    fn requests(&self, kind: Kind) -> Requests {
        Requests {
            bytes_per_sec: kind.bytes.and_then(|bytes| self.rate(bytes)),
            operations_per_sec: self.rate(kind.operations),
            ns_mean: mean((self.by)(kind.spent), (self.by)(kind.operations)),
        }
    }

    /// Reads and writes.
    fn transfers(&self, read: Requests, write: Requests) -> Requests {
        let by = &self.by;
        let operations = sum(by(READ.operations), by(WRITE.operations));
        let operations = operations.or_else(|| by(Counter::Completed));
        // The time in queue is of discards and flushes, too.
        let others = sum(by(DISCARD.operations), by(FLUSH.operations)).unwrap_or_default();
        let of_all = || mean(by(Counter::InFlightNs), operations.map(|own| own + others));
        Requests {
            bytes_per_sec: sum(read.bytes_per_sec, write.bytes_per_sec)
                .or_else(|| self.rate(Counter::MovedBytes)),
            operations_per_sec: operations.map(|count| count / self.seconds),
            ns_mean: match self.spent() {
                Some(spent) => mean(Some(spent), operations),
                None => of_all(),
            },
        }
    }

    /// Time that the reads and writes that are counted spent here; none where it is not known of
    /// some of them.
    fn spent(&self) -> Option<f64> {
        let by = &self.by;
        let is_counted = |kind: &Kind| by(kind.operations).is_some();
        let kinds = [READ, WRITE];
        let any = kinds.iter().any(is_counted);
        let counted = kinds.iter().filter(|kind| is_counted(kind) || !any);
        let none = |kind: &Kind| by(kind.operations).filter(|count| *count == 0.0);
        counted.map(|kind| by(kind.spent).or_else(|| none(kind))).sum()
    }

    fn in_flight_mean(&self) -> Option<f64> {
        let others = || sum((self.by)(DISCARD.spent), (self.by)(FLUSH.spent)).unwrap_or_default();
        let ns = (self.by)(Counter::InFlightNs).or_else(|| Some(self.spent()? + others()))?;
        Some(ns / (self.seconds * 1e9))
    }

    fn hit_share(&self) -> Option<f64> {
        let (hits, misses) = ((self.by)(Counter::CacheHits)?, (self.by)(Counter::CacheMisses)?);
        (hits + misses > 0.0).then(|| hits / (hits + misses))
    }

    /// Iowait may fall from one sample to the next on a tickless kernel; then it was 0.
    fn processor(&self) -> Option<ProcessorShares> {
        let by = &self.by;
        let idle = by(Counter::IdleNs)?;
        sum(by(Counter::UserNs), by(Counter::SystemNs))?;
        let [user, system, io_wait, interrupt, steal] = [
            Counter::UserNs,
            Counter::SystemNs,
            Counter::IoWaitNs,
            Counter::InterruptNs,
            Counter::StealNs,
        ]
        .map(|state| by(state).unwrap_or_default());
        let all = user + system + io_wait + interrupt + steal + idle;
        (all > 0.0).then(|| ProcessorShares {
            user: user / all,
            system: system / all,
            io_wait: io_wait / all,
            interrupt: interrupt / all,
            steal: steal / all,
            idle: idle / all,
            accounted: all / (self.seconds * 1e9),
        })
    }
}

impl Usage {
    /// Of an entity that stands for `count` equal things, whose counters grew so over `seconds`.
    pub(crate) fn of(seconds: f64, count: u32, by: impl Fn(Counter) -> Option<f64>) -> Self {
        if seconds <= 0.0 {
            return Self::default();
        }
        let growth = Growth { seconds, by };
        let [read, write, discard, flush] =
            [READ, WRITE, DISCARD, FLUSH].map(|kind| growth.requests(kind));
        let busy = growth.rate(Counter::BusyNs);
        Self {
            read,
            write,
            discard,
            flush,
            transfers: growth.transfers(read, write),
            in_flight_mean: growth.in_flight_mean(),
            merged_per_sec: growth.rate(Counter::Merged),
            utilisation: busy.map(|ns| (ns / 1e9 / f64::from(count.max(1))).min(1.0)),
            processor: growth.processor(),
            errors_per_sec: growth.rate(Counter::Errors),
            hit_share: growth.hit_share(),
            gauges: Gauges::default(),
        }
    }
}
