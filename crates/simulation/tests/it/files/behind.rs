//! Buffered writes: copied, written behind, committed in groups, by records.

use super::study::{near, simulate};

const HOST: &str = r#"host "h" cpus=8 memory="1 GiB" { ssd "d" both="100 MB/s" }"#;

fn file_system(says: &str, inside: &str) -> String {
    format!(
        r#"filesystem "fs" on="h.d" cache="buffered" {says} {{ {inside} }}
file "f" count=2 on="fs" size="8 GiB""#
    )
}

#[test]
fn writes_are_copied_as_long_as_the_volume_keeps_up_and_then_go_at_its_rate() {
    let of = |copy: &str| {
        let layout = file_system("", &format!("cost copy=\"{copy}\""));
        simulate(HOST, &layout, r#"streams "w" over="f[0]" op="write" block="64 KiB""#).total()
    };
    near(of("50 MB/s"), 50e6, 0.01);
    near(of("1 GB/s"), 100e6, 0.01);
}

#[test]
fn small_writes_in_sequence_reach_the_volume_put_together() {
    let host = HOST.replace("both=\"100 MB/s\"", "ops=\"100 /s\"");
    let of = |pattern: &str| {
        let layout = file_system("", "cost copy=\"1 GB/s\"");
        let streams =
            format!("streams \"w\" over=\"f[0]\" op=\"write\" block=\"64 KiB\" pattern={pattern}");
        simulate(&host, &layout, &streams).total()
    };
    near(of(r#""sequential""#), 100.0 * 1_048_576.0, 0.02);
    near(of(r#""random""#), 100.0 * 65_536.0, 0.05);
}

#[test]
fn a_rewrite_of_part_of_a_record_reads_it_first() {
    for (readahead, most) in [("", 50e6), ("readahead unit=\"128 KiB\" streams=8", 50e6)] {
        let inside = format!("{readahead}\ncost copy=\"1 GB/s\"");
        let of = |block: &str| {
            let streams = format!(
                r#"streams "w" over="f[0]" op="write" block="{block}"
streams "r" over="f[0]" op="write" block="{block}" after="w""#
            );
            simulate(HOST, &file_system("record=\"128 KiB\"", &inside), &streams).rates
        };
        let (whole, half) = (of("128 KiB"), of("64 KiB"));
        near(whole[0], 100e6, 0.02);
        near(whole[1], 100e6, 0.02);
        near(half[0], 100e6, 0.02);
        // Each byte is read once and written once.
        near(half[1], most, 0.05);
    }
}

/// A slow device behind a cache that flushes as it is told.
fn array(flush: &str) -> String {
    format!(
        r#"host "h" cpus=8 memory="1 GiB" {{ hba {{ array {{ controller {{
    cache size="256 MiB" write="back" flush="{flush}"
    lun level=0 {{ ssd latency="20 ms" write="1 GB/s" }}
}} }} }} }}"#
    )
}

#[test]
fn each_flush_of_a_commit_stalls_and_none_does_behind_a_battery() {
    let of = |flush: &str, commit: &str| {
        let layout = format!(
            r#"filesystem "fs" on="h..lun" cache="buffered" {{
    commit interval="500 ms" dirty="2 MiB" {commit}
    cost copy="1 GB/s"
}}
file "f" on="fs" size="8 GiB""#
        );
        let streams = r#"streams "w" over="f" op="write" block="128 KiB""#;
        simulate(&array(flush), &layout, streams).total()
    };
    let never = of("never", "flushes=2");
    near(of("on-sync", ""), never, 0.02);
    let stalled = of("on-sync", "flushes=2");
    // A group is no more than may be dirty, and on the device only after its delay.
    assert!(stalled < 2.0 * 1_048_576.0 / 20e-3, "{stalled} beside {never}");
    assert!(never > 4.0 * stalled, "{stalled} beside {never}");
    // What grows files is flushed once more; behind a battery that makes no difference either.
    near(of("never", "flushes=2 growth-flushes=4"), never, 0.02);
}

#[test]
fn a_cache_that_keeps_what_it_may_has_all_of_a_group_to_write_when_it_is_flushed() {
    let of = |levels: &str, flushes: u32| {
        let host = format!(
            r#"host "h" cpus=8 memory="1 GiB" {{ hba both="100 MB/s" {{ array {{ controller {{
    cache size="256 MiB" write="back" flush="on-sync" {levels}
    lun level=0 {{ ssd write="200 MB/s" }}
}} }} }} }}"#
        );
        let layout = format!(
            r#"filesystem "fs" on="h..lun" cache="buffered" {{
    commit interval="60 s" dirty="16 MiB" flushes={flushes}
    cost copy="1 GB/s"
}}
file "f" on="fs" size="8 GiB""#
        );
        simulate(&host, &layout, r#"streams "w" over="f" op="write" block="128 KiB""#).total()
    };
    let levels = r#"flush-start="80 %" flush-stop="80 %""#;
    // Where nothing is said the device writes while the group comes.
    near(of("", 1), 100e6, 0.1);
    // Else first the way takes all of it, then the device.
    near(of(levels, 1), 1.0 / (1.0 / 100e6 + 1.0 / 200e6), 0.02);
    near(of(levels, 2), of(levels, 1), 0.01);
    // Nobody waits for what lasts, and what nobody flushes goes when so much is dirty.
    near(of(levels, 0), 100e6, 0.02);
}

#[test]
fn each_flush_takes_its_time_and_groups_of_growing_files_have_more_of_them() {
    let of = |flush: &str| {
        let host = format!(
            r#"host "h" cpus=8 memory="1 GiB" {{ hba both="100 MB/s" {{ array {{ controller {{
    cache size="256 MiB" write="back" flush="{flush}" flush-time="5 ms"
    lun level=0 {{ ssd write="2 GB/s" }}
}} }} }} }}"#
        );
        let layout = r#"filesystem "fs" on="h..lun" cache="buffered" {
    commit interval="60 s" dirty="4 MiB" flushes=2 growth-flushes=3
    cost copy="1 GB/s"
}
file "f" on="fs" size="8 GiB""#;
        let streams = r#"streams "w" over="f" op="write" block="128 KiB"
streams "r" over="f" op="write" block="128 KiB" after="w""#;
        simulate(&host, layout, streams).rates
    };
    // Half of what may be dirty is a group.
    let group = 2.0 * 1_048_576.0;
    let expected = |flushes: f64| group / (group / 100e6 + flushes * 0.005);
    let stalled = of("on-sync");
    near(stalled[0], expected(5.0), 0.02);
    near(stalled[1], expected(2.0), 0.02);
    let never = of("never");
    near(never[0], 100e6, 0.02);
    near(never[1], 100e6, 0.02);
}

#[test]
fn a_group_leaves_room_for_the_next_one_while_it_is_written() {
    let layout =
        file_system("", "commit interval=\"60 s\" dirty=\"64 MiB\"\ncost copy=\"150 MB/s\"");
    let streams = r#"streams "w" over="f[0]" op="write" block="128 KiB""#;
    near(simulate(HOST, &layout, streams).total(), 100e6, 0.02);
}
