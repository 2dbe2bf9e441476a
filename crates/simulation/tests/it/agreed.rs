//! Small cases with a closed form: the bound says it, and the simulation comes to it.

use iopath_analysis::{analyse, audit, note_bound, predict};
use iopath_analytic::evaluate;
use iopath_record::Record;
use iopath_simulation::{Settings, simulate};

use crate::model::{assert_near, case, lasting, network};

/// What a study carries by its bound, and by its simulation.
fn both(text: &str) -> (Record, Record) {
    let case = case(text);
    let network = network(&case);
    let bound = evaluate(&case, &network);
    let mut simulated = simulate(&case, &network, &lasting(2));
    note_bound(&mut simulated, &bound);
    (bound, simulated)
}

#[track_caller]
fn agree(text: &str, bytes_per_sec: f64) -> Record {
    let (bound, simulated) = both(text);
    assert_near(predict(&bound).throughput_bytes_per_sec, bytes_per_sec, 0.005);
    assert_near(predict(&simulated).throughput_bytes_per_sec, bytes_per_sec, 0.02);
    let laws = audit(&simulated);
    let broken: Vec<_> = laws.iter().filter(|law| !law.holds).collect();
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(laws.iter().any(|law| law.law.name() == "bound"));
    simulated
}

/// The component that a trial is limited by.
fn limit(simulated: Record) -> Option<String> {
    analyse(&[simulated]).expect("a record").limit.entity
}

/// A file system whose records are 16 times as large as requests, over a device of 200 MB/s.
fn in_records(cache: &str, stream: &str) -> String {
    format!(
        r#"path {{ host "h" cpus=8 {{ ssd "d" both="200 MB/s" size="1 TB" }} }}
layout {{
    filesystem "fs" on="h.d" record="128 KiB" cache="{cache}"
    file "f" on="fs" size="200 GB"
}}
workload {{ streams "s" over="f" block="8 KiB" depth=4 {stream} }}"#
    )
}

