//! Trees on a real file system.

use std::collections::BTreeSet;
use std::fs;

use iopath_units::{Action, Bytes, Op};

use super::*;
use crate::engine::files::Files;
use crate::engine::{Done, Engine, Io, Wait};

fn wanted(files: u64, directories: u64, file_size: u64) -> Wanted {
    Wanted { files, directories, file_size: Bytes(file_size) }
}

/// What an action gives for one file.
fn act(tree: &Tree, action: Action, file: u64) -> i32 {
    let mut engine = Files::new(tree, (action, false), 1);
    let address = std::ptr::null_mut();
    engine.queue(Io { slot: 3, op: Op::Write, member: 0, offset: file, bytes: 1, address });
    let mut done = Vec::new();
    engine.exchange(Wait::One, &mut done).unwrap();
    let [Done { slot: 3, result }] = done[..] else { panic!("{done:?}") };
    result
}

fn names(directory: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn files_are_spread_over_all_directories_in_order() {
    let above = tempfile::tempdir().unwrap();
    for (files, directories) in [(10, 1), (10, 3), (10, 10), (11, 4), (1, 1)] {
        let tree = Tree::make(above.path(), wanted(files, directories, 0)).unwrap();
        tree.ready(Task::Make, &mut |_, _| true).unwrap();
        let mut all = 0;
        for directory in 0..directories {
            let here = names(&tree.path().join(format!("d{directory}")));
            let range = tree.first_of(directory)..tree.first_of(directory + 1);
            assert_eq!(here, range.map(|file| format!("f{file}")).collect(), "{files} {directory}");
            let (least, most) = (files / directories, files.div_ceil(directories));
            assert!((least..=most).contains(&(here.len() as u64)));
            all += here.len() as u64;
        }
        assert_eq!(all, files);
        (0..files).for_each(|file| {
            let here = tree.first_of(tree.directory_of(file))..;
            assert!(here.contains(&file) && file < tree.first_of(tree.directory_of(file) + 1));
        });
        // Parts of streams begin where directories do (`iopath_workload::Span`).
        for streams in (1..=directories).filter(|streams| directories % streams == 0) {
            let begins = |part| tree.first_of(part * directories / streams);
            assert!((0..=streams).all(|part| begins(part) == part * files / streams));
        }
    }
    assert!(names(above.path()).is_empty(), "dropped trees are gone");
}

#[test]
fn each_action_does_what_it_says_and_says_when_it_cannot() {
    let above = tempfile::tempdir().unwrap();
    let tree = Tree::make(above.path(), wanted(4, 2, 3_000_000)).unwrap();
    tree.ready(Task::Remove, &mut |_, _| true).unwrap();
    let path = tree.path_of(2);
    assert!(path.ends_with("d1/f2"), "{}", path.display());
    for action in [Action::Stat, Action::Open, Action::Unlink] {
        assert_eq!(act(&tree, action, 2), -libc::ENOENT, "{action}");
    }
    assert_eq!(act(&tree, Action::Create, 2), 1);
    assert_eq!(path.metadata().unwrap().len(), 3_000_000, "more than one piece");
    assert_eq!(act(&tree, Action::Create, 2), -libc::EEXIST);
    assert_eq!(act(&tree, Action::Stat, 2), 1);
    assert_eq!(act(&tree, Action::Open, 2), 1);
    fs::File::options().write(true).open(&path).unwrap().set_len(2_999_999).unwrap();
    assert_eq!(act(&tree, Action::Open, 2), 0, "a file that is shorter than it was made");
    assert_eq!(act(&tree, Action::Unlink, 2), 1);
    assert!(!path.exists());
}

#[test]
fn files_are_made_ready_from_any_state() {
    let above = tempfile::tempdir().unwrap();
    let tree = Tree::make(above.path(), wanted(600, 3, 10)).unwrap();
    tree.ready(Task::Remove, &mut |_, _| true).unwrap();
    assert_eq!(act(&tree, Action::Create, 7), 1);
    let mut told = 0;
    let stopped = tree.ready(Task::Make, &mut |done, _| {
        told += 1;
        done < 512
    });
    assert_eq!(stopped.unwrap_err().kind(), io::ErrorKind::Interrupted);
    assert_eq!(told, 3);
    tree.ready(Task::Make, &mut |_, _| true).unwrap();
    let there = || (0..600).filter(|file| tree.path_of(*file).exists()).count();
    assert_eq!(there(), 600);
    assert_eq!(act(&tree, Action::Unlink, 599), 1);
    tree.drop_pages().unwrap();
    tree.ready(Task::Remove, &mut |_, _| true).unwrap();
    assert_eq!(there(), 0);
}

#[test]
fn what_somebody_else_put_into_it_stays_and_is_named() {
    let above = tempfile::tempdir().unwrap();
    let mut tree = Tree::make(above.path(), wanted(4, 2, 0)).unwrap();
    tree.ready(Task::Make, &mut |_, _| true).unwrap();
    let strange = tree.path().join("d0/theirs");
    fs::write(&strange, "mine").unwrap();
    let error = tree.remove(&mut |_, _| ()).unwrap_err().to_string();
    assert!(error.contains("d0") && error.contains("not empty"), "{error}");
    assert_eq!(fs::read_to_string(&strange).unwrap(), "mine");
    assert_eq!(names(strange.parent().unwrap()).len(), 1, "its own files are gone");
    assert_eq!(names(tree.path()).len(), 1, "so is the other directory");
}

#[test]
fn trees_get_fresh_names_and_those_of_the_dead_are_found() {
    let above = tempfile::tempdir().unwrap();
    let taken = above.path().join(format!(".iopath-tree-{}-0", std::process::id()));
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("theirs"), "mine").unwrap();
    let tree = Tree::make(above.path(), wanted(1, 1, 0)).unwrap();
    assert_ne!(tree.path(), taken);
    assert_eq!(left_behind(above.path()), std::slice::from_ref(&taken), "the living one is in use");
    drop(tree);
    assert_eq!(names(above.path()).len(), 1);
    assert_eq!(fs::read_to_string(taken.join("theirs")).unwrap(), "mine");
}

#[test]
fn a_link_in_the_place_of_a_directory_is_not_followed() {
    let above = tempfile::tempdir().unwrap();
    let theirs = above.path().join("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("f2"), "mine").unwrap();
    let mut tree = Tree::make(above.path(), wanted(4, 2, 0)).unwrap();
    tree.ready(Task::Make, &mut |_, _| true).unwrap();
    let directory = tree.path().join("d1");
    fs::rename(&directory, above.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(&theirs, &directory).unwrap();
    assert!(tree.ready(Task::Remove, &mut |_, _| true).is_err());
    assert!(tree.remove(&mut |_, _| ()).is_err());
    assert_eq!(fs::read_to_string(theirs.join("f2")).unwrap(), "mine");
}
