//! Rules about arrays: levels, sizes, caches, owners, spares.

use iopath_path::Rule;

use super::{hold, hold_read, text_of};

/// An array of two controllers that breaks no rule, under a workload of its own.
fn array(cache: &str, raid: &str, streams: &str) -> String {
    format!(
        r#"study "t"
path {{
    host "h" {{ hba {{ port count=2 }} }}
    array "a" count=2 {{
        controller count=2 {{
            port
            {cache}
            {raid}
        }}
    }}
    wire from="h.hba.port[0]" to="a[0].controller[0].port"
    wire from="h.hba.port[1]" to="a[1].controller[0].port"
}}
workload time="1 s" {{ {streams} }}
"#
    )
}

/// One array of two controllers, each with a port to the host.
fn pair(cache: &str, raid: &str, streams: &str) -> String {
    format!(
        r#"study "t"
path {{
    host "h" {{ hba {{ port count=2 }} }}
    array "a" {{
        controller count=2 {{
            port
            {cache}
            {raid}
        }}
    }}
    wire from="h.hba.port" to="a.controller.port"
}}
workload time="1 s" {{ {streams} }}
"#
    )
}

const SAFE: &str = r#"cache size="1 GB" mirror=#true battery=#true"#;
const FIVE: &str = r#"raid "lun" level=5 segment="256 KiB" spares=1 { disk count=6 }"#;
const READER: &str = r#"streams "r" over="a..lun" block="1 MiB" depth=4"#;
const WRITER: &str = r#"streams "w" over="a..lun" op="write" block="1 MiB" depth=4"#;

#[test]
fn how_much_is_read_ahead_needs_read_ahead() {
    let ahead =
        r#"cache size="1 GB" mirror=#true battery=#true read-ahead=#true read-ahead-size="8 MiB""#;
    hold(&pair(ahead, FIVE, READER));
    let not = ahead.replace("read-ahead=#true ", "") + " // ! no-effect";
    hold(&pair(&not, FIVE, READER));
    let off = ahead.replace("read-ahead=#true", "read-ahead=#false") + " // ! no-effect";
    hold(&pair(&off, FIVE, READER));
    // Of one volume, too.
    let own = FIVE.replace("raid", "raid read-ahead=#true");
    hold(&pair(&ahead.replace("read-ahead=#true ", ""), &own, READER));
}

#[test]
fn parity_threads_and_rebuilds_need_redundancy() {
    let own = |level: u32, more: &str, mark: &str| {
        let volume = FIVE.replace("level=5", &format!("level={level} {more}"));
        // Pairs.
        let volume = if level == 10 { volume.replace("count=6", "count=7") } else { volume };
        pair(SAFE, &volume.replace('{', &format!("{{{mark}\n")), READER)
    };
    hold(&own(5, "parity-threads=1 rebuild=\"50 MB/s\"", ""));
    hold(&own(10, "rebuild=\"50 MB/s\"", ""));
    hold(&own(10, "parity-threads=1", " // ! no-effect"));
}

#[test]
fn what_a_volume_sets_in_its_cache_needs_one() {
    let own = |mark: &str| {
        FIVE.replace("spares=1", "spares=1 write-cache=\"through\"")
            .replace('{', &format!("{{{mark}\n"))
    };
    hold(&pair(SAFE, &own(""), READER));
    hold(&pair("", &own(" // ! no-effect"), READER));
}

#[test]
fn a_sound_array_has_nothing_to_tell() {
    hold(&pair(SAFE, FIVE, READER));
    hold(&pair(SAFE, FIVE, WRITER));
}

#[test]
fn unwired_ports_are_told_as_one_class() {
    let text = array(SAFE, FIVE, READER)
        .replace("\n            port\n", "\n            port // ! unwired-port\n");
    let found = hold(&text);
    let told = text_of(&found, Rule::UnwiredPort);
    assert!(told.starts_with("a.controller[1].port: "), "{told}");
}

#[test]
fn a_write_cache_tells_its_risks() {
    let mirror = r#"cache size="1 GB" battery=#true // ! unmirrored-cache"#;
    hold(&pair(mirror, FIVE, WRITER));
    let battery = r#"cache size="1 GB" mirror=#true battery=#false // ! cache-without-battery"#;
    hold(&pair(battery, FIVE, WRITER));
    let flush = r#"cache size="1 GB" mirror=#true flush="never" // ! cache-without-battery"#;
    hold(&pair(flush, FIVE, WRITER));
    let through = r#"cache size="1 GB" write="through""#;
    hold(&pair(through, FIVE, WRITER));
}

