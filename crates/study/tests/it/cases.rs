//! What cases hold: names, order, defaults, selectors, assignments, plans.

use iopath_study::case::{
    Arrivals, CacheMode, EngineKind, Pacing, Pattern, Rate, Region, Sharing, SyncMode, TargetKind,
};
use iopath_study::{Case, Order};
use iopath_units::{Action, Bytes, Nanos, OperationRate, Ratio};

use super::{cases_of, cases_with, levels, read_with};

const PLAIN: &str = r#"study "s"
layout { file "data" size="64 MiB" }
workload { streams "reader" over="data" block="64 KiB" }
"#;

fn names(case: &Case) -> (Vec<&str>, Vec<&str>) {
    let targets = case.targets.iter().map(|target| target.name.as_str()).collect();
    (targets, case.streams.iter().map(|stream| stream.name.as_str()).collect())
}

#[test]
fn defaults_are_those_of_the_table() {
    let [case] = cases_of(PLAIN).try_into().unwrap();
    assert_eq!((case.study.as_str(), case.experiment.as_str()), ("s", "s"));
    assert_eq!(names(&case), (vec!["data"], vec!["reader"]));
    assert_eq!(case.targets[0].kind, TargetKind::File);
    assert_eq!((&case.targets[0].binding, &case.targets[0].directory), (&None, &None));
    let workload = &case.workload;
    assert_eq!((workload.until.time, workload.until.amount), (None, None));
    assert_eq!((workload.passes, workload.warm_up, workload.seed), (1, Nanos(0), 1));
    assert_eq!((workload.engine, workload.cache), (EngineKind::Auto, CacheMode::Direct));
    assert_eq!(workload.sample_interval, Nanos(1_000_000_000));
    let stream = &case.streams[0];
    assert_eq!((stream.reads, stream.pattern), (Ratio::ONE, Pattern::Sequential));
    assert_eq!((stream.depth, stream.pacing), (1, Pacing::Closed));
    assert_eq!(stream.region, Region { sharing: Sharing::Own, index: 0, count: 1 });
}

#[test]
fn streams_of_one_target_stand_together() {
    let text = r#"study "s"
layout { file "a" count=2 size="1 MiB"; file "b" size="1 MiB" }
workload { streams "w" over="b, a" count=2 block="4 KiB" }"#;
    let [case] = cases_of(text).try_into().unwrap();
    let (targets, streams) = names(&case);
    assert_eq!(targets, ["a[0]", "a[1]", "b"]);
    assert_eq!(streams, ["w[0]", "w[1]", "w[2]", "w[3]", "w[4]", "w[5]"]);
    let targets: Vec<_> = case.streams.iter().map(|stream| stream.target).collect();
    assert_eq!(targets, [2, 2, 0, 0, 1, 1]);
    let regions: Vec<_> = case.streams.iter().map(|stream| stream.region.index).collect();
    assert_eq!(regions, [0, 1, 0, 1, 0, 1]);
}

#[test]
fn nested_names_carry_an_index_where_there_are_several() {
    let text = |over: &str| {
        format!(
            r#"study "s"
path {{
    host "server" count=2 {{ nvme count=3; enclosure "box" {{ disk "d" count=2 }} }}
    bind from="server..nvme" to="/dev/nvme[0-5]n1"
}}
workload {{ streams "r" over="{over}" block="4 KiB" }}"#
        )
    };
    for (over, expected) in [
        ("server[1].nvme[0,2]", "server[1].nvme[0] server[1].nvme[2]"),
        ("server.nvme[0]", "server[0].nvme[0] server[1].nvme[0]"),
        ("server[0]..d", "server[0].box.d[0] server[0].box.d[1]"),
        (
            "server..d[1], server[0].nvme[0]",
            "server[0].nvme[0] server[0].box.d[1] server[1].box.d[1]",
        ),
    ] {
        let [case] = cases_of(&text(over)).try_into().unwrap();
        assert_eq!(names(&case).0.join(" "), expected, "{over}");
    }
    let [case] = cases_of(&text("server[1].nvme[0]")).try_into().unwrap();
    assert_eq!(case.targets[0].binding.as_deref(), Some("/dev/nvme3n1"));
    assert_eq!(case.targets[0].kind, TargetKind::Device);
}

