//! `iopath size`: what published plans built, losses, simulations, and what cannot be built.

use serde_json::{Value, json};

use crate::program::Program;

const P690: &str = include_str!("../../../../studies/templates/p690.kdl");
const SERVER: &str = include_str!("../../../../studies/templates/nvme-server.kdl");

fn with(text: &str) -> Program {
    let program = Program::in_memory();
    program.write("t.kdl", text);
    program
}

/// Runs words of which some have blanks.
fn sized(program: &Program, words: &[&str]) -> Value {
    let words = ["size", "t.kdl", "--json"].iter().chain(words);
    program.run(words).done().json()
}

fn levels(build: &Value) -> Vec<String> {
    let chosen = build["chosen"].as_array().unwrap().iter();
    chosen.map(|one| one["level"].as_str().unwrap().to_owned()).collect()
}

/// 16 adapters a drawer in slots 3 + 3 + 2, 112 in all, and 56 pairs of controllers.
#[test]
fn the_p690_is_built_as_it_was_planned() {
    let words = ["--case", "adapters and slots", "--need", "read=16.8GB/s", "--without-simulation"];
    let sizing = sized(&with(P690), &words);
    let builds = sizing["builds"].as_array().unwrap();
    assert_eq!(builds.len(), 2);
    assert_eq!(levels(&builds[0]), ["7", "3", "2", "3", "56"]);
    assert_eq!(levels(&builds[1]), ["7", "3", "3", "2", "56"]);
    let parts = builds[1]["parts"].as_array().unwrap().iter();
    let adapters = parts.filter(|part| part["kind"] == "hba").map(|part| part["count"].as_u64());
    assert_eq!(adapters.flatten().sum::<u64>(), 112);
    assert_eq!(sizing["rest_costs_at_least"], Value::Null);
    assert!(sizing["asked"].as_u64().unwrap() < 500, "{}", sizing["asked"]);
    let why = builds[0]["why"].as_array().unwrap();
    assert!(why.iter().all(|why| why["because"]["short"].is_object()), "{why:?}");
}

#[test]
fn its_alternatives_stand_side_by_side() {
    let sizing = sized(&with(P690), &["--case", "kinds of arrays", "--need", "read=18GB/s"]);
    let builds: Vec<_> = sizing["builds"].as_array().unwrap().iter().map(levels).collect();
    assert_eq!(builds, [["quad", "24"], ["monolith", "35"], ["pair", "49"]]);
    assert_eq!(sizing["simulated"], 3);
    let words = ["--case", "kinds of arrays", "--need", "read=18GB/s", "--case", "kind=monolith"];
    let sizing = sized(&with(P690), &words);
    assert_eq!(levels(&sizing["builds"][0]), ["monolith", "35"]);
}

/// 11.7 GB/s pass a port of 100 Gb/s, and 9 GB/s are left with one of three drives gone.
#[test]
fn losses_and_headroom_are_paid_for() {
    let program = with(SERVER);
    let words = ["--need", "throughput=9GB/s", "--set", "app.block=64KiB"];
    let plain = sized(&program, &words);
    assert_eq!(levels(&plain["builds"][0])[..2], ["1", "faster"]);
    let more = ["--headroom", "30%", "--survive", "1 drive", "-o", "best.kdl"];
    let sizing = sized(&program, &[&words[..], &more[..]].concat());
    let best = &sizing["builds"][0];
    assert_eq!(levels(best), ["3", "read-intensive", "1", "gbe100"]);
    // The server, three drives of 700, a port of 700.
    assert_eq!(best["totals"]["price"], 11_800.0);
    assert_eq!(best["survived"][0]["of"], 3);
    let left = &best["survived"][0]["offers"][0];
    assert_eq!((&left["of"], &left["unit"]), (&"throughput".into(), &"B/s".into()));
    assert_eq!(left["share"], best["survived"][0]["share_of_need"]);
    assert!(best["survived"][0]["share_of_need"].as_f64().unwrap() >= 1.0);
    assert!(best["simulated"]["share_of_need"].as_f64().unwrap() >= 1.0);
    let predicted = program.json("predict best.kdl");
    let offered = &predicted["cases"][0]["prediction"]["throughput_bytes_per_sec"];
    assert_eq!(offered, &best["prediction"]["throughput_bytes_per_sec"]);
}

