//! Streams whose flushes go through the hardware queues of one device, against the bounds.

use iopath_record::Latency;

use crate::model::{Window, assert_near, bounded};

const WRITE: f64 = 1e-4;
const FLUSH: f64 = 1e-3;

/// A device on which a write takes 0.1 ms and a flush 1 ms.
fn device(queues: &str) -> String {
    let limits = "latency=\"0.1 ms\" flush-time=\"1 ms\" size=\"1 GiB\"";
    format!("path {{ host \"h\" {{ part \"m\" {limits} {queues} }} }}")
}

/// What streams over a target do, and the tightest bound of it, in requests a second.
fn both(path: &str, over: &str, streams: &str) -> (Window, f64) {
    let text = format!(
        "{path}
         workload {{ streams \"app\" over=\"{over}\" block=\"8 KiB\" {streams} }}"
    );
    bounded(&text, "app")
}

#[test]
fn of_one_queue_each_waits_for_a_flush_before_its_own() {
    let alone = 1.0 / (WRITE + FLUSH);
    for streams in [1_u32, 2, 3, 8, 32] {
        let load = format!("op=\"write\" count={streams} sync=\"fdatasync\"");
        let in_turn = if streams == 1 { alone } else { 1.0 / (2.0 * FLUSH) };
        for (queues, each) in [("", alone), ("hw-queues=1", in_turn)] {
            let (app, bound) = both(&device(queues), "h.m", &load);
            let wanted = f64::from(streams) * each;
            assert_near(app.per_sec(), wanted, 2e-3);
            assert_near(bound, wanted, 1e-3);
        }
    }
}

#[test]
fn durable_writes_wait_for_no_flush_of_others() {
    // With FUA there is none; else those that are under way together share one.
    for load in ["depth=8 sync=\"dsync\"", "count=8 sync=\"sync\""] {
        let load = format!("op=\"write\" {load}");
        let (app, bound) = both(&device("hw-queues=1"), "h.m", &load);
        for rate in [app.per_sec(), bound] {
            assert_near(rate, 8.0 / (WRITE + FLUSH), 1e-3);
        }
    }
}

#[test]
fn what_comes_during_a_flush_shares_the_next() {
    let load = "op=\"write\" count=8 sync=\"fdatasync\"";
    let (app, _) = both(&device("hw-queues=1"), "h.m", load);
    // A write ends 0.1 ms into a flush of others, so it waits for the rest of that, then its own.
    assert_near(app.latency(Latency::Flush).0, 2.0 * FLUSH - WRITE, 1e-3);
    assert_near(app.latency(Latency::Commit).0, 2.0 * FLUSH, 1e-3);
}

#[test]
fn queues_that_have_one_stream_each_do_not_wait() {
    let load = |streams: u32| format!("op=\"write\" count={streams} sync=\"fdatasync\"");
    let (app, bound) = both(&device("hw-queues=4"), "h.m", &load(4));
    assert_near(app.per_sec(), 4.0 / (WRITE + FLUSH), 1e-3);
    assert_near(bound, 4.0 / (WRITE + FLUSH), 1e-3);
    // Two on each; but threads move between processors, so their bound has no queues.
    let (app, bound) = both(&device("hw-queues=4"), "h.m", &load(8));
    assert_near(app.per_sec(), 8.0 / (2.0 * FLUSH), 1e-3);
    assert_near(bound, 8.0 / (WRITE + FLUSH), 1e-3);
}

#[test]
fn no_simulation_is_above_the_bound_of_its_queues() {
    let members = |queues: u32| {
        format!(
            "path {{ host \"h\" {{
                part \"a\" latency=\"0.1 ms\" flush-time=\"1 ms\" size=\"1 GiB\" variability=0.5
                disk \"b\" position=\"2 ms\" stream=\"100 MB/s\" flush-time=\"3 ms\" \
                    size=\"1 GiB\" hw-queues={queues}
            }} }}
            layout {{ stripe \"s\" unit=\"64 KiB\" over=\"h.a,h.b\" }}"
        )
    };
    let syncs = [1, 3, 8].map(|every| format!("sync=\"fsync\" sync-every={every}"));
    let ops = ["op=\"write\"", "op=\"mix\" reads=0.5", "op=\"write\" rate=\"600 /s\""];
    for (op, sync) in ops.iter().flat_map(|op| syncs.iter().map(move |sync| (op, sync))) {
        for (queues, count, depth) in [(1, 2, 1), (1, 5, 3), (2, 3, 1), (2, 8, 2), (3, 16, 1)] {
            let streams = format!("{op} {sync} count={count} depth={depth} pattern=\"random\"");
            let (app, bound) = both(&members(queues), "s", &streams);
            // What is random may be above it for a while.
            let simulated = app.per_sec();
            assert!(simulated < bound * 1.03, "{streams}, {queues}: {simulated} of {bound}");
            assert!(simulated > bound * 0.4, "{streams}, {queues}: {simulated} of {bound}");
        }
    }
}

#[test]
fn files_of_one_device_share_its_queue() {
    let device = device("hw-queues=1").replace("\"h\" {", "\"h\" cpus=64 { cost request=\"1 us\";");
    let path = format!(
        "{device}
         layout {{ filesystem \"fs\" on=\"h.m\"; file \"log\" count=4 on=\"fs\" size=\"64 MiB\" }}"
    );
    let [alone, in_turn] = [1.0 / 1.11e-3, 1.0 / (2.0 * FLUSH)];
    for (over, sync, wanted) in [
        ("log[0-3]", "fdatasync", 4.0 * in_turn),
        ("log[0-1]", "fdatasync", 2.0 * in_turn),
        ("log[0]", "fdatasync", alone),
        // A journal may commit for all that wait.
        ("log[0-3]", "fsync", 4.0 * alone),
    ] {
        let (app, bound) = both(&path, over, &format!("op=\"write\" sync=\"{sync}\""));
        assert_near(bound, wanted, 0.02);
        assert!(app.per_sec() < bound * 1.001 && app.per_sec() > bound * 0.99);
    }
}

#[test]
fn each_host_has_queues_of_its_own() {
    let path = "path {
            host \"h\" count=2 { hba { port count=1 } }
            array \"a\" {
                port count=2
                part \"m\" latency=\"0.1 ms\" flush-time=\"1 ms\" size=\"1 GiB\" hw-queues=1
            }
            wire from=\"h[0].hba.port\" to=\"a.port[0]\"
            wire from=\"h[1].hba.port\" to=\"a.port[1]\"
        }";
    let (app, bound) = both(path, "a.m", "op=\"write\" on=\"h[0-1]\" sync=\"fsync\"");
    for rate in [app.per_sec(), bound] {
        assert_near(rate, 2.0 / (WRITE + FLUSH), 1e-3);
    }
}
