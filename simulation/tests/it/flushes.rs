//! Writes that wait for flushes against their closed forms: one writer commits 1 / (write + flush),
//! K who share flushes K times as often.

use iopath_record::Latency;

use crate::model::{Window, assert_near, run, window};

const WRITE: f64 = 1e-4;
const FLUSH: f64 = 1e-3;

/// Writes to a device on which a write takes 0.1 ms and a flush 1 ms.
fn device(stream: &str) -> Window {
    let device = "part \"m\" latency=\"0.1 ms\" flush-time=\"1 ms\" size=\"1 GiB\"";
    on(&format!("path {{ host \"h\" {{ {device} }} }}"), "h.m", stream)
}

fn on(path: &str, over: &str, stream: &str) -> Window {
    let text = format!(
        "{path}
         workload {{
            streams \"app\" over=\"{over}\" op=\"write\" block=\"8 KiB\" {stream}
        }}"
    );
    window(&run(&text, 5), "app")
}

#[test]
fn one_writer_waits_for_the_write_and_the_flush() {
    for sync in ["fsync", "fdatasync"] {
        let app = device(&format!("depth=1 sync=\"{sync}\""));
        assert_near(app.per_sec(), 1.0 / (WRITE + FLUSH), 1e-3);
        assert_near(app.latency(Latency::Total).0, WRITE, 1e-3);
        assert_near(app.latency(Latency::Flush).0, FLUSH, 1e-3);
        assert_near(app.latency(Latency::Commit).0, WRITE + FLUSH, 1e-3);
    }
}

#[test]
fn a_flush_after_several_writes_is_shared_by_them() {
    let app = device("depth=1 sync=\"fdatasync\" sync-every=8");
    assert_near(app.per_sec(), 8.0 / (8.0 * WRITE + FLUSH), 1e-3);
    let app = device("depth=4 sync=\"fdatasync\" sync-every=8");
    assert_near(app.per_sec(), 8.0 / (2.0 * WRITE + FLUSH), 1e-3);
}

#[test]
fn writers_in_step_commit_as_often_as_they_are_many() {
    for writers in [2_u32, 8, 32] {
        let load = format!("depth={writers} sync=\"fdatasync\" sync-every={writers}");
        assert_near(device(&load).per_sec(), f64::from(writers) / (WRITE + FLUSH), 1e-3);
    }
}

#[test]
fn writers_out_of_step_take_turns_at_two_flushes() {
    // Who is covered by one flush writes while the other is under way, so none ever ends idle.
    for writers in [2_u32, 8, 32] {
        let app = device(&format!("depth={writers} sync=\"fdatasync\""));
        assert_near(app.per_sec(), f64::from(writers) / (2.0 * FLUSH), 1e-3);
    }
}

#[test]
fn a_synchronous_write_contains_its_flush() {
    for sync in ["dsync", "sync"] {
        let app = device(&format!("depth=2 sync=\"{sync}\""));
        assert_near(app.per_sec(), 2.0 / (WRITE + FLUSH), 1e-3);
        assert_near(app.latency(Latency::Total).0, WRITE + FLUSH, 1e-3);
        assert_eq!(app.latency(Latency::Flush).1, 0.0, "it has no flush of its own");
    }
}

#[test]
fn a_volume_is_flushed_when_the_slowest_of_its_members_is() {
    let path = "path { host \"h\" {
            part \"a\" latency=\"0.1 ms\" flush-time=\"1 ms\" size=\"1 GiB\"
            part \"b\" latency=\"0.1 ms\" flush-time=\"3 ms\" size=\"1 GiB\"
        } }
        layout { stripe \"s\" unit=\"64 KiB\" over=\"h.a,h.b\" }";
    let app = on(path, "s", "depth=1 sync=\"fdatasync\"");
    assert_near(app.per_sec(), 1.0 / (WRITE + 3.0 * FLUSH), 1e-3);
}

#[test]
fn a_flush_is_free_where_nothing_is_volatile() {
    let path = "path { host \"h\" { part \"m\" latency=\"0.1 ms\" size=\"1 GiB\" } }";
    let app = on(path, "h.m", "depth=1 sync=\"fdatasync\"");
    assert_near(app.per_sec(), 1.0 / WRITE, 1e-3);
}

#[test]
fn a_cache_with_a_battery_answers_for_the_disks_behind_it() {
    let array = |name: &str| {
        format!(
            "array \"{name}\" {{ controller {{
                cache size=\"1 GB\" write=\"back\" flush=\"never\"
                lun \"l\" latency=\"0.1 ms\" {{ disk flush-time=\"5 ms\" size=\"1 GiB\" }}
                port
             }} }}"
        )
    };
    // The second volume of the concatenation is never written to.
    let path = format!(
        "path {{
            host \"h\" {{ hba count=2 latency=\"0.1 ms\" }}
            {} ; {}
            wire from=\"h.hba[0]\" to=\"a.controller.port\"
            wire from=\"h.hba[1]\" to=\"b.controller.port\"
        }}
        layout {{ concat \"c\" over=\"a..l,b..l\" }}",
        array("a"),
        array("b")
    );
    let app = on(&path, "c", "depth=1 sync=\"fdatasync\"");
    assert!(app.latency(Latency::Flush).0 < 1e-6, "{:?}", app.latency(Latency::Flush));
    assert!(app.latency(Latency::Flush).1 > 0.0);
}