#[test]
fn the_last_factor_goes_fastest() {
    let text = format!(
        "{PLAIN}vary {{ factor \"d\" of=\"reader.depth\" 1 2\n factor \"x\" {{
    level \"one\"
    level \"two\" reader.block=\"4 KiB\" data.size=\"1 MiB\" }} }}"
    );
    let cases = cases_of(&text);
    let all: Vec<_> = cases.iter().map(levels).collect();
    assert_eq!(all, ["d=1, x=one", "d=1, x=two", "d=2, x=one", "d=2, x=two"]);
    assert_eq!(cases[3].streams[0].block, Bytes(4096));
    assert_eq!(cases[3].targets[0].size, Some(Bytes(1 << 20)));
    assert_eq!((cases[2].streams[0].depth, cases[2].streams[0].block), (2, Bytes(65536)));
}

#[test]
fn a_workload_gives_defaults_to_its_streams() {
    let text = r#"study "s"
layout { file "data" size="1 MiB" }
workload block="8 KiB" depth=4 {
    streams "a" over="data"
    streams "b" over="data" depth=2
}"#;
    let [case] = cases_of(text).try_into().unwrap();
    let own: Vec<_> = case.streams.iter().map(|s| (s.group.as_str(), s.depth)).collect();
    assert_eq!(own, [("a", 4), ("b", 2)]);
    assert!(case.streams.iter().all(|stream| stream.region.count == 1));
}

#[test]
fn every_pattern_takes_its_parameters() {
    let mib = Bytes(1 << 20);
    for (properties, pattern) in [
        ("pattern=\"interleaved\"", Pattern::Interleaved),
        ("pattern=\"backwards\"", Pattern::Backwards),
        ("pattern=\"staggered\"", Pattern::Staggered),
        ("pattern=\"random-start\"", Pattern::RandomStart),
        ("pattern=\"random\"", Pattern::Random),
        ("pattern=\"strided\" stride=\"1 MiB\"", Pattern::Strided { stride: mib }),
        ("pattern=\"zipf\" theta=1.2", Pattern::Zipf { theta: Ratio(1_200_000) }),
        ("pattern=\"walk\" step=\"1 MiB\"", Pattern::Walk { step: mib }),
        (
            "pattern=\"hot\" hot-share=\"90 %\" hot-band=0.1",
            Pattern::Hot { share: Ratio(900_000), band: Ratio(100_000) },
        ),
        (
            "pattern=\"resident\" hits=0.5 set=\"1 MiB\"",
            Pattern::Resident { hits: Ratio(500_000), write_hits: Ratio(500_000), set: mib },
        ),
        (
            "pattern=\"resident\" hits=0.5 write-hits=0.25 set=\"1 MiB\"",
            Pattern::Resident { hits: Ratio(500_000), write_hits: Ratio(250_000), set: mib },
        ),
    ] {
        let text = PLAIN.replace("block=", &format!("{properties} block="));
        assert_eq!(cases_of(&text)[0].streams[0].pattern, pattern, "{properties}");
    }
}

#[test]
fn a_flush_follows_every_write_where_no_number_is_said() {
    let sync = |properties: &str| {
        let text = format!(
            "study \"s\"\nlayout {{ file \"f\" size=\"1 MiB\" }}\nworkload {{\n\
             streams \"w\" over=\"f\" op=\"write\" block=\"4 KiB\" {properties}\n}}\n"
        );
        cases_of(&text)[0].streams[0].sync
    };
    for (properties, expected) in [
        ("", SyncMode::None),
        ("sync=\"dsync\"", SyncMode::Dsync),
        ("sync=\"sync\"", SyncMode::Sync),
        ("sync=\"fsync\"", SyncMode::Fsync(1)),
        ("sync=\"fdatasync\" sync-every=8", SyncMode::Fdatasync(8)),
        ("sync=\"end\"", SyncMode::End),
    ] {
        assert_eq!(sync(properties), expected, "{properties}");
    }
}

#[test]
fn a_workload_syncs_those_of_its_streams_that_write() {
    let text = "study \"s\"\nlayout { file \"f\" size=\"1 MiB\" }\n\
                workload sync=\"fsync\" sync-every=4 {\n\
                streams \"w\" over=\"f\" op=\"write\" block=\"4 KiB\"\n\
                streams \"r\" over=\"f\" block=\"4 KiB\"\n\
                streams \"e\" over=\"f\" op=\"write\" block=\"4 KiB\" sync=\"end\"\n}\n";
    let cases = cases_of(text);
    let syncs: Vec<SyncMode> = cases[0].streams.iter().map(|stream| stream.sync).collect();
    assert_eq!(syncs, [SyncMode::Fsync(4), SyncMode::None, SyncMode::End]);
}

