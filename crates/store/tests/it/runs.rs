//! Runs and records: what is written is read back, in order, and ends once.

use iopath_record::EntityId;
use iopath_store::{RunId, RunState, Store, StoreError};

use crate::sample;

fn with_store(test: impl FnOnce(&Store)) {
    let folder = tempfile::tempdir().unwrap();
    test(&Store::open(&folder.path().join("runs.db")).unwrap());
}

#[test]
fn records_come_back_by_trial_and_pass() {
    with_store(|store| {
        let run = store.begin_run(&sample::run("w")).unwrap();
        let other = store.begin_run(&sample::run("w")).unwrap();
        let places = [(1, 1), (0, 1), (1, 0), (0, 0)];
        for (trial, pass) in places {
            store.append(run, &sample::record(trial, pass)).unwrap();
        }
        store.append(other, &sample::record(9, 9)).unwrap();
        let expected = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(t, p)| sample::record(t, p));
        assert_eq!(store.records(run).unwrap(), expected);
        let summary = &store.runs().unwrap()[0];
        assert_eq!((summary.trials, summary.records), (2, 4));
        assert_eq!(summary.run.begin, sample::run("w"));
    });
}

#[test]
fn a_run_without_an_end_is_unfinished_and_ends_once() {
    with_store(|store| {
        let states = [
            (RunState::Finished, "finished"),
            (RunState::Interrupted, "interrupted"),
            (RunState::Failed("the disk went away".to_owned()), "failed"),
        ];
        for (state, name) in states {
            let run = store.begin_run(&sample::run("w")).unwrap();
            assert_eq!(store.run(run).unwrap().state_name(), "unfinished");
            store.end_run(run, &state, 12).unwrap();
            let found = store.run(run).unwrap();
            assert_eq!(found.state_name(), name);
            let end = found.end.unwrap();
            assert_eq!((end.state, end.ended_unix_ns), (state, 12));
            let again = store.end_run(run, &RunState::Finished, 13);
            assert!(matches!(again, Err(StoreError::Ended { .. })));
            let late = store.append(run, &sample::record(0, 0));
            assert!(matches!(late, Err(StoreError::Ended { .. })));
        }
    });
}

#[test]
fn an_amended_record_takes_the_place_of_the_first_alone() {
    with_store(|store| {
        let run = store.begin_run(&sample::run("w")).unwrap();
        for pass in 0..3 {
            store.append(run, &sample::record(0, pass)).unwrap();
        }
        let mut amended = sample::record(0, 1);
        amended.events.clear();
        store.amend(run, &amended).unwrap();
        let expected = vec![sample::record(0, 0), amended, sample::record(0, 2)];
        assert_eq!(store.records(run).unwrap(), expected);
        let missing = store.amend(run, &sample::record(1, 0));
        assert!(matches!(missing, Err(StoreError::NoPass { trial: 1, pass: 0, .. })));
    });
}

#[test]
fn times_of_all_64_bits_come_back() {
    with_store(|store| {
        let mut begin = sample::run("w");
        begin.started_unix_ns = u64::MAX;
        let run = store.begin_run(&begin).unwrap();
        store.end_run(run, &RunState::Finished, u64::MAX).unwrap();
        let found = store.run(run).unwrap();
        assert_eq!(found.begin, begin);
        assert_eq!(found.end.unwrap().ended_unix_ns, u64::MAX);
    });
}

#[test]
fn a_record_that_could_not_be_read_again_is_not_stored() {
    with_store(|store| {
        let run = store.begin_run(&sample::run("w")).unwrap();
        let mut record = sample::record(0, 0);
        record.streams[1].entity = EntityId(99);
        let message = store.append(run, &record).unwrap_err().to_string();
        assert!(message.contains("streams[1].entity"), "{message}");
        assert!(store.records(run).unwrap().is_empty());
    });
}

#[test]
fn a_person_names_runs_by_number_or_from_the_last() {
    with_store(|store| {
        let missing = |text: &str| store.resolve(text).unwrap_err().to_string();
        assert_eq!(missing("last"), "there is no run \"last\": the store has none yet");
        for _ in 0..3 {
            store.begin_run(&sample::run("w")).unwrap();
        }
        let cases = [("1", 1), ("3", 3), ("last", 3), ("last~0", 3), ("last~1", 2), ("last~2", 1)];
        for (text, id) in cases {
            assert_eq!(store.resolve(text).unwrap(), RunId(id), "{text}");
        }
        for text in
            ["0", "4", "-1", "last~3", "last~", "last1", "first", "", "18446744073709551615"]
        {
            let message = missing(text);
            assert!(message.contains("the store has 3, the last is 3"), "{text}: {message}");
        }
    });
}

#[test]
fn nothing_is_added_to_a_run_that_does_not_exist() {
    with_store(|store| {
        let id = RunId(7);
        let append = store.append(id, &sample::record(0, 0));
        assert!(matches!(append, Err(StoreError::NoRun { .. })));
        let end = store.end_run(id, &RunState::Finished, 0);
        assert!(matches!(end, Err(StoreError::NoRun { .. })));
        assert!(matches!(store.records(id), Err(StoreError::NoRun { .. })));
        assert!(matches!(store.export(id, &mut Vec::new()), Err(StoreError::NoRun { .. })));
    });
}
