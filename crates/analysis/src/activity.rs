//! What everything that has counters did between two instants: rates, means and shares.
//!
//! From two samples while they are watched, or over a whole record. Utilisation law: utilisation =
//! busy time / time. Mean in flight = time in flight, summed over requests / time; mean time of a
//! request = time spent / requests completed (Denning and Buzen 1978; the columns `aqu-sz`, `await`
//! and `%util` of iostat). A counter that fell says nothing about its interval: it was reset.
//! It leaves out percentiles, which no kernel counter tells.

use iopath_record::{Counter, EntityId, Reading, Record, Sample};
use serde::Serialize;

use crate::counters::Counters;

/// What one entity did. `None` is not known, never 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Activity {
    /// Bytes read a second.
    pub read_bytes_per_sec: Option<f64>,
    /// Bytes written a second.
    pub write_bytes_per_sec: Option<f64>,
    /// Reads completed a second.
    pub read_operations_per_sec: Option<f64>,
    /// Writes completed a second.
    pub write_operations_per_sec: Option<f64>,
    /// Bytes a second either way, where nothing tells which.
    pub moved_bytes_per_sec: Option<f64>,
    /// Requests completed a second of either kind, where nothing tells which.
    pub completed_per_sec: Option<f64>,
    /// Mean time of a read; none where none completed.
    pub read_ns_mean: Option<f64>,
    /// Mean time of a write; none where none completed.
    pub write_ns_mean: Option<f64>,
    /// Flushes completed a second.
    pub flushes_per_sec: Option<f64>,
    /// Mean time of a flush; none where none completed.
    pub flush_ns_mean: Option<f64>,
    /// Discards completed a second.
    pub discards_per_sec: Option<f64>,
    /// Bytes discarded a second.
    pub discard_bytes_per_sec: Option<f64>,
    /// Mean time of a discard; none where none completed.
    pub discard_ns_mean: Option<f64>,
    /// Requests in flight on average.
    pub in_flight_mean: Option<f64>,
    /// Requests in flight at the end.
    pub in_flight: Option<u64>,
    /// Share of the time in which it was busy; of what tasks wait for, in which one waited.
    pub utilisation: Option<f64>,
    /// Failures a second.
    pub errors_per_sec: Option<f64>,
    /// Share of what was looked for that a cache had.
    pub hit_share: Option<f64>,
    /// In the page cache at the end.
    pub cached_bytes: Option<u64>,
    /// Not written back at the end.
    pub dirty_bytes: Option<u64>,
    /// Being written back at the end.
    pub writeback_bytes: Option<u64>,
    /// Of a processor, or of all: what its time went to.
    #[serde(skip)]
    pub processor: Option<ProcessorShares>,
}

/// Shares of processor time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
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
}

impl ProcessorShares {
    /// All but idle and waiting.
    #[must_use]
    pub fn busy(&self) -> f64 {
        self.user + self.system + self.interrupt + self.steal
    }
}

impl Activity {
    /// Both ways; none where neither is known.
    #[must_use]
    pub fn bytes_per_sec(&self) -> Option<f64> {
        sum(self.read_bytes_per_sec, self.write_bytes_per_sec).or(self.moved_bytes_per_sec)
    }

    /// Both ways; none where neither is known.
    #[must_use]
    pub fn operations_per_sec(&self) -> Option<f64> {
        let each = sum(self.read_operations_per_sec, self.write_operations_per_sec);
        each.or(self.completed_per_sec)
    }

    /// Bytes of a request; none where none completed.
    #[must_use]
    pub fn bytes_mean(&self) -> Option<f64> {
        let operations = self.operations_per_sec().filter(|rate| *rate > 0.0)?;
        Some(self.bytes_per_sec()? / operations)
    }

    /// Mean time of a request of either kind; none where none completed.
    #[must_use]
    pub fn ns_mean(&self) -> Option<f64> {
        let part = |ns: Option<f64>, rate: Option<f64>| Some(ns? * rate?);
        let spent = sum(
            part(self.read_ns_mean, self.read_operations_per_sec),
            part(self.write_ns_mean, self.write_operations_per_sec),
        )?;
        let operations = self.operations_per_sec().filter(|rate| *rate > 0.0)?;
        Some(spent / operations)
    }

    /// Whether anything was moved or was in flight.
    #[must_use]
    pub fn is_active(&self) -> bool {
        let moved = [
            self.bytes_per_sec(),
            self.operations_per_sec(),
            self.flushes_per_sec,
            self.discards_per_sec,
            self.in_flight_mean,
        ];
        moved.into_iter().flatten().any(|value| value > 0.0) || self.in_flight > Some(0)
    }
}

fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(|left, right| left + right)
}