/// Of 3.84 TB a drive, 16 hold 60 TB; a drive that fails takes no capacity from what is needed.
#[test]
fn what_is_stored_must_fit_and_grows() {
    let program = with(SERVER);
    let words = ["--case", "drive=faster", "--need", "iops=100k,capacity=60TB"];
    let more = ["--growth", "360GB", "--survive", "2 drive"];
    let sizing = sized(&program, &[&words[..], &more[..]].concat());
    let best = &sizing["builds"][0];
    assert_eq!(levels(best)[..2], ["16", "faster"]);
    assert_eq!(best["full_after_months"], 4.0);
    let offered = |at: usize| best["offers"][at]["offered"].as_str().unwrap();
    assert_eq!(offered(1), "61.44 TB");
    let why = best["why"][0]["because"]["short"]["short"][0]["of"].as_str();
    assert_eq!(why, Some("capacity"));
    let headroom = sized(&program, &[&words[..], &["--headroom", "10%"]].concat());
    assert_eq!(levels(&headroom["builds"][0])[..2], ["18", "faster"]);
    let vain = ["size", "t.kdl", "--need", "capacity=1TB", "--survive", "1 drive"];
    program.run(vain).ends(3).tells(&["add one to --need"]);
    program.line("size t.kdl --need iops=1k --growth 1TB").ends(3).tells(&["--need capacity="]);
    program.write("p.kdl", P690);
    let words = ["size", "p.kdl", "--case", "adapters and slots", "--need", "capacity=1TB"];
    program.run(words).ends(3).tells(&["add size="]);
}

/// Twice 3,000 requests of 8 KiB a second, of which 70 % read.
#[test]
fn the_load_of_a_run_is_a_need() {
    let program = with(SERVER);
    let load = "measure --target . --size 1MiB --engine null --op mix=70 --pattern random";
    program.line(&format!("{load} --block 8KiB --rate 3000/s --time 1s --passes 1")).done();
    let sizing = sized(&program, &["--need", "run=2x1@1ms", "-o", "best.kdl"]);
    let recorded = &sizing["recorded"];
    assert_eq!((recorded["run"].as_u64(), recorded["times"].as_f64()), (Some(1), Some(2.0)));
    let set = recorded["set"].to_string();
    assert!(set.contains("app.block=8192B") && set.contains("app.op=mix"), "{set}");
    let reads = recorded["reads"].as_f64().unwrap();
    assert!((0.65..0.75).contains(&reads), "{reads}");
    let asked = 2.0 * recorded["operations_per_sec"].as_f64().unwrap();
    assert!((5_000.0..6_100.0).contains(&asked), "{asked}");
    let best = &sizing["builds"][0];
    assert_eq!(levels(best)[..1], ["1"]);
    let best = std::fs::read_to_string(program.path("best.kdl")).unwrap();
    assert!(best.contains("block=\"8 KiB\"") && best.contains("op=\"mix\""), "{best}");
    let told = program.line("size t.kdl --need run=2x1,capacity=20TB").done().stdout;
    assert!(told.contains("needed: 2 × run 1,"), "{told}");
    program.line("size t.kdl --need run=9").ends(3).tells(&["9"]);
    for wrong in ["run=0x1", "run=", "run", "run=-1x1", "run=2x"] {
        program.run(["size", "t.kdl", "--need", wrong]).ends(3).tells(&["no run such as 12"]);
    }
    program.line("size t.kdl --need run=1,iops=5k").ends(3).tells(&["leave out iops="]);
    let own = ["--need", "run=1", "--set", "app.block=64KiB", "--without-simulation"];
    let set = sized(&program, &own)["recorded"]["set"].to_string();
    assert!(!set.contains("block") && set.contains("app.op=mix"), "what is stated stays: {set}");
}

/// An hour of iostat, idle but for ten minutes.
#[test]
fn counters_of_another_tool_are_a_need() {
    let program = with(SERVER);
    let lines = (0..60).map(|at| {
        let (rate, writes) = if (30..40).contains(&at) { (900.0, 100.0) } else { (1.0, 0.0) };
        let bytes = rate * 16.0;
        format!(
            "11/27/2026 10:{at:02}:00 AM\nDevice r/s rkB/s w/s wkB/s\n\
             sda {rate} {bytes} {writes} {}\n\n",
            16.0 * writes
        )
    });
    let lines: String = lines.collect();
    program.write("io.txt", format!("Linux 6.1.0 (host) 11/27/2026 _x86_64_ (2 CPU)\n\n{lines}"));
    program.line("import io.txt --zone UTC").done();
    let recorded = &sized(&program, &["--need", "run=1"])["recorded"];
    assert_eq!(recorded["operations_per_sec"], 1_000.0, "{recorded}");
    assert_eq!(recorded["request_bytes"], 16_384.0);
}

