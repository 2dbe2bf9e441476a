//! Reading behind writing: who waits for whom, and for how long.

use iopath_record::{Counter, Record, Series};

use crate::model::{assert_near, run, window};

/// Writes of 10 ms; reads of so many; a part of both directions, which do not meet.
fn study(pairs: u32, read: &str, lag: &str) -> String {
    format!(
        "path {{ host \"h\" {{
            part \"s\" count={pairs} read=\"{read}\" write=\"100 MB/s\" size=\"1 GB\"
         }} }}
         workload {{
            streams \"writer\" over=\"h.s\" op=\"write\" block=\"1 MB\"
            streams \"reader\" over=\"h.s\" op=\"read\" block=\"1 MB\" behind=\"writer\" \\
                lag=\"{lag}\"
         }}"
    )
}

#[test]
fn in_lockstep_one_of_a_pair_moves_at_a_time() {
    let record = run(&study(3, "200 MB/s", "one record"), 20);
    let [writer, reader] = ["writer", "reader"].map(|group| window(&record, group));
    // A record is written in 10 ms and read in 5.
    for side in [&writer, &reader] {
        assert_near(side.bytes_per_sec(), 3.0 * 1e6 / 0.015, 1e-3);
    }
    assert_near(writer.pool_wait(), 1.0 / 3.0, 1e-3);
    assert_near(reader.pool_wait(), 2.0 / 3.0, 1e-3);
    assert_near(writer.in_flight() + reader.in_flight(), 3.0, 1e-6);
}

#[test]
fn a_follower_that_is_faster_reads_what_is_published() {
    let record = run(&study(1, "200 MB/s", "follow"), 20);
    let [writer, reader] = ["writer", "reader"].map(|group| window(&record, group));
    assert_near(writer.bytes_per_sec(), 100e6, 1e-3);
    assert_near(reader.bytes_per_sec(), 100e6, 1e-3);
    assert_eq!(writer.pool_wait(), 0.0, "it goes on");
    assert_near(reader.pool_wait(), 0.5, 1e-3);
}

#[test]
fn a_follower_that_is_slower_reads_as_fast_as_it_can() {
    let record = run(&study(1, "50 MB/s", "follow"), 20);
    let [writer, reader] = ["writer", "reader"].map(|group| window(&record, group));
    assert_near(writer.bytes_per_sec(), 100e6, 1e-3);
    assert_near(reader.bytes_per_sec(), 50e6, 1e-3);
    assert_eq!(reader.pool_wait(), 0.0, "there is always something to read");
}

/// The series of a follower's lag: its values with their instants.
fn lag(record: &Record, name: &str) -> Vec<(u64, u64)> {
    let is_lag = |series: &&Series| {
        let entity = &record.entities[series.entity.0 as usize];
        series.counter == Counter::LagBytes && entity.name == name
    };
    let series = record.series.iter().find(is_lag).expect("a follower has a lag");
    record.instants_ns.iter().copied().zip(series.values()).collect()
}

#[test]
fn a_slower_follower_falls_behind_as_fast_as_it_is_slower() {
    let record = run(&study(2, "50 MB/s", "follow"), 20);
    for name in ["reader[0]", "reader[1]"] {
        let lag = lag(&record, name);
        assert_eq!(lag[0].1, 0, "nothing is written yet");
        for (at_ns, bytes) in &lag[..lag.len() - 1] {
            // 100 MB/s are written and 50 read; each side has a record under way.
            let wanted = *at_ns as f64 / 1e9 * 50e6;
            assert!((*bytes as f64 - wanted).abs() <= 3e6, "{bytes} at {at_ns}");
        }
    }
    let lags = record.series.iter().filter(|series| series.counter == Counter::LagBytes);
    assert_eq!(lags.count(), 2, "writers follow nobody");
    // The analysis tells of the samples in the window, which lasts 20 s.
    let found = iopath_analysis::analyse(&[record]).expect("one pass").lags;
    let [lag] = &found[..] else { panic!("readers are one declaration: {found:?}") };
    assert_eq!(lag.name, "reader");
    assert!(lag.lag_bytes_max >= 1_000_000_000 && lag.lag_bytes_max < 1_200_000_000, "{lag:?}");
    assert!(lag.lag_bytes_mean > 0.3 * lag.lag_bytes_max as f64, "{lag:?}");
}

#[test]
fn in_lockstep_no_follower_is_more_than_a_record_behind() {
    let record = run(&study(1, "200 MB/s", "one record"), 20);
    assert!(lag(&record, "reader").iter().all(|(_, bytes)| *bytes <= 1_000_000));
}
