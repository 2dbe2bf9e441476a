//! What a run tells while it goes on, and when it is forgotten; layouts that did not know of it.

use iopath_record::{DevicesMoved, Live, Progress};
use iopath_store::{LiveWriter, RunState, Search, Store};
use rusqlite::Connection;

use crate::fixtures::RUNS_DB;
use crate::sample;

fn live(pass: u32) -> Live {
    Live {
        title: "a study".to_owned(),
        label: "reads depth=4".to_owned(),
        trial: 1,
        trials: 2,
        pass,
        done_ns: 5,
        whole_ns: Some(10),
        progress: Progress::Running {
            elapsed_ns: 5,
            bytes: 6,
            operations: 7,
            streams: vec![],
            devices: DevicesMoved::default(),
        },
    }
}

#[test]
fn samples_are_there_until_the_record_or_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let store = Store::open(&path).unwrap();
    let (run, other) =
        (store.begin_run(&sample::run("w")).unwrap(), store.begin_run(&sample::run("w")).unwrap());
    let writer = LiveWriter::open(&path, run).unwrap();
    let beside = LiveWriter::open(&path, other).unwrap();
    let told = |run| -> Vec<Live> {
        let reader = Store::open_existing(&path).unwrap();
        reader.live(run).unwrap().into_iter().map(|told| told.live).collect()
    };
    beside.write(&live(9)).unwrap();
    for pass in 0..2 {
        writer.write(&live(pass)).unwrap();
        writer.write(&live(pass)).unwrap();
        assert_eq!(told(run), [live(pass), live(pass)]);
        store.append(run, &sample::record(0, pass)).unwrap();
        assert_eq!(told(run), []);
    }
    writer.write(&live(2)).unwrap();
    store.end_run(run, &RunState::Interrupted, 1).unwrap();
    // One that comes too late is not taken.
    writer.write(&live(2)).unwrap();
    assert_eq!((told(run), told(other)), (vec![], vec![live(9)]));
    let at = |run| store.told_at(run).unwrap();
    assert_eq!((at(run), at(other)), (None, Some(store.live(other).unwrap()[0].at_unix_ns)));
}

#[test]
fn what_an_earlier_version_tells_is_understood() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let store = Store::open(&path).unwrap();
    let run = store.begin_run(&sample::run("w")).unwrap();
    // It knew nothing of devices.
    let body = r#"{"title":"a study","label":"reads depth=4","trial":1,"trials":2,"pass":3,
        "done_ns":5,"whole_ns":10,"progress":{"running":{"elapsed_ns":5,"bytes":6,"operations":7,
        "streams":[]}}}"#;
    let sql = "INSERT INTO live (run, at_unix_ns, body) VALUES (?, 8, ?)";
    let told = rusqlite::params![run.0.cast_signed(), body];
    Connection::open(&path).unwrap().execute(sql, told).unwrap();
    assert_eq!(store.told_at(run).unwrap(), Some(8));
    let found = store.live(run).unwrap();
    assert_eq!(found.into_iter().map(|told| told.live).collect::<Vec<_>>(), [live(3)]);
}

#[test]
fn what_a_dead_run_told_is_forgotten_when_the_store_is_next_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let store = Store::open(&path).unwrap();
    let run = store.begin_run(&sample::run("w")).unwrap();
    LiveWriter::open(&path, run).unwrap().write(&live(0)).unwrap();
    drop(Store::open(&path).unwrap());
    assert_eq!(store.live(run).unwrap().len(), 1);
    let back = "UPDATE live SET at_unix_ns = at_unix_ns - 61000000000";
    Connection::open(&path).unwrap().execute(back, ()).unwrap();
    drop(Store::open(&path).unwrap());
    assert_eq!(store.live(run).unwrap(), []);
}

#[test]
fn a_store_of_layout_1_is_searched_whether_it_may_be_written_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    std::fs::write(&path, RUNS_DB).unwrap();
    let search = Search { text: "disk".to_owned(), limit: Some(1), ..Search::default() };
    let found = |store: &Store| store.list(&search).unwrap();
    let reader = Store::open_existing(&path).unwrap();
    let before = found(&reader);
    assert_eq!(before.runs[0].title.as_deref(), Some("Two readers, one disk"));
    assert_eq!(before.runs[0].technique.as_deref(), Some("measurement"));
    assert_eq!(reader.live(before.runs[0].run.id).unwrap(), []);
    assert_eq!(std::fs::read(&path).unwrap(), RUNS_DB, "a reader changes nothing");
    drop(reader);
    let writer = Store::open(&path).unwrap();
    assert_eq!(found(&writer), before);
    assert_eq!(found(&Store::open_existing(&path).unwrap()), before);
}