#[test]
fn what_no_build_carries_names_the_nearest_and_its_bottleneck() {
    let words = "size t.kdl --need throughput=100GB/s --set app.block=64KiB";
    let told = with(SERVER).line(words).ends(4).stdout;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "no build carries throughput 100.0 GB/s; the nearest is drives",
        "ports 4, network gbe100 with throughput 49.50 GB/s of 100.0 GB/s",
        "bottleneck server.nic ×4",
    ] {
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn a_search_that_is_cut_says_so() {
    let words = "size t.kdl --need throughput=9GB/s --set app.block=64KiB --most 2";
    let told = with(SERVER).line(words).ends(4).stdout;
    assert!(told.contains("no build was found yet that carries throughput"), "{told}");
    assert!(told.contains("not finished after 2 predictions for 512 builds"), "{told}");
}

/// Streams with a rate are what is needed, and their response in a simulation counts.
#[test]
fn rates_of_the_study_are_the_need() {
    let open = SERVER.replace("depth=64", "depth=64 rate=\"40000 /s\" arrivals=\"poisson\"");
    let sizing = sized(&with(&open), &["--set", "workload.time=1s", "--builds", "1"]);
    assert_eq!(sizing["needs"], "iops 40.00 k/s");
    assert_eq!(sizing["simulated"], 1);
}

#[test]
fn mistakes_say_what_to_write() {
    let program = with(SERVER);
    for (words, expected) in [
        ("size t.kdl", "say what is needed: --need read=18GB/s"),
        ("size t.kdl --need 18GB/s", "has no =; write read=18GB/s"),
        ("size t.kdl --need read=1GB/s --headroom many", "--headroom:"),
        ("size t.kdl --need read=1GB/s --survive switch[9]", "there is none"),
        ("size t.kdl --need read=1GB/s --headroom 20", "20 is 2000 % more; write 20%"),
        ("size t.kdl --need read=1GB/s --survive robot", "there is none"),
        ("size t.kdl --need read=1GB/s --survive driv", "did you mean \"drive\"?"),
        ("size t.kdl --need read=1GB/s --case wrong", "no case matches \"wrong\"; available: "),
        ("size none.kdl --need read=1GB/s", "cannot read the study none.kdl"),
    ] {
        let told = program.line(words);
        let code = if words.contains("none.kdl") { 4 } else { 3 };
        let told = told.ends(code).stderr;
        assert!(told.contains(expected), "{words}: {told}");
    }
    let several = with(P690).line("size t.kdl --need read=1GB/s").ends(3).stderr;
    assert!(several.contains("choose an experiment with --case"), "{several}");
    let fixed = "study \"s\"\npath { host \"h\" { nvme } }\n\
                 workload { streams \"a\" over=\"h.nvme\" block=\"4 KiB\" }";
    let nothing = with(fixed).line("size t.kdl --need read=1GB/s").ends(3).stderr;
    assert!(nothing.contains("there is nothing to choose"), "{nothing}");
    let unpriced = with(P690);
    let words =
        ["size", "t.kdl", "--case", "kinds of arrays", "--need", "read=1GB/s", "--for", "price"];
    let told = unpriced.run(words).ends(3).stderr;
    assert!(told.contains("nothing of the path states that"), "{told}");
}

/// Fewer than may fail are all gone.
#[test]
fn a_loss_of_more_than_there_are_is_the_loss_of_all() {
    let words = ["--need", "throughput=5GB/s", "--set", "app.block=64KiB", "--survive", "2 drive"];
    let sizing = sized(&with(SERVER), &words);
    assert_eq!(levels(&sizing["builds"][0])[0], "3");
}

/// A hundred thousand requests of 4 KiB are 0.4 GB/s: bytes are judged where nothing holds them
/// back to that.
#[test]
fn requests_and_bytes_are_needed_each_for_itself() {
    let words = ["--need", "iops=100k,throughput=2GB/s", "--set", "workload.time=20ms"];
    let sizing = sized(&with(SERVER), &words);
    assert_eq!(sizing["builds"][0]["offers"].as_array().unwrap().len(), 2);
    assert!(sizing["builds"][0]["simulated"]["share_of_need"].as_f64().unwrap() >= 1.0);
}

const COPIES: &str = r#"study "copies"
path {
    host "h" { nic use="eth-25g" price=1 }
    switch "lan"
    array "box" {
        raid "r" level=1 { ssd "d" count=2 read=(rated)"9 GB/s" write=(rated)"9 GB/s" price=1 }
    }
    wire from="h.nic" to="lan"
    wire from="box" to="lan"
}
workload { streams "w" over="box.r" op="write" block="1 MiB" depth=64 }
vary {
    factor "copies" of="box.r.d.count" "2 .. 8"
    factor "ports" of="h.nic.count" "1 .. 3"
}
"#;

const CLIENTS: &str = r#"study "clients"
path {
    host "c" price=50 { nic use="eth-25g" }
    switch "lan"
    host "h" { nic use="eth-25g"; nvme "d" use="nvme-gen4" }
    wire from="c.nic" to="lan"
    wire from="h.nic" to="lan"
}
workload { streams "r" over="h.d" on="c" region="shared" block="1 MiB" depth=64 }
vary { factor "clients" of="c.count" "1 .. 64" }
"#;

/// More copies carry less, and more clients leave less for each.
#[test]
fn more_that_carries_less_is_found_out() {
    let sizing = sized(&with(COPIES), &["--need", "write=6GB/s", "--without-simulation"]);
    assert_eq!(levels(&sizing["builds"][0])[0], "2");
    let words = ["--need", "streams=2x1GB/s", "--without-simulation"];
    let sizing = sized(&with(CLIENTS), &words);
    assert_eq!(levels(&sizing["builds"][0]), ["2"]);
}

#[test]
fn what_no_stream_does_is_named() {
    for (text, need, expected) in [
        (SERVER, "write=1GB/s", "write 0 B/s of 1.000 GB/s, as no stream writes"),
        (COPIES, "read=1GB/s,write=1GB/s", "read 0 B/s of 1.000 GB/s, as no stream reads"),
        (COPIES, "write=1TB/s", "GB/s of 1.000 TB/s, bottleneck"),
    ] {
        let line = format!("size t.kdl --need {need} --without-simulation");
        let answer = with(text).line(&line).ends(4).stdout;
        let answer = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(answer.contains(expected), "{need}: {answer}");
    }
}

/// LUNs of 1000 requests a second in one array, behind two switches.
const ONE_ARRAY: &str = r#"study "one array"
path {
    host "h" { hba count=2 use="fc-16g" }
    switch "sw" count=2
    array "a" { port "p" count=2 use="fc-16g"; lun "l" { ssd "d" read-ops="1000 /s" price=300 } }
    wire from="h.hba" to="sw"
    wire from="a.p" to="sw"
}
workload { streams "s" over="a.l" pattern="random" block="8 KiB" depth=64 }
vary { factor "luns" of="a.l.count" "1 .. 20" }
"#;

fn refused(text: &str, line: &str) -> String {
    let answer = with(text).line(line).ends(4).stdout;
    answer.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn where_only_a_loss_is_too_much_the_nearest_is_short_after_it() {
    let line = "size t.kdl --need iops=10000 --without-simulation --survive";
    for (loss, without) in [("1 array", "without a"), ("2 sw", "without sw[0] and sw[1]")] {
        let program = with(ONE_ARRAY);
        let words: Vec<&str> = line.split(' ').chain([loss]).collect();
        let answer = program.run(&words).ends(4).stdout;
        let answer = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            answer.contains("no build carries iops 10.00 k/s; the nearest is luns"),
            "{answer}"
        );
        assert!(answer.contains(without), "{answer}");
    }
}

#[test]
fn a_response_that_no_load_allows_is_what_is_short() {
    let slow = ONE_ARRAY.replace("read-ops=", "latency=\"7 ms\" read-ops=");
    let line = "size t.kdl --need iops=10000@4ms --without-simulation";
    let answer = refused(&slow, line);
    assert!(answer.contains("mean response at 10 % of the load 7."), "{answer}");
    assert!(!answer.contains("0.000 /s"), "{answer}");
}

/// Of 60 disks there are 1770 pairs, of 240 more than 5000.
#[test]
fn a_build_with_too_many_losses_is_not_called_short() {
    let text = r#"study "many"
path { host "h" { raid "g" level=6 segment="64 KiB" { disk "d" count=60 use="hdd-10k-sas" } } }
workload { streams "s" over="h.g" pattern="random" block="8 KiB" depth=512 }
vary { factor "groups" of="h.g.count" 1 4 }
"#;
    let program = with(text);
    let words = ["size", "t.kdl", "--need", "iops=20000", "--without-simulation"];
    let answer = program.run([&words[..], &["--survive", "2 d"]].concat()).ends(4).stdout;
    let answer = answer.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(answer.contains("no build that could be judged carries iops 20.00 k/s"), "{answer}");
    assert!(answer.contains("enough with everything in place"), "{answer}");
    program.run(words).done();
}

/// A drive that takes 1.1 ms for a request, of which 0.1 ms one after the other, with four in
/// flight: most requests of 3200 a second that come at random wait for one of the four.
#[test]
fn a_simulated_response_counts_from_the_intended_start() {
    let text = r#"study "depth"
path { host "h" { ssd "d" latency="1 ms" read-time="100 us" read="10 GB/s" variability=1 } }
workload time="5 s" { streams "s" over="h.d" pattern="random" block="4 KiB" depth=4 }
vary { factor "drives" of="h.d.count" "1 .. 4" }
"#;
    let program = with(text);
    let needs = ["--need", "iops=3200@1.3ms", "--builds", "1"];
    let sizing = sized(&program, &needs);
    assert_ne!(levels(&sizing["builds"][0]), ["1"], "{}", sizing["builds"][0]);
    let forced = [&["size", "t.kdl", "--case", "drives=1"][..], &needs[..]].concat();
    program.run(&forced).ends(4);
}

#[test]
fn a_path_without_ratings_has_no_answer() {
    let text = "study \"s\"\npath { host \"h\" { nvme \"d\" price=1 } }\n\
        workload { streams \"r\" over=\"h.d\" block=\"1 MiB\" }\n\
        vary { factor \"drives\" of=\"h.d.count\" \"1 .. 4\" }\n";
    let told = with(text).line("size t.kdl --need read=1GB/s").ends(4).stdout;
    assert!(told.contains("the path has no rated component"), "{told}");
}

/// Judged by simulation, a response time is exact: nothing of it is left to chance.
#[test]
fn by_simulation_the_response_time_is_one_thing_and_the_rate_another() {
    let words = ["--by-simulation", "--need", "iops=50k@80us", "--set", "workload.time=200ms"];
    let program = with(SERVER);
    let all = [&["size", "t.kdl"][..], &words[..], &["--case", "drive=read-intensive"]].concat();
    let told = program.run(&all).ends(4).stdout;
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("mean response") && told.contains("of 80 us"), "{told}");
}

