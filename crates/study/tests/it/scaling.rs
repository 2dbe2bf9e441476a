//! Cases made smaller: the same study with smaller figures, and what cannot be divided.

use iopath_study::case::Rate;
use iopath_study::value::Value;
use iopath_study::{CannotScale, Case, NoScale, Scale, System};
use proptest::prelude::*;

use super::cases_of;

/// A study all of whose sizes and rates are whole multiples of `scale` times those of another.
fn text(scale: u64, stretch: u64) -> String {
    let size = |kib: u64| format!("{} B", kib * 1024 * scale);
    let rate = |kb: u64| format!("{} B/s", kb * 1000 * scale * stretch);
    let operations = |count: u64| format!("{} /s", count * stretch);
    // A time is divided, as what is stretched has longer ones.
    let time = |us: u64| format!("{} ns", us * 1000 * 720 / stretch);
    format!(
        r#"study "s"
path {{
    host "h" memory="{memory}" memory-rate="{fast}" {{ hba count=2 read="{fast}" }}
    array "a" {{
        controller latency="{latency}" {{
            cache size="{memory}" write="back" read-ahead=#true read-ahead-size="{unit}"
            raid "lun" count=4 level=5 segment="{page}" read="{slow}" write-ops="{ops}" burst="{unit}" {{
                disk count=5 size="{media}" stream="{slow}" position="{latency}"
            }}
        }}
    }}
    wire from="h.hba" to="a.controller" latency="{latency}"
}}
layout {{
    stripe "vol" unit="{unit}" largest-request="{unit}" over="a..lun"
    filesystem "fs" on="vol" block="{page}" {{
        readahead unit="{unit}" streams=4
        commit interval="{latency}" dirty="{unit}" flushes=2 growth-flushes=1
        cost request="{latency}" copy="{slow}" prepare="{fast}" part="{latency}"
    }}
    file "f" on="fs" size="{file}"
}}
set "a.controller.lun[1].read"="{fast}"
workload time="5 s" warm-up="1 s" amount="{media}" cache="buffered" kernel-readahead="{unit}" {{
    streams "x" over="vol" block="{unit}" depth=4 rate="{slow}" pattern="strided" stride="{file}"
    streams "y" over="f" block="{unit}" rate="{ops}" pattern="walk" step="{file}"
    streams "z" over="vol" block="{unit}" pattern="resident" hits=0.5 set="{file}"
}}
"#,
        memory = size(1 << 20),
        media = size(1 << 22),
        file = size(1 << 12),
        unit = size(64),
        page = size(4),
        fast = rate(800_000),
        slow = rate(90_000),
        ops = operations(150),
        latency = time(1),
    )
}

fn only(text: &str) -> Case {
    let mut cases = cases_of(text);
    assert_eq!(cases.len(), 1);
    cases.remove(0)
}

proptest! {
    /// To scale a case and to write its study with smaller figures is the same.
    #[test]
    fn scaling_a_case_is_scaling_its_study(bits in 0_u32..8, stretch in 1_u64..7) {
        let scale = Scale::new(1 << bits, stretch).unwrap();
        let large = only(&text(scale.divisor(), stretch));
        let small = only(&text(1, 1));
        let scaled = large.scaled(scale).unwrap();
        prop_assert_eq!(&scaled.text, &large.text);
        prop_assert_eq!(scaled.system.scale, scale);
        let system = System { scale: Scale::ONE, ..scaled.system.clone() };
        prop_assert_eq!(Case { text: small.text.clone(), system, ..scaled }, small);
    }
}

