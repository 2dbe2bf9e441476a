//! Writes that wait for flushes against their closed forms, and the bounds that have these: one
//! writer commits 1 / (write + flush), K who share flushes K times as often.

use iopath_record::Latency;

use crate::model::{Window, assert_near, bounded, run, window};

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

/// Requests a second: the tightest bound, and what is simulated.
fn both(path: &str, over: &str, stream: &str) -> [f64; 2] {
    let block = if stream.contains("block=") { "" } else { "block=\"8 KiB\"" };
    let text = format!(
        "{path}
         workload {{ streams \"app\" over=\"{over}\" {block} {stream} }}"
    );
    let (app, bound) = bounded(&text, "app");
    [bound, app.per_sec()]
}

/// A device on which a write takes `write` tenths of a millisecond and a flush a millisecond.
fn writes_of(tenths: u32) -> String {
    format!(
        "path {{ host \"h\" {{
            part \"m\" latency=\"{} us\" flush-time=\"1 ms\" size=\"1 GiB\"
        }} }}",
        100 * tenths
    )
}

#[test]
fn a_bound_is_what_is_simulated_where_its_closed_form_is_exact() {
    let sync = |depth: u32, every: u32| {
        format!("op=\"write\" depth={depth} sync=\"fdatasync\" sync-every={every}")
    };
    let own = |depth: u32| format!("op=\"write\" depth={depth} sync=\"dsync\"");
    for tenths in [1, 10, 35] {
        let path = writes_of(tenths);
        // One writer; in step; depth a divisor of N; in each write.
        let streams = [sync(1, 1), sync(1, 8), sync(4, 4), sync(32, 32), sync(4, 8), sync(3, 12)];
        // Taking turns at flushes that are no longer than writes.
        let turns = [sync(2, 1), sync(8, 1), sync(33, 1)].into_iter().filter(|_| tenths >= 10);
        for stream in streams.into_iter().chain([own(1), own(8)]).chain(turns) {
            let [bound, simulated] = both(&path, "h.m", &stream);
            assert!((simulated / bound - 1.0).abs() < 1e-3, "{stream}: {simulated} of {bound}");
        }
    }
}

#[test]
fn no_simulation_is_above_the_bound_of_its_flushes() {
    let members = "path { host \"h\" {
            part \"a\" latency=\"0.1 ms\" flush-time=\"1 ms\" size=\"1 GiB\" variability=0.5
            disk \"b\" position=\"2 ms\" stream=\"100 MB/s\" flush-time=\"3 ms\" size=\"1 GiB\"
        } }
        layout { stripe \"s\" unit=\"64 KiB\" over=\"h.a,h.b\" }";
    let ops = ["op=\"write\"", "op=\"mix\" reads=0.5", "op=\"write\" rate=\"600 /s\""];
    let syncs = [
        "sync=\"dsync\"",
        "sync=\"fsync\"",
        "sync=\"fsync\" sync-every=3",
        "sync=\"fsync\" sync-every=16",
    ];
    for (op, sync) in ops.iter().flat_map(|op| syncs.map(|sync| (op, sync))) {
        for depth in [1, 2, 4, 5, 11, 40] {
            for pattern in ["sequential", "random"] {
                let stream = format!("{op} {sync} depth={depth} pattern=\"{pattern}\"");
                let [bound, simulated] = both(members, "s", &stream);
                // What is random may be above it for a while.
                assert!(simulated < bound * 1.03, "{stream}: {simulated} of {bound}");
            }
        }
    }
}

/// A file on a device on which a write takes 0.4 ms and a flush a millisecond; 8 KiB are copied in
/// 0.2 ms.
fn file() -> &'static str {
    "path { host \"h\" cpus=64 {
            cost request=\"0 s\" copy=\"40960000 B/s\"
            part \"m\" latency=\"0.4 ms\" flush-time=\"1 ms\" size=\"1 GiB\"
        } }
        layout {
            filesystem \"fs\" on=\"h.m\" cache=\"buffered\"
            file \"f\" on=\"fs\" size=\"512 MiB\"
        }"
}

