//! `iopath predict`, and what `measure` says to studies that only predict.

use crate::program::Program;

const DRIVES: &str = r#"study "One server, four drives"

path {
    host "server" cpus=16 {
        root-port "slot" count=4 read=(rated)"3.9 GB/s" {
            nvme "drive" read=(given)"6.8 GB/s"
        }
    }
}

workload {
    streams "reader" over="server..drive" op="read" block="1 MiB" depth=16
}

vary {
    factor "drives" of="reader.over" "server.slot[0].drive" "server..drive"
}
"#;

fn with(text: &str) -> Program {
    let program = Program::in_memory();
    program.write("study.kdl", text);
    program
}

/// Two drives, one without a rating.
#[test]
fn one_unrated_drive_does_not_silence_the_others() {
    let text = r#"study "Two drives"
path {
    host "server" cpus=16 {
        nvme "fast" read=(rated)"2 GB/s"
        nvme "new"
    }
}
workload {
    streams "known" over="server.fast" op="read" block="1 MiB" depth=16
    streams "unknown" over="server.new" op="read" block="1 MiB" depth=16
}
"#;
    let told = with(text).line("predict study.kdl").done().stdout;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "known can read 2.000 GB/s at most",
        "unknown: no rated component on the path, so not predicted",
    ] {
        assert!(told.contains(expected), "{told}");
    }
}

