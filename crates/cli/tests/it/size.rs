//! `iopath size`: what published plans built, losses, simulations, and what cannot be built.

use serde_json::Value;

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
    assert!(best["survived"][0]["share_of_need"].as_f64().unwrap() >= 1.0);
    assert!(best["simulated"]["share_of_need"].as_f64().unwrap() >= 1.0);
    let predicted = program.json("predict best.kdl");
    let offered = &predicted["cases"][0]["prediction"]["throughput_bytes_per_sec"];
    assert_eq!(offered, &best["prediction"]["throughput_bytes_per_sec"]);
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
    assert!(told.contains("not finished after 2 predictions for 512 builds"), "{told}");
}

/// Streams with a rate are what is needed, and their response in a simulation counts.
#[test]
fn rates_of_the_study_are_the_need() {
    let open = SERVER.replace("depth=4", "depth=64 rate=\"40000 /s\" arrivals=\"poisson\"");
    let sizing = sized(&with(&open), &["--set", "workload.time=1s", "--builds", "1"]);
    assert_eq!(sizing["needs"], "40.00 k/s");
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
        ("size t.kdl --need read=1GB/s --survive robot", "there is none"),
        ("size t.kdl --need read=1GB/s --case wrong", "no experiment has \"wrong\""),
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
