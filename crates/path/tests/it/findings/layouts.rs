//! Rules about layouts: members, sizes that fit, room.

use iopath_path::{Rule, Severity};

use super::{hold, hold_read, text_of};

/// A stripe over eight RAID 5 arrays.
fn stripe(stripe: &str, raid: &str, op: &str) -> String {
    format!(
        r#"study "t"
path {{
    host "h" {{
        enclosure count=8 {{
            {raid}
        }}
    }}
}}
layout {{
    {stripe}
}}
workload time="1 s" {{ streams "app" over="vol" op="{op}" block="16 MiB" depth=4 }}
"#
    )
}

fn raid(data: u32, segment: &str, mark: &str) -> String {
    let disks = data + 2;
    format!("raid level=5 segment=\"{segment}\" spares=1 {{ disk count={disks} }} {mark}")
}

/// A file in a file system with some software, and a stream over it.
fn cached(software: &str, stream: &str) -> impl Fn(&str, &str, &str) -> String {
    move |cache, mark, workload| {
        format!(
            r#"study "t"
path {{ host "h" {{ ssd "disk" }} }}
layout {{
    filesystem "fs" on="h.disk" {cache} {{
        {software} {mark}
    }}
    file "f" on="fs" size="1 GiB"
}}
workload time="1 s" {workload} {{ streams "s" over="f" {stream} block="128 KiB" }}
"#
        )
    }
}