#[test]
fn blocks_of_a_cache_fit_the_requests() {
    let large = r#"cache size="1 GB" mirror=#true battery=#true block="16 KiB""#;
    let small = r#"cache size="1 GB" mirror=#true battery=#true block="4 KiB""#;
    let oltp = r#"streams "w" over="a..lun" op="write" pattern="random" block="8 KiB""#;
    hold(&pair(&format!("{large} // ! cache-block"), FIVE, oltp));
    hold(&pair(small, FIVE, oltp));
    hold(&pair(&format!("{small} // ! cache-block"), FIVE, WRITER));
    hold(&pair(large, FIVE, WRITER));
}

#[test]
fn destaging_starts_and_stops_near_each_other() {
    let levels = |start: &str, stop: &str, mark: &str| {
        format!("{SAFE} flush-start=\"{start}\" flush-stop=\"{stop}\" {mark}")
    };
    hold(&pair(&levels("80 %", "60 %", ""), FIVE, WRITER));
    hold(&pair(&levels("80 %", "50 %", "// ! flush-levels"), FIVE, WRITER));
    let found = hold(&pair(&levels("50 %", "80 %", "// ! flush-levels"), FIVE, WRITER));
    assert_eq!(found[0].severity, iopath_path::Severity::Mistake);
}

#[test]
fn a_level_has_the_disks_that_it_needs() {
    let raid = |level: &str, disks: u32| {
        format!(r#"raid "lun" level={level} segment="256 KiB" {{ disk count={disks} }}"#)
    };
    let levels = [
        ("5", 2),
        ("6", 3),
        ("10", 5),
        ("50", 7),
        ("1", 1),
        ("6 parity=3", 4),
        ("60 parity=3", 9),
        ("60 width=5", 12),
        ("60 width=3", 12),
        ("5 parity=2", 6),
        ("6 width=6", 6),
    ];
    for (level, disks) in levels {
        let text = pair(SAFE, &raid(level, disks), READER);
        let (_, found) = super::found(&text);
        let told = found.iter().filter(|finding| finding.rule == Rule::DiskCount).count();
        assert_eq!(told, 1, "{level}: {found:#?}");
    }
    for (level, disks) in [("6 parity=3", 5), ("60 parity=3 width=7", 14), ("50 width=4", 12)] {
        let (_, found) = super::found(&pair(SAFE, &raid(level, disks), READER));
        assert!(found.iter().all(|finding| finding.rule != Rule::DiskCount), "{level}: {found:#?}");
    }
}

#[test]
fn level_0_is_told_unless_a_copy_lies_above() {
    let zero = r#"lun level=0 { disk count=4 } // ! no-redundancy"#;
    let found = hold(&pair(SAFE, zero, READER));
    assert!(text_of(&found, Rule::NoRedundancy).starts_with("a.controller.lun: "));
    let mirrored = pair(SAFE, "lun level=0 { disk count=4 }", READER)
        .replace("over=\"a..lun\"", "over=\"m\"")
        .replace(
            "workload",
            r#"layout {
    mirror "m" { side of="a.controller[0].lun"; side of="a.controller[1].lun" }
}
workload"#,
        );
    hold(&mirrored);
}

