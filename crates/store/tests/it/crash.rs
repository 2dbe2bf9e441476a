//! Killed processes and processes side by side: what was committed is there, and nothing is broken.

use std::hint::spin_loop;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use iopath_store::Store;
use rusqlite::Connection;

use crate::child::{self, WRITTEN};
use crate::sample;

fn intact(path: &Path) {
    let connection = Connection::open(path).unwrap();
    let check = |sql| connection.query_row(sql, (), |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(check("PRAGMA integrity_check"), "ok");
    assert_eq!(check("SELECT 'broken' FROM pragma_foreign_key_check UNION ALL SELECT 'ok'"), "ok");
}

/// Starts a writer on `path`, lets it commit `lines` records and work for `rest` more, kills it
/// (SIGKILL), and returns how many it said it had committed.
fn killed(path: &Path, lines: usize, rest: Duration) -> usize {
    let mut child = child::command("write", path).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap)
        .filter(|line| line.starts_with("> "));
    let before = said.by_ref().take(lines).count();
    let end = Instant::now() + rest;
    while Instant::now() < end {
        spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    before + said.count()
}

#[test]
fn kill_9_takes_nothing_that_was_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let mut expected = 0;
    for round in 0..30 {
        let rest = Duration::from_micros(round * 7_919 % 6_000);
        expected += killed(&path, round as usize % 5, rest);
        let store = Store::open(&path).expect("a store opens after kill -9");
        let runs = store.runs().unwrap();
        let found: usize = runs
            .iter()
            .map(|summary| {
                assert_eq!(summary.run.state_name(), "unfinished");
                let trials = store.records(summary.run.id).unwrap();
                let trials: Vec<u32> = trials.iter().map(|record| record.case.trial).collect();
                assert_eq!(trials, (0..trials.len() as u32).collect::<Vec<_>>());
                trials.len()
            })
            .sum();
        // One more may have been committed than the child came to say, each time.
        assert!(found >= expected && found <= expected + 1, "{found} of {expected}");
        expected = found;
        intact(&path);
    }
    assert!(expected > 0);
}

#[test]
fn kill_9_while_the_store_is_made_leaves_one_that_opens() {
    for round in 0..30 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        killed(&path, 0, Duration::from_micros(round * 400));
        let store = Store::open(&path).expect("a store opens after kill -9");
        store.begin_run(&sample::run("next")).unwrap();
        drop(store);
        intact(&path);
    }
}

#[test]
fn two_writers_at_once_both_land() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("runs.db");
    let mut children: Vec<_> =
        (0..3).map(|_| child::command("write", &path).spawn().unwrap()).collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let store = Store::open_existing(&path).unwrap();
    let counts: Vec<u64> = store.runs().unwrap().iter().map(|summary| summary.records).collect();
    assert_eq!(counts, [u64::from(WRITTEN); 3]);
    intact(&path);
}

#[test]
fn a_reader_sees_whole_records_while_another_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let writer = Store::open(&path).unwrap();
    let run = writer.begin_run(&sample::run("w")).unwrap();
    let reader = Store::open_existing(&path).unwrap();
    for trial in 0..3 {
        writer.append(run, &sample::record(trial, 0)).unwrap();
        assert_eq!(reader.records(run).unwrap().len(), trial as usize + 1);
    }
}
