//! The text of a case gives that case again, text included.

use proptest::prelude::*;

use iopath_study::{Asked, Assignment, Source, parse_asked, parse_with};

use super::examples::{EXAMPLES, PATHS};
use super::{cases_of, cases_with};

fn check(text: &str, sets: &[&str]) {
    for case in cases_with(text, sets) {
        let again = cases_of(&case.text);
        assert_eq!(again, [case]);
    }
}

#[test]
fn examples() {
    for (_, text) in EXAMPLES {
        check(text, &[]);
    }
}

/// Every seventh case: a large path is read in every one of them.
#[test]
fn paths_of_the_program() {
    let source = |name: &str, text: &str| Source { name: name.into(), text: text.into() };
    let p690 = source("p690.kdl", PATHS[0].1);
    for (name, text) in PATHS {
        let study = parse_with(&source(name, text), std::slice::from_ref(&p690), &[]);
        let study = study.unwrap_or_else(|mistakes| panic!("{mistakes}"));
        for case in study.cases().unwrap().into_iter().step_by(7) {
            let levels: Vec<String> =
                case.levels.iter().map(|chosen| chosen.level.clone()).collect();
            assert_eq!(study.case_of(&case.experiment, &levels).as_ref(), Some(&case), "{name}");
            assert_eq!(cases_of(&case.text), [case], "{name}");
        }
    }
}

/// Another process reads what a study was read from, and has its cases.
#[test]
fn what_a_study_was_read_from_gives_it_again() {
    let source = Source { name: "own.kdl".into(), text: TWO_EXPERIMENTS.into() };
    let sets = [Assignment::parse("s.depth=3").unwrap()];
    let cases = ["fast".to_owned()];
    let asked = Asked { sets: &sets, cases: Some(&cases), is_template: false };
    let study = parse_asked(&source, &[], asked).unwrap();
    let sources = study.sources();
    let sets: Vec<_> = sources.sets.iter().map(|set| Assignment::parse(set).unwrap()).collect();
    let asked = Asked { sets: &sets, cases: sources.cases, is_template: true };
    let again = parse_asked(sources.source, sources.included, asked).unwrap();
    assert_eq!(again.cases().unwrap(), study.cases().unwrap());
    let case = |levels: &[&str]| {
        let levels: Vec<String> = levels.iter().map(|level| (*level).to_owned()).collect();
        again.case_of("fast", &levels)
    };
    assert_eq!(case(&["8 KiB"]).unwrap().streams[0].depth, 3, "as --set says");
    for unknown in [&["9 KiB"][..], &[], &["8 KiB", "8 KiB"]] {
        assert_eq!(case(unknown), None, "{unknown:?}");
    }
    assert_eq!(again.case_of("faster", &["8 KiB".to_owned()]), None);
}

const TWO_EXPERIMENTS: &str = r#"study "two"
path { host "h" { disk "d" read="1 GB/s" } }
experiment "fast" {
    workload time="1 s" { streams "s" over="h.d" op="read" block="4 KiB" }
    vary { factor "block" of="s.block" "4 KiB" "8 KiB" }
}
experiment "slow" {
    workload time="1 s" { streams "s" over="h.d" op="write" block="4 KiB" }
    vary { factor "depth" of="s.depth" 1 2 }
}
"#;

/// Wires, zones, mirrors, places, parts that levels choose, files in file systems.
#[test]
fn paths() {
    let volumes = include_str!("../../../fuzz/corpus/study/volumes.kdl");
    check(volumes, &[]);
    check(volumes, &["box.controller.lun.count=8", "box.controller[1].cache.size=1 GB"]);
    check(include_str!("../../../fuzz/corpus/study/path.kdl"), &["fastt[3].lun.level=6"]);
}

