//! Stores of every layout that was ever written open for ever.

use std::fs;

use iopath_store::{RunState, Store};

use crate::sample;

/// Layout 1, written by iopath 0.1.0.
pub(crate) const RUNS_DB: &[u8] = include_bytes!("../fixtures/v1/runs.db");

#[test]
fn a_store_of_layout_1_means_what_it_meant() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    fs::write(&path, RUNS_DB).unwrap();
    let store = Store::open(&path).unwrap();
    let runs = store.runs().unwrap();
    let names: Vec<_> = runs.iter().map(|summary| summary.run.state_name()).collect();
    assert_eq!(names, ["finished", "failed", "interrupted", "unfinished"]);
    assert_eq!((runs[0].trials, runs[0].records), (2, 3));
    let run = &runs[0].run;
    assert_eq!(run.begin, sample::run("iopath measure"));
    let expected = [(0, 0), (0, 1), (1, 0)].map(|(trial, pass)| sample::record(trial, pass));
    assert_eq!(store.records(run.id).unwrap(), expected);
    let end = runs[1].run.end.as_ref().unwrap();
    assert_eq!(end.state, RunState::Failed("no space left on /data".to_owned()));
    // And it can be gone on with.
    store.append(runs[3].run.id, &sample::record(0, 0)).unwrap();
}
