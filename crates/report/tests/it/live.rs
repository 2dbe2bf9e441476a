//! A run under way as lines for a terminal and as JSON.

use iopath_record::{DevicesMoved, Live, Moved, Progress};
use iopath_report::{Color, Following, Look, following_json, following_lines};
use iopath_units::System;

/// So many streams, each with twice the bytes of the one before, and two of 30 devices.
fn told(streams: u32, seconds: &[u64]) -> Vec<(u64, Live)> {
    let moved = |name: String, bytes| Moved { name, bytes };
    let live = |second: &u64| {
        let each =
            |at: u32| moved(format!("reader[{at}]"), second * 1_000_000 * (u64::from(at) + 1));
        let streams: Vec<Moved> = (0..streams).map(each).collect();
        let device = |(name, rate): (&str, u64)| moved(name.to_owned(), second * rate);
        let busiest = [("sda", 7_000_000), ("sd\u{1b}[2J", 1_000_000)].map(device).to_vec();
        let elapsed_ns = second * 1_000_000_000;
        let devices = DevicesMoved { sampled_ns: elapsed_ns, count: 30, busiest };
        let bytes = streams.iter().map(|moved| moved.bytes).sum();
        Live {
            title: "Readers".to_owned(),
            label: "reads".to_owned(),
            trial: 0,
            trials: 2,
            pass: 2,
            done_ns: elapsed_ns,
            whole_ns: Some(40_000_000_000),
            progress: Progress::Running { elapsed_ns, bytes, operations: 0, streams, devices },
        }
    };
    seconds.iter().map(|second| (0, live(second))).collect()
}

fn lines(told: &[(u64, Live)], width: u16, rows: Option<usize>) -> Vec<String> {
    let system = System::Decimal;
    let look = Look { width, system, color: Color::Never };
    let following = Following::of("7", told, system);
    following_lines(&following, &look, rows).into_iter().map(|line| line.text).collect()
}

#[test]
fn streams_and_devices_have_rows_with_their_rates() {
    let all = lines(&told(3, &[1, 2, 4, 5]), 80, None);
    let expected = [
        "Readers   run 7   6.000 MB/s",
        "trial 1 of 2: reads, pass 3",
        "12 % done, about 35 s left",
        "                        now      maximum",
        "all streams      6.000 MB/s   6.000 MB/s  ███",
        "  reader[0]      1.000 MB/s   1.000 MB/s  ▃▃▃",
        "  reader[1]      2.000 MB/s   2.000 MB/s  ▆▆▆",
        "  reader[2]      3.000 MB/s   3.000 MB/s  ███",
        "devices, the busiest 2 of 30",
        "  sda            7.000 MB/s   7.000 MB/s  ███",
        "  sd\u{fffd}[2J         1.000 MB/s   1.000 MB/s  ▂▂▂",
    ];
    assert_eq!(all, expected);
}

#[test]
fn lines_fit_the_terminal() {
    let seconds: Vec<u64> = (1..=200).collect();
    for (width, rows) in [(20, 5), (39, 3), (80, 24), (300, 100)] {
        let all = lines(&told(16, &seconds), width, Some(rows));
        assert!(all.len() <= rows);
        let widest = all.iter().map(|line| line.chars().count()).max();
        assert!(widest <= Some(usize::from(width)), "{all:#?}");
    }
    let wide = lines(&told(16, &seconds), 300, None);
    assert_eq!(wide[4].matches('█').count(), 60, "a minute");
}

#[test]
fn of_many_streams_the_spread_is_told() {
    let all = lines(&told(40, &[1, 2]), 80, None);
    assert!(all.contains(&"40 streams, from 1.000 MB/s to 40.00 MB/s each".to_owned()), "{all:#?}");
    assert!(!all.iter().any(|line| line.contains("reader[")), "{all:#?}");
}

#[test]
fn json_has_the_same_values_unrounded() {
    let following = Following::of("7", &told(2, &[1, 3]), System::Decimal);
    let json = following_json(&following);
    assert_eq!(json["throughput_bytes_per_sec"], 3_000_000.0);
    assert_eq!(json["streams"][1]["throughput_bytes_per_sec"], 2_000_000.0);
    assert_eq!(json["devices"][0]["throughput_bytes_per_sec"], 7_000_000.0);
    assert_eq!((&json["pass"], &json["device_count"]), (&2.into(), &30.into()));
    assert_eq!(
        (&json["elapsed_ns"], &json["left_ns"]),
        (&3_000_000_000_u64.into(), &37_000_000_000_u64.into())
    );
    let unheard = following_json(&Following::of("7", &[], System::Decimal));
    assert!(unheard["trial"].is_null() && unheard["title"].is_null(), "{unheard}");
    assert!(unheard["doing"].as_str().unwrap().starts_with("no news"), "{unheard}");
}