#[test]
fn origins_edits_of_instances_and_odd_titles() {
    let text = r#"study "a \"title\" \\ with \u{202e} in it" source=("a book")"somewhere"
path { enclosure "box" count=2 { disk "d" count=2 size=(rated)"1 TB" }; part }
layout { filesystem "fs" on="part" { readahead unit="64 KiB" streams=6 start=3 patience="40 ms" }; file "data" count=3 size=(given)"64 MiB" directory="/mnt/a b" }
bind "disks" from="box..d, part" to="/dev/sd[a-d], /dev/x"
bind from="data[1]" to="/tmp/x"
set "box[1].d[0].size"="2 TB" workload.seed=7
experiment "one" {
    set "r[0-1].depth"=9
    workload amount="1 GB" until-ci="1.5 %" region="shared" theta=1.25 {
        streams "r" over="data, box..d" count=2 block="4096 B"
        streams "w" over="part" op="mix" reads=0.7 block="1000 B" rate="0.5 /s"
    }
    vary {
        factor "p" {
            level 1
            level "zipf" r.pattern="zipf" "r[3].block"="8 KiB"
            level "hot" r.pattern="hot" r.hot-share=0.9 r.hot-band=(assumed)"1 %"
        }
        factor "disks" of="disks.to" (given)"/dev/sd[a-d], /dev/x" "/dev/sd[e-h], /dev/y"
        factor "verify" of="workload.verify" #true #false
        factor "cached" {
            level "no"
            level "yes" workload.kernel-readahead="1 MiB" r.advice="random"
        }
        factor "growth" of="fs.readahead.growth" "doubling" "at-once"
    }
}
experiment "two" { workload { streams "r" over="box..d" block="1 MiB" } }
"#;
    check(text, &["data[0].size=1 GiB", "workload.cache=buffered"]);
}

fn stream() -> impl Strategy<Value = String> {
    let pattern = prop_oneof![
        Just("".to_owned()),
        Just("pattern=\"random\"".to_owned()),
        (1..5u32).prop_map(|n| format!("pattern=\"strided\" stride=\"{} KiB\"", n * 64)),
        (1..3_000_000u64).prop_map(|n| format!(
            "pattern=\"zipf\" theta={}.{:06}",
            n / 1_000_000,
            n % 1_000_000
        )),
    ];
    let rate = prop_oneof![
        Just("".to_owned()),
        (1..1_000_000u32).prop_map(|n| format!("rate=\"{n} /s\" arrivals=\"poisson\"")),
        (1..1_000_000u32).prop_map(|n| format!("rate=\"{n} kB/s\"")),
    ];
    let region = prop_oneof![Just(""), Just("region=\"shared\""), Just("op=\"mix\" reads=0.25")];
    let block = prop_oneof![Just("4 KiB"), Just("64 KiB"), Just("32768 B")];
    let counts = (1..4u32, 1..9u32);
    (pattern, rate, region, block, counts).prop_map(
        |(pattern, rate, region, block, (count, depth))| {
            format!("over=\"data\" block=\"{block}\" {pattern} {rate} {region}")
                + &format!(" count={count} depth={depth}")
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn generated_studies(
        streams in proptest::collection::vec(stream(), 1..4),
        files in 1..4u32,
        mib in 16..4096u64,
        depths in proptest::collection::btree_set(1..99u32, 1..4),
        title in "[a-z \"\\\\{}#\u{e4}]{1,12}",
    ) {
        let title = title.replace('\\', "\\\\").replace('"', "\\\"");
        let mut text = format!(
            "study \"{title}\"
layout {{ file \"data\" count={files} size=\"{mib} MiB\" }}
workload {{\n"
        );
        for (index, stream) in streams.iter().enumerate() {
            text += &format!("streams \"s{index}\" {stream}\n");
        }
        let depths: Vec<_> = depths.iter().map(ToString::to_string).collect();
        text += &format!(
            "}}
vary {{ factor \"d\" of=\"s0.depth\" {}
factor \"e\" of=\"workload.engine\" \"uring\" \"null\" }}",
            depths.join(" ")
        );
        let cases = cases_of(&text);
        prop_assert_eq!(cases.len(), depths.len() * 2);
        for case in cases {
            let count = case.streams.iter().filter(|stream| stream.group == "s0").count();
            prop_assert!(count.is_multiple_of(files as usize));
            prop_assert_eq!(cases_of(&case.text), [case]);
        }
    }
}
