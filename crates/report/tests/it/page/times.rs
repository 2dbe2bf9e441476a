//! Figures over time of a page: what they are of, and that all of a pass have one axis.

use iopath_record::histogram::Summary;
use iopath_record::histogram::bucket_of;
use iopath_record::{Counter, Entity, EntityId, Histogram, Kind, Layer, Record, Series, Technique};
use iopath_report::document::{Document, Figure};

use super::{assert_sound, figure, figures, numbers, page, sampled};

const SECOND: u64 = 1_000_000_000;
const DISK: EntityId = EntityId(1);

/// A series that grows by as much each second.
fn steady(record: &mut Record, of: EntityId, counter: Counter, each: u64) {
    let values: Vec<u64> = (0..record.instants_ns.len() as u64).map(|at| at * each).collect();
    record.series.push(Series::from_values(of, counter, &values));
}

/// A disk that is busy half of the time with 1.5 requests in flight, each of 2 ms.
fn with_disk(mut record: Record) -> Record {
    for (counter, each) in [
        (Counter::ReadBytes, 1 << 20),
        (Counter::ReadOperations, 100),
        (Counter::ReadNs, 100 * 2_000_000),
        (Counter::BusyNs, SECOND / 2),
        (Counter::InFlightNs, SECOND + SECOND / 2),
    ] {
        steady(&mut record, DISK, counter, each);
    }
    record
}

/// Half of the requests of each interval take 1 ms and 2 % take 8 ms.
fn with_heat(mut record: Record) -> Record {
    let mut counts = vec![0; bucket_of(8_000_000) + 1];
    counts[bucket_of(1_000_000)] = 98;
    counts[bucket_of(8_000_000)] = 2;
    let summary = Summary { sum_ns: 114_000_000, min_ns: 1_000_000, max_ns: 8_000_000 };
    let histogram = Histogram::from_counts(counts, summary);
    record.heat = vec![histogram; record.instants_ns.len() - 1];
    record
}

fn with_processors(mut record: Record) -> Record {
    let id = EntityId(record.entities.len() as u32);
    let all = Entity { name: "cpu".to_owned(), kind: Kind::Cpu, ..record.entities[1].clone() };
    record.entities.push(Entity { layer: Layer::Processor, limits: Vec::new(), ..all });
    for (counter, tenths) in [(Counter::UserNs, 3), (Counter::SystemNs, 1), (Counter::IdleNs, 6)] {
        steady(&mut record, id, counter, tenths * SECOND / 10);
    }
    record
}

/// The figures over time, by their anchors.
fn over_time(page: &Document) -> Vec<&Figure> {
    let is_over_time =
        |one: &&Figure| one.id.starts_with("time-") || one.id.starts_with("latency-heat");
    figures(page).into_iter().filter(is_over_time).collect()
}

fn ids(page: &Document) -> Vec<&str> {
    over_time(page).into_iter().map(|one| one.id.as_str()).collect()
}

#[test]
fn figures_over_time_have_one_axis_and_only_what_is_counted_has_one() {
    let page = page(vec![with_processors(with_heat(with_disk(sampled(2))))]);
    assert_sound(&page);
    assert_eq!(
        ids(&page),
        [
            "time-layers-0",
            "time-streams-0",
            "time-requests-0",
            "time-latency-0",
            "time-queue-0",
            "time-busy-0",
            "time-processors-0",
            "latency-heat-0",
        ]
    );
    for one in over_time(&page) {
        assert_eq!(one.chart.x.range, Some((0.0, 11.0)), "{}", one.id);
        assert_eq!(one.chart.shades, figure(&page, "time-streams-0").chart.shades, "{}", one.id);
    }
}

#[test]
fn each_strip_has_what_the_counters_of_its_intervals_say() {
    let page = page(vec![with_processors(with_heat(with_disk(sampled(2))))]);
    let all = |id: &str, column: &str| numbers(figure(&page, id), column);
    let every = |value: f64| vec![Some(value); 11];
    assert_eq!(all("time-requests-0", "vda_operations_per_sec"), every(100.0));
    assert_eq!(all("time-queue-0", "vda_in_flight_requests"), every(1.5));
    assert_eq!(all("time-busy-0", "vda_busy_share"), every(0.5));
    assert_eq!(all("time-processors-0", "user_processor_share"), every(0.3));
    assert_eq!(all("time-processors-0", "system_processor_share"), every(0.1));
    for (column, ns) in [("p50_latency_ns", 1e6), ("p99_latency_ns", 8e6)] {
        for found in all("time-latency-0", column) {
            assert!((found.unwrap() / ns - 1.0).abs() < 0.05, "{column}: {found:?} of {ns}");
        }
    }
}

#[test]
fn what_was_watched_has_strips_by_device_with_the_time_of_day() {
    let mut record = with_processors(with_disk(sampled(1)));
    record.technique = Technique::Observation;
    record.streams.clear();
    record.series.retain(|series| series.entity != EntityId(2));
    steady(&mut record, DISK, Counter::FlushOperations, 7);
    record.clock.started_unix_ns = (1_759_968_000 + 36_000) * SECOND;
    let page = page(vec![record]);
    assert_sound(&page);
    let strips = ["devices", "requests", "latency", "queue", "busy", "flushes", "processors"];
    assert_eq!(ids(&page), strips.map(|id| format!("time-{id}-0")));
    for one in over_time(&page) {
        let axis = &one.chart.x;
        assert_eq!(axis.title, "time of day (UTC)", "{}", one.id);
        assert_eq!(axis.ticks[0], (0.0, "10:00:00".to_owned()), "{}", one.id);
    }
    assert_eq!(figure(&page, "time-busy-0").chart.y.title, "busy of vda");
    let mean = numbers(figure(&page, "time-latency-0"), "vda_latency_ns");
    assert_eq!(mean, vec![Some(2e6); 11], "no latencies over time, so the mean of the device");
}