/// Only what goes through the page cache has the software's effect.
fn only_through_the_cache(text: impl Fn(&str, &str, &str) -> String) {
    let mark = "// ! no-effect";
    hold(&text(r#"cache="buffered""#, "", ""));
    hold(&text(r#"cache="direct""#, mark, ""));
    hold(&text("", mark, ""));
    hold(&text("", "", r#"cache="buffered""#));
}

#[test]
fn what_passes_the_cache_by_is_not_committed_in_groups() {
    let commit = r#"commit interval="5 s" flushes=2"#;
    only_through_the_cache(cached(commit, r#"op="write""#));
}

#[test]
fn what_passes_the_cache_by_is_not_read_ahead() {
    only_through_the_cache(cached(r#"readahead unit="128 KiB" streams=8"#, ""));
}

const VOL: &str = r#"stripe "vol" unit="1 MiB" over="h.enclosure.raid""#;

#[test]
fn full_stripes_of_the_p690_fit_a_mebibyte() {
    hold(&stripe(VOL, &raid(4, "256 KiB", ""), "write"));
    hold(&stripe(VOL, &raid(8, "128 KiB", ""), "write"));
}

#[test]
fn six_data_disks_cannot_meet_a_mebibyte() {
    let found = hold(&stripe(VOL, &raid(6, "256 KiB", "// ! partial-stripe"), "write"));
    let told = &found[0];
    assert_eq!(told.severity, Severity::Warning);
    assert!(told.text.contains("6 data disks × 256 KiB = 1536 KiB"), "{}", told.text);
    let hint = "6 data disks cannot meet 1 MiB with any segment that is a power of two; 4 data \
                disks × 256 KiB or 8 data disks × 128 KiB can";
    assert_eq!(told.hint, hint);
    let found = hold(&stripe(VOL, &raid(6, "256 KiB", "// ! partial-stripe"), "read"));
    assert_eq!(found[0].severity, Severity::Advice);
}

#[test]
fn the_segment_that_fits_is_named() {
    let found = hold(&stripe(VOL, &raid(4, "128 KiB", ""), "write"));
    assert!(found.is_empty());
    let found = hold(&stripe(VOL, &raid(4, "512 KiB", "// ! partial-stripe"), "write"));
    assert_eq!(found[0].hint, "segment=\"256 KiB\" makes a full stripe of it");
}

#[test]
fn requests_are_cut_at_the_largest() {
    let cut = |largest: &str, mark: &str| format!(r#"{VOL} largest-request="{largest}" {mark}"#);
    let small = raid(4, "64 KiB", "");
    hold(&stripe(&cut("1 MiB", ""), &small, "read"));
    let found = hold(&stripe(&cut("512 KiB", "// ! cut-requests"), &small, "read"));
    assert_eq!(found[0].severity, Severity::Advice);
    let odd = raid(4, "64 KiB", "// ! partial-stripe");
    let found = hold(&stripe(&cut("384 KiB", "// ! cut-requests"), &odd, "read"));
    assert!(text_of(&found, Rule::CutRequests).contains("a rest of 256 KiB"));
}

#[test]
fn units_and_segments_divide_one_another() {
    let ten =
        |segment: &str| format!("raid level=10 segment=\"{segment}\" spares=1 {{ disk count=5 }}");
    hold(&stripe(VOL, &ten("256 KiB"), "read"));
    hold(&stripe(&format!("{VOL} // ! unit-misfits-segment"), &ten("384 KiB"), "read"));
}

const SHELVES: &str = r#"path {
    host "h" {
        enclosure count=2 {
            part "fast" count=4 both="200 MB/s" size="1 TB"
            part "slow" both="150 MB/s" size="1 TB"
            part "small" both="200 MB/s" size="600 GB"
        }
    }
}
layout {
    LAYOUT
}"#;

fn shelves(layout: &str) -> Vec<iopath_path::PathFinding> {
    hold_read(&SHELVES.replace("LAYOUT", layout))
}

#[test]
fn a_slow_or_small_member_holds_back_the_others() {
    let raid = |over: &str, mark: &str| format!(r#"raid "vol" level=5 over="{over}" {mark}"#);
    shelves(&raid("h.enclosure.fast", ""));
    let over = "h.enclosure[0].fast, h.enclosure[1].slow";
    let found = shelves(&raid(over, "// ! unequal-members"));
    let told = text_of(&found, Rule::UnequalMembers);
    assert!(told.contains("both is 150.0 MB/s of h.enclosure[1].slow, up to 200.0 MB/s"), "{told}");
    let over = "h.enclosure[0].fast, h.enclosure[1].small";
    let found = shelves(&raid(over, "// ! unequal-members"));
    assert!(text_of(&found, Rule::UnequalMembers).contains("1.600 TB in all are not used"));
}

#[test]
fn a_volume_is_not_larger_than_what_it_lies_on() {
    let vol = |size: &str, mark: &str| {
        format!(r#"raid "vol" level=5 over="h.enclosure.fast" size="{size}" {mark}"#)
    };
    shelves(&vol("7 TB", ""));
    let found = shelves(&vol("8 TB", "// ! too-large"));
    assert!(text_of(&found, Rule::TooLarge).contains("its members have 7.000 TB"));
}

#[test]
fn files_together_fit_their_file_system() {
    let files = |count: u32, mark: &str| {
        format!(
            r#"raid "r" level=5 over="h.enclosure.fast"
    filesystem "fs" on="r"
    file "vol" count={count} size="1 TB" on="fs" {mark}"#
        )
    };
    shelves(&files(7, ""));
    let found = shelves(&files(8, "// ! too-large"));
    assert!(text_of(&found, Rule::TooLarge).starts_with("vol: together 8.000 TB"));
}

#[test]
fn a_mirror_on_both_shelves_outlives_one() {
    let mirror = |second: &str, mark: &str| {
        format!(
            "mirror \"vol\" {{ {mark}\nside of=\"h.enclosure[0].fast[0]\"\nside of=\"{second}\" }}"
        )
    };
    shelves(&mirror("h.enclosure[1].fast[0]", ""));
    let found = shelves(&mirror("h.enclosure[0].fast[1]", "// ! mirror-shares-part"));
    assert!(text_of(&found, Rule::MirrorSharesPart).contains("share h.enclosure[0]"));
}

#[test]
fn a_stripe_over_disks_keeps_no_copy() {
    let found = shelves(r#"stripe "vol" over="h.enclosure.fast" // ! no-redundancy"#);
    assert!(text_of(&found, Rule::NoRedundancy).contains("one of its 8 disks"));
}

#[test]
fn locks_need_something_that_is_locked() {
    let text = |lock: &str, unit: &str, mark: &str| {
        let software = format!("cost revoke=\"1 ms\" {mark}");
        let text = cached(&software, "op=\"write\"");
        text(&format!("{lock} {unit}"), "", "")
    };
    let mark = "// ! no-effect";
    hold(&text(r#"lock="range""#, "", ""));
    hold(&text(r#"lock="inode""#, "", ""));
    hold(&text(r#"lock="none""#, "", mark));
    hold(&text("", "", mark));
    let unit = |lock: &str, mark: &str| {
        let text = cached("// none\n", "op=\"write\"");
        text(lock, "", "").replace("{\n        // none", &format!("{{ {mark}\n        // none"))
    };
    hold(&unit(r#"lock="range" lock-unit="1 MiB""#, ""));
    hold(&unit(r#"lock="inode" lock-unit="1 MiB""#, mark));
}
