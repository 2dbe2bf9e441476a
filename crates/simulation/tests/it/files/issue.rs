//! What threads spend on requests, and how requests of direct file systems go out.

use super::study::{near, simulate};

/// Four devices that take 10 ms for whatever is asked of them.
const HOST: &str = r#"host "h" cpus=8 { ssd "d" count=4 latency="10 ms" }"#;
const MIB: f64 = 1_048_576.0;

fn file_system(says: &str, inside: &str) -> String {
    format!(
        r#"stripe "v" unit="1 MiB" largest-request="1 MiB" over="h.d"
filesystem "fs" on="v" block="1 MiB" {says} {{ {inside} }}
file "f" count=8 on="fs" size="64 MiB""#
    )
}

#[test]
fn a_thread_prepares_all_and_then_hands_over_part_by_part() {
    let costs = r#"cost prepare="1 GB/s" part="100 us" request="50 us""#;
    let host = HOST.replace("{ ssd", &format!("{{ {costs}\nssd"));
    for (over, parts) in [("f[0]", 8.0), ("v", 8.0), ("h.d[0]", 1.0)] {
        let streams = format!("streams \"s\" over=\"{over}\" block=\"8 MiB\" region=\"shared\"");
        let got = simulate(&host, &file_system("", ""), &streams).total();
        let seconds = 50e-6 + 8.0 * MIB / 1e9 + parts * 100e-6 + 10e-3;
        near(got, 8.0 * MIB / seconds, 0.01);
    }
}

#[test]
fn a_stream_has_one_thread_whatever_its_depth() {
    let costs = r#"cost prepare="100 MB/s""#;
    let host = HOST.replace("{ ssd", &format!("{{ {costs}\nssd"));
    let of = |streams: &str| simulate(&host, &file_system("", ""), streams).total();
    near(of(r#"streams "s" over="f[0]" block="1 MiB" depth=16"#), 100e6, 0.02);
    near(of(r#"streams "s" over="f" block="1 MiB" depth=16"#), 800e6, 0.02);
    // There are eight processors.
    let twice = r#"streams "s" over="f" count=2 block="1 MiB" depth=16"#;
    near(of(twice), 800e6, 0.02);
}

#[test]
fn pages_that_are_not_pinned_cost_their_thread_time() {
    let inside = r#"cost pin="100 MB/s""#;
    let of = |buffers: &str| {
        let streams = format!("{buffers} streams \"s\" over=\"f[0]\" block=\"1 MiB\"");
        simulate(HOST, &file_system("", inside), &streams).total()
    };
    near(of(""), MIB / (10e-3 + MIB / 100e6), 0.01);
    let pinned = format!("{inside}\nissue pinned=#true");
    let got = simulate(HOST, &file_system("", &pinned), r#"streams "s" over="f[0]" block="1 MiB""#);
    near(got.total(), MIB / 10e-3, 0.01);
}

#[test]
fn blocks_of_serial_requests_wait_for_one_another_so_they_need_many_threads() {
    let of = |mode: &str, over: &str| {
        let inside = format!("issue mode=\"{mode}\"");
        let streams = format!("streams \"s\" over=\"{over}\" block=\"8 MiB\"");
        simulate(HOST, &file_system("", &inside), &streams).total()
    };
    near(of("parallel", "f[0]"), 8.0 * MIB / 10e-3, 0.01);
    near(of("serial", "f[0]"), MIB / 10e-3, 0.01);
    near(of("serial", "f"), 8.0 * MIB / 10e-3, 0.02);
}

#[test]
fn the_lock_of_a_file_lets_one_writer_in_and_all_readers() {
    let of = |lock: &str, op: &str, over: &str| {
        let says = format!("lock=\"{lock}\"");
        let streams = format!("streams \"s\" over=\"{over}\" count=4 op=\"{op}\" block=\"1 MiB\"");
        simulate(HOST, &file_system(&says, ""), &streams).total() / (MIB / 10e-3)
    };
    near(of("inode", "write", "f[0]"), 1.0, 0.01);
    near(of("inode", "write", "f"), 8.0, 0.02);
    near(of("inode", "read", "f[0]"), 4.0, 0.01);
    near(of("none", "write", "f[0]"), 4.0, 0.01);
}
