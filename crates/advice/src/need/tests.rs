//! Needs as they are typed, and requests within a response time.

use iopath_units::Ratio;

use super::{LatencyLimit, LoadPoint, Metric, Needs, Offered, Prediction, Requests, within};

fn parsed(text: &str) -> String {
    text.parse::<Needs>().map_or_else(|error| error, |needs| needs.to_string())
}

#[test]
fn needs_are_read_and_shown() {
    assert_eq!(parsed("read=18GB/s,write=14 GB/s"), "read 18.00 GB/s, write 14.00 GB/s");
    assert_eq!(parsed("iops=150k@30ms"), "iops 150.0 k/s within 30 ms");
    assert_eq!(parsed("iops=150k@p95=30ms"), "iops 150.0 k/s with p95 within 30 ms");
    assert_eq!(parsed("iops=150k@mean=30ms"), "iops 150.0 k/s within 30 ms");
    assert_eq!(parsed("iops=1_500"), "iops 1500 /s");
    assert_eq!(parsed("streams=64x25MB/s"), "64 streams of 25.00 MB/s");
    assert_eq!(parsed("capacity=100TB,iops=1k"), "iops 1000 /s, capacity 100.0 TB");
}

#[test]
fn what_is_wrong_says_what_can_be_written() {
    for text in
        ["", "18GB/s", "reads=1GB/s", "streams=64", "iops=0", "streams=0x1MB/s", "capacity=0B"]
    {
        assert!(parsed(text).contains("64x25MB/s"), "{text}: {}", parsed(text));
    }
    assert!(parsed("read=1GB/s,read=2GB/s").contains("twice"));
    assert!(parsed("iops=5@p95").contains("p95=30ms"), "{}", parsed("iops=5@p95"));
    assert!(parsed("iops=5@p98=1ms").contains("p99.9"), "{}", parsed("iops=5@p98=1ms"));
    assert!(parsed("read=5").contains("unit"), "{}", parsed("read=5"));
}

#[test]
fn headroom_is_on_top() {
    let needs: Needs = "iops=100k@5ms,throughput=1GB/s".parse().unwrap();
    let more = needs.with_headroom(Ratio(300_000)).to_string();
    assert_eq!(more, "throughput 1.300 GB/s, iops 130.0 k/s within 5 ms");
}

#[test]
fn requests_within_a_response_lie_between_the_points_of_the_curve() {
    let point = |operations: f64, ms: f64| LoadPoint {
        load: 0.0,
        throughput_bytes_per_sec: 0.0,
        operations_per_sec: operations,
        response_ns: ms * 1e6,
    };
    let curve = [point(100.0, 1.0), point(200.0, 3.0), point(220.0, 50.0)];
    let mean = |within_ns| LatencyLimit { metric: Metric::Mean, within_ns };
    assert_eq!(within(&curve, mean(2_000_000)), Some(150.0));
    assert_eq!(within(&curve, mean(60_000_000)), Some(220.0));
    // Even the lightest load takes longer.
    assert_eq!(within(&curve, mean(500_000)), None);
    assert_eq!(within(&[], mean(1)), None);
}

/// Bounds say whether the requests can be carried, a simulation how long most of them take.
#[test]
fn a_percentile_is_known_by_a_simulation_only() {
    let needs: Needs = "iops=100@p95=2ms".parse().unwrap();
    assert_eq!(needs.percentile(), Some(Metric::P95));
    assert_eq!("iops=100@2ms".parse::<Needs>().unwrap().percentile(), None);
    let curve = vec![LoadPoint {
        load: 1.0,
        throughput_bytes_per_sec: 0.0,
        operations_per_sec: 100.0,
        response_ns: 9e6,
    }];
    let prediction = Prediction { operations_per_sec: 100.0, curve, ..Prediction::default() };
    let judged = |offered: Offered<'_>| {
        let judged = needs.judge(&offered);
        let of = |all: Vec<super::Compared>| all.into_iter().map(|one| one.of).collect::<Vec<_>>();
        (of(judged.offers), of(judged.short), judged.share)
    };
    let bounds = judged(Offered::of(&prediction));
    assert_eq!(bounds, (vec!["iops".to_owned()], Vec::new(), 1.0));
    let both = vec!["iops".to_owned(), "p95 response".to_owned()];
    let soon = judged(Offered::of(&prediction).responding(Some(1e6)));
    assert_eq!(soon, (both.clone(), Vec::new(), 1.0));
    let late = judged(Offered::of(&prediction).responding(Some(4e6)));
    assert_eq!(late, (both, vec!["p95 response".to_owned()], 0.5));
}

/// Reads and writes have a direction of a link each, and share what is behind it.
#[test]
fn what_is_kept_busy_is_so_whichever_requests_carry_the_need() {
    let reads = Requests { bytes: [1e6, 0.0], busy: vec![0.001, 0.0, 0.002], most: 1e4 };
    let writes = Requests { bytes: [0.0, 1e6], busy: vec![0.0, 0.001, 0.004], most: 1e4 };
    let busy = |needs: &str| {
        let needs: Needs = needs.parse().unwrap();
        needs.busy(&[reads.clone(), writes.clone()])
    };
    assert_eq!(busy("read=2GB/s"), [2.0, 0.0, 4.0]);
    assert_eq!(busy("write=2GB/s"), [0.0, 2.0, 8.0]);
    assert_eq!(busy("read=2GB/s,write=2GB/s"), [2.0, 2.0, 8.0]);
    // Either may carry all of it.
    assert_eq!(busy("throughput=2GB/s"), [0.0, 0.0, 4.0]);
    assert_eq!(busy("iops=1k"), [0.0, 0.0, 2.0]);
    assert_eq!(busy("streams=4x1GB/s"), [0.0, 0.0, 8.0]);
    assert!(Needs::default().busy(&[]).is_empty());
}

/// Ten components that a read keeps busy for 1 ms and a write for 4 ms: 10,000 reads or 2,500
/// writes a second, fewer where there are no more of them.
#[test]
fn what_could_be_carried_is_what_the_best_share_carries() {
    let could = |needs: &str, most_reads: f64| {
        let reads = Requests { bytes: [1e6, 0.0], busy: vec![0.001], most: most_reads };
        let writes = Requests { bytes: [0.0, 1e6], busy: vec![0.004], most: 1e6 };
        needs.parse::<Needs>().unwrap().could_be_carried(&[writes, reads], &[10.0])
    };
    for (needs, most_reads, expected) in [
        ("read=10GB/s", 1e6, true),
        ("read=11GB/s", 1e6, false),
        ("read=10GB/s", 9_000.0, false),
        ("write=2.5GB/s", 1e6, true),
        ("write=2.6GB/s", 1e6, false),
        // 6,000 reads leave time for 1,000 writes.
        ("throughput=7GB/s", 6_000.0, true),
        ("throughput=7.1GB/s", 6_000.0, false),
        ("iops=7k", 6_000.0, true),
        ("iops=7100", 6_000.0, false),
        ("streams=7x1GB/s", 6_000.0, true),
        ("streams=8x1GB/s", 6_000.0, false),
    ] {
        assert_eq!(could(needs, most_reads), expected, "{needs} of {most_reads} reads");
    }
}
