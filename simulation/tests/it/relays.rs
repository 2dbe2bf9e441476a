//! Reading behind writing: who waits for whom, and for how long.

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
