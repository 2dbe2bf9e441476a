//! Arms of disks: what it costs to move between places, and what does not.

use crate::model::{assert_near, run, window};

/// Requests of 1 MiB pass in 10 ms, and it takes 10 ms to reach another place, however many wait.
fn disk(streams: &str) -> f64 {
    let text = format!(
        "path {{ host \"h\" {{
            disk \"d\" size=\"100 GB\" stream=(given)\"104857600 B/s\" position=(given)\"10 ms\" \\
                position-queued=(given)\"10 ms\" variability=0.0001
         }} }}
         workload {{ streams \"s\" over=\"h.d\" op=\"read\" block=\"1 MiB\" {streams} }}"
    );
    window(&run(&text, 60), "s").per_sec()
}

#[test]
fn one_stream_reaches_its_place_for_nothing() {
    assert_near(disk("depth=1"), 100.0, 1e-3);
    assert_near(disk("depth=8"), 100.0, 1e-3);
}

#[test]
fn streams_that_wait_with_one_request_each_move_the_arm_each_time() {
    assert_near(disk("count=4 depth=1"), 50.0, 1e-3);
}

#[test]
fn what_follows_a_request_that_waits_is_served_with_it_in_runs_of_sixteen() {
    // 10 ms for each and 10 ms for the way to the first.
    assert_near(disk("count=4 depth=4"), 100.0 * 16.0 / 17.0, 5e-3);
    // Of 40 runs each is forgotten before its next requests come, four together: 32 are known.
    assert_near(disk("count=40 depth=4"), 100.0 * 4.0 / 5.0, 5e-3);
}

#[test]
fn what_comes_when_the_last_of_a_run_is_served_already_is_no_part_of_it() {
    // Two are served together, and the next of the stream comes with the first one's end.
    assert_near(disk("count=4 depth=2"), 100.0 * 2.0 / 3.0, 5e-3);
}

#[test]
fn random_requests_move_the_arm_however_many_wait() {
    assert_near(disk("depth=16 pattern=\"random\""), 50.0, 1e-2);
}
