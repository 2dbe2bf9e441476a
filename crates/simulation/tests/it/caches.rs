//! Caches of controllers: what they serve, read ahead, hold back and bring to the media.

use iopath_record::Latency;

use crate::model::{assert_near, run, window};

const MB: f64 = 1e6;
const KIB: f64 = 1024.0;

/// One host, one array with one controller, a cache of these properties and a volume.
fn study(cache: &str, volume: &str, streams: &str) -> String {
    format!(
        r#"path {{
    host "h" {{ hba {{ port }} }}
    array "a" {{ controller {{ port; cache {cache}; {volume} }} }}
    wire from="h.hba.port" to="a.controller.port"
}}
workload {{ streams "s" over="a.controller.v" {streams} }}"#
    )
}

/// A disk that passes 50 MB/s and reaches any place in 5 ms, however many wait.
const DISK: &str = r#"disk size="10 GB" stream=(given)"50 MB/s" position=(given)"5 ms" \
    position-queued=(given)"5 ms" variability=0.0001"#;

fn lone_disk() -> String {
    format!(r#"lun "v" level=0 segment="1 MiB" {{ {DISK} }}"#)
}

fn rate(text: &str) -> f64 {
    window(&run(text, 20), "s").bytes_per_sec()
}

fn per_sec(text: &str) -> f64 {
    window(&run(text, 20), "s").per_sec()
}

#[test]
fn what_a_stream_calls_a_hit_costs_no_disk() {
    let miss = 0.005 + 64.0 * KIB / (50.0 * MB);
    for hit in [0.0, 0.5, 0.9] {
        let streams = format!(r#"op="read" pattern="random" block="64 KiB" hit={hit:.1}"#);
        let found = per_sec(&study("", &lone_disk(), &streams));
        assert_near(found, 1.0 / (miss * (1.0 - hit)), 0.03);
    }
}

#[test]
fn hits_of_a_direct_file_are_those_of_the_cache_below_it() {
    let miss = 0.005 + 64.0 * KIB / (50.0 * MB);
    for (hit, of) in [(0.0, 1.0), (0.9, 10.0)] {
        let streams = format!(r#"op="read" pattern="random" block="64 KiB" hit={hit:.1}"#);
        let text = study("", &lone_disk(), &streams)
            .replace("workload {", &format!("layout {{ {DIRECT} }}\nworkload {{"))
            .replace("a.controller.v\" op", "f\" op");
        assert_near(per_sec(&text), of / miss, 0.03);
    }
}

const DIRECT: &str = r#"filesystem "fs" on="a.controller.v" block="64 KiB" cache="direct"
    file "f" on="fs" size="8 GB""#;

#[test]
fn what_is_read_ahead_of_a_follower_is_written_again_before_it_is_read() {
    // Of each record: in, to the media and out; what is read ahead comes from the media for
    // nothing, since the writer has not been there. Reads themselves are served.
    let of = |cache: &str| {
        let text = format!(
            r#"path {{
    host "h" {{ hba {{ port }} }}
    array "a" {{ controller {{
        port; cache size="64 MiB" write="back" both="100 MB/s" {cache}
        lun "v" count=8 {{ ssd both="1 GB/s" size="10 GB" }}
    }} }}
    wire from="h.hba.port" to="a.controller.port"
}}
workload {{
    streams "w" over="a..v" op="write" block="64 KiB"
    streams "r" over="a..v" op="read" block="64 KiB" behind="w" lag="one record"
}}"#
        );
        let record = run(&text, 20);
        ["w", "r"].map(|group| window(&record, group).bytes_per_sec())
    };
    for (cache, crossings) in [("", 3.0), ("read-ahead=#true", 4.0)] {
        let [written, read] = of(cache);
        assert_near(written, 100.0 / crossings * MB, 0.02);
        assert_near(read, written, 0.01);
    }
}

#[test]
fn what_goes_on_below_a_cache_crosses_its_memory_again() {
    let fast = r#"lun "v" level=0 { ssd both="1 GB/s" }"#;
    let of = |cache: &str, streams: &str| {
        let cache = format!(r#"size="64 MiB" write="back" both="100 MB/s" {cache}"#);
        rate(&study(&cache, fast, &format!(r#"{streams} block="64 KiB" depth=8"#)))
    };
    assert_near(of("", r#"op="read" hit=1.0"#), 100.0 * MB, 0.01);
    assert_near(of("", r#"op="read" pattern="random""#), 50.0 * MB, 0.02);
    assert_near(of("", r#"op="write""#), 50.0 * MB, 0.02);
    assert_near(of("", r#"op="write" hit=1.0"#), 100.0 * MB, 0.01);
}

#[test]
fn the_memory_of_mirrored_caches_takes_three_crossings_of_each_write() {
    let of = |mirror: bool| {
        rate(&format!(
            r#"path {{
    host "h" {{ hba {{ port count=2 }} }}
    array "a" both="10 GB/s" {{ controller count=2 {{
        port
        cache size="128 MiB" write="back" mirror=#{mirror} both="90 MB/s"
        lun level=0 {{ ssd both="1 GB/s" }}
    }} }}
    wire from="h.hba.port" to="a.controller.port"
}}
layout {{ stripe "v" unit="64 KiB" over="a..lun" }}
workload {{ streams "s" over="v" op="write" block="64 KiB" depth=16 }}"#
        ))
    };
    assert_near(of(false), 2.0 * 90.0 / 2.0 * MB, 0.03);
    assert_near(of(true), 2.0 * 90.0 / 3.0 * MB, 0.03);
}

#[test]
fn of_many_readers_of_one_region_the_first_reaches_the_disk() {
    let streams = |count| format!(r#"count={count} op="read" block="256 KiB" region="shared""#);
    let cache = r#"size="64 MiB" read-ahead=#true"#;
    let one = rate(&study(cache, &lone_disk(), &streams(1)));
    assert_near(one, 50.0 * MB, 0.02);
    let many = rate(&study(cache, &lone_disk(), &streams(16)));
    assert_near(many, 16.0 * one, 0.03);
}

#[test]
fn a_region_is_served_as_far_as_it_fits() {
    let miss = 0.005 + 64.0 * KIB / (50.0 * MB);
    // As much again as the cache holds; in the end each page is there half of the time.
    let cache = |size: &str| format!(r#"size="{size}""#);
    let volume = lone_disk().replace("10 GB", "64 MiB");
    let streams = r#"op="read" pattern="random" block="64 KiB""#;
    let half = per_sec(&study(&cache("32 MiB"), &volume, streams));
    assert_near(half, 2.0 / miss, 0.05);
    let eighth = per_sec(&study(&cache("8 MiB"), &volume, streams));
    assert_near(eighth, 8.0 / 7.0 / miss, 0.03);
}

#[test]
fn reading_ahead_hides_the_disk_from_one_request_at_a_time() {
    // The way carries 50 MB/s, too: without reading ahead one waits for the other.
    let way = |cache: &str| {
        study(cache, &lone_disk(), r#"op="read" block="64 KiB""#)
            .replace("hba { port }", r#"hba { port read=(given)"50 MB/s" }"#)
    };
    let piece = 4.0 * KIB / (50.0 * MB);
    let through = 2.0 * 64.0 * KIB / (50.0 * MB);
    assert_near(rate(&way("")), 64.0 * KIB / through, piece / through);
    assert_near(rate(&way("read-ahead=#true")), 50.0 * MB, 0.01);
}

#[test]
fn a_volume_goes_before_the_cache_in_what_it_sets() {
    let set = |own: &str| lone_disk().replace("level=0", &format!("level=0 {own}"));
    let streams = r#"op="write" pattern="random" block="4 KiB" rate="50 /s""#;
    let latency = |cache: &str, own: &str| {
        let record = run(&study(cache, &set(own), streams), 20);
        window(&record, "s").latency(Latency::Total).0
    };
    assert!(latency(r#"write="back""#, r#"write-cache="through""#) > 0.005);
    assert!(latency(r#"write="through""#, r#"write-cache="back""#) < 1e-6);
    let way = |cache: &str, own: &str| {
        study(cache, &set(own), r#"op="read" block="64 KiB""#)
            .replace("hba { port }", r#"hba { port read=(given)"50 MB/s" }"#)
    };
    assert_near(rate(&way("", "read-ahead=#true")), 50.0 * MB, 0.01);
    assert_near(rate(&way("read-ahead=#true", "read-ahead=#false")), 25.0 * MB, 0.05);
}

#[test]
fn interleaved_readers_seek_less_the_more_is_read_ahead() {
    for mebibytes in [2, 4, 16] {
        let cache = format!(r#"read-ahead=#true read-ahead-size="{mebibytes} MiB""#);
        let streams = r#"count=16 op="read" block="256 KiB""#;
        let found = rate(&study(&cache, &lone_disk(), streams));
        // The media are never ahead here, so both pieces are asked for one behind the other.
        let both = f64::from(mebibytes) * KIB * KIB;
        let wanted = both / (0.005 + both / (50.0 * MB));
        assert_near(found, wanted, 0.05);
    }
}

/// A stripe of so many disks, or one with parity.
fn disks(level: u32, count: u32) -> String {
    format!(r#"raid "v" level={level} segment="64 KiB" {{ {} }}"#, many(count))
}

fn many(count: u32) -> String {
    DISK.replacen("disk ", &format!("disk count={count} "), 1)
}

#[test]
fn what_lasts_is_written_as_fast_as_the_disks_take_it() {
    for size in ["128 MiB", "2 GiB"] {
        let cache = format!(r#"size="{size}" write="back""#);
        let streams = r#"count=4 op="write" block="64 KiB""#;
        let found = rate(&study(&cache, &disks(0, 4), streams));
        assert!(found > 0.8 * 200.0 * MB && found < 1.04 * 200.0 * MB, "{size}: {found}");
    }
}

#[test]
fn a_light_load_is_answered_before_it_is_below() {
    let streams = r#"op="write" pattern="random" block="4 KiB" rate="50 /s""#;
    let latency = |cache: &str| {
        let record = run(&study(cache, &lone_disk(), streams), 20);
        window(&record, "s").latency(Latency::Total).0
    };
    assert!(latency(r#"write="back""#) < 1e-6);
    assert!(latency(r#"write="through""#) > 0.005);
    assert!(latency(r#"write="off""#) > 0.005);
}

#[test]
fn whole_stripes_cost_one_more_and_small_writes_four() {
    let small = r#"depth=64 op="write" pattern="random" block="4 KiB""#;
    let each = 0.005 + 4.0 * KIB / (50.0 * MB);
    let cache = r#"size="64 MiB" write="back""#;
    assert_near(per_sec(&study(cache, &disks(0, 5), small)), 5.0 / each, 0.06);
    assert_near(per_sec(&study(cache, &disks(5, 5), small)), 5.0 / 4.0 / each, 0.08);
    // Four of the five disks take data: 4 KiB at a time, in sequence, they leave as whole stripes.
    let gathered = r#"op="write" block="4 KiB" depth=4"#;
    let found = rate(&study(cache, &disks(5, 5), gathered));
    assert_near(found, 4.0 * 50.0 * MB, 0.05);
}

#[test]
fn a_mirrored_cache_is_as_fast_as_the_way_of_the_copy() {
    let text = |mirror: bool| {
        format!(
            r#"path {{
    host "h" {{ hba {{ port write=(given)"200 MB/s" }} }}
    array "a" read=(given)"80 MB/s" write=(given)"80 MB/s" {{
        controller count=2 {{ port; cache write="back" mirror=#{mirror}; lun "v" }}
    }}
    wire from="h.hba.port" to="a.controller[0].port"
}}
workload {{ streams "s" over="a.controller[0].v" op="write" block="64 KiB" depth=8 }}"#
        )
    };
    assert_near(rate(&text(false)), 200.0 * MB, 0.01);
    assert_near(rate(&text(true)), 80.0 * MB, 0.01);
}

#[test]
fn a_write_that_waits_gets_the_room_of_a_volume_that_is_seldom_written() {
    let text = r#"path {
    host "h" { hba { port } }
    array "a" { controller {
        port
        cache size="1 MiB" write="back" flush-age="1 h"
        lun count=2 level=0 { ssd both="100 MB/s" }
    } }
    wire from="h.hba.port" to="a.controller.port"
}
workload {
    streams "s" over="a.controller.lun[0]" op="write" block="2 MiB" depth=2
    streams "rare" over="a.controller.lun[1]" op="write" block="2 MiB" rate="1 /s"
}"#;
    assert_near(rate(text), 100.0 * MB, 0.05);
}

#[test]
fn mirrored_controllers_write_what_each_is_rated_for() {
    let text = r#"path {
    host "h" { hba { port count=2 } }
    array "a" { controller count=2 write=(rated)"100 MB/s" {
        port
        cache size="128 MiB" write="back" mirror=#true
        lun level=0 { ssd both="1 GB/s" }
    } }
    wire from="h.hba.port" to="a.controller.port"
}
layout { stripe "v" unit="64 KiB" over="a..lun" }
workload { streams "s" over="v" op="write" block="64 KiB" depth=16 }"#;
    assert_near(rate(text), 200.0 * MB, 0.01);
}

#[test]
fn a_small_cache_over_a_large_one_saves_the_disk_nothing() {
    // The lower one holds what the upper one has just got from it, too (Wong, Wilkes: My cache or
    // yours? Making storage more exclusive, USENIX 2002).
    let text = format!(
        r#"path {{
    host "h" {{ hba {{ port }} }}
    switch "f"
    array "n" {{ controller {{ port; cache size="8 MiB" }} }}
    array "a" {{ controller {{ port; cache size="32 MiB"; {} }} }}
    wire from="h.hba.port" to="f"
    wire from="n.controller.port" to="f"
    wire from="a.controller.port" to="f"
}}
layout {{ stripe "upper" at="n.controller" unit="1 MiB" over="a.controller.v" }}
workload {{ streams "s" on="h" over="upper" op="read" pattern="random" block="64 KiB" }}"#,
        lone_disk().replace("10 GB", "64 MiB")
    );
    let miss = 0.005 + 64.0 * KIB / (50.0 * MB);
    assert_near(per_sec(&text), 2.0 / miss, 0.05);
}

/// Warnings that what is read ahead outgrows the cache, of so many readers.
fn outgrown(readers: u32) -> usize {
    let streams = format!(r#"count={readers} block="1 MiB" pattern="sequential""#);
    let text = study(r#"size="64 MiB" read-ahead=#true"#, &lone_disk(), &streams);
    let warnings = run(&text, 20).warnings;
    warnings.iter().filter(|one| one.kind == "read-ahead-outgrows-cache").count()
}

#[test]
fn a_cache_that_is_too_small_for_what_it_reads_ahead_is_told() {
    // Eight requests of 1 MiB ahead of each reader, in half of 64 MiB.
    assert_eq!([2, 4, 5, 16].map(outgrown), [0, 0, 1, 1]);
}

/// Twenty readers of a stripe over volumes behind one cache.
fn behind_one_cache(volumes: u32, ahead: bool) -> f64 {
    let text = format!(
        r#"path {{
    host "h" {{ hba {{ port }} }}
    array "a" {{ controller {{
        port; cache size="256 MiB" read-ahead=#{ahead}
        raid "v" count={volumes} level=5 segment="64 KiB" {{
            disk count=5 size="1 TB" stream="200 MB/s" position="8 ms"
        }}
    }} }}
    wire from="h.hba.port" to="a.controller.port"
}}
layout {{ stripe "t" unit="256 KiB" over="a..v" }}
workload {{ streams "s" count=20 over="t" block="1 MiB" }}"#
    );
    rate(&text)
}

#[test]
fn reading_ahead_stays_within_the_cache_so_that_it_makes_nothing_slower() {
    // With sixteen volumes there are 320 runs, of which 128 MiB keep 400 KiB each.
    for volumes in [1, 4, 16] {
        let [with, without] = [true, false].map(|ahead| behind_one_cache(volumes, ahead));
        assert!(with > without, "{volumes} volumes: {with} with, {without} without");
    }
}