#[test]
fn a_flush_waits_for_what_the_page_cache_has_answered() {
    let (copy, back, flush) = (2e-4, 4e-4, 1e-3);
    let of = |stream: &str| {
        ["sequential", "random"].map(|pattern| {
            both(file(), "f", &format!("op=\"write\" pattern=\"{pattern}\" {stream}"))
        })
    };
    let each = 1.0 / (copy + back + flush);
    for (stream, per_sec) in [
        ("depth=1 sync=\"fdatasync\"", each),
        ("depth=1 sync=\"dsync\"", each),
        // Each waits for its own alone.
        ("depth=8 sync=\"dsync\"", 8.0 * each),
        // Together, or merged.
        ("depth=1 sync=\"fdatasync\" sync-every=8", 8.0 / (8.0 * copy + back + flush)),
        ("depth=4 sync=\"fsync\" sync-every=8", 8.0 / (2.0 * copy + back + flush)),
    ] {
        for per in of(stream).into_iter().flatten() {
            assert_near(per, per_sec, 2e-3);
        }
    }
}

/// A file over eight devices of 100 MB/s. Threads that write behind spread copies over all
/// processors, which bounds leave out: there they take next to no time.
fn striped(file_system: &str) -> String {
    let copy = if file_system.contains("prefetch") { "100 GB/s" } else { "100 MB/s" };
    format!(
        "path {{ host \"h\" cpus=64 {{
            cost request=\"0 s\" copy=\"{copy}\"
            part \"m\" count=8 both=\"100 MB/s\" latency=\"0.1 ms\" flush-time=\"0.1 ms\" \\
                size=\"1 GiB\"
        }} }}
        layout {{
            stripe \"v\" unit=\"1 MiB\" over=\"h.m\"
            filesystem \"fs\" on=\"v\" cache=\"buffered\" {file_system}
            file \"f\" on=\"fs\" size=\"4 GiB\"
        }}"
    )
}

#[test]
fn no_simulation_is_above_the_bound_of_flushes_of_a_page_cache() {
    let syncs = ["dsync\"", "fsync\"", "fsync\" sync-every=5", "fsync\" sync-every=100"];
    let streams = [
        "op=\"write\"",
        "op=\"write\" block=\"96 KiB\" depth=7",
        "op=\"write\" block=\"256 KiB\"",
        "op=\"write\" pattern=\"backwards\" depth=3",
        "op=\"write\" pattern=\"random\" hit=0.5",
        "op=\"mix\" reads=0.5 pattern=\"random\" depth=4",
        "op=\"write\" pattern=\"interleaved\" count=3",
        "op=\"write\" count=2",
        "op=\"write\" hit=0.5",
    ];
    for file_system in ["", "record=\"128 KiB\"", "{ prefetch threads=4 }"] {
        for (stream, sync) in streams.iter().flat_map(|one| syncs.map(|sync| (one, sync))) {
            let stream = format!("{stream} sync=\"{sync}");
            let [bound, simulated] = both(&striped(file_system), "f", &stream);
            // What is random may be above it for a while.
            let is_drawn = stream.contains("random") || stream.contains("hit");
            let by_chance = if is_drawn { 0.03 } else { 0.003 };
            let most = bound * (1.0 + by_chance);
            assert!(simulated < most, "{file_system} {stream}: {simulated} of {bound}");
        }
    }
}

#[test]
fn merged_writes_go_to_the_volume_as_one() {
    let stream = "op=\"write\" depth=4 sync=\"fsync\" sync-every=8";
    for per_sec in both(&striped(""), "f", stream) {
        let copies = 2.0 * 8192.0 / 100e6;
        assert_near(per_sec, 8.0 / (copies + 1e-4 + 65536.0 / 100e6 + 1e-4), 2e-3);
    }
}