#[test]
fn a_record_is_read_as_a_whole() {
    for cache in ["direct", "buffered"] {
        agree(&in_records(cache, r#"pattern="random""#), 200e6 / 16.0);
    }
    agree(&in_records("direct", ""), 200e6 / 16.0);
}

#[test]
fn a_record_that_is_changed_is_read_and_written_as_a_whole() {
    for cache in ["direct", "buffered"] {
        agree(&in_records(cache, r#"pattern="random" op="write""#), 200e6 / 32.0);
    }
}

#[test]
fn records_that_a_write_covers_are_not_read_before() {
    // 192 KiB touch two records of 128 KiB and change a part of one: 128 KiB are read, 256 written.
    for cache in ["direct", "buffered"] {
        let text = in_records(cache, r#"pattern="random" op="write""#);
        agree(&text.replace("block=\"8 KiB\"", "block=\"192 KiB\""), 200e6 / 2.0);
    }
    // 96 KiB: one and a half records on average, all of them read and written. The bound counts one
    // that is written.
    let text = in_records("direct", r#"pattern="random" op="write""#);
    let (bound, simulated) = both(&text.replace("block=\"8 KiB\"", "block=\"96 KiB\""));
    let [bound, simulated] = [bound, simulated].map(|one| predict(&one).throughput_bytes_per_sec);
    assert_near(bound, 200e6 * 96.0 / (1.5 * 128.0 + 128.0), 0.005);
    assert_near(simulated, 200e6 * 96.0 / (3.0 * 128.0), 0.02);
}

#[test]
fn records_fill_up_in_the_page_cache_in_either_direction() {
    for pattern in ["sequential", "backwards"] {
        for block in ["8 KiB", "96 KiB", "192 KiB"] {
            let stream = format!("pattern=\"{pattern}\" op=\"write\"");
            let text = in_records("buffered", &stream);
            agree(&text.replace("block=\"8 KiB\"", &format!("block=\"{block}\"")), 200e6);
        }
    }
}

#[test]
fn whole_records_are_no_more_than_their_bytes() {
    let whole = r#"pattern="random" op="write""#;
    let text = in_records("direct", whole).replace("block=\"8 KiB\"", "block=\"256 KiB\"");
    agree(&text, 200e6);
}

/// Devices that take 80 us, and a thread that takes 20 us for every part.
fn by_thread(over: &str, block: &str, depth: u32) -> String {
    format!(
        r#"path {{ host "h" cpus=8 {{
    cost part="20 us"
    nvme "d" count=2 latency="80 us" read="20 GB/s" size="1 TB"
}} }}
layout {{ stripe "v" unit="64 KiB" over="h.d" }}
workload {{ streams "s" over="{over}" pattern="random" block="{block}" depth={depth} }}"#
    )
}

#[test]
fn a_request_that_nothing_splits_is_one_part() {
    for over in ["h.d[0]", "v"] {
        agree(&by_thread(over, "4 KiB", 1), 4096.0 / 100.2e-6);
        agree(&by_thread(over, "4 KiB", 2), 2.0 * 4096.0 / 100.2e-6);
    }
}

#[test]
fn a_stream_has_one_thread_whatever_its_depth_in_both_models() {
    let full = agree(&by_thread("h.d[0]", "4 KiB", 32), 4096.0 / 20e-6);
    assert_eq!(limit(full).as_deref(), Some("s"));
    agree(&by_thread("v", "128 KiB", 32), 131_072.0 / 40e-6);
    let two = by_thread("v", "4 KiB", 32).replace("streams \"s\"", "streams \"s\" count=2");
    agree(&two, 2.0 * 4096.0 / 20e-6);
}

#[test]
fn each_request_has_its_thread_where_the_engine_says_so() {
    let own =
        by_thread("h.d[0]", "4 KiB", 4).replace("workload {", "workload engine=\"threads\" {");
    let full = agree(&own, 4.0 * 4096.0 / 100.2e-6);
    assert_ne!(limit(full).as_deref(), Some("s"));
}

/// RAID 5 of five disks, in what it is written through or above it.
fn raid(inside: &str, over: &str) -> String {
    format!(
        r#"path {{ host "h" cpus=8 {{ {inside} }} }}
layout {{ raid "r2" level=5 segment="128 KiB" over="h.l.d" }}
workload {{ streams "w" over="{over}" op="write" block="512 KiB" depth=8 }}"#
    )
}

#[test]
fn what_only_passes_data_on_carries_the_parity_of_a_raid_in_it() {
    let disks = r#"disk "d" count=5 stream="1 GB/s" size="1 TB""#;
    let within = format!("raid \"r\" level=5 segment=\"128 KiB\" {{ {disks} }}");
    for kind in ["bridge", "link", "port", "root-port", "expander"] {
        let link = |inside: &str| format!("{kind} \"l\" write=\"1 GB/s\" {{ {inside} }}");
        let text = raid(&link(&within), "h.l.r");
        let own = text.lines().filter(|line| !line.starts_with("layout")).collect::<Vec<_>>();
        agree(&own.join("\n"), 800e6);
        agree(&raid(&link(disks), "r2"), 800e6);
    }
    // A controller or an adapter for RAID makes the parity itself.
    for kind in ["controller", "hba"] {
        let link = format!("{kind} \"l\" write=\"1 GB/s\" {{ {within} }}");
        let text = raid(&link, "h.l.r");
        let own = text.lines().filter(|line| !line.starts_with("layout")).collect::<Vec<_>>();
        agree(&own.join("\n"), 1e9);
    }
}

/// Disks of 100 MB/s, in fives with parity.
#[test]
fn what_a_page_cache_merges_is_gathered_into_full_stripes_of_software_raid() {
    let rates = |layout: &str, stream: &str| {
        let op = if stream.contains("op=") { "" } else { r#"op="write""# };
        let text = format!(
            r#"path {{ host "h" cpus=8 memory="4 GiB" {{
    raid "r" count=2 level=5 segment="512 KiB" {{
        nvme count=5 read="100 MB/s" write="100 MB/s" size="1 TB"
    }}
    cost request="1 us" copy="4 GB/s"
}} }}
layout {{
    {layout}
    filesystem "fs" on="v" cache="buffered"
    file "first" on="fs" size="3000 KiB"
    file "f" on="fs" size="100 GB"
}}
workload time="20 s" {{ streams "w" over="f" {op} {stream} }}"#
        );
        let case = case(&text);
        let network = network(&case);
        let records = [evaluate(&case, &network), simulate(&case, &network, &Settings::default())];
        records.map(|record| predict(&record).throughput_bytes_per_sec)
    };
    let one = r#"concat "v" over="h.r[0]""#;
    let streams = [
        r#"block="64 KiB" depth=4"#,
        r#"block="3 MiB" depth=2"#,
        r#"block="64 KiB" count=64"#,
        r#"block="64 KiB" depth=4 pattern="backwards""#,
    ];
    for stream in streams {
        let [bound, simulated] = rates(one, stream);
        assert_near(bound, 400e6, 0.005);
        assert_near(simulated, 400e6, 0.02);
    }
    let [bound, simulated] = rates(r#"stripe "v" unit="256 KiB" over="h.r""#, streams[0]);
    assert_near(bound, 800e6, 0.005);
    assert_near(simulated, 800e6, 0.02);
    let mirror = r#"mirror "v" { side of="h.r[0]"; side of="h.r[1]" }"#;
    let [bound, simulated] = rates(mirror, streams[0]);
    assert_near(bound, 400e6, 0.005);
    assert_near(simulated, 400e6, 0.02);
    // Two reads and two writes for each.
    let others = [
        r#"block="64 KiB" pattern="random""#,
        r#"block="64 KiB" sync="dsync""#,
        r#"block="64 KiB" sync="fdatasync" sync-every=8"#,
        r#"block="64 KiB" op="mix" reads=0.1"#,
    ];
    for stream in others {
        let [bound, simulated] = rates(one, &format!("depth=64 {stream}"));
        assert!(bound < 270e6 && simulated < 1.01 * bound, "{stream}: {bound}, {simulated}");
    }
}