/// What each of `entities` did between two samples, in their order. Empty for two samples of one
/// instant.
#[must_use]
pub fn between(entities: usize, earlier: &Sample, later: &Sample) -> Vec<Activity> {
    let seconds = later.at_ns.saturating_sub(earlier.at_ns) as f64 / 1e9;
    if seconds <= 0.0 {
        return Vec::new();
    }
    let mut all = vec![Activity::default(); entities];
    let mut before = earlier.by_entity().peekable();
    for (entity, now) in later.by_entity() {
        while before.next_if(|(id, _)| *id < entity).is_some() {}
        let then =
            before.next_if(|(id, _)| *id == entity).map_or(&[][..], |(_, readings)| readings);
        if let Some(activity) = all.get_mut(entity.0 as usize) {
            *activity = Grown::between(then, now).over(seconds);
        }
    }
    all
}

/// What each entity of an observation's passes did over all their samples, in the order of the last
/// pass: passes of one observation share their entities, of which later ones may have more.
#[must_use]
pub fn over(passes: &[Record]) -> Vec<Activity> {
    let count = passes.last().map_or(0, |last| last.entities.len());
    let mut grown = vec![Grown::default(); count];
    let mut seconds = 0.0;
    for record in passes {
        let counters = Counters::of(record);
        seconds += counters.sampled().length_ns() as f64 / 1e9;
        for series in &record.series {
            let Some(of) = grown.get_mut(series.entity.0 as usize) else { continue };
            let values = counters.values(series.entity, series.counter);
            let whole = counters.whole(series.entity, series.counter);
            of.add(series.counter, values.and_then(<[u64]>::last).copied(), whole);
        }
    }
    let activity = |of: Grown| if seconds > 0.0 { of.over(seconds) } else { Activity::default() };
    grown.into_iter().map(activity).collect()
}

/// By how much counters grew, and what gauges say at the end.
#[derive(Clone, Debug, Default)]
struct Grown {
    each: Vec<(Counter, Option<u64>, Option<f64>)>,
}

impl Grown {
    fn between(then: &[Reading], now: &[Reading]) -> Self {
        let mut grown = Self { each: Vec::with_capacity(now.len()) };
        for (at, reading) in now.iter().enumerate() {
            // Sources keep their order, so a reading is usually where it was before.
            let is = |earlier: &&Reading| earlier.counter == reading.counter;
            let earlier = then.get(at).filter(is).or_else(|| then.iter().find(is));
            let step = earlier.and_then(|earlier| reading.value.checked_sub(earlier.value));
            grown.put(reading.counter, Some(reading.value), step.map(|step| step as f64));
        }
        grown
    }

    fn put(&mut self, counter: Counter, last: Option<u64>, grown: Option<f64>) {
        self.each.push((counter, last, grown));
    }

    /// Puts the growth of a later time to that of an earlier.
    fn add(&mut self, counter: Counter, last: Option<u64>, grown: Option<u64>) {
        let grown = grown.map(|grown| grown as f64);
        match self.each.iter_mut().find(|(known, ..)| *known == counter) {
            Some((_, gauge, sum)) => {
                *gauge = last;
                *sum = sum.zip(grown).map(|(sum, grown)| sum + grown);
            }
            None => self.put(counter, last, grown),
        }
    }

    fn by(&self, wanted: Counter) -> Option<f64> {
        self.each.iter().find(|(counter, ..)| *counter == wanted)?.2
    }

    fn gauge(&self, wanted: Counter) -> Option<u64> {
        self.each.iter().find(|(counter, ..)| *counter == wanted)?.1
    }

    fn over(&self, seconds: f64) -> Activity {
        if self.each.is_empty() {
            return Activity::default();
        }
        let rate = |counter| Some(self.by(counter)? / seconds);
        let of_time = |counter| Some(self.by(counter)? / (seconds * 1e9));
        let mean = |spent, completed| {
            let completed = self.by(completed).filter(|count| *count > 0.0)?;
            Some(self.by(spent)? / completed)
        };
        Activity {
            read_bytes_per_sec: rate(Counter::ReadBytes),
            write_bytes_per_sec: rate(Counter::WriteBytes),
            read_operations_per_sec: rate(Counter::ReadOperations),
            write_operations_per_sec: rate(Counter::WriteOperations),
            moved_bytes_per_sec: rate(Counter::MovedBytes),
            completed_per_sec: rate(Counter::Completed),
            read_ns_mean: mean(Counter::ReadNs, Counter::ReadOperations),
            write_ns_mean: mean(Counter::WriteNs, Counter::WriteOperations),
            flushes_per_sec: rate(Counter::FlushOperations),
            flush_ns_mean: mean(Counter::FlushNs, Counter::FlushOperations),
            discards_per_sec: rate(Counter::DiscardOperations),
            discard_bytes_per_sec: rate(Counter::DiscardBytes),
            discard_ns_mean: mean(Counter::DiscardNs, Counter::DiscardOperations),
            in_flight_mean: of_time(Counter::InFlightNs),
            in_flight: self.gauge(Counter::InFlight),
            // The kernel counts whole ticks, and instants are not exact: 1 is all there is.
            utilisation: of_time(Counter::BusyNs).map(|share| share.min(1.0)),
            errors_per_sec: rate(Counter::Errors),
            hit_share: self.hit_share(),
            cached_bytes: self.gauge(Counter::CachedBytes),
            dirty_bytes: self.gauge(Counter::DirtyBytes),
            writeback_bytes: self.gauge(Counter::WritebackBytes),
            processor: self.processor(),
        }
    }

