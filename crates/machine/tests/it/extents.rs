//! Extents of real files on this machine.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use iopath_machine::Root;
use iopath_machine::extents;

use crate::not_run;

/// A file of three written pieces of 64 KiB with holes between them.
#[test]
fn a_file_with_holes_has_at_most_its_written_pieces() {
    let directory = tempfile::tempdir_in(".").unwrap();
    let path = directory.path().join("file");
    let file = File::create(&path).unwrap();
    for index in 0..3 {
        file.write_all_at(&[1; 65_536], index * (1 << 20)).unwrap();
    }
    // What was just written has no place yet.
    file.sync_all().unwrap();
    let Some(runs) = extents::runs(&Root::live(), &path).unwrap() else {
        return not_run("the file system here does not tell extents");
    };
    assert!((1..=3).contains(&runs));
}

#[test]
fn an_empty_file_and_what_is_no_file_have_none() {
    let directory = tempfile::tempdir_in(".").unwrap();
    let path = directory.path().join("file");
    fs::write(&path, "").unwrap();
    let live = Root::live();
    assert!(matches!(extents::runs(&live, &path).unwrap(), None | Some(0)));
    assert_eq!(extents::runs(&live, directory.path()).unwrap(), None);
    let missing = extents::runs(&live, &directory.path().join("none"));
    assert!(missing.unwrap_err().is_missing());
}

/// Files of an imitated machine lie on this one: their places would be invented.
#[test]
fn files_of_an_imitated_machine_have_no_places() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), [1; 65_536]).unwrap();
    let root = Root::at(directory.path());
    assert_eq!(extents::runs(&root, "/file".as_ref()).unwrap(), None);
}