#[test]
fn of_two_in_series_the_fuller_is_named() {
    for (outer, inner, named) in [(5.05, 5.0, "h.p.d"), (5.0, 5.05, "h.p"), (5.0, 5.0, "h.p")] {
        let text = format!(
            r#"
path {{ host "h" {{ root-port "p" read="{outer} GB/s" {{ nvme "d" read="{inner} GB/s" }} }} }}
workload {{ streams "s" over="h..d" block="1 MiB" depth=8 }}"#
        );
        assert_eq!(limit(agree(&text, 5e9)).as_deref(), Some(named));
    }
}

#[test]
fn processors_that_are_busy_all_the_time_never_rest_less() {
    for cpus in [3, 5, 7] {
        let text = format!(
            r#"
path {{ host "h" cpus={cpus} {{ cost request="677 ns"; nvme "d" count=8 latency="5 us" }} }}
workload {{ streams "s" over="h.d" pattern="random" block="512 B" depth=64 }}"#
        );
        agree(&text, f64::from(cpus) * 512.0 / 677e-9);
    }
}

#[test]
fn a_bound_is_no_law_where_a_cache_holds_all_that_is_written() {
    let written = |size: &str| {
        both(&format!(
            r#"path {{
    host "h" {{ hba read="1 GB/s" write="1 GB/s" {{ port }} }}
    array "a" {{
        port
        cache size="256 MB" write="back"
        lun "l" size="1 TB" {{ ssd write="100 MB/s" size="1 TB" }}
    }}
    wire from="h.hba.port" to="a.port"
}}
layout {{ filesystem "fs" on="a.l"; file "f" on="fs" size="{size}" }}
workload {{ streams "s" over="f" op="write" block="1 MiB" }}"#
        ))
    };
    let judged = |simulated: &Record| {
        let laws = audit(simulated);
        laws.iter().find(|law| law.law.name() == "bound").map(|law| law.holds)
    };
    let named = |bound: &Record| {
        let mut left_out = bound.bounds.iter().flat_map(|bound| &bound.leaves_out);
        left_out.any(|text| text.starts_with("overwritten: s: "))
    };
    let (bound, simulated) = written("128 MiB");
    assert!(named(&bound) && judged(&simulated).is_none());
    let [most, carried] = [bound, simulated].map(|one| predict(&one).throughput_bytes_per_sec);
    assert!(carried > 1.5 * most, "{carried} of {most}: it is written over and over");
    let (bound, simulated) = written("64 GiB");
    assert!(!named(&bound));
    assert_eq!(judged(&simulated), Some(true));
}
