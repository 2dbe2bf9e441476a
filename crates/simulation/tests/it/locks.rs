//! Locks of files that pass from one stream to another: simulations and bounds against closed
//! forms.

use iopath_analytic::evaluate;

use super::model::{assert_near, case, network, run, window};

const MIB: f64 = 1_048_576.0;

/// A host of two processors, on which a lock that is revoked takes 10 ms of one, and files.
fn study(file_system: &str, revoke: &str, streams: &str) -> String {
    format!(
        r#"path {{ host "h" cpus=2 {{
            nvme "d" count=8 read="9 GB/s" write="9 GB/s" latency="20 us" size="1 TB"
            cost use="free"
        }} }}
        layout {{
            stripe "v" unit="1 MiB" over="h.d"
            filesystem "fs" on="v" block="1 MiB" {file_system} {{ {revoke} }}
            file "f" count=8 on="fs" size="256 MiB"
        }}
        workload {{ {streams} }}"#
    )
}

const PRICE: &str = r#"cost revoke="10 ms""#;
const RANGES: &str = r#"lock="range""#;

fn pairs(block: &str, behind: &str, lag: &str) -> String {
    format!(
        "streams \"writer\" over=\"f\" op=\"write\" block=\"{block}\"
         streams \"reader\" over=\"f\" op=\"read\" block=\"{behind}\" behind=\"writer\" \
            lag=\"{lag}\""
    )
}

/// What the tightest bound and a simulation say of all streams, in bytes a second.
fn both(text: &str) -> [f64; 2] {
    let case = case(text);
    let bounds = evaluate(&case, &network(&case)).bounds;
    let bound = bounds.last().expect("something limits").bytes_per_sec as f64;
    let record = run(text, 4);
    let groups: std::collections::BTreeSet<&str> =
        case.streams.iter().map(|stream| stream.group.as_str()).collect();
    [bound, groups.iter().map(|group| window(&record, group).bytes_per_sec()).sum()]
}

fn assert_both(text: &str, wanted: f64) {
    for found in both(text) {
        assert_near(found, wanted, 0.03);
    }
}

#[test]
fn pairs_in_lockstep_share_the_processors_that_revoke_each_of_their_locks() {
    // Both sides have each MiB revoked before they move it.
    let rate = 2.0 / 0.010 * MIB;
    for (block, behind) in [("4 MiB", "4 MiB"), ("1 MiB", "4 MiB"), ("8 MiB", "2 MiB")] {
        assert_both(&study(RANGES, PRICE, &pairs(block, behind, "one record")), rate);
    }
}

#[test]
fn a_request_has_whole_locks_revoked_however_small_it_is() {
    // 256 KiB a side, and a lock of 1 MiB for each of them.
    let streams = pairs("256 KiB", "256 KiB", "one record");
    assert_both(&study(RANGES, PRICE, &streams), 2.0 / 0.010 * MIB / 4.0);
    // 1536 KiB begin in the middle of every other lock: two locks each.
    let streams = pairs("1536 KiB", "1536 KiB", "one record");
    assert_both(&study(RANGES, PRICE, &streams), 2.0 / 0.010 * MIB * 1.5 / 2.0);
}

#[test]
fn locks_are_as_large_as_their_unit_or_the_file() {
    let streams = pairs("4 MiB", "4 MiB", "one record");
    let unit = r#"lock="range" lock-unit="2 MiB""#;
    assert_both(&study(unit, PRICE, &streams), 2.0 / 0.010 * 2.0 * MIB);
    assert_both(&study(r#"lock="inode""#, PRICE, &streams), 2.0 / 0.010 * 4.0 * MIB);
}

#[test]
fn who_follows_freely_pays_as_much_and_bounds_leave_out_what_its_writer_takes_back() {
    let text = study(RANGES, PRICE, &pairs("4 MiB", "4 MiB", "follow"));
    let [bound, simulated] = both(&text);
    assert_near(simulated, 2.0 / 0.010 * MIB, 0.05);
    assert!(bound > simulated, "{bound} is no bound of {simulated}");
    let case = case(&text);
    let mechanisms = network(&case).mechanisms;
    assert!(mechanisms.iter().any(|one| one.kind == "lock-revoke" && one.decides));
}

#[test]
fn writers_that_jump_meet_locks_that_others_held() {
    // Three of four locks were held by one of the other three.
    let streams = "streams \"s\" over=\"f[0]\" count=4 op=\"write\" pattern=\"random\" \
         block=\"1 MiB\" region=\"shared\"";
    assert_both(&study(RANGES, PRICE, streams), 2.0 / 0.010 * MIB / 0.75);
}

#[test]
fn writers_of_one_file_pass_its_lock_around() {
    let streams = "streams \"s\" over=\"f\" count=2 op=\"write\" block=\"4 MiB\"";
    assert_both(&study(r#"lock="inode""#, PRICE, streams), 2.0 / 0.010 * 4.0 * MIB);
}

#[test]
fn who_shares_nothing_pays_nothing() {
    let free = |streams: &str| both(&study(RANGES, "", streams));
    for streams in [
        // A file for each.
        "streams \"s\" over=\"f\" op=\"write\" block=\"4 MiB\"",
        // Parts of their own.
        "streams \"s\" over=\"f[0]\" count=4 op=\"write\" region=\"own\" block=\"4 MiB\"",
        // Nobody writes.
        "streams \"s\" over=\"f[0]\" count=4 op=\"read\" region=\"shared\" block=\"4 MiB\"",
    ] {
        assert_eq!(both(&study(RANGES, PRICE, streams)), free(streams));
    }
}

#[test]
fn a_price_of_nothing_changes_nothing_and_neither_does_one_without_locks() {
    let streams = pairs("4 MiB", "4 MiB", "one record");
    let free = both(&study(RANGES, "", &streams));
    assert_eq!(both(&study(RANGES, r#"cost revoke="0 s""#, &streams)), free);
    assert_eq!(both(&study(r#"lock="none""#, PRICE, &streams)), free);
    assert_eq!(both(&study("", PRICE, &streams)), free);
}

#[test]
fn the_price_may_stand_in_the_host() {
    let streams = pairs("4 MiB", "4 MiB", "one record");
    let text = study(RANGES, "", &streams);
    let text = text.replace(r#"use="free""#, r#"use="free" revoke="10 ms""#);
    assert_both(&text, 2.0 / 0.010 * MIB);
}

#[test]
fn one_thread_has_locks_revoked_before_its_request_goes_out() {
    // 40 ms of locks and a moment on the devices, one side after the other.
    let streams = pairs("4 MiB", "4 MiB", "one record").replace("over=\"f\"", "over=\"f[0]\"");
    let [_, simulated] = both(&study(RANGES, PRICE, &streams));
    assert_near(simulated, 4.0 * MIB / 0.040, 0.03);
}

#[test]
fn what_is_written_first_is_revoked_by_who_reads_it_then() {
    let streams = "streams \"w\" over=\"f[0]\" op=\"write\" block=\"1 MiB\"
        streams \"r\" over=\"f[0]\" op=\"read\" block=\"1 MiB\" after=\"w\"";
    let of = |price: &str| {
        let text = study(RANGES, price, streams).replace("256 MiB", "64 GiB");
        window(&run(&text, 1), "r").bytes_per_sec()
    };
    assert_near(of(PRICE), MIB / 0.010, 0.05);
    assert!(of("") > 10.0 * of(PRICE));
}
