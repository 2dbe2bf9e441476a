//! Open loops: requests at times of their own, whatever the storage does.

use iopath_record::Latency;

use crate::model::{assert_near, run, window};

fn study(streams: &str) -> String {
    format!(
        "path {{ host \"h\" {{ part \"s\" ops=\"1000 /s\" size=\"1 GiB\" }} }}
         workload {{ streams \"users\" over=\"h.s\" op=\"read\" block=\"4 KiB\" {streams} }}"
    )
}

#[test]
fn below_capacity_nobody_waits() {
    // Every 2.5 ms a request of 1 ms; what an edge of the window cuts is less than one of 8,000.
    let record = run(&study("rate=\"400 /s\" arrivals=\"constant\" depth=4"), 20);
    let users = window(&record, "users");
    assert_near(users.per_sec(), 400.0, 1e-3);
    for what in [Latency::Total, Latency::Intended] {
        assert_near(users.latency(what).0, 0.001, 1e-9);
    }
    assert_near(users.idle(), 0.6, 1e-3);
    assert_eq!(users.pool_wait(), 0.0, "a slot was always free");
}

#[test]
fn streams_of_a_declaration_share_the_rate_and_take_turns() {
    let streams = "count=4 rate=\"800 /s\" arrivals=\"constant\" depth=1";
    let record = run(&study(streams), 20);
    let users = window(&record, "users");
    assert_near(users.per_sec(), 800.0, 1e-3);
    assert_near(users.latency(Latency::Intended).0, 0.001, 1e-9);
}

#[test]
fn above_capacity_latency_is_that_of_the_queue_in_front() {
    let record = run(&study("rate=\"2000 /s\" arrivals=\"constant\" depth=8"), 20);
    let users = window(&record, "users");
    assert_near(users.per_sec(), 1000.0, 1e-3);
    // All slots are taken, and a request is in flight for eight services.
    assert_near(users.latency(Latency::Total).0, 0.008, 1e-6);
    // It was due the longer ago the later it is: half of all time since the beginning. The window
    // begins 2 s behind it, so the mean of what is served in it is half of 2 s + 11 s.
    let begin = record.streams[0].phases[0].to_ns as f64 / 1e9;
    let mean = (begin + users.seconds / 2.0) / 2.0;
    assert_near(users.latency(Latency::Intended).0, mean, 2e-3);
    assert_eq!(users.idle(), 0.0, "there is always something due");
    // Of each second 1,000 requests were due so long before.
    assert_near(users.pool_wait(), 1000.0 * mean, 2e-3);
}

#[test]
fn nothing_is_in_flight_while_nothing_is_due() {
    // The first request comes at once, the next after 1,000 s.
    let record = run(&study("rate=\"0.001 /s\" arrivals=\"constant\" depth=2"), 20);
    let users = window(&record, "users");
    assert_eq!((users.per_sec(), users.idle()), (0.0, 1.0));
}

#[test]
fn it_ends_where_a_pass_of_the_study_ends() {
    let text = study("").replace("workload {", "workload time=\"3 s\" {");
    let users = window(&run(&text, 20), "users");
    assert!((3.0..3.1).contains(&users.seconds), "{}", users.seconds);
}

#[test]
fn those_after_it_do_not_wait_for_requests_that_are_due_later() {
    let text = "path { host \"h\" { part \"s\" ops=\"1000 /s\" size=\"1 GiB\" } }
        workload {
            streams \"slow\" over=\"h.s\" op=\"read\" block=\"4 KiB\" rate=\"0.001 /s\" \\
                arrivals=\"constant\"
            streams \"next\" over=\"h.s\" op=\"read\" block=\"4 KiB\" after=\"slow\"
        }";
    let record = run(text, 20);
    let end = record.streams[0].phases.last().unwrap().to_ns;
    let begin = record.streams[1].phases[0].from_ns;
    assert_eq!(begin, end);
}

#[test]
fn those_after_it_begin_when_their_pause_is_over_and_the_flush_done() {
    let text = "path { host \"h\" {
            part \"s\" ops=\"1000 /s\" flush-time=\"5 ms\" size=\"1 GiB\"
        } }
        workload {
            streams \"one\" over=\"h.s\" op=\"write\" block=\"4 KiB\"
            streams \"next\" over=\"h.s\" op=\"read\" block=\"4 KiB\" after=\"one\" \\
                start-delay=\"2 s\" prepare=\"sync\"
        }";
    let record = run(text, 20);
    let end = record.streams[0].phases.last().unwrap().to_ns;
    assert_eq!(record.streams[1].phases[0].from_ns, end + 2_005_000_000);
}