/// Volumes of every kind, with the sizes at which they cut or without.
fn cut(are_stated: bool) -> Case {
    let said = |words: &'static str| if are_stated { words } else { "" };
    let (segment, unit) = (said(r#"segment="64 KiB""#), said(r#"unit="64 KiB""#));
    let (ahead, block) = (said(r#"unit="128 KiB""#), said(r#"block="1 MiB""#));
    let small = said(r#"block="4 KiB""#);
    only(&format!(
        r#"study "s"
path {{
    host "h"
    array "a" {{
        raid "lun" count=4 level=5 {segment} {{ disk count=5 size="1 GiB" }}
        lun "whole" size="1 GiB"
        raid "moves-together" level=3 {{ disk count=5 size="1 GiB" }}
    }}
}}
layout {{
    stripe "vol" {unit} over="a..lun[0-1]"
    filesystem "wide" on="a.lun[2-3]" {block} {{ readahead {ahead} streams=4 }}
    filesystem "spread" on="vol" {small} allocation="random"
    filesystem "plain" on="a.whole" {{ readahead streams=0 }}
    file "f" on="wide" size="1 GiB"
    file "g" on="spread" size="1 GiB"
}}
workload {{ streams "x" over="f" block="1 MiB"; streams "y" over="a.moves-together" block="1 MiB" }}"#
    ))
}

#[test]
fn what_a_study_leaves_out_is_scaled_as_if_it_stood_there() {
    let (short, long) = (cut(false), cut(true));
    assert_ne!(short.system, long.system);
    let scaled = |case: &Case, scale| case.scaled(Scale::new(scale, 1).unwrap());
    for bits in 1..6 {
        let (short, long) = (scaled(&short, 1 << bits), scaled(&long, 1 << bits));
        assert_eq!(short.unwrap().system, long.unwrap().system);
    }
    assert_eq!(scaled(&short, 1).unwrap().system, short.system);
    // Readahead is the host's: a page at least.
    let (short, long) = (scaled(&short, 64).unwrap_err(), scaled(&long, 64).unwrap_err());
    assert!(long.to_string().starts_with("unit of wide.readahead is 128 KiB"), "{long}");
    let says = "unit of wide.readahead, the default, is 128 KiB";
    assert!(short.to_string().starts_with(says), "{short}");
}

#[test]
fn parts_of_one_declaration_keep_what_each_of_them_says() {
    let text = r#"study "s"
path { host "h"; array "a" { raid "lun" count=3 level=5 { disk count=5 size="1 GiB" } } }
set "a.lun[1].segment"="32 KiB" "a.lun[2].level"=3
workload { streams "x" over="a.lun" block="1 MiB" }"#;
    let system = only(text).scaled(Scale::new(8, 1).unwrap()).unwrap().system;
    let arrays = system.ids().filter(|id| system.kind(*id) == "raid");
    let segments: Vec<u64> = arrays.map(|id| system.segment(id).0).collect();
    assert_eq!(segments, [8 << 10, 4 << 10, 512]);
}

/// All rates in bytes of a system, in order.
fn byte_rates(system: &System) -> Vec<u64> {
    let values = system.declarations.iter().flat_map(|declared| declared.values.values());
    let rate = |value: &Value| match value {
        Value::Rate(Rate::Bytes(rate)) => Some(rate.0),
        _ => None,
    };
    values.filter_map(|value| rate(&value.value)).collect()
}

#[test]
fn rates_are_rounded_to_the_nearest_and_never_to_none() {
    let text = r#"study "s"
path { host "h" { disk count=2 read="1000 B/s" write="17 B/s" both="1 B/s" } }
workload { streams "a" over="h.disk" block="1 MiB" }"#;
    let mut scaled = byte_rates(&only(text).scaled("1:32".parse().unwrap()).unwrap().system);
    scaled.sort_unstable();
    assert_eq!(scaled, [1, 1, 31]);
}

fn refused(text: &str, scale: u64) -> CannotScale {
    only(text).scaled(Scale::new(scale, 1).unwrap()).unwrap_err()
}

#[test]
fn requests_below_a_page_are_refused_with_the_scale_that_works() {
    let text = r#"study "s"
path { host "h" { disk count=2 size="1 GiB" } }
layout { stripe "vol" unit="64 KiB" over="h.disk" }
workload { streams "a" over="vol" block="1 MiB" }"#;
    let case = only(text);
    assert!(case.scaled(Scale::new(16, 1).unwrap()).is_ok());
    let error = refused(text, 64);
    let CannotScale::TooSmall { what, size, span, asked, largest } = &error else {
        panic!("{error}")
    };
    assert_eq!((what.as_str(), size.0, *asked, *largest), ("unit of vol", 65_536, 64, 16));
    assert_eq!(&text[span.start..span.end], "\"64 KiB\"");
    assert_eq!(
        error.to_string(),
        "unit of vol is 64 KiB, which 1:64 makes 1 KiB, less than 4 KiB; the largest scale that \
         works is 1:16, and --stretch makes rates smaller without sizes"
    );
}

#[test]
fn a_size_that_does_not_divide_evenly_is_refused() {
    let text = r#"study "s"
path { host "h" { disk size="1 GiB" } }
workload { streams "a" over="h.disk" block="36 KiB" }"#;
    // 4.5 KiB are whole sectors, but neither 2.25 KiB nor 35 KiB / 4.
    assert!(only(text).scaled(Scale::new(8, 1).unwrap()).is_ok());
    let error = refused(&text.replace("36 KiB", "35 KiB"), 4);
    assert!(error.to_string().contains("1:4 does not divide into whole sectors"), "{error}");
    let CannotScale::TooSmall { largest, .. } = error else { panic!("{error}") };
    assert_eq!(largest, 2);
}

#[test]
fn what_nothing_uses_and_what_arrays_do_inside_may_be_small() {
    let text = r#"study "s"
path { host "h"; array "a" { raid "lun" count=2 level=5 segment="64 KiB" { disk count=5 size="1 GB" } } }
layout {
    stripe "unused" unit="4 KiB" over="a.lun"
    filesystem "fs" on="a.lun[0]" block="4 KiB"
    file "f" on="fs" size="1 GiB"
}
workload { streams "x" over="f" block="1 MiB" }"#;
    let scaled = only(text).scaled(Scale::new(64, 1).unwrap()).unwrap();
    let sized = |kind: &str, property: &str| {
        let id = scaled.system.ids().find(|id| scaled.system.kind(*id) == kind).unwrap();
        scaled.system.size(id, property).unwrap().0
    };
    assert_eq!(sized("raid", "segment"), 1024);
    // Files begin at whole blocks, and devices take whole pages.
    assert_eq!(sized("filesystem", "block"), 4096);
    assert_eq!(sized("file", "size"), 16 << 20);
}

#[test]
fn a_load_with_sizes_of_its_own_is_only_stretched() {
    let text = r#"study "s"
layout { file "data" size="1 GiB" }
workload { streams "spc" over="data" pattern="spc1-like" block="4 KiB" rate="100 /s" }"#;
    assert!(matches!(refused(text, 2), CannotScale::OwnSizes { stream, .. } if stream == "spc"));
    assert!(only(text).scaled(Scale::new(1, 8).unwrap()).is_ok());
}

#[test]
fn scales_are_powers_of_two() {
    let scale = |text: &str| text.parse::<Scale>();
    assert_eq!(scale("1:32").map(Scale::divisor), Ok(32));
    assert_eq!(scale("8").map(|scale| scale.to_string()), Ok("1:8".to_owned()));
    let stretched = Scale::ONE.stretched(3).map(|scale| scale.to_string());
    assert_eq!(stretched, Ok("1:1, stretched 3 times".to_owned()));
    for wrong in ["1:3", "0", "x", "1:-2", "1:4294967296"] {
        assert!(matches!(scale(wrong), Err(NoScale::Divisor(_))), "{wrong}");
    }
    assert_eq!(Scale::ONE.stretched(0), Err(NoScale::Stretch(0)));
}
