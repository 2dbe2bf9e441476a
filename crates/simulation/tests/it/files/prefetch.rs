//! Threads that read ahead and write behind for all.

use super::study::{near, simulate};

const SLOW: &str = r#"host "h" cpus=8 { ssd "d" latency="10 ms" }"#;
const MIB: f64 = 1_048_576.0;

fn total(inside: &str, streams: &str) -> f64 {
    let layout = format!(
        r#"filesystem "fs" on="h.d" block="1 MiB" cache="buffered" {{ {inside} }}
file "f" count=4 on="fs" size="1 GiB""#
    );
    simulate(SLOW, &layout, streams).total()
}

#[test]
fn no_more_blocks_are_under_way_than_there_are_threads() {
    for (threads, over) in [(1, "f[0]"), (6, "f[0]"), (6, "f")] {
        let inside = format!("prefetch threads={threads}");
        for op in ["read", "write"] {
            let streams = format!("streams \"s\" over=\"{over}\" op=\"{op}\" block=\"256 KiB\"");
            near(total(&inside, &streams), f64::from(threads) * MIB / 10e-3, 0.03);
        }
    }
}

#[test]
fn a_reader_has_no_more_ahead_than_the_pool_has_room_for() {
    let streams = r#"streams "s" over="f[0]" block="1 MiB""#;
    // The block that it waits for comes on top.
    let got = total("prefetch threads=64\npool size=\"3 MiB\"", streams);
    near(got, 4.0 * MIB / 10e-3, 0.03);
}

#[test]
fn a_rate_cap_holds_the_threads_back() {
    let inside = "prefetch threads=64 rate-cap=\"200 MB/s\"";
    near(total(inside, r#"streams "s" over="f" block="1 MiB""#), 200e6, 0.02);
}

#[test]
fn copies_are_spread_over_the_processors_where_there_are_such_threads() {
    let streams = r#"streams "s" over="f[0]" block="1 MiB" hit=1.0"#;
    let copy = "cost copy=\"100 MB/s\"";
    near(total(copy, streams), 100e6, 0.01);
    near(total(&format!("prefetch threads=8\n{copy}"), streams), 800e6, 0.01);
}
