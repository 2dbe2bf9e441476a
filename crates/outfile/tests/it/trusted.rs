//! What a privileged process does not write into.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::path::Path;

use iopath_outfile::{Rules, Trouble, check, make_directory, standing, write};

use crate::world::{OTHER, World, is_root};

#[track_caller]
fn is_untrusted(found: Result<(), Trouble>, expected: &Path) {
    match found {
        Err(Trouble::Untrusted { path, .. }) => assert_eq!(path, expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn root_writes_nothing_below_a_directory_of_another_user() {
    if !is_root() {
        return;
    }
    let world = World::new();
    let his = world.path("his");
    fs::create_dir_all(his.join("reports")).unwrap();
    chown(&his, Some(OTHER), None).unwrap();
    for path in [his.join("new"), his.join("reports/new"), his.join("reports/../../new")] {
        is_untrusted(check(&path, &Rules::default()), &his);
        is_untrusted(write(&path, b"", &Rules::default()), &his);
        is_untrusted(standing(&path, &[]).map(drop), &his);
    }
    is_untrusted(make_directory(&his.join("a/b")), &his);
    assert_eq!(fs::read_dir(&his).unwrap().count(), 1);
    assert_eq!(world.names(), ["his"]);
}

#[test]
fn root_writes_nothing_where_others_may_write_unless_it_is_sticky() {
    if !is_root() {
        return;
    }
    let world = World::new();
    let open = world.path("open");
    fs::create_dir(&open).unwrap();
    for (mode, is_trusted) in [(0o777, false), (0o775, false), (0o1777, true), (0o755, true)] {
        fs::set_permissions(&open, Permissions::from_mode(mode)).unwrap();
        let found = check(&open.join("new"), &Rules::default());
        assert_eq!(found.is_ok(), is_trusted, "{mode:o} {found:?}");
    }
}

#[test]
fn root_follows_no_link_of_another_user() {
    if !is_root() {
        return;
    }
    let world = World::new();
    let open = world.path("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, Permissions::from_mode(0o1777)).unwrap();
    let safe = world.path("safe");
    fs::create_dir(&safe).unwrap();
    let store = world.file("safe/store", "");
    for (name, target) in [("folder", &safe), ("file", &store)] {
        let link = open.join(name);
        symlink(target, &link).unwrap();
        let new = if name == "folder" { link.join("new") } else { link.clone() };
        standing(&new, &[]).unwrap();
        lchown(&link, Some(OTHER), None).unwrap();
        is_untrusted(standing(&new, &[]).map(drop), &link);
        is_untrusted(check(&new, &Rules::default()), &link);
    }
}

#[test]
fn root_opens_no_store_that_another_user_has_prepared() {
    if !is_root() {
        return;
    }
    let world = World::new();
    for prepared in ["store", "store-wal"] {
        world.file("store", "");
        let path = world.file(prepared, "");
        chown(&path, Some(OTHER), None).unwrap();
        is_untrusted(standing(&world.path("store"), &["-wal"]).map(drop), &path);
        chown(&path, Some(0), None).unwrap();
    }
}

#[test]
fn directories_are_made_for_the_user_alone() {
    let world = World::new();
    make_directory(&world.path("a/b")).unwrap();
    make_directory(&world.path("a/b")).unwrap();
    make_directory(&world.path("a/b/..")).unwrap();
    for name in ["a", "a/b"] {
        assert_eq!(fs::metadata(world.path(name)).unwrap().mode() & 0o7777, 0o700);
    }
}
