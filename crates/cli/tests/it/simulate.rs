//! `iopath simulate`: what it shows, keeps and refuses.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::program::Program;
use crate::shape;
use crate::terminal::Terminal;

/// Four drives in slots that are slower than they.
const DRIVES: &str = r#"study "One server, four drives"
path {
    host "server" {
        root-port "slot" count=4 read=(rated)"2 GB/s" {
            nvme "drive" read=(rated)"3 GB/s"
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

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

#[test]
fn each_case_stands_beside_its_bound() {
    let program = with(DRIVES);
    let value = program.json("simulate study.kdl");
    let cases = shape::simulated(&value);
    assert_eq!(cases.len(), 2);
    for (case, bound) in cases.iter().zip([2e9, 8e9]) {
        assert_eq!(case["bound"]["throughput_bytes_per_sec"], bound);
        let share = number(&case["of_bound"]);
        assert!((0.97..1.01).contains(&share), "{share}");
        let found = number(&case["findings"]["deskewed_throughput_bytes_per_sec"]);
        assert!((found / bound - share).abs() < 1e-9, "{found}");
        assert_eq!(shape::broken(&case["findings"]), Vec::<String>::new());
        assert_eq!(case["seeds"].as_array().unwrap().len(), 1);
    }
    let told = program.line("simulate study.kdl --no-report").done();
    assert_eq!(told.stderr, "", "no progress where there is no terminal");
    for part in ["simulated: One server, four drives drives=server..drive: ", "of bound"] {
        assert!(told.stdout.contains(part), "no {part:?} in\n{}", told.stdout);
    }
    assert!(!told.stdout.contains("shares of the streams"), "{}", told.stdout);
    let words = ["simulate", "study.kdl", "--case", "drives=server..drive"];
    let one = program.run(words).done().stdout;
    for part in ["bounds: reader (4 streams) can read 8.000 GB/s", "shares of the streams"] {
        assert!(one.contains(part), "no {part:?} in\n{one}");
    }
}

#[test]
fn a_signal_keeps_what_is_finished_and_says_so() {
    for (keys, line) in [("\u{3}", "simulate study.kdl"), ("\u{3}", "simulate study.kdl --keep")] {
        let program = with(DRIVES);
        let mut terminal = Terminal::start(&program, &format!("{line} --seeds 100000"));
        // Finished simulations over all, and no estimate before the first.
        let progress = terminal.wait_for(" left");
        assert!(progress.contains(" of 200000, "), "{progress:?}");
        terminal.press(keys);
        let ended = terminal.wait_for("closed");
        assert!(ended.contains("of 200000 simulations completed"), "{ended:?}");
        assert!(ended.contains("simulated: One server, four drives"), "{ended:?}");
        assert!(ended.contains("ended 130"), "{ended:?}");
        let kept = ended.contains("they are kept in run 1: iopath show 1");
        assert_eq!(kept, line.contains("--keep"), "{ended:?}");
        if kept {
            let run = &program.json("list")["runs"][0];
            let count = ended.split("interrupted: ").nth(1).unwrap().split(' ').next().unwrap();
            assert_eq!(
                (&run["state"], run["passes"].to_string().as_str()),
                (&"interrupted".into(), count)
            );
            program.line("show 1").done();
        }
    }
}

#[test]
fn termination_ends_a_simulation_as_ctrl_c_does() {
    let program = with(DRIVES);
    let running = program.start("simulate study.kdl --seeds 100000 --keep --no-progress");
    let begin = Instant::now();
    while !program.line("list").stdout.contains("unfinished") {
        assert!(begin.elapsed() < Duration::from_secs(60), "it does not begin");
    }
    running.signal(Signal::TERM);
    let output = running.wait().ends(130).tells(&["interrupted: ", "they are kept in run 1"]);
    assert!(output.stdout.contains("of bound"), "{}", output.stdout);
    assert_eq!(program.json("list")["runs"][0]["state"], "interrupted");
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_any_number_of_threads() {
    let program = with(DRIVES);
    let run = |threads: &str| {
        let line = format!("simulate study.kdl --seeds 2 --threads {threads}");
        let text = program.line(&line).done().stdout;
        (text, program.line(&format!("{line} --json")).done().stdout)
    };
    assert_eq!(run("1"), run("2"));
}

#[test]
fn seeds_are_passes_and_begin_with_the_study_s_own() {
    let program = with(DRIVES);
    let words = ["simulate", "study.kdl", "--json", "--case", "drives=server..drive"];
    let run = |more: &[&str]| program.run([&words[..], more].concat()).done().json();
    let (one, three) = (run(&[]), run(&["--seeds", "3"]));
    let [one, three] = [&one, &three].map(|value| shape::simulated(value)[0].clone());
    let seeds = three["seeds"].as_array().unwrap();
    let numbers: Vec<u64> = seeds.iter().map(|seed| seed["seed"].as_u64().unwrap()).collect();
    let first = one["case"]["seed"].as_u64().unwrap();
    assert_eq!(numbers, [first, first + 1, first + 2]);
    assert_eq!(seeds[0], one["seeds"][0]);
    assert_eq!(three["findings"]["confidence"]["passes"], 3);
    assert_eq!(three["findings"]["passes"].as_array().unwrap().len(), 3);
    let told = program.run(["simulate", "study.kdl", "--seeds", "3", "--full"]).done().stdout;
    for part in ["GB/s ± ", "seeds\n", "3 seeds a case: up to ", "by seed"] {
        assert!(told.contains(part), "no {part:?} in\n{told}");
    }
}

#[test]
fn a_loss_is_told_with_what_it_costs() {
    let program = with(DRIVES);
    let words = ["simulate", "study.kdl", "--without", "server.slot[0-1].drive"];
    let told = program.run(words).done().stdout;
    assert!(told.contains("without nothing: 0.0 % are left"), "{told}");
    let value = program.run([&words[..], &["--json"]].concat()).done().json();
    let cases = shape::simulated(&value);
    let stopped = &cases[0];
    let why = "reader cannot run: server.slot[0].drive is removed";
    assert_eq!(stopped["environment"]["path.nothing_left"], why);
    assert_eq!(stopped["findings"]["throughput_bytes_per_sec"], 0.0);
    let left = &cases[1];
    let before = number(&left["without"]["before"]["throughput_bytes_per_sec"]);
    let share = number(&left["findings"]["throughput_bytes_per_sec"]) / before;
    assert!((0.49..0.51).contains(&share), "{share}");
    assert_eq!(left["bound"]["throughput_bytes_per_sec"], 4e9);
}

#[test]
fn simulations_are_kept_like_runs_and_compared_with_other_techniques() {
    let program = with(DRIVES);
    let kept = program.json("simulate study.kdl --keep --seeds 3");
    assert_eq!(kept["run"], "1");
    let told = program.line("predict study.kdl --keep").done();
    assert!(told.stderr.contains("stored as run 2"), "{}", told.stderr);
    let runs = program.json("list");
    let listed = &runs["runs"][0];
    assert_eq!((&listed["technique"], &listed["passes"]), (&"simulation".into(), &6.into()));
    let verdict = listed["verdict"].as_str().unwrap();
    assert!(verdict.contains(": best of 2 trials is "), "{verdict}");
    let shown = program.json("show 1");
    for (trial, case) in shown["trials"].as_array().unwrap().iter().zip(shape::simulated(&kept)) {
        assert_eq!(trial["findings"], case["findings"]);
        assert!(trial["prediction"].is_null());
    }
    let text = program.line("show 1 --full").done().stdout;
    assert!(text.contains("each stream"), "{text}");
    let text = program.line("compare 1 2").done().stdout;
    assert!(
        text.contains("\nA is simulation, B is analytic; 2 trials, B against A by throughput: "),
        "{text}"
    );
    let compared = program.json("compare 1 2");
    let measures = compared["comparison"]["trials"][0]["measures"].as_array().unwrap();
    assert_eq!(measures[0]["measure"], "throughput_bytes_per_sec");
    assert_ne!(measures[0]["verdict"], "no-confidence");
    assert_eq!(compared["comparison"]["trials"][0]["is_same_case"], true);
    program.line("export 1 run.jsonl").done();
    program.line("import run.jsonl").done();
    assert_eq!(program.json("show 3")["trials"], shown["trials"]);
}

#[test]
fn what_cannot_be_simulated_is_told() {
    let program = with(DRIVES);
    let known = "available: \"One server, four drives\"; drives=server.slot[0].drive";
    program.run(["simulate", "study.kdl", "--case", "x"]).ends(3).tells(&[known]);
    let zero = program.line("simulate study.kdl --seeds 0").ends(3);
    zero.tells(&["--seeds", "write a whole number, at least 1"]);
    program.line("simulate study.kdl --threads 0").ends(3).tells(&["--threads"]);
    program.line("simulate nothing.kdl").ends(4).tells(&["cannot read the study nothing.kdl"]);
    let absent = program.run(["simulate", "study.kdl", "--without", "slot[9]"]).ends(3);
    absent.tells(&["--without slot[9]: there is no \"slot\" at the top: write server.slot"]);
    program.write(
        "bare.kdl",
        "study \"bare\"\nlayout { file \"f\" size=\"1 GiB\" }\n\
         workload { streams \"r\" over=\"f\" op=\"read\" block=\"4 KiB\" }\n",
    );
    let told = program.line("simulate bare.kdl").ends(3);
    told.tells(&["the path has no rated component", "iopath measure"]);
    assert!(!program.store().exists());
}

/// Bounds know the stated hits only; a simulated cache has all of this volume soon.
const HELD: &str = r#"study "A cache that holds all that is read"
path {
    host "h" {
        controller "c" {
            cache size="4 GiB" both="100 MB/s"
            raid "r" level=0 segment="64 KiB" { ssd count=2 both="20 MB/s" size="16 MiB" }
        }
    }
}
workload { streams "app" over="h.c.r" block="64 KiB" pattern="random" depth=4 }
"#;

#[test]
fn a_simulation_above_its_bound_breaks_a_law_in_text_page_and_json() {
    let program = with(HELD);
    let value = program.json("simulate study.kdl");
    let case = &shape::simulated(&value)[0];
    assert!(number(&case["of_bound"]) > 1.1, "{value}");
    let audit = case["findings"]["audit"].as_array().unwrap();
    let bound = audit.iter().find(|check| check["law"] == "bound").unwrap();
    assert_eq!((&bound["holds"], &bound["entity"]), (&Value::Bool(false), &Value::from("app")));
    let told = program.line("simulate study.kdl --keep --report page.html").done();
    assert!(
        told.stdout.contains("failed consistency checks") && told.stdout.contains("bound: app")
    );
    let page = std::fs::read_to_string(program.path("page.html")).unwrap();
    assert!(page.contains("<strong>bound</strong>: app"));
    let shown = program.line("show last").done();
    assert!(shown.stdout.contains("bound: app"), "{}", shown.stdout);
}

/// Two controllers, of which one fails for a while.
const FAILING: &str = r#"study "Failover"
path {
    host "h" { hba count=2 { port } }
    array "a" { controller count=2 { port; lun { ssd read=(rated)"100 MB/s" } } }
    wire from="h.hba.port" to="a.controller.port"
}
workload time="30 s" {
    streams "r" over="a.controller.lun" block="1 MB" depth=2
    fail of="a.controller[0]" at="10 s" for="10 s" failover="2 s" failback="1 s"
}
"#;

#[test]
fn a_failure_has_its_course_in_text_findings_and_page() {
    let program = with(FAILING);
    let value = program.json("simulate study.kdl");
    let spans = shape::simulated(&value)[0]["findings"]["failures"].as_array().unwrap().clone();
    let rates: Vec<u64> = spans
        .iter()
        .map(|span| (number(&span["throughput_bytes_per_sec"]) / 1e7).round() as u64)
        .collect();
    // The other disk reads on alone; the controller that is left reaches both.
    assert_eq!(rates, [20, 10, 20, 20, 20], "{spans:?}");
    assert_eq!(spans[1]["events"][0], "a.controller[0] fails");
    let text = program.line("simulate study.kdl --report page.html").done();
    for part in [
        "longest request took 2.0",
        "requests avoid a.controller[0]",
        "requests use a.controller[0] again",
    ] {
        assert!(text.stdout.contains(part), "no {part:?} in\n{}", text.stdout);
    }
    assert!(!text.stdout.contains("not-precise"), "{}", text.stdout);
    let page = std::fs::read_to_string(program.path("page.html")).unwrap();
    assert!(page.contains("requests avoid a.controller[0]"), "above the charts, too");
    let bounds = program.line("predict study.kdl").done().stdout;
    assert!(bounds.contains("failures: what fails during the pass"), "{bounds}");
}