/// Disks that serve a request a millisecond, one after the other.
const DISKS: &str = r#"study "disks"
path { host "h" { disk "d" price=1 ops=(rated)"1000 /s" } }
workload time="2 s" { streams "r" over="h.d" pattern="random" block="4 KiB" depth=32 }
vary { factor "disks" of="h.d.count" "1 .. 16" }
"#;

/// Two disks that are half busy answer in 1.5 ms on average (M/D/1); that all but a few are as fast
/// as that needs more.
#[test]
fn a_percentile_needs_more_than_the_mean_and_is_judged_by_simulations() {
    let program = with(DISKS);
    let built = |needs: &str| {
        let sizing = sized(&program, &["--need", needs]);
        let why = sizing["builds"][0]["why"][0].to_string();
        (levels(&sizing["builds"][0])[0].parse::<u32>().unwrap(), why)
    };
    let (of_mean, _) = built("iops=1k@2ms");
    let simulated = sized(&program, &["--need", "iops=1k@p95=2ms"]);
    let simulated = &simulated["builds"][0]["simulated"];
    assert_eq!(simulated["limited"]["metric"], "p95");
    let ns = |value: &Value| value.as_f64().unwrap();
    let p95 = ns(&simulated["limited"]["ns"]);
    assert!(p95 > ns(&simulated["response_ns"]) && p95 <= 2e6, "{simulated}");
    let throughput = sized(&program, &["--need", "iops=1k@p95=5ms,throughput=12.25MB/s"]);
    let throughput = &throughput["builds"][0];
    assert_eq!(throughput["simulated"]["limited"]["metric"], "p95", "{throughput}");
    assert_eq!(throughput["offers"][2]["of"], "p95 response", "{throughput}");
    // No number of disks is faster than one disk; one that lacks rate only is no nearer.
    let none = program.line("size t.kdl --need iops=1010@p95=500us").ends(4).stdout;
    let nearest = none.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(nearest.contains("with p95 response") && !nearest.contains("bottleneck"), "{none}");
    let (of_p95, why) = built("iops=1k@p95=2ms");
    let (of_p99, _) = built("iops=1k@p99=2ms");
    assert_eq!(of_mean, 2);
    assert!(of_mean < of_p95 && of_p95 < of_p99, "{of_mean} {of_p95} {of_p99}: {why}");
    let refused = |words: &str| program.line(words).ends(3);
    refused("size t.kdl --need iops=1k@p95=2ms --without-simulation")
        .tells(&["only a simulation knows the p95 response"]);
    refused("size t.kdl --need iops=1k@p95=2ms --survive h.d").tells(&["add --by-simulation"]);
    refused("size t.kdl --need iops=1k@p98=2ms").tells(&["p90, p95, p99"]);
}

