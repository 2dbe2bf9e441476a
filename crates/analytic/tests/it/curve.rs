//! Response time against load, where theory has closed forms.

use iopath_path::Measure;
use iopath_record::{CurvePoint, Record};

use super::build::Build;

/// One server: a disk that takes 10 ms, with a variability, and a load.
fn server(servers: f64, variability: Option<f64>, wants: f64) -> Record {
    let mut build = Build::default();
    let disk = build.part("disk", None);
    let property = if servers > 1.0 { "cpus" } else { "arm" };
    let arm = build.row(disk, (property, Measure::Busy), servers);
    build.network.components[disk.0 as usize].variability = variability;
    let leg = build.read(disk, 4096, &[]);
    build.charge(leg, arm, 10e-3);
    build.stream(leg, 1000.0).wants_per_sec = Some(wants);
    build.evaluate()
}

/// The point at a load.
fn at(record: &Record, load_ppm: u64) -> CurvePoint {
    *record.curve.iter().find(|point| point.load_ppm == load_ppm).unwrap()
}

#[test]
fn exponential_service_is_the_m_m_1_queue() {
    let record = server(1.0, None, 1.0);
    for (load_ppm, milliseconds) in [(500_000, 20), (800_000, 50), (900_000, 100), (990_000, 1000)]
    {
        assert_eq!(at(&record, load_ppm).response_ns, milliseconds * 1_000_000);
    }
    assert_eq!(at(&record, 500_000).operations_milli_per_sec, 50_000);
    assert!(record.environment["model.variability"].starts_with("not stated"));
}

#[test]
fn constant_service_is_the_m_d_1_queue() {
    // Half the wait: 10 ms and ρ / (2 (1 − ρ)) of it.
    let record = server(1.0, Some(0.0), 1.0);
    for (load_ppm, nanos) in [(500_000, 15_000_000), (800_000, 30_000_000), (900_000, 55_000_000)] {
        assert_eq!(at(&record, load_ppm).response_ns, nanos);
    }
}

#[test]
fn several_servers_are_near_the_m_m_c_queue() {
    // Erlang's C formula for 4 servers: waits of 1.969 and 4.457 times the service at 90 and 95 %.
    let record = server(4.0, Some(1.0), 1.0);
    for (load_ppm, erlang) in [(900_000, 1.969), (950_000, 4.457)] {
        let wait = at(&record, load_ppm).response_ns as f64 / 1e7 - 1.0;
        assert!((wait / erlang - 1.0).abs() < 0.02, "{wait}");
    }
}

#[test]
fn response_rises_with_load_and_the_wanted_load_is_a_point() {
    let record = server(1.0, None, 30.0);
    let loads: Vec<u64> = record.curve.iter().map(|point| point.load_ppm).collect();
    assert_eq!(loads, [100_000, 300_000, 500_000, 800_000, 900_000, 950_000, 990_000]);
    assert!(record.curve.is_sorted_by_key(|point| point.response_ns));
    // In flight by Little's law: 30 a second for 10 / 0.7 ms.
    let window = &record.streams[0].phases[0];
    assert_eq!(window.in_flight_ns / 1_000_000, 30 * 1_000_000 / 70);
    let closed = server(1.0, None, 1000.0);
    assert_eq!(closed.curve.len(), 6);
    assert_eq!(closed.streams[0].phases[0].in_flight_ns, 1_000_000_000_000_000);
}

#[test]
fn a_thread_is_a_server_and_may_be_the_end_of_the_curve() {
    let mut build = Build::default();
    let disk = build.part("disk", None);
    let arm = build.row(disk, ("arm", Measure::Busy), 1.0);
    let leg = build.read(disk, 4096, &[]);
    build.charge(leg, arm, 10e-3);
    let stream = build.stream(leg, 1000.0);
    stream.wants_per_sec = Some(1.0);
    stream.thread_s = 20e-3;
    // Two M/M/1 queues in a row, of which the thread, with 50 requests a second, is full first.
    let point = at(&build.evaluate(), 900_000);
    assert_eq!(point.operations_milli_per_sec, 45_000);
    let expected_ms = 20.0 * 0.9 / 0.1 + 10.0 / (1.0 - 0.45);
    assert!((point.response_ns as f64 / 1e6 - expected_ms).abs() < 1e-3, "{}", point.response_ns);
}
