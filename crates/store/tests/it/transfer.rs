//! A run carried from store to store: whole, or not at all.

use std::io::Cursor;

use iopath_store::{RunId, RunState, Store, StoreError};
use tempfile::TempDir;

use crate::sample;

fn new_store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("runs.db")).unwrap();
    (folder, store)
}

/// A file as `export` writes it, of the second run of its store.
fn exported() -> String {
    let (_folder, store) = new_store();
    store.begin_run(&sample::run("first")).unwrap();
    let run = store.begin_run(&sample::run("second")).unwrap();
    store.append(run, &sample::record(0, 1)).unwrap();
    store.append(run, &sample::record(0, 0)).unwrap();
    store.end_run(run, &RunState::Failed("no \"space\"\n".to_owned()), 99).unwrap();
    let mut text = Vec::new();
    store.export(run, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn a_run_is_the_same_in_another_store() {
    let text = exported();
    let (_folder, store) = new_store();
    let id = store.import(Cursor::new(&text)).unwrap();
    let run = store.run(id).unwrap();
    assert_eq!((run.id, run.origin), (RunId(1), Some(RunId(2))));
    assert_eq!(run.begin, sample::run("second"));
    assert_eq!(run.end.unwrap().state, RunState::Failed("no \"space\"\n".to_owned()));
    let expected = [sample::record(0, 0), sample::record(0, 1)];
    assert_eq!(store.records(id).unwrap(), expected);
    // Exported again it is the same file, its first number included.
    let mut again = Vec::new();
    store.export(id, &mut again).unwrap();
    assert_eq!(String::from_utf8(again).unwrap(), text);
}

#[test]
fn a_run_that_goes_on_can_be_exported() {
    let (_folder, store) = new_store();
    let run = store.begin_run(&sample::run("w")).unwrap();
    let mut text = Vec::new();
    store.export(run, &mut text).unwrap();
    let copy = store.import(Cursor::new(&text)).unwrap();
    assert_eq!(store.run(run).unwrap().state_name(), "unfinished");
    // Nothing goes on where it is imported, so it must not be followed there.
    assert_eq!(store.run(copy).unwrap().state_name(), "failed");
}

#[test]
fn a_bad_file_is_refused_with_its_line_and_leaves_nothing() {
    let good = exported();
    let lines: Vec<&str> = good.lines().collect();
    let cut = good[..good.len() - 40].to_owned();
    let cases = [
        (String::new(), 1, "not written by `iopath export`"),
        ("{}\n".to_owned(), 1, "not written by `iopath export`"),
        ("\n".to_owned(), 1, "not written by `iopath export`"),
        (good.replacen("export/1", "export/2", 1), 1, "\"iopath-export/2\" is unknown; this"),
        (good.replacen("\"id\"", "\"mood\":1,\"id\"", 1), 1, "unknown field `mood`"),
        (good.replacen("\"failed\"", "\"bored\"", 1), 1, "unknown variant `bored`"),
        (format!("{}\n{}\n", lines[0], lines[1]), 3, "1 records instead of 2"),
        (format!("{good}{}\n", lines[1]), 4, "more than the 2 records"),
        (cut, 3, "EOF while parsing"),
        (good.replace("\"upper\":2", "\"upper\":77"), 2, "relations[0].upper: names an entity"),
        (format!("{good}\n"), 4, "not a record"),
    ];
    let (_folder, store) = new_store();
    for (text, expected_line, expected) in cases {
        match store.import(Cursor::new(text)) {
            Err(StoreError::Import { line, why }) => {
                assert_eq!(line, expected_line, "{why}");
                assert!(why.contains(expected), "{expected} is not in {why}");
            }
            other => panic!("{expected}: {other:?}"),
        }
        assert!(store.runs().unwrap().is_empty(), "{expected}");
    }
    let binary = store.import(Cursor::new(b"\xff\xfe\n"));
    assert!(binary.unwrap_err().to_string().contains("line 1: not UTF-8"));
}