/// A volume over the LUNs of as many boxes as are chosen, six at most, of three disks at most.
const GROUP: &str = r#"study "group"
path {
    host "h" { hba "hba" count=4 use="fc-16g" }
    switch "san"
    array "box" price=1 {
        controller {
            port use="fc-16g"
            lun "pv" most-members=3 { ssd "d" count=2 price=10 read=(rated)"100 MB/s" }
        }
    }
    wire from="h.hba" to="san"
    wire from="box.controller.port" to="san"
}
layout { stripe "lv" unit="1 MiB" over="box..pv" most-members=6 }
workload { streams "r" over="lv" block="8 MiB" depth=64 }
vary {
    factor "boxes" of="box.count" "1 .. 16"
    factor "disks" of="box.controller.pv.d.count" "2 .. 8"
}
"#;

/// Eight boxes of two disks would be cheapest, but six is what the group takes; three disks each
/// are what a LUN takes.
#[test]
fn builds_beyond_a_stated_number_of_members_are_left_out() {
    let program = with(GROUP);
    let words = ["--need", "read=1.6GB/s", "--without-simulation"];
    let best = |more: &[&str]| levels(&sized(&program, &[&words[..], more].concat())["builds"][0]);
    assert_eq!(best(&[]), ["6", "3"]);
    assert_eq!(best(&["--set", "lv.most-members=8"]), ["8", "2"]);
    let said = program.line("size t.kdl --need read=2.5GB/s --without-simulation").ends(4).stdout;
    let nearest = "the nearest is boxes 6, disks 3 with read 1.800 GB/s of 2.500 GB/s";
    assert!(said.split_whitespace().collect::<Vec<_>>().join(" ").contains(nearest), "{said}");
    // Builds beyond both limits, and beyond one, have each of them once.
    let limits = ["devices, in a volume group of at most 6", "disks in an array of at most 3"];
    assert_left_out(&said, &limits);
}

