//! What is opened, what is refused, and what is left alone.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;

use iopath_store::{Store, StoreError};
use rusqlite::Connection;

use crate::sample;

fn text(path: &Path) -> String {
    Store::open(path).expect_err("must not open").to_string()
}

#[test]
fn directories_above_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/runs.db");
    drop(Store::open(&path).unwrap());
    assert!(Store::open_existing(&path).unwrap().runs().unwrap().is_empty());
}

#[test]
fn reading_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    assert!(matches!(Store::open_existing(&path), Err(StoreError::Missing { .. })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    fs::write(&path, "").unwrap();
    assert!(matches!(Store::open_existing(&path), Err(StoreError::Missing { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"");
}

#[test]
fn a_store_that_is_read_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    drop(Store::open(&path).unwrap());
    let store = Store::open_existing(&path).unwrap();
    let refused = store.begin_run(&sample::run("w"));
    assert!(matches!(refused, Err(StoreError::NotWritable { .. })), "{refused:?}");
    drop(store);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no log is left beside it");
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("foreign.db");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    let marked = folder.path().join("marked.db");
    Connection::open(&marked).unwrap().execute_batch("PRAGMA application_id = 7").unwrap();
    let letter = folder.path().join("letter.txt");
    fs::write(&letter, "Dear reader, ".repeat(100)).unwrap();
    for path in [foreign, marked, letter] {
        let before = fs::read(&path).unwrap();
        let message = text(&path);
        assert!(message.contains("is not a store of iopath"), "{message}");
        let reading = Store::open_existing(&path);
        assert!(matches!(reading, Err(StoreError::NotAStore { .. })), "{reading:?}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_newer_layout_is_refused_with_both_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    drop(Store::open(&path).unwrap());
    Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 3").unwrap();
    assert!(text(&path).contains("newer iopath (layout 3, this one knows 2)"), "{}", text(&path));
    assert!(matches!(Store::open_existing(&path), Err(StoreError::Newer { found: 3, .. })));
}

#[test]
fn a_directory_or_a_path_through_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Store::open(folder.path()), Err(StoreError::Unfit(_))));
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let below = file.join("runs.db");
    assert!(matches!(Store::open(&below), Err(StoreError::Unreachable { .. })));
    assert!(matches!(Store::open_existing(&below), Err(StoreError::Unreachable { .. })));
}

#[test]
fn a_store_with_a_broken_page_is_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let store = Store::open(&path).unwrap();
    let run = store.begin_run(&sample::run("w")).unwrap();
    for trial in 0..20 {
        store.append(run, &sample::record(trial, 0)).unwrap();
    }
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    // All pages but the first, which holds what tells the file from others.
    bytes[4096..].fill(0xaa);
    fs::write(&path, bytes).unwrap();
    let found = Store::open_existing(&path).and_then(|store| store.records(run));
    assert!(matches!(found, Err(StoreError::Damaged { .. })), "{found:?}");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn a_store_and_what_is_made_for_it_is_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/runs.db");
    let files = ["runs.db", "runs.db-wal", "runs.db-shm"];
    let modes = || files.map(|name| mode(&path.with_file_name(name)));
    let store = Store::open(&path).unwrap();
    store.begin_run(&sample::run("w")).unwrap();
    assert_eq!(modes(), [0o600; 3]);
    assert_eq!([mode(&folder.path().join("a")), mode(&folder.path().join("a/b"))], [0o700; 2]);
    drop(store);
    // As earlier versions left it.
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    drop(Store::open_existing(&path).unwrap());
    assert_eq!(mode(&path), 0o644, "reading changes nothing");
    let _store = Store::open(&path).unwrap();
    assert_eq!(modes(), [0o600; 3]);
}

#[test]
fn a_store_of_somebody_else_keeps_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("foreign.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::NotAStore { .. })));
    assert_eq!(mode(&path), 0o644);
}

#[test]
fn a_link_to_nothing_and_a_device_are_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let (link, target) = (folder.path().join("link.db"), folder.path().join("target.db"));
    symlink(&target, &link).unwrap();
    assert!(matches!(Store::open(&link), Err(StoreError::Unfit(_))));
    assert!(!target.exists());
    for device in ["/dev/full", "/dev/null"] {
        assert!(matches!(Store::open(Path::new(device)), Err(StoreError::Unfit(_))));
        assert!(matches!(Store::open_existing(Path::new(device)), Err(StoreError::Unfit(_))));
    }
}

#[test]
fn root_reads_a_store_of_another_user_and_makes_nothing_beside_it() {
    if !rustix::process::geteuid().is_root() {
        let text = "not run: files of other users need root";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("his/x.db");
    Store::open(&path).unwrap().begin_run(&sample::run("w")).unwrap();
    chown(path.parent().unwrap(), Some(54_321), None).unwrap();
    let refused = Store::open(&path);
    assert!(matches!(refused, Err(StoreError::Unfit(_))), "{refused:?}");
    let store = Store::open_existing(&path).unwrap();
    assert_eq!(store.runs().unwrap().len(), 1);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_store_that_is_deleted_or_replaced_under_a_run_says_so() {
    for replaced in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let store = Store::open(&path).unwrap();
        let run = store.begin_run(&sample::run("w")).unwrap();
        fs::remove_file(&path).unwrap();
        if replaced {
            drop(Store::open(&folder.path().join("other.db")).unwrap());
            fs::rename(folder.path().join("other.db"), &path).unwrap();
        }
        let gone = store.append(run, &sample::record(0, 0));
        assert!(matches!(gone, Err(StoreError::Gone { .. })), "{gone:?}");
        let gone = store.end_run(run, &iopath_store::RunState::Finished, 1);
        assert!(matches!(gone, Err(StoreError::Gone { .. })), "{gone:?}");
    }
}

#[test]
fn a_store_that_is_being_created_is_never_taken_for_another_programs() {
    for _ in 0..50 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        std::thread::scope(|scope| {
            scope.spawn(|| Store::open(&path).unwrap());
            loop {
                match Store::open_existing(&path) {
                    Ok(_) => break,
                    Err(error) => assert!(matches!(error, StoreError::Missing { .. }), "{error}"),
                }
            }
        });
    }
}
