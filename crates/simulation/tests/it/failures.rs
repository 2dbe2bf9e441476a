//! Parts that fail while streams run: who waits for how long, what is left, nothing is lost.

use iopath_record::{Counter, Latency, Phase, Record};

use crate::model::{assert_near, run, window};

const MB: f64 = 1e6;

/// Two controllers, each with a disk of 100 MB/s, that the host reaches by an adapter each.
fn two(failures: &str) -> String {
    format!(
        r#"path {{
    host "h" {{ hba count=2 {{ port }} }}
    array "a" {{
        controller count=2 read="100 MB/s" {{ port; lun {{ disk stream="200 MB/s" }} }}
    }}
    wire from="h.hba.port" to="a.controller.port"
}}
workload time="60 s" {{
    streams "s" over="a.controller.lun" block="1 MB" depth=2
    {failures}
}}"#
    )
}

/// What all streams moved from one second to another, in bytes a second.
fn rate(record: &Record, from_s: u64, to_s: u64) -> f64 {
    let at = |seconds: u64| {
        let after = |at: &u64| *at >= seconds * 1_000_000_000;
        record.instants_ns.iter().position(after).expect("it lasts longer")
    };
    let (from, to) = (at(from_s), at(to_s));
    let streams = record.streams.iter().map(|stream| stream.entity);
    let grown = streams.map(|stream| {
        let counts = [Counter::ReadBytes, Counter::WriteBytes];
        let of = record.series.iter().filter(|one| one.entity == stream);
        let moved = of.filter(|one| counts.contains(&one.counter)).map(|one| {
            let values: Vec<u64> = one.values().collect();
            values[to] - values[from]
        });
        moved.sum::<u64>()
    });
    let seconds = (record.instants_ns[to] - record.instants_ns[from]) as f64 / 1e9;
    grown.sum::<u64>() as f64 / seconds
}

fn longest_s(record: &Record) -> f64 {
    let phases = record.streams.iter().flat_map(|stream| &stream.phases);
    let latency = phases.flat_map(|one| &one.latency).filter(|one| one.what == Latency::Total);
    latency.map(|one| one.histogram.max_ns).max().expect("something completed") as f64 / 1e9
}

/// Requests that were sent, and those that came home.
fn sent_and_done(record: &Record) -> (u64, u64) {
    let phases = || record.streams.iter().flat_map(|stream| &stream.phases);
    (phases().map(|one| one.submitted).sum(), phases().map(|one| one.completed).sum())
}

fn happened(record: &Record) -> Vec<(f64, &str)> {
    record.events.iter().map(|event| (event.at_ns as f64 / 1e9, event.what.as_str())).collect()
}

#[test]
fn a_partner_takes_over_after_the_failover_and_gives_back_after_the_failback() {
    let record = run(&two(r#"fail of="a.controller[0]" at="20 s" for="20 s" failback="3 s""#), 60);
    let name = "a.controller[0]";
    assert_eq!(
        happened(&record),
        [
            (20.0, &*format!("{name} fails")),
            (25.0, &*format!("requests avoid {name}")),
            (40.0, &*format!("{name} returns")),
            (43.0, &*format!("requests use {name} again")),
        ]
    );
    for (from, to, wanted) in [(5, 20, 200.0), (20, 25, 100.0), (26, 43, 100.0), (44, 60, 200.0)] {
        assert_near(rate(&record, from, to), wanted * MB, 0.03);
    }
    // What was on its way at the failure waits for the failover, then for its turn.
    assert_near(longest_s(&record), 5.0, 0.02);
    let (sent, done) = sent_and_done(&record);
    assert_eq!(sent, done);
}

#[test]
fn a_part_that_returns_before_the_failover_was_slow() {
    let record = run(&two(r#"fail of="a.controller[0]" at="20 s" for="2 s""#), 60);
    assert_eq!(record.events.len(), 2);
    assert_near(rate(&record, 23, 60), 200.0 * MB, 0.03);
    assert_near(longest_s(&record), 2.0, 0.02);
}

#[test]
fn without_another_way_requests_wait_until_it_is_used_again() {
    let one = two(r#"fail of="a.controller" at="20 s" for="10 s" failback="1 s""#);
    let record = run(&one, 60);
    assert_near(rate(&record, 5, 20), 200.0 * MB, 0.03);
    assert_eq!(rate(&record, 21, 30), 0.0);
    assert_near(rate(&record, 32, 60), 200.0 * MB, 0.03);
    assert_near(longest_s(&record), 11.0, 0.02);
    let (sent, done) = sent_and_done(&record);
    assert_eq!(sent, done);
}

#[test]
fn an_open_loop_catches_up_when_there_is_a_way_again() {
    let text = two(r#"fail of="a.controller" at="20 s" for="10 s" failover="1 s" failback="1 s""#)
        .replace("depth=2", r#"depth=4096 rate="50 /s""#);
    let record = run(&text, 60);
    let (sent, done) = sent_and_done(&record);
    assert_eq!(sent, done);
    // 50 requests a second from the beginning of the pass to its end.
    let end_s = record.streams[0].phases.iter().map(|one| one.to_ns).max().unwrap() as f64 / 1e9;
    assert!(done as f64 > 50.0 * (end_s - 1.0).min(60.0), "{done} in {end_s} s");
    assert_eq!(rate(&record, 22, 30), 0.0);
    assert!(rate(&record, 32, 40) > 50.0 * MB, "it catches up");
}

#[test]
fn failures_overlap() {
    let both = two(r#"fail of="a.controller[0]" at="10 s" for="30 s" failover="1 s" failback="1 s"
    fail of="h.hba[1]" at="20 s" for="10 s" failover="1 s" failback="1 s""#);
    let record = run(&both, 60);
    assert_near(rate(&record, 12, 20), 100.0 * MB, 0.03);
    // The controller that is left is reached by the adapter that has failed.
    assert_eq!(rate(&record, 22, 30), 0.0);
    assert_near(rate(&record, 33, 40), 100.0 * MB, 0.03);
    assert_near(rate(&record, 43, 60), 200.0 * MB, 0.03);
}

#[test]
fn a_volume_that_loses_a_disk_splits_its_requests_without_it() {
    let text = r#"path { host "h" { hba {
    raid "r" level=5 segment="64 KiB" { disk count=5 read-ops="100 /s" write-ops="100 /s" }
} } }
workload time="60 s" {
    streams "s" over="h..r" pattern="random" block="4 KiB" depth=64
    fail of="h.hba.r.disk[2]" at="20 s" failover="1 s"
}"#;
    let record = run(text, 60);
    assert_near(rate(&record, 5, 20), 500.0 * 4096.0, 0.05);
    // Of five reads one takes all four others: 8 / 5 for each, by four disks.
    assert_near(rate(&record, 25, 60), 400.0 / (8.0 / 5.0) * 4096.0, 0.05);
    let (sent, done) = sent_and_done(&record);
    assert_eq!(sent, done);
}

/// Four data disks, one for parity and a spare, each of 100 MB/s.
fn rebuilt(more: &str) -> String {
    format!(
        r#"path {{ host "h" {{ hba {{
    raid "r" level=5 segment="64 KiB" spares=1 {more} {{
        disk count=6 size="1 TB" read="100 MB/s" write="100 MB/s"
    }}
}} }} }}
workload time="40 s" {{
    streams "s" over="h..r" block="256 KiB" depth=8
    fail of="h.hba.r.disk[2]" at="10 s" failover="1 s"
}}"#
    )
}