/// Two volume managers, of which one takes more.
#[test]
fn limits_of_one_name_are_listed_with_each_of_their_numbers() {
    let manager = "vary {\n    factor \"manager\" of=\"lv.most-members\" 4 6";
    let program = with(&GROUP.replace("vary {", manager));
    let said = program.line("size t.kdl --need read=2.5GB/s --without-simulation").ends(4).stdout;
    let limits = ["group of at most 4", "group of at most 6", "disks in an array of at most 3"];
    assert_left_out(&said, &limits);
}

/// These reasons and no other.
fn assert_left_out(said: &str, expected: &[&str]) {
    let (_, left_out) = said.split_once("left out\n").unwrap_or_else(|| panic!("{said}"));
    let reasons = left_out.lines().take_while(|line| line.starts_with("  - "));
    let reasons: Vec<&str> = reasons.collect();
    assert_eq!(reasons.len(), expected.len(), "{said}");
    for end in expected {
        assert!(reasons.iter().any(|reason| reason.ends_with(end)), "{said}");
    }
}

/// Hosts on one switch, arrays on another, and links between them to choose.
const LINKS: &str = r#"study "links"
path {
    host "h" { hba "hba" count=8 use="fc-16g" }
    switch "near" { port count=8 use="fc-16g"; port "isl" use="fc-16g" price=5 }
    switch "far" { port count=8 use="fc-16g"; port "isl" count=16 use="fc-16g" }
    array "box" count=8 { controller { port use="fc-16g"; part "lun" } }
    wire from="h.hba" to="near.port"
    wire from="near.isl" to="far.isl" spare=#true
    wire from="box.controller.port" to="far.port"
}
workload { streams "r" over="box..lun" block="1 MiB" depth=64 }
vary { factor "links" of="near.isl.count" "1 .. 32" }
"#;

