//! Samples the kernel's counters on the pass's own clock while it runs.
//!
//! A sample holds cumulative counters and gauges, never a rate. What cannot be read is marked as
//! missing and repeats the value before it. Sources that never could be read give no column.

mod columns;
mod latest;
mod sources;
mod streams;

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use iopath_record::{Counter, Histogram, Series};

use crate::buffers::PAGE;
use crate::clock::Clock;
use crate::counters::Counters;

pub(crate) use columns::Columns;
pub(crate) use latest::Latest;
pub(crate) use sources::{Counted, Disk, Joined, Load, Plan, Sources, Watched, disk_counters};

/// What a pass's sampling left.
#[derive(Default)]
pub(crate) struct Sampled {
    pub instants_ns: Vec<u64>,
    /// The longest time from an instant to the last counter read for it: on a busy machine the
    /// reader may wait for a processor in between.
    pub late_ns: u64,
    pub series: Vec<Series>,
    /// Latencies completed between two instants.
    pub heat: Vec<Histogram>,
}

/// What a worker counts, and whose worker it is.
#[derive(Clone, Copy)]
pub(crate) struct OfWorker<'p> {
    /// The stream's position in the case.
    pub stream: usize,
    /// Its declaration.
    pub group: &'p str,
    pub counters: &'p Counters,
}

/// Takes samples until told to end.
pub(crate) struct Sampler<'p, C> {
    clock: &'p C,
    sources: Sources,
    workers: Vec<OfWorker<'p>>,
    latest: &'p Latest,
    instants_ns: Vec<u64>,
    late: Duration,
    columns: Columns,
    heat: Vec<Histogram>,
}

impl<'p, C: Clock> Sampler<'p, C> {
    pub(crate) fn new(
        clock: &'p C,
        sources: Sources,
        workers: Vec<OfWorker<'p>>,
        latest: &'p Latest,
    ) -> Self {
        let (instants_ns, heat) = (Vec::new(), Vec::new());
        let (late, columns) = (Duration::ZERO, Columns::default());
        Self { clock, sources, workers, latest, instants_ns, late, columns, heat }
    }

    /// Samples every `interval`, until `end` says so; then once more.
    pub(crate) fn run(mut self, interval: Duration, end: &Receiver<()>) -> Sampled {
        let mut next_ns = 0;
        loop {
            next_ns += u64::try_from(interval.as_nanos()).unwrap_or(u64::MAX);
            let wait = Duration::from_nanos(next_ns.saturating_sub(self.clock.now_ns()));
            match end.recv_timeout(wait) {
                Err(RecvTimeoutError::Timeout) => self.sample(),
                Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.sample();
        let heat = self.heat.windows(2).map(|pair| between(&pair[0], &pair[1])).collect();
        let late_ns = u64::try_from(self.late.as_nanos()).unwrap_or(u64::MAX);
        let (instants_ns, series) = (self.instants_ns, self.columns.into_series());
        Sampled { instants_ns, late_ns, series, heat }
    }

    /// Samples now. The first sample is taken before the pass, while the clock stands at 0, so
    /// that everything the pass does lies between two instants.
    pub(crate) fn sample(&mut self) {
        // The pass's own clock stands at the first sample.
        let began = Instant::now();
        let at_ns = self.clock.now_ns();
        // Two samples at one instant would make an interval without length.
        if self.instants_ns.last().is_some_and(|last| *last >= at_ns) {
            return;
        }
        self.instants_ns.push(at_ns);
        self.sources.sample(&mut self.columns);
        self.late = self.late.max(began.elapsed());
        self.latest.note(at_ns, &self.sources.disk_bytes);
        self.sample_ahead();
        self.sources.sample_loads(&self.workers, &mut self.columns);
        self.heat.push(streams::sample(
            &self.sources.plan.streams,
            &self.workers,
            &mut self.columns,
        ));
        self.columns.end_of_sample();
    }
}

impl<C> Sampler<'_, C> {
    /// A page cache counts pages, whatever the size of a read.
    fn sample_ahead(&mut self) {
        let ahead = self.workers.iter().filter_map(|worker| worker.counters.ahead.as_ref());
        for (entity, counters) in self.sources.plan.ahead.iter().zip(ahead) {
            let page = PAGE as u64;
            let counters = [
                (Counter::Submitted, counters.requested.value()),
                (Counter::CacheHits, counters.hit_bytes.value() / page),
                (Counter::CacheMisses, counters.missed_bytes.value() / page),
                (Counter::PoolWaitNs, counters.wait_ns.value()),
            ];
            self.columns.put_all(*entity, &counters);
        }
    }
}

/// The values that `later` has and `earlier` has not. Its least and greatest value are known by
/// bucket only.
fn between(earlier: &Histogram, later: &Histogram) -> Histogram {
    let mut before = earlier.buckets.iter().peekable();
    let mut buckets = Vec::with_capacity(later.buckets.len());
    for (bucket, count) in &later.buckets {
        let known = before.next_if(|(known, _)| known == bucket).map_or(0, |(_, count)| *count);
        if *count > known {
            buckets.push((*bucket, count - known));
        }
    }
    let edge = |bucket: Option<&(u32, u64)>| {
        bucket.map(|(bucket, _)| iopath_record::histogram::bounds_of(*bucket as usize))
    };
    let min_ns = edge(buckets.first()).map_or(0, |(from, _)| from.max(later.min_ns));
    let max_ns = edge(buckets.last()).map_or(0, |(_, to)| (to - 1).min(later.max_ns));
    let sum_ns = if buckets.is_empty() { 0 } else { later.sum_ns - earlier.sum_ns };
    Histogram { buckets, sum_ns, min_ns, max_ns }
}

#[cfg(test)]
mod tests {
    use iopath_record::histogram::{Summary, bucket_of};

    use super::*;

    fn histogram(values: &[u64]) -> Histogram {
        let mut counts = vec![0; 4096];
        values.iter().for_each(|value| counts[bucket_of(*value)] += 1);
        let summary = Summary {
            sum_ns: values.iter().sum(),
            min_ns: values.iter().copied().min().unwrap_or(0),
            max_ns: values.iter().copied().max().unwrap_or(0),
        };
        Histogram::from_counts(counts, summary)
    }

    #[test]
    fn heat_is_what_came_between_two_samples() {
        let earlier = histogram(&[10, 500, 500]);
        let later = histogram(&[10, 500, 500, 500, 9_000]);
        let heat = between(&earlier, &later);
        assert_eq!((heat.count(), heat.sum_ns), (2, 9_500));
        assert_eq!(between(&later, &later), Histogram::default());
    }
}