#[test]
fn a_rebuild_takes_its_rate_of_every_member_that_is_left() {
    let without = run(&rebuilt(""), 40);
    assert_near(rate(&without, 15, 40), 400.0 * MB, 0.02);
    let with = run(&rebuilt(r#"rebuild="20 MB/s""#), 40);
    assert_near(rate(&with, 2, 10), rate(&without, 2, 10), 0.02);
    assert_near(rate(&with, 15, 40), 320.0 * MB, 0.03);
    let spare = with.entities.iter().position(|one| one.name == "h.hba.r.disk[5]");
    let spare = with
        .series
        .iter()
        .find(|one| Some(one.entity.0 as usize) == spare && one.counter == Counter::WriteBytes);
    let written = spare.expect("the spare is written").values().last().unwrap() as f64;
    // From 11 s to the end, 40 s after a warm-up of 2 s.
    assert_near(written, 20.0 * MB * 31.0, 0.03);
}

#[test]
fn a_cache_of_the_partner_goes_on_with_writes() {
    let text = two(r#"fail of="a.controller[1]" at="20 s""#)
        .replace("port; lun", r#"port; cache size="64 MiB" mirror=#true; lun"#)
        .replace("block=\"1 MB\"", "block=\"1 MB\" op=\"write\"");
    let record = run(&text, 60);
    let (sent, done) = sent_and_done(&record);
    assert_eq!(sent, done);
    assert!(window(&record, "s").bytes_per_sec() > 0.0);
    let drain = record.streams.iter().flat_map(|one| &one.phases);
    let drain: u64 = drain.filter(|one| one.phase == Phase::Drain).map(|one| one.completed).sum();
    assert!(drain <= 4, "no more than was in flight at the end");
}

#[test]
fn it_ends_where_nothing_is_left_from_the_beginning_on() {
    let record = run(&two(r#"fail of="h.hba" at="0.5 s""#), 20);
    let (sent, done) = sent_and_done(&record);
    assert!(done < sent, "{done} of {sent}");
    let last_s = record.instants_ns.last().copied().unwrap_or_default() as f64 / 1e9;
    assert!(last_s < 200.0, "{last_s} s");
}

#[test]
fn controllers_fail_again_and_again_under_reads_and_writes_and_it_ends() {
    let fails: String = (1..4)
        .map(|at| {
            let times = format!(r#"at="{at} s" for="200 ms" failover="50 ms" failback="50 ms""#);
            format!(r#"fail of="a.one" {times}"#) + "\n"
        })
        .collect();
    let text = |stream: &str| {
        let cache = r#"cache size="8 MiB" write="back" flush="never""#;
        format!(
            r#"path {{
    host "h" {{ hba {{ port count=2 read="100 MB/s" write="100 MB/s" latency="100 us" }} }}
    array "a" {{
        controller "one" {{
            port
            {cache}
            raid "v" level=5 segment="64 KiB" {{
                disk count=5 size="16 MB" stream="100 MB/s" position="1 ms"
            }}
        }}
        controller "two" {{ port; {cache} }}
    }}
    wire from="h.hba.port[0]" to="a.one.port"
    wire from="h.hba.port[1]" to="a.two.port"
}}
workload time="4 s" {{
    streams "s" over="a.one.v" pattern="random" block="4 KiB" {stream}
    {fails}
}}"#
        )
    };
    for stream in [
        r#"op="mix" reads=0.5 depth=4"#,
        r#"op="mix" reads=0.25 depth=16"#,
        r#"op="write" depth=16"#,
    ] {
        let record = run(&text(stream), 4);
        let (sent, done) = sent_and_done(&record);
        assert_eq!(sent, done, "{stream}");
        let calm = rate(&record, 0, 1);
        assert!(rate(&record, 3, 4) > calm / 4.0, "{stream}: {calm}");
    }
}
