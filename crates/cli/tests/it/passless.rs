//! Runs without a finished pass: killed before it, failed in it, or still under way. Every command
//! that reads a run says so and ends with its documented code.

use iopath_record::{Record, Technique, Warning, from_json};
use iopath_store::{NewRun, RunState, Store};

use crate::program::Program;
use crate::serving::Serving;

const TWO_STREAMS: &str = include_str!("../../../record/tests/fixtures/v1/two-streams.json");

/// What a store may hold in place of a finished pass.
#[derive(Clone, Copy, Debug)]
enum Left {
    /// Neither a record nor an end: under way, or killed.
    Nothing,
    /// No record, and the reason for it.
    Reason,
    /// The record of a pass that failed at its first request.
    FailedPass,
    /// Besides that, a model's record that is as empty.
    EmptyModel,
}

const ALL: [Left; 4] = [Left::Nothing, Left::Reason, Left::FailedPass, Left::EmptyModel];

/// A store with three runs: 1 and 2 without a finished pass, 3 with one.
fn filled(left: Left) -> Program {
    let program = Program::in_memory();
    let store = Store::open(&program.store()).unwrap();
    for _ in 0..2 {
        let run = store.begin_run(&new_run()).unwrap();
        match left {
            Left::Nothing => continue,
            Left::Reason => {}
            Left::FailedPass => store.append(run, &failed()).unwrap(),
            Left::EmptyModel => {
                let technique = Technique::Simulation { events: 0 };
                store.append(run, &Record { technique, ..failed() }).unwrap();
            }
        }
        let state = RunState::Failed("/dev/sdx: Input/output error".to_owned());
        store.end_run(run, &state, 1_790_000_001_000_000_000).unwrap();
    }
    let run = store.begin_run(&new_run()).unwrap();
    store.append(run, &from_json(TWO_STREAMS).unwrap()).unwrap();
    store.end_run(run, &RunState::Finished, 1_790_000_060_000_000_000).unwrap();
    program
}

fn new_run() -> NewRun {
    NewRun {
        command: "iopath measure".to_owned(),
        study: "study \"s\"\n".to_owned(),
        version: "0.1.0".to_owned(),
        started_unix_ns: 1_790_000_000_000_000_000,
        host: "server1".to_owned(),
    }
}

/// A pass in which nothing was done.
fn failed() -> Record {
    let mut record = from_json(TWO_STREAMS).unwrap();
    record.streams.iter_mut().for_each(|stream| {
        stream.phases.clear();
        (stream.first_issue_ns, stream.first_done_ns, stream.last_done_ns) = (0, 0, 0);
    });
    (record.instants_ns, record.series, record.heat) = (Vec::new(), Vec::new(), Vec::new());
    let text = "the pass ended early: Input/output error".to_owned();
    record.warnings = vec![Warning { kind: "pass-failed".to_owned(), text }];
    record
}

/// A command, the code that it must end with, and words that it must print or say.
type Expected = (&'static str, i32, &'static str);

/// Of runs without any record.
const RECORDLESS: [Expected; 16] = [
    ("list", 0, "no pass completed"),
    ("show 1", 0, "no pass completed"),
    ("show 1 --json", 0, "\"trials\": []"),
    ("explain 1", 0, "run 1: no pass completed, so there is nothing to explain"),
    ("explain 1 --json", 0, "\"trials\": []"),
    ("explain 1 --probe", 3, "nothing to probe"),
    ("report 1", 0, "run-1.html"),
    ("report 1 2", 0, "run-1-2.html"),
    ("report 3 1", 0, "run-3-1.html"),
    ("report 1 3", 0, "run-1-3.html"),
    ("export 1", 0, "\"records\":0"),
    ("compare 1 2", 3, "run 1: no pass completed, so there is nothing to compare"),
    ("compare 1 3", 3, "run 1: no pass completed, so there is nothing to compare"),
    ("compare 3 1", 3, "run 1: no pass completed, so there is nothing to compare"),
    ("compare 3 1 --json", 3, "run 1: no pass completed"),
    ("watch --run 3", 3, "iopath show 3"),
];

/// Of runs whose only pass failed before a request was completed.
const FAILED: [Expected; 16] = [
    ("list", 0, "no request completed"),
    ("show 1", 0, "no request completed"),
    ("show 1 --json", 0, "\"trials\": ["),
    ("explain 1", 0, "no request completed"),
    ("explain 1 --json", 0, "\"trials\": ["),
    ("explain 1 --probe", 3, "nothing to probe"),
    ("report 1", 0, "run-1.html"),
    ("report 1 2", 0, "run-1-2.html"),
    ("report 3 1", 0, "run-3-1.html"),
    ("report 1 3", 0, "run-1-3.html"),
    ("export 1", 0, "\"records\":1"),
    ("compare 1 2", 0, "no trial has a figure in both A and B"),
    ("compare 1 3", 0, "no trial has a figure in both A and B"),
    ("compare 3 1", 0, "no trial has a figure in both A and B"),
    ("compare 3 1 --json", 0, "iopath-comparison/2"),
    ("watch --run 1", 3, "iopath show 1"),
];

const PAGES: [&str; 9] = [
    "",
    "runs/1",
    "runs/1/live",
    "compare?runs=1,2",
    "compare?runs=1,3",
    "compare?runs=3,1",
    "api/runs",
    "api/runs/1",
    "api/runs/2",
];

#[test]
fn every_command_reads_a_run_without_a_finished_pass() {
    for left in ALL {
        let expected = match left {
            Left::Nothing | Left::Reason => RECORDLESS,
            Left::FailedPass | Left::EmptyModel => FAILED,
        };
        let program = filled(left);
        for (line, code, words) in expected {
            let output = program.line(line).ends(code);
            let said = format!("{}{}", output.stdout, output.stderr);
            assert!(said.contains(words), "{left:?}: iopath {line}: no {words:?} in\n{said}");
        }
    }
}

#[test]
fn every_page_shows_a_run_without_a_finished_pass() {
    for left in ALL {
        let program = filled(left);
        let serving = Serving::of(&program);
        for page in PAGES {
            let (status, body) = serving.get(page);
            assert!([200, 302].contains(&status), "{left:?}: {page}: {status}\n{body}");
        }
        let expected = match left {
            Left::Nothing | Left::Reason => 400,
            Left::FailedPass | Left::EmptyModel => 200,
        };
        assert_eq!(serving.get("api/compare?runs=1,3").0, expected, "{left:?}");
        assert_eq!(serving.end(), Some(0));
    }
}