    fn hit_share(&self) -> Option<f64> {
        let (hits, misses) = (self.by(Counter::CacheHits)?, self.by(Counter::CacheMisses)?);
        (hits + misses > 0.0).then(|| hits / (hits + misses))
    }

    /// Of the time that the kernel gave account of, which is not exactly what passed. Iowait may
    /// fall from one sample to the next on a tickless kernel; then it was 0.
    fn processor(&self) -> Option<ProcessorShares> {
        let user = self.by(Counter::UserNs)?;
        let [system, idle] = [Counter::SystemNs, Counter::IdleNs].map(|one| self.by(one));
        let [wait, interrupt, steal] = [Counter::IoWaitNs, Counter::InterruptNs, Counter::StealNs]
            .map(|one| self.by(one).unwrap_or_default());
        let (system, idle) = (system?, idle?);
        let all = user + system + idle + wait + interrupt + steal;
        (all > 0.0).then(|| ProcessorShares {
            user: user / all,
            system: system / all,
            io_wait: wait / all,
            interrupt: interrupt / all,
            steal: steal / all,
            idle: idle / all,
        })
    }
}

/// The activity of an entity; none where nothing is known of it.
#[must_use]
pub fn of(all: &[Activity], id: EntityId) -> Option<&Activity> {
    all.get(id.0 as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at_ns: u64, readings: &[(u32, Counter, u64)]) -> Sample {
        let reading = |&(entity, counter, value): &(u32, Counter, u64)| Reading {
            entity: EntityId(entity),
            counter,
            value,
        };
        Sample { at_ns, readings: readings.iter().map(reading).collect() }
    }

    #[test]
    fn rates_means_and_shares_are_those_of_the_interval() {
        let earlier = sample(
            1_000_000_000,
            &[
                (1, Counter::ReadBytes, 1_000),
                (1, Counter::ReadOperations, 10),
                (1, Counter::ReadNs, 5_000),
                (1, Counter::BusyNs, 0),
                (1, Counter::InFlightNs, 0),
                (1, Counter::InFlight, 9),
            ],
        );
        let later = sample(
            3_000_000_000,
            &[
                (1, Counter::ReadBytes, 9_000),
                (1, Counter::ReadOperations, 14),
                (1, Counter::ReadNs, 9_000),
                (1, Counter::BusyNs, 1_000_000_000),
                (1, Counter::InFlightNs, 6_000_000_000),
                (1, Counter::InFlight, 2),
            ],
        );
        let all = between(3, &earlier, &later);
        let disk = all[1];
        assert_eq!((disk.read_bytes_per_sec, disk.read_operations_per_sec), (Some(4e3), Some(2.0)));
        assert_eq!((disk.read_ns_mean, disk.bytes_mean()), (Some(1e3), Some(2e3)));
        assert_eq!((disk.utilisation, disk.in_flight_mean), (Some(0.5), Some(3.0)));
        assert_eq!((disk.in_flight, disk.write_bytes_per_sec), (Some(2), None));
        assert_eq!(all[0], Activity::default());
        assert!(disk.is_active() && !all[2].is_active());
        assert_eq!(between(3, &later, &later), []);
    }

    #[test]
    fn a_counter_that_fell_or_was_not_there_tells_nothing() {
        let earlier = sample(0, &[(0, Counter::ReadBytes, 500), (0, Counter::BusyNs, 3)]);
        let later = sample(
            1_000_000_000,
            &[(0, Counter::ReadBytes, 100), (0, Counter::WriteBytes, 7), (0, Counter::BusyNs, 3)],
        );
        let disk = between(1, &earlier, &later)[0];
        assert_eq!((disk.read_bytes_per_sec, disk.write_bytes_per_sec), (None, None));
        assert_eq!((disk.utilisation, disk.bytes_per_sec()), (Some(0.0), None));
    }

    #[test]
    fn the_shares_of_a_processor_are_of_the_time_it_accounts_for() {
        let times = |user, idle| {
            let each = [
                (Counter::UserNs, user),
                (Counter::SystemNs, 10),
                (Counter::IdleNs, idle),
                (Counter::IoWaitNs, 1_000 - idle),
            ];
            each.map(|(counter, value)| (0, counter, value))
        };
        let all = between(1, &sample(0, &times(0, 100)), &sample(1_000_000_000, &times(30, 190)));
        let shares = all[0].processor.unwrap();
        assert_eq!((shares.user, shares.idle, shares.io_wait), (0.25, 0.75, 0.0));
        assert_eq!(shares.busy(), 0.25);
    }
}
