//! Contended drives against what is known of the dies that they stand for.

use iopath_analytic::evaluate;
use iopath_record::{BoundKind, Latency};

use crate::closed::mva;
use crate::model::{Window, assert_near, case, network, run, window};

/// Time of a request alone, and how many a drive serves side by side.
const ALONE_S: f64 = 80e-6;
const DIES: f64 = 8.0;

/// Two drives that take 80 µs for a request each and are busy with it for a tenth of that: an arm
/// without a position, and a limit of as many requests.
fn drives(contention: f64, load: &str) -> [String; 2] {
    let busy_us = (ALONE_S / DIES * 1e6).round();
    let latency_us = (ALONE_S * 1e6).round() - busy_us;
    let times = format!("read-time=\"{busy_us} us\" write-time=\"{busy_us} us\"");
    [times, format!("ops=\"{} /s\"", (DIES / ALONE_S).round())].map(|limit| {
        format!(
            "path {{ host \"h\" {{
                ssd \"d\" count=2 size=\"1 GiB\" {limit} latency=\"{latency_us} us\" \
                    contention={contention:?}
             }} }}
             layout {{ stripe \"md\" unit=\"4 KiB\" over=\"h.d\" }}
             workload {{ streams \"app\" block=\"4 KiB\" pattern=\"random\" {load} }}"
        )
    })
}

/// What the streams do in two seconds with each of the drives.
fn windows(contention: f64, load: &str) -> [Window; 2] {
    drives(contention, load).map(|text| window(&run(&text, 2), "app"))
}

#[test]
fn a_drive_of_dies_meets_mean_value_analysis() {
    for op in ["read", "write"] {
        for depth in [1_u32, 2, 4, 8, 32, 128] {
            let load = format!("over=\"h.d[0]\" op=\"{op}\" depth={depth}");
            let dies = vec![ALONE_S / DIES; DIES as usize];
            for found in windows(1.0, &load) {
                assert_near(found.per_sec(), mva(&dies, depth), 0.01);
                assert_near(found.in_flight(), f64::from(depth), 1e-6);
            }
        }
    }
}

#[test]
fn a_share_of_each_request_in_flight_is_added_until_the_drive_is_full() {
    let busy = ALONE_S / DIES;
    for (contention, depth) in [(0.0, 4), (0.25, 4), (0.5, 4), (0.5, 8), (0.5, 64)] {
        let load = format!("over=\"h.d[0]\" op=\"read\" depth={depth}");
        let depth = f64::from(depth);
        let law = (ALONE_S + contention * busy * (depth - 1.0)).max(depth * busy);
        for found in windows(contention, &load) {
            assert_near(found.latency(Latency::Total).0, law, 0.01);
        }
    }
}

#[test]
fn open_arrivals_wait_for_those_in_flight() {
    // At half the rate s / (1 - 1/2), of 100,000 requests; several in flight at a time depend on
    // each other, so the mean is within 3 %.
    let load = "over=\"h.d[0]\" op=\"read\" rate=\"50000 /s\" arrivals=\"poisson\" depth=1000000";
    for found in windows(1.0, load) {
        assert_near(found.latency(Latency::Total).0, 2.0 * ALONE_S, 0.03);
    }
}

#[test]
fn limits_of_their_own_do_not_hold_each_other_back() {
    // Reads and writes have 100,000 a second each: a little contention takes a little.
    let load = "over=\"h.d[0]\" op=\"mix\" reads=0.5 depth=64";
    let [_, both] = drives(0.01, load);
    let text = both.replace("ops=\"100000 /s\"", "read-ops=\"100000 /s\" write-ops=\"100000 /s\"");
    assert_ne!(text, both);
    let found = window(&run(&text, 2), "app").per_sec();
    assert!(found > 170_000.0, "{found}");
}

#[test]
fn bounds_are_never_below_and_near() {
    let loads = [
        ("over=\"h.d[0]\" op=\"read\"", 0.99),
        // Reads and writes come to the queue unevenly.
        ("over=\"h.d[0]\" op=\"mix\" reads=0.7", 0.95),
        // Two drives are not equally full at each moment, which no bound knows of.
        ("over=\"md\" op=\"read\"", 0.85),
    ];
    for (load, least) in loads {
        for (contention, depth) in [(0.5, 2), (0.5, 16), (1.0, 1), (1.0, 4), (1.0, 64)] {
            let [text, _] = drives(contention, &format!("{load} depth={depth}"));
            let case = case(&text);
            let bounds = evaluate(&case, &network(&case)).bounds;
            let closed = bounds.iter().find(|one| one.kind == BoundKind::ClosedLoop).unwrap();
            let bound = closed.operations_milli_per_sec as f64 / 1e3;
            let found = window(&run(&text, 2), "app").per_sec();
            let share = found / bound;
            assert!((least..1.002).contains(&share), "{text}: {found} of {bound}");
        }
    }
}

#[test]
fn without_latency_a_contended_drive_is_a_queue() {
    // Not a bound of 0 where a request alone takes no time that bounds know of.
    let [_, text] = drives(1.0, "over=\"h.d[0]\" op=\"read\" depth=4");
    let text = text.replace("latency=\"70 us\"", "");
    let case = case(&text);
    let bounds = evaluate(&case, &network(&case)).bounds;
    for bound in bounds {
        assert_near(bound.operations_milli_per_sec as f64 / 1e3, 100_000.0, 1e-3);
    }
    assert_near(window(&run(&text, 2), "app").per_sec(), 100_000.0, 0.01);
}