#[test]
fn wide_groups_take_long_to_rebuild() {
    let wide = |level: u32, disks: u32, kind: &str, mark: &str| {
        format!(r#"raid level={level} segment="64 KiB" spares=1 {{ {kind} count={disks} }} {mark}"#)
    };
    let reader = r#"streams "r" over="a..raid" block="1 MiB" depth=4"#;
    hold(&pair(SAFE, &wide(5, 17, "disk", ""), reader));
    hold(&pair(SAFE, &wide(5, 18, "disk", "// ! wide-array"), reader));
    hold(&pair(SAFE, &wide(6, 21, "disk", ""), reader));
    hold(&pair(SAFE, &wide(6, 22, "disk", "// ! wide-array"), reader));
    hold(&pair(SAFE, &wide(6, 29, "ssd", ""), reader));
    hold(&pair(SAFE, &wide(6, 30, "ssd", "// ! wide-array"), reader));
}

#[test]
fn an_array_without_a_spare_waits_for_somebody() {
    let bare = r#"raid "lun" level=5 segment="256 KiB" { disk count=5 } // ! no-spare"#;
    hold(&pair(SAFE, bare, READER));
    let apart = pair(SAFE, &bare.replace("// ! no-spare", ""), READER)
        .replace("array \"a\" {", "array \"a\" { disk \"spare\"");
    hold(&apart);
}

#[test]
fn small_writes_to_parity_need_a_write_cache() {
    let small = r#"streams "w" over="a..lun" op="write" pattern="random" block="4 KiB" depth=8"#;
    let through = r#"cache size="1 GB" write="through""#;
    let found = hold(&pair(through, &format!("{FIVE} // ! small-writes"), small));
    assert!(text_of(&found, Rule::SmallWrites).contains("2 reads and 2 writes"));
    hold(&pair(SAFE, FIVE, small));
    let ten = r#"raid "lun" level=10 segment="256 KiB" spares=1 { disk count=7 }"#;
    hold(&pair(through, ten, small));
}

#[test]
fn a_write_cache_of_what_lies_above_stands_in_front_of_parity() {
    let study = |cache: &str, over: &str| {
        format!(
            r#"study "t"
path {{
    host "h" {{ hba }}
    switch "s"
    array "v" {{ controller "n" {{ port; {cache} }} }}
    array "b" {{ controller {{ port
        raid "l" level=5 segment="64 KiB" spares=1 {{ disk count=6 }}
    }} }}
    wire from="h.hba" to="s"
    wire from="v.n.port" to="s"
    wire from="b.controller.port" to="s"
}}
layout {{ stripe "vd" at="v.n" over="b..l" }}
workload {{ streams "w" over="{over}" op="write" pattern="random" block="4 KiB" depth=8 }}
"#
        )
    };
    let told = |cache: &str, over: &str| {
        let (_, found) = super::found(&study(cache, over));
        found.iter().any(|finding| finding.rule == Rule::SmallWrites)
    };
    assert!(!told("cache size=\"1 GB\" write=\"back\"", "vd"));
    assert!(told("cache size=\"1 GB\" write=\"through\"", "vd"));
    assert!(told("cache size=\"1 GB\" write=\"back\"", "b..l"), "nothing of v is on the way");
}

#[test]
fn level_3_is_for_one_large_stream() {
    let three = r#"raid "lun" level=3 segment="64 KiB" spares=1 { disk count=6 }"#;
    hold(&pair(SAFE, three, r#"streams "r" over="a..lun" block="1 MiB""#));
    let marked = format!("{three} // ! raid3-load");
    hold(&pair(SAFE, &marked, r#"streams "r" count=2 over="a..lun" block="1 MiB""#));
    hold(&pair(SAFE, &marked, r#"streams "r" over="a..lun" block="16 KiB" pattern="random""#));
}

#[test]
fn large_sequential_writes_suit_parity_better_than_pairs() {
    let ten = r#"raid "lun" level=10 segment="256 KiB" spares=1 { disk count=9 }"#;
    let found = hold(&pair(SAFE, &format!("{ten} // ! raid10-writes"), WRITER));
    assert!(text_of(&found, Rule::Raid10Writes).contains("8/7 instead of 2"));
    hold(&pair(SAFE, ten, READER));
}

#[test]
fn segments_fit_one_stream_or_many_users() {
    let one = r#"streams "r" over="a..lun" block="256 KiB""#;
    let many = r#"streams "r" over="a..lun" block="1 MiB" pattern="random" depth=8"#;
    hold(&pair(SAFE, &format!("{FIVE} // ! segment-for-one"), one));
    let found = hold(&pair(SAFE, &format!("{FIVE} // ! segment-for-many"), many));
    assert!(text_of(&found, Rule::SegmentForMany).contains("take 4 disks each"));
    let ahead = SAFE.replace("mirror", "read-ahead=#true mirror");
    hold(&pair(&ahead, FIVE, one));
}

#[test]
fn owners_are_split_evenly() {
    let text = r#"study "t"
path {
    host "h" { hba { port count=2 } }
    array "a" { // ! uneven-owners
        controller "left" { port; lun count=3 { disk } }
        controller "right" { port; lun { disk } }
    }
    wire from="h.hba.port" to="a.left.port, a.right.port"
}
workload time="1 s" { streams "r" over="a..lun" block="1 MiB" }
"#;
    let found = hold(text);
    assert!(text_of(&found, Rule::UnevenOwners).contains("own 3 and 1 volumes"));
    let even =
        text.replace("lun { disk }", "lun count=2 { disk }").replace(" // ! uneven-owners", "");
    hold(&even);
}

#[test]
fn a_volume_beside_the_controllers_has_no_owner() {
    hold(
        r#"study "t"
path {
    host "h" { hba { port count=2 } }
    array "a" {
        controller count=2 { port }
        lun { disk } // ! no-owner
    }
    wire from="h.hba.port" to="a.controller.port"
}
workload time="1 s" { streams "r" over="a.lun" block="1 MiB" }
"#,
    );
}

#[test]
fn a_mirror_across_one_controller_loses_both_sides() {
    let text = |second: &str, mark: &str| {
        format!(
            r#"path {{
    host "h" {{ hba {{ port count=2 }} }}
    array "a" {{
        controller count=2 {{ port; lun count=2 {{ disk }} }}
    }}
    wire from="h.hba.port" to="a.controller.port"
}}
layout {{
    mirror "vol" {{ {mark}
        side of="a.controller[0].lun[0]"
        side of="{second}"
    }}
}}"#
        )
    };
    let found = hold_read(&text("a.controller[0].lun[1]", "// ! mirror-shares-part"));
    let told = text_of(&found, Rule::MirrorSharesPart);
    assert!(told.contains("share a.controller[0]: "), "{told}");
    hold_read(&text("a.controller[1].lun[1]", ""));
}