#[test]
fn what_trims_is_no_writer_of_data() {
    let text = "study \"s\"\nlayout { file \"f\" size=\"1 MiB\" }\n\
                workload sync=\"fsync\" {\n\
                streams \"w\" over=\"f\" op=\"write\" block=\"4 KiB\"\n\
                streams \"t\" over=\"f\" op=\"trim\" block=\"64 KiB\" after=\"w\"\n}\n";
    let cases = cases_of(text);
    let streams = cases[0].streams.iter();
    let what: Vec<_> = streams.map(|one| (one.action, one.reads, one.sync)).collect();
    let expected = [
        (Action::Transfer, Ratio(0), SyncMode::Fsync(1)),
        (Action::Trim, Ratio(0), SyncMode::None),
    ];
    assert_eq!(what, expected);
    assert_eq!(cases_of(&cases[0].text)[0].streams[1].action, Action::Trim);
}

#[test]
fn an_open_loop_shares_its_rate() {
    let text = PLAIN.replace("block=", "count=4 rate=\"20 k/s\" arrivals=\"poisson\" block=");
    let [case] = cases_of(&text).try_into().unwrap();
    let rate = Rate::Operations(OperationRate(20_000_000));
    let open = Pacing::Open { rate, streams: 4, arrivals: Arrivals::Poisson };
    assert!(case.streams.iter().all(|stream| stream.pacing == open));
}

#[test]
fn until_ci_repeats_at_least_three_times() {
    let text = PLAIN.replace("workload", "workload until-ci=\"2 %\"");
    assert_eq!(cases_of(&text)[0].workload.passes, 3);
}

#[test]
fn sets_edit_declarations_or_instances() {
    let text = PLAIN.replace("\"data\" size", "\"data\" count=3 size");
    let sets = [
        "reader.block=4 KiB",
        "data[1-2].size=1 GiB",
        "workload.verify=#true",
        "data[2].size=2 GiB",
    ];
    let [case] = cases_with(&text, &sets).try_into().unwrap();
    assert_eq!(case.streams[0].block, Bytes(4096));
    let sizes: Vec<_> = case.targets.iter().map(|target| target.size.unwrap().0 >> 20).collect();
    assert_eq!(sizes, [64, 1024, 2048]);
    let [case] = cases_with(&text, &["reader[2].op=write", "data.count=4"]).try_into().unwrap();
    let reads: Vec<_> = case.streams.iter().map(|stream| stream.reads.0).collect();
    assert_eq!(reads, [1_000_000, 1_000_000, 0, 1_000_000]);
}

#[test]
fn an_experiments_own_layout_replaces_the_files() {
    let text = r#"study "s"
layout { file "data" size="1 MiB" }
bind from="data" to="/tmp/a"
experiment "one" { workload { streams "r" over="data" block="4 KiB" } }
experiment "two" {
    layout { file "other" size="2 MiB" }
    workload { streams "r" over="other" block="4 KiB" }
}"#;
    let cases = cases_of(text);
    assert_eq!(cases[0].targets[0].binding.as_deref(), Some("/tmp/a"));
    assert_eq!((names(&cases[1]).0, &cases[1].targets[0].binding), (vec!["other"], &None));
    assert_eq!(cases[1].experiment, "two");
}

#[test]
fn published_figures_are_data() {
    let text = format!(
        r#"{PLAIN}vary {{ factor "block" of="reader.block" "64 KiB" "1 MiB" }}
published {{
    given "one" throughput=(given)"195 MB/s" block="1024 KiB"
    check latency-p99="<30 ms" reader="1 GB/s .. 2 GB/s" tolerance=0.05
    shape rises="throughput" along="block"
    check ratio="0.99 .. 1.01" block="1 MiB" {{ against block="64 KiB" }}
}}"#
    );
    let study = read_with(&text, &[]).unwrap();
    let figures = &study.experiments[0].published.figures;
    assert_eq!(figures.len(), 4);
    assert_eq!(figures[0].chosen[0].first.as_deref(), Some("1024 KiB"));
    assert_eq!(figures[0].expects[0].least, figures[0].expects[0].most);
    assert_eq!(
        (figures[1].expects[0].metric, &figures[1].expects[0].least),
        ("latency-p99", &None)
    );
    assert_eq!(figures[1].expects[1].streams.as_deref(), Some("reader"));
    assert_eq!(figures[3].against.as_ref().map(Vec::len), Some(1));
}