/// A port of 16 Gb/s carries some 1.6 GB/s: what crosses needs as many as carry it, and there are
/// 16 at the other switch.
#[test]
fn what_crosses_between_switches_is_carried_by_the_links_between_them() {
    let program = with(LINKS);
    let sizing = sized(&program, &["--need", "read=6GB/s", "--without-simulation"]);
    assert_eq!(levels(&sizing["builds"][0]), ["4"]);
    let why = sizing["builds"][0]["why"][0]["because"].to_string();
    assert!(why.contains("isl"), "{why}");
    let told = program.line("size t.kdl --need read=30GB/s --without-simulation").ends(4).stdout;
    assert!(told.contains("left out\n  - wires 17 ends (near.isl) to 16 (far.isl)\n"), "{told}");
}

/// Adapters, arrays, LUNs and how wide they are, each with its price: 216 builds. A write costs a
/// disk more in a narrow array, and each array more makes the others' share less.
const ARRAYS: &str = r#"study "arrays"
path {
    host "h" { hba use="fc-16g" price=900 }
    switch "san"
    array "box" price=8000 {
        controller read=(rated)"3 GB/s" write=(rated)"2 GB/s" {
            port count=2 use="fc-16g"
            raid "lun" level=5 segment="128 KiB" price=10 {
                disk "d" use="hdd-7k2-18tb" count=4 price=250
            }
        }
    }
    wire from="h.hba" to="san"
    wire from="box.controller.port" to="san"
}
workload {
    streams "scan" over="box..lun" on="h" op="read" block="1 MiB" depth=256
    streams "load" over="box..lun" on="h" op="write" block="4 MiB" depth=256
}
vary {
    factor "adapters" of="h.hba.count" "1 .. 4"
    factor "arrays" of="box.count" "1 .. 3"
    factor "LUNs" of="box.controller.lun.count" "1 .. 3"
    factor "disks" of="box.controller.lun.d.count" "3 .. 8"
}
"#;

/// The cheapest of all builds is that of predicting each of them, whole or after a loss.
#[test]
fn what_is_found_is_the_cheapest_of_all_that_are_predicted() {
    let program = with(ARRAYS);
    for (after, survive) in [("", [].as_slice()), (" --without box[0]", &["--survive", "1 box"])] {
        let all = program.json(&format!("predict t.kdl{after}"));
        let all = all["cases"].as_array().unwrap();
        assert_eq!(all.len(), 216);
        let asked = assert_cheapest(&program, all, survive);
        assert!(asked < 12 * 216 / 3, "{asked} predictions");
    }
}

/// How many predictions it takes to find the cheapest of all builds for twelve needs.
fn assert_cheapest(program: &Program, all: &[Value], survive: &[&str]) -> u64 {
    let level = |case: &Value, factor: &str| -> f64 {
        case["case"]["levels"][factor].as_str().unwrap().parse().unwrap()
    };
    let price = |case: &Value| {
        let [adapters, arrays, luns, disks] =
            ["adapters", "arrays", "LUNs", "disks"].map(|factor| level(case, factor));
        900.0 * adapters + arrays * (8_000.0 + luns * (10.0 + 250.0 * disks))
    };
    let mut asked = 0;
    for (need, figure) in [
        ("read", "read_bytes_per_sec"),
        ("write", "write_bytes_per_sec"),
        ("throughput", "throughput_bytes_per_sec"),
        ("iops", "operations_per_sec"),
    ] {
        let offered = |case: &Value| case["prediction"][figure].as_f64().unwrap();
        let mut offers: Vec<f64> = all.iter().map(offered).collect();
        offers.sort_by(f64::total_cmp);
        for at in [100, 160, 205] {
            let least = (0.97 * offers[at]).floor();
            let prices = all.iter().filter(|case| offered(case) >= least).map(price);
            let cheapest = prices.fold(f64::INFINITY, f64::min);
            let unit = if need == "iops" { "" } else { "B/s" };
            let need = format!("{need}={least}{unit}");
            let words = [&["--need", &need, "--without-simulation"], survive].concat();
            let sizing = sized(program, &words);
            assert_eq!(sizing["builds"][0]["totals"]["price"], cheapest, "{words:?}");
            asked += sizing["asked"].as_u64().unwrap();
        }
    }
    asked
}