/// What is below before the last write is done, or written below with more, takes no time for sure.
#[test]
fn emptied_caches_leave_a_bound_above_what_is_simulated() {
    let array = |name: &str, controller: &str, cache: &str, volume: &str| {
        format!(
            "array \"{name}\" {{ controller {controller} {{
                cache size=\"1 GB\" write=\"back\" {cache}; {volume}; port
            }} }}
            wire from=\"h.{name}\" to=\"{name}.controller.port\""
        )
    };
    let path = |arrays: &[String]| {
        let hba = |name: &str| format!("hba \"{name}\" latency=\"10 us\"");
        let hbas: Vec<String> = ["a", "b"].map(hba).into_iter().take(arrays.len()).collect();
        format!("path {{ host \"h\" {{ {} }}\n{} }}", hbas.join("; "), arrays.join("\n"))
    };
    let lun = |latency: &str| format!("lun \"l\" {{ ssd latency=\"{latency}\" size=\"1 GiB\" }}");
    let raid = |segment: &str| {
        format!(
            "raid \"l\" level=5 segment=\"{segment}\" {{ ssd count=5 latency=\"20 us\" \
             read=\"500 MB/s\" write=\"500 MB/s\" size=\"1 GiB\" }}"
        )
    };
    let emptied = "flush=\"on-sync\"";
    let (battery, mirrored) = ("flush=\"never\"", "flush=\"on-sync\" mirror=#true");
    let mirror = "layout { mirror \"m\" { side of=\"a..l\"; side of=\"b..l\" } }";
    let stripe = "layout { stripe \"m\" unit=\"8 KiB\" over=\"a..l,b..l\" }";
    let one = |volume: String| path(&[array("a", "", emptied, &volume)]);
    let two = [
        array("a", "", emptied, &lun("1 ms")),
        array("b", "latency=\"5 ms\"", battery, &lun("1 ms")),
    ];
    let unequal = [array("a", "", emptied, &lun("1 ms")), array("b", "", emptied, &lun("10 us"))];
    let copied = array("a", "latency=\"500 us\" count=2", mirrored, &lun("300 us"));
    for (path, over) in [
        (one(raid("64 KiB")), "a..l"),
        (one(raid("1 MiB")), "a..l"),
        (format!("{}\n{mirror}", path(&two)), "m"),
        (format!("{}\n{stripe}", path(&unequal)), "m"),
        (path(&[copied.replace("a.controller.port", "a.controller[0].port")]), "a..l"),
    ] {
        for sync in ["sync=\"fdatasync\"", "sync=\"dsync\"", "sync=\"fdatasync\" sync-every=2"] {
            let [bound, simulated] = both(&path, over, &format!("op=\"write\" depth=1 {sync}"));
            assert!(simulated <= bound * 1.003, "{path} {sync}: {simulated} of {bound}");
        }
    }
}

#[test]
fn a_cache_with_a_battery_takes_flushes_off_the_bound_too() {
    let path = |flush: &str| {
        format!(
            "path {{
                host \"h\" {{ hba latency=\"0.1 ms\" }}
                array \"a\" {{ controller {{
                    cache size=\"1 GB\" write=\"back\" {flush}
                    lun \"l\" {{ ssd latency=\"0.1 ms\" flush-time=\"5 ms\" size=\"1 GiB\" }}
                    port
                }} }}
                wire from=\"h.hba\" to=\"a.controller.port\"
            }}"
        )
    };
    let stream = "op=\"write\" depth=1 sync=\"fdatasync\"";
    let battery = both(&path("flush=\"never\""), "a..l", stream);
    for per_sec in battery {
        assert_near(per_sec, 1.0 / 1e-4, 1e-3);
    }
    // A volatile one takes its own time, and what is dirty is written besides.
    let [bound, simulated] = both(&path("flush=\"on-sync\" flush-time=\"1 ms\""), "a..l", stream);
    assert_near(bound, 1.0 / 1.1e-3, 1e-3);
    assert!(simulated <= bound * 1.001 && simulated > bound * 0.8, "{simulated} of {bound}");
    // One that states no time takes that of the write behind it.
    let [bound, simulated] = both(&path("flush=\"on-sync\""), "a..l", stream);
    assert!(bound < 1.0 / 1.99e-4, "{bound}");
    assert!(simulated <= bound * 1.001 && simulated > bound * 0.95, "{simulated} of {bound}");
}