#[test]
fn a_plan_knows_its_time() {
    let text = PLAIN
        .replace("workload", "workload time=\"10 s\" warm-up=\"2 s\" passes=3 pass-delay=\"1 s\"")
        + "vary { factor \"d\" of=\"reader.depth\" 1 2 3 4 5 6 7 8 }";
    let study = read_with(&text, &[]).unwrap();
    let plan = study.plan(Order::Listed).unwrap();
    assert_eq!(plan.estimated_time().known, Nanos(8 * 38_000_000_000));
    assert_eq!(plan.trials[0].case.working_set(), Some(Bytes(64 << 20)));
    let shuffled = study.plan(Order::Shuffled { seed: 7 }).unwrap();
    assert_ne!(shuffled, plan);
    assert_eq!(shuffled, study.plan(Order::Shuffled { seed: 7 }).unwrap());
    let mut sorted: Vec<_> = shuffled.trials.iter().map(|trial| levels(&trial.case)).collect();
    sorted.sort();
    assert_eq!(sorted, plan.trials.iter().map(|trial| levels(&trial.case)).collect::<Vec<_>>());
    let bytes_only = read_with(PLAIN, &[]).unwrap().plan(Order::Listed).unwrap();
    assert_eq!(
        (bytes_only.estimated_time().known, bytes_only.estimated_time().unknown),
        (Nanos(0), 1)
    );
}

#[test]
fn a_load_is_a_share_of_the_rate() {
    let text = PLAIN.replace("block=", "rate=\"1000 /s\" load=\"12.5 %\" block=");
    let [case] = cases_of(&text).try_into().unwrap();
    let Pacing::Open { rate, .. } = case.streams[0].pacing else { panic!("open") };
    assert_eq!(rate, Rate::Operations("125 /s".parse().unwrap()));
    let again = cases_of(&case.text);
    assert_eq!(again[0].streams[0].pacing, case.streams[0].pacing, "it is taken once");
}

#[test]
fn a_load_with_a_mix_of_its_own_reads_and_writes_whatever_is_said() {
    let text = PLAIN.replace("block=", "pattern=\"spc1-like\" block=");
    let text = text.replace("64 KiB", "4 KiB").replace("64 MiB", "1 GiB");
    let stream = &cases_of(&text)[0].streams[0];
    assert_eq!((stream.pattern, stream.reads), (Pattern::Spc1Like, Ratio(394_400)));
    assert_eq!(stream.largest_request(), Some(64 << 10));
}

#[test]
fn failures_are_parts_with_their_times() {
    let text = |fail: &str| {
        format!(
            "study \"x\"\npath {{ host \"h\" {{ hba count=2 {{ disk }} }} }}\n\
             workload time=\"60 s\" warm-up=\"5 s\" block=\"64 KiB\" {{\n\
             streams \"r\" over=\"h..disk\"\n{fail}\n}}"
        )
    };
    let case = &cases_of(&text("fail of=\"h.hba[1]\" at=\"20 s\" for=\"3 s\" failback=\"1 s\""))[0];
    let [failure] = &case.failures[..] else { panic!("{:?}", case.failures) };
    let names: Vec<_> = failure.parts.iter().map(|part| &case.system.part(*part).name).collect();
    assert_eq!(names, ["h.hba[1]"]);
    let seconds = |time: Nanos| time.0 / 1_000_000_000;
    assert_eq!((seconds(failure.at), failure.lasts.map(seconds)), (20, Some(3)));
    assert_eq!((seconds(failure.failover), seconds(failure.failback)), (5, 1));
    // The text of the case says all of it.
    assert_eq!(cases_of(&case.text), std::slice::from_ref(case));
    for (fail, says) in [
        ("fail of=\"h.hba[1]\"", "fail needs at="),
        ("fail at=\"1 s\"", "fail needs of="),
        ("fail of=\"h.hba[2]\" at=\"1 s\"", "there are only 2 of hba"),
        ("fail of=\"r\" at=\"1 s\"", "r"),
        ("fail of=\"h.hba\" at=\"65 s\"", "the pass ends after 65 s, before the failure"),
    ] {
        let study = read_with(&text(fail), &[]);
        let said = study.and_then(|study| study.cases()).expect_err(fail).to_string();
        assert!(said.contains(says), "{fail}: {said}");
    }
}