#[test]
fn where_nothing_survives_the_nearest_says_what_is_lost() {
    let program = with(ARRAYS);
    for (survive, without) in [("1 switch", "san"), ("3 box", "box[0]")] {
        let words = ["size", "t.kdl", "--json", "--need", "read=2GB/s", "--without-simulation"];
        let sizing = program.run(words.iter().chain(&["--survive", survive])).ends(4).json();
        assert_eq!(sizing["builds"], json!([]));
        let nearest = &sizing["nearest"];
        assert_eq!(nearest["without"][0], without, "{nearest}");
        let offered = nearest["short"][0]["offered_number"].as_f64().unwrap();
        assert!(offered == 0.0 && offered.is_sign_positive(), "{nearest}");
    }
}

/// LUNs of a controller that fails go on behind its partner, so their disks are left.
#[test]
fn what_a_partner_takes_over_is_left() {
    let program = with(
        r#"study "pairs"
path {
    host "h" { hba use="fc-16g" price=400 }
    switch "san"
    array "box" price=3600 {
        controller read=(rated)"4 GB/s" price=600 {
            port use="fc-16g" count=2
            raid "lun" level=10 segment="128 KiB" price=8000 {
                disk use="hdd-7k2-18tb" count=4 price=9000
            }
        }
    }
    wire from="h.hba" to="san"
    wire from="box.controller.port" to="san"
}
workload { streams "s" over="box..lun" on="h" op="read" block="4 MiB" depth=64 }
vary {
    factor "adapters" of="h.hba.count" "1 .. 10"
    factor "arrays" of="box.count" "1 .. 6"
    factor "controllers" of="box.controller.count" "1 .. 2"
    factor "LUNs" of="box.controller.lun.count" "1 .. 6"
}
"#,
    );
    let words = ["--need", "read=7GB/s", "--without-simulation", "--survive", "1 controller"];
    let sizing = sized(&program, &words);
    assert_eq!(sizing["by_utilisation"], true);
    // 8 LUNs of 1.08 GB/s carry it, also where 2 ports (3.3 GB/s) are left to 4 of them. Were only
    // the 6 LUNs left that the other controllers had, these would carry 6.48 GB/s.
    assert_eq!(levels(&sizing["builds"][0]), ["5", "2", "2", "2"]);
}

/// A million builds: with fewer components than the reads keep busy none is predicted.
#[test]
fn of_a_million_builds_few_are_predicted() {
    let program = with(include_str!("../../../../studies/templates/san.kdl"));
    let sizing = sized(&program, &["--need", "read=5GB/s", "--without-simulation"]);
    assert_eq!(levels(&sizing["builds"][0]), ["1", "4", "1", "1", "4", "3"]);
    assert_eq!(
        (&sizing["combinations"], &sizing["by_utilisation"]),
        (&1_000_000.into(), &true.into())
    );
    assert!(sizing["asked"].as_u64().unwrap() < 60, "{}", sizing["asked"]);
    // Also where what is left of one array less must do.
    let more = ["--survive", "1 box", "--without-simulation"];
    let sizing = sized(&program, &[&["--need", "read=5GB/s"], more.as_slice()].concat());
    assert_eq!(sizing["by_utilisation"], true);
    assert!(sizing["asked"].as_u64().unwrap() < 60, "{}", sizing["asked"]);
}

/// With two hosts it is not clear where streams run that do not say so, nor with more: one build
/// shows it, and the answer says what to write.
#[test]
fn streams_that_do_not_say_where_they_run_leave_out_all_builds_with_several_hosts() {
    let san = include_str!("../../../../studies/templates/san.kdl").replace(" on=\"h\"", "");
    let program = with(&san);
    let sizing = sized(&program, &["--need", "read=5GB/s", "--without-simulation"]);
    let left_out = sizing["left_out"].as_array().unwrap();
    assert_eq!(left_out.len(), 1, "{left_out:?}");
    let why = left_out[0].as_str().unwrap();
    assert!(why.contains("does not say where it runs") && why.contains("use on=\"h\""), "{why}");
    assert!(sizing["asked"].as_u64().unwrap() < 60, "{}", sizing["asked"]);
    assert_eq!(sizing["rest_costs_at_least"], Value::Null);
}