/// One in flight of 104 µs reaches 9600 of 60,000 requests a second, whatever the log writer does.
#[test]
fn a_rate_that_is_missed_is_said_next_to_streams_without_one() {
    let text = r#"study "Open loop"
path { host "db" cpus=8 { ssd count=2 use="ssd-sas-12g" } }
workload time="3 s" {
    streams "oltp" over="db.ssd[0]" pattern="random" block="8 KiB" rate="60000 /s" depth=1
    streams "wal" over="db.ssd[1]" op="write" block="16 KiB" sync="fdatasync"
}
"#;
    let told = |set: &str| {
        let ended = with(text).run(["predict", "study.kdl", "--set", set]).done();
        ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let missed = told("oltp.depth=1");
    assert!(
        missed.contains("requests at most, oltp 9625 /s of the 60.00 k/s it wants; "),
        "{missed}"
    );
    let reached = told("oltp.depth=64");
    assert!(!reached.contains("it wants"), "{reached}");
}

#[test]
fn a_case_that_nothing_means_is_told_with_what_there_is() {
    let program = with(DRIVES);
    let error = |name: &str| program.run(["predict", "study.kdl", "--case", name]).ends(3).stderr;
    let levels = "drives=server.slot[0].drive, server..drive";
    let of_factor = format!("no case matches \"drives=x\"; available: {levels}\n");
    assert_eq!(error("drives=x"), of_factor);
    let both = ["predict", "study.kdl", "--case", "drives=x", "--case", "y"];
    program.run(both).ends(3).tells(&["available: \"One server, four drives\"; drives="]);
    let drive = "drives=server.slot[0].drive";
    let both = ["predict", "study.kdl", "--case", drive, "--case", "drives=server..drive"];
    program.run(both).ends(3).tells(&["\"drives=server..drive\" together; each matches some"]);
    for wrong in ["x", "disks=x"] {
        let all = format!("no case matches \"{wrong}\"; available: \"One server, four drives\"");
        assert_eq!(error(wrong), format!("{all}; {levels}\n"));
    }
}

#[test]
fn parts_that_are_not_there_cannot_be_taken_out() {
    let program = with(DRIVES);
    let told = program.run(["predict", "study.kdl", "--without", "slot[9]", "--without", "a["]);
    told.ends(3)
        .tells(&["there is no \"slot\" at the top: write server.slot", "--without a[: a bracket"]);
}

#[test]
fn a_path_with_a_mistake_is_told_with_its_place() {
    let text = DRIVES.replace("host \"server\"", "host \"spare\"\n    host \"server\"");
    let told = with(&text).line("predict study.kdl").ends(3);
    told.tells(&["study.kdl:13:13", "reader does not say where it runs, and there are 2 hosts"]);
}

#[test]
fn what_only_a_model_can_do_is_not_measured() {
    let program = with(DRIVES);
    let told = program.line("measure study.kdl").ends(3);
    let told = told.tells(&[
        "study.kdl:6:18: nvme drive is not bound to a real device or file, so it cannot be \
         measured",
        "write bind from=\"server.slot.drive\" to=\"/dev/…\"; `iopath predict` accepts",
    ]);
    assert_eq!(told.stderr.matches("cannot be measured").count(), 1, "{}", told.stderr);
    let via = DRIVES.replace("over=", "via=\"server\" over=");
    let told = with(&via).line("measure study.kdl").ends(3);
    told.tells(&["has via=, which measurements do not support"]);
    let apart = r#"study "s"
layout { file "f" size="1 MiB" }
workload {
    streams "writer" over="f" op="write" block="4 KiB"
    streams "reader" over="f" op="read" block="4 KiB" behind="writer" after="writer"
}
"#;
    let told = with(apart).line("measure study.kdl").ends(3);
    told.tells(&["study.kdl:5:", "reader is behind writer, but they do not run at the same time"]);
    let lies = r#"study "s"
path { disk "d" }
layout {
    filesystem "fs" on="d"
    file "f" on="fs" size="1 MiB"
}
workload { streams "reader" over="f" op="read" block="4 KiB" }
"#;
    let told = with(lies).line("measure study.kdl").ends(3);
    told.tells(&[
        "study.kdl:2:13: disk d is not bound to a real device or file, so file f, which is \
         stored on it, cannot be",
    ]);
    assert!(!program.store().exists());
}

/// Four drives of 6.8 GB/s in slots of 3.9 GB/s.
#[test]
fn a_single_case_is_told_in_full() {
    let program = with(DRIVES);
    let told = program.run(["predict", "study.kdl", "--case", "drives=server..drive"]).done();
    assert_eq!(told.stderr, "");
    insta::assert_snapshot!("drives", told.stdout);
}

#[test]
fn a_loss_is_told_with_what_it_costs() {
    let program = with(DRIVES);
    let words = ["predict", "study.kdl", "--case", "drives=server..drive", "--without"];
    let told = program.run([&words[..], &["server.slot[0-1].drive"]].concat()).done().stdout;
    let left = "\n  with server.slot[0-1].drive 15.60 GB/s, without 7.800 GB/s: 50.0 % are left\n";
    assert!(told.contains(left), "{told}");
    let stopped = "\n  reader[0]: stopped: server.slot[0].drive is removed\n";
    assert!(told.contains(stopped), "{told}");
    let words = ["predict", "study.kdl", "--case", "drives=server..drive", "--keep", "--without"];
    program.run([&words[..], &["server.slot[0]"]].concat()).done();
    let verdict = program.json("list")["runs"][0]["verdict"].as_str().unwrap().to_owned();
    assert!(verdict.contains(": without server.slot[0], reader (3 streams) can"), "{verdict}");
}

#[test]
fn a_case_that_a_loss_stops_is_a_line_of_its_own() {
    let program = with(DRIVES);
    let words = ["predict", "study.kdl", "--without", "server.slot[0]"];
    let told = program.run(words).done().stdout;
    let why = "reader cannot run: server.slot[0].drive is removed";
    let row =
        |line: &&str| line.contains("drives=server.slot[0].drive ") && line.contains(" 0.0 %");
    assert!(told.lines().any(|line| row(&line)), "{told}");
    assert!(told.contains("without nothing: 0.0 % are left"), "{told}");
    assert!(told.contains("without server.slot[0], reader cannot run"), "{told}");
    assert!(told.contains("75.0 %"), "{told}");
    let value = program.run([&words[..], &["--json", "--keep"]].concat()).json();
    let one = &value["cases"][0];
    assert_eq!(one["prediction"]["throughput_bytes_per_sec"], 0.0);
    assert_eq!(one["prediction"]["facts"]["path.nothing_left"], why);
    assert_eq!(one["without"]["before"]["throughput_bytes_per_sec"], 3.9e9);
    let verdict = program.json("list")["runs"][0]["verdict"].to_string();
    assert!(!verdict.is_empty());
}

/// 300 MB/s written, then 500 MB/s read: half the time each.
#[test]
fn streams_after_others_have_a_turn_of_their_own() {
    let text = r#"study "s"
path { host "h" { ssd "d" read="500 MB/s" write="300 MB/s" both="500 MB/s" } }
workload {
    streams "w" over="h.d" op="write" block="1 MiB" depth=8
    streams "r" over="h.d" op="read" block="1 MiB" depth=8 after="w"
}
"#;
    let program = with(text);
    let told = program.line("predict study.kdl").done().stdout;
    let turns = "w can write 300.0 MB/s, then r can read 500.0 MB/s: 400.0 MB/s on average at most";
    assert!(told.contains(turns), "{told}");
    let value = program.line("predict study.kdl --json").json();
    let shares = &value["cases"][0]["prediction"]["shares"];
    let of = |at: usize| (shares[at]["turn"].as_u64(), shares[at]["write_bytes_per_sec"].as_f64());
    assert_eq!((of(0), of(1)), ((Some(0), Some(3e8)), (Some(1), Some(0.0))));
    assert_eq!(shares[1]["throughput_bytes_per_sec"], 5e8);
    let paced = text.replace("depth=8 after", "rate=\"100 MB/s\" depth=8 after");
    let paced = paced.replace("depth=8\n", "rate=\"100 MB/s\" depth=8\n");
    let told = with(&paced).line("predict study.kdl").done().stdout;
    assert!(told.contains("then r can read 100.0 MB/s: all that is wanted; "), "{told}");
}

#[test]
fn the_json_of_a_check_has_every_key() {
    let program = with(DRIVES);
    let value = program.json("check study.kdl");
    let keys = |value: &serde_json::Value| {
        let keys: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
        keys.join(" ")
    };
    assert_eq!(keys(&value), "cases experiments findings format study trees");
    let tree = &value["trees"][0];
    assert_eq!(keys(tree), "experiment tree");
    assert_eq!(keys(&tree["tree"]), "joints layout path streams");
    let host = &tree["tree"]["path"][0];
    assert_eq!(keys(host), "children each kind name notes properties total");
    let slot = &host["children"][0];
    assert_eq!((&slot["name"], &slot["total"]), (&"slot".into(), &4.into()));
    assert_eq!(keys(&slot["properties"][0]), "name origin value");
    assert_eq!(slot["properties"][0]["origin"], "rated");
    let finding = &value["findings"][0];
    let expected = "cases column file hint line parts rule rule_source severity text";
    assert_eq!(keys(finding), expected);
    assert_eq!(finding["rule"], "single-points");
}

#[test]
fn a_mistake_of_a_path_ends_like_one_of_the_text() {
    let text = DRIVES.replace("host \"server\"", "host \"spare\"\n    host \"server\"");
    let program = with(&text);
    let told = program.line("check study.kdl").ends(3);
    let told =
        told.tells(&["study.kdl:13:13: reader does not say where it runs", "= rule: many-hosts ("]);
    assert!(told.stdout.contains("study.kdl: 1 mistake"), "{}", told.stdout);
    assert!(!told.stdout.contains("many-hosts"), "{}", told.stdout);
    let value = program.line("check study.kdl --json").ends(3).json();
    assert_eq!(value["findings"][0]["severity"], "mistake");
}

#[test]
fn what_is_set_changes_what_is_predicted() {
    let program = with(DRIVES);
    let words = ["predict", "study.kdl", "--case", "drives=server..drive", "--json"];
    let rate = |more: &[&str]| {
        let value = program.run([&words[..], more].concat()).done().json();
        value["cases"][0]["prediction"]["throughput_bytes_per_sec"].as_f64().unwrap()
    };
    assert_eq!(rate(&[]), 15.6e9);
    assert_eq!(rate(&["--set", "server.slot.read=5GB/s"]), 20e9);
    assert_eq!(rate(&["--set", "server.slot[0].read=1GB/s"]), 12.7e9);
}

#[test]
fn what_an_experiment_left_out_varies_can_be_set() {
    let text = DRIVES.replacen("workload {", "experiment \"ports\" {\nworkload {", 1)
        + "}\nexperiment \"rates\" {
            workload { streams \"reader\" over=\"server..drive\" block=\"1 MiB\" depth=16 }
            vary { factor \"slot\" of=\"server.slot.read\" \"1 GB/s\" \"2 GB/s\" }
        }";
    let program = with(&text);
    let words = ["predict", "study.kdl", "--set", "server.slot.read=5GB/s", "--json", "--case"];
    let value = program.run([&words[..], &["drives=server..drive"]].concat()).done().json();
    let rate = value["cases"][0]["prediction"]["throughput_bytes_per_sec"].as_f64();
    assert_eq!(rate, Some(20e9));
    let told = program.run([&words[..], &["rates"]].concat()).ends(3);
    told.tells(&["of the experiment \"rates\"", "or another experiment: --case \"ports\""]);
}

#[test]
fn the_json_of_a_prediction_has_every_key() {
    let program = with(DRIVES);
    let value = program.json("predict study.kdl");
    let keys = |value: &serde_json::Value| {
        let keys: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
        keys.join(" ")
    };
    assert_eq!(keys(&value), "cases format run timing");
    assert_eq!(value["format"], "iopath-prediction/1");
    assert!(value["run"].is_null());
    assert_eq!(keys(&value["timing"]), "build_ns evaluate_ns parse_ns");
    assert!(value["timing"]["evaluate_ns"].as_u64().unwrap() > 0);
    let cases = value["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for case in cases {
        assert_eq!(keys(case), "case prediction technique without");
        assert_eq!(case["technique"], "analytic");
        let prediction = &case["prediction"];
        let kinds: Vec<_> = prediction["bounds"].as_array().unwrap().iter().collect();
        assert!(kinds.len() >= 3, "{prediction:#}");
        for bound in kinds {
            let expected = "binding kind leaves_out operations_per_sec throughput_bytes_per_sec \
                            upgrades";
            assert_eq!(keys(bound), expected);
        }
        let component = &prediction["components"][0];
        let expected = "count kind layer limits name of operations_per_sec parent rated \
                        read_bytes_per_sec utilisation write_bytes_per_sec";
        assert_eq!(keys(component), expected);
        assert_eq!(prediction["facts"]["parts.nvme"], "4");
    }
}

#[test]
fn predictions_are_kept_like_runs() {
    let program = with(DRIVES);
    let kept = program.json("predict study.kdl --keep");
    assert_eq!(kept["run"], "1");
    let told = program.line("predict study.kdl --keep").done();
    assert!(told.stderr.contains("stored as run 2: iopath show 2"), "{}", told.stderr);
    let runs = program.json("list");
    assert_eq!(runs["runs"][0]["technique"], "analytic");
    let verdict = runs["runs"][0]["verdict"].as_str().unwrap();
    assert!(verdict.contains("can read 3.900 GB/s at most; server.slot[0] is full"), "{verdict}");
    let show = program.json("show 1");
    let trials = show["trials"].as_array().unwrap();
    assert_eq!(trials[1]["prediction"], kept["cases"][1]["prediction"]);
    for trial in trials {
        let broken: Vec<_> = trial["findings"]["audit"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|law| law["holds"] == false)
            .collect();
        assert!(broken.is_empty(), "{broken:#?}");
        assert_eq!(trial["findings"]["warnings"], serde_json::json!([]));
        assert_eq!(trial["findings"]["limit"]["cause"], "component");
    }
    let shown = program.line("show 1").done().stdout;
    assert!(shown.contains("can read 15.60 GB/s at most"), "{shown}");
    let compared = program.line("compare 1 2").done().stdout;
    assert!(
        compared.contains("2 trials, B against A by throughput: 2 the same within 1 %"),
        "{compared}"
    );
    program.line("export 1 run.jsonl").done();
    program.line("import run.jsonl").done();
    assert_eq!(program.json("show 3")["trials"], show["trials"]);
}

/// The same study predicted and measured: the files stand for what the path describes.
#[test]
fn a_prediction_is_compared_with_a_measurement() {
    let text = r#"study "A file on a described disk"
path { disk "d" stream=(assumed)"100 MB/s" size="1 MiB" }
layout {
    filesystem "fs" on="d"
    file "f" on="fs" size="1 MiB"
    bind from="f" to="data"
}
workload passes=3 amount="4 MiB" cache="buffered" {
    streams "reader" over="f" op="read" block="64 KiB"
}
"#;
    let program = with(text);
    program.file("data", 1 << 20);
    program.line("predict study.kdl --keep").done();
    program.line("measure study.kdl --no-progress").done();
    let compared = program.line("compare 1 2").done().stdout;
    assert!(
        compared.contains("\nA is analytic, B is measurement; B against A: throughput "),
        "{compared}"
    );
    assert!(compared.contains("throughput") && !compared.contains("no confidence"), "{compared}");
    // What only the machine knows is no change.
    assert!(!compared.contains("kernel.release"), "{compared}");
    assert!(compared.contains("not compared: "), "{compared}");
}

/// Two builds: one has a way to spare and less throughput.
#[test]
fn builds_stand_next_to_one_another() {
    let build = |name: &str, ports: u32| {
        format!(
            "study \"{name}\"\npath {{\n\
             host \"h\" {{ hba count={ports} {{ port use=\"fc-8g\" price=100 }} }}\n\
             switch \"san\"\n\
             array \"box\" read=(rated)\"1.5 GB/s\" {{ port count=2; part \"lun\" }}\n\
             wire from=\"h.hba.port\" to=\"san\"\nwire from=\"box.port\" to=\"san\"\n}}\n\
             workload {{ streams \"app\" over=\"box.lun\" block=\"1 MiB\" depth=32 }}\n"
        )
    };
    let program = Program::in_memory();
    program.write("one.kdl", build("one way", 1));
    program.write("two.kdl", build("two ways", 2));
    let json = program.json("predict one.kdl two.kdl --compare");
    let share = |at: usize, name: &str| {
        let losses = json["builds"][at]["losses"].as_array().unwrap().iter();
        let of = losses.filter(|loss| loss["name"] == name).map(|loss| &loss["share_left"]);
        of.map(|share| share.as_f64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(share(0, "h.hba.port"), [0.0]);
    // 826.5 of the 1500 MB/s are left.
    assert!((share(1, "h.hba.port")[0] - 0.551).abs() < 0.001, "{:?}", share(1, "h.hba.port"));
    assert_eq!(share(1, "box.port"), [1.0]);
    assert_eq!(share(1, "h"), Vec::<f64>::new());
    let told = program.line("predict one.kdl two.kdl --compare").done().stdout;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "one.kdl one way 826.5 MB/s 100 h.hba.port -",
        "two.kdl two ways 1.500 GB/s 200 box h.hba: 55.1 % left",
        "one.kdl, one way: nothing is left without box, box.lun, h.hba and 2 others",
    ] {
        assert!(told.contains(expected), "{told}");
    }
    let stderr = program.line("predict one.kdl two.kdl").ends(3).stderr;
    assert!(stderr.contains("--compare"), "{stderr}");
}

/// 6 of the 86 us of a request are processor time: 64 processors are 3 % busy.
#[test]
fn what_only_takes_time_is_not_called_full() {
    let program = with(
        r#"study "cpus"
path { host "h" cpus=64 { cost request=(given)"6 us"; ssd "d" latency="80 us" } }
workload { streams "s" over="h.d" count=8 region="shared" pattern="random" block="4 KiB" depth=4 }
"#,
    );
    let text = program.line("predict study.kdl").done().stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "all 8 s are latency-bound (4 in flight, study); of a request's time 6.9 % is in h cpus",
        "h cpus ×64: 6.9 % of a request's time",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let value = program.json("predict study.kdl");
    let bottlenecks = value["cases"][0]["prediction"]["bottlenecks"].as_array().unwrap();
    let shortens: Vec<_> = bottlenecks.iter().map(|one| &one["shortens"]).collect();
    assert_eq!(shortens, [false, true]);
}

/// A request of 1 MiB pins 256 pages, with a file system or without.
#[test]
fn pages_are_pinned_for_requests_to_a_raw_device_too() {
    let program = with(
        r#"study "pin"
path { host "h" cpus=2 { cost request="1 us" pin="10 GB/s"; part "d" size="256 GiB" } }
workload { streams "r" over="h.d" op="read" block="1 MiB" depth=8 }
"#,
    );
    let of = |line: &str| {
        let value = program.json(line);
        value["cases"][0]["prediction"]["operations_per_sec"].as_f64().unwrap()
    };
    let pinned = 1.0 / (1e-6 + f64::from(1 << 20) / 10e9);
    assert!((of("predict study.kdl") / pinned - 1.0).abs() < 1e-3);
    let huge = of("predict study.kdl --set workload.buffers=huge");
    assert!((huge / 1e6 - 1.0).abs() < 1e-3, "{huge}");
    let short = "simulate study.kdl --no-report --set workload.time=100ms";
    let simulated = program.json(short);
    let simulated = simulated["cases"][0]["findings"]["operations_per_sec"].as_f64().unwrap();
    assert!((simulated / pinned - 1.0).abs() < 1e-2, "{simulated} {pinned}");
}

#[test]
fn what_has_no_other_limit_near_stays_the_bottleneck() {
    let program = with(
        r#"study "far"
path { host "h" { hba "a" read=(rated)"500 GB/s" { disk "d" read=(rated)"200 MB/s" } } }
workload { streams "r" over="h.a.d" op="read" block="1 MiB" depth=8 }
"#,
    );
    let text = program.line("predict study.kdl").done().stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("it stays the bottleneck, no other described component is near"),
        "{text}"
    );
}
