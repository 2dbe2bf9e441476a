//! What is replaced, and with what mode.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use iopath_outfile::{Readers, Rules, Trouble, standing, write};

use crate::world::{World, text};

const RULES: Rules<'_> =
    Rules { mark: Some(b"mark"), named: &[], apart: &[], readers: Readers::Owner };

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn a_page_with_our_mark_is_replaced_and_its_neighbours_stay() {
    let world = World::new();
    let path = world.path("page.html");
    write(&path, b"mark 1", &RULES).unwrap();
    assert_eq!(mode(&path), 0o600);
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    world.file("page.html.part", "neighbour");
    let hard = world.path("hard");
    fs::hard_link(&path, &hard).unwrap();
    write(&path, b"mark 2", &RULES).unwrap();
    assert_eq!((text(&path).as_str(), mode(&path)), ("mark 2", 0o640));
    assert_eq!(text(&hard), "mark 1", "the old page is not written to");
    assert_eq!(world.names(), ["hard", "page.html", "page.html.part"]);
    assert_eq!(text(&world.path("page.html.part")), "neighbour");
}

#[test]
fn a_mark_that_is_not_at_the_beginning_is_none() {
    let world = World::new();
    for (name, content) in [("later", " mark"), ("short", "mar"), ("empty", "")] {
        let path = world.file(name, content);
        write(&path, b"new", &RULES).expect_err("must be refused");
        assert_eq!(text(&path), content);
    }
}

#[test]
fn a_file_that_stands_is_made_private_with_those_that_belong_to_it() {
    let world = World::new();
    let path = world.path("store");
    let made = standing(&path, &["-wal"]).unwrap();
    assert_eq!((mode(&path), made.path(), made.is_there()), (0o600, path.as_path(), true));
    let log = world.file("store-wal", "");
    let other = world.file("store-other", "");
    for path in [&path, &log, &other] {
        fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
    }
    standing(&path, &["-wal"]).unwrap().tighten().unwrap();
    assert_eq!([&path, &log, &other].map(|path| mode(path)), [0o600, 0o600, 0o644]);
    fs::rename(&path, world.path("moved")).unwrap();
    assert!(!made.is_there());
    standing(&path, &[]).unwrap();
    assert!(!made.is_there(), "another file of that name is another file");
    assert!(matches!(made.open(), Err(Trouble::Changed { .. })));
    standing(&path, &[]).unwrap().open().unwrap().write_all(b"in place").unwrap();
    assert_eq!(text(&path), "in place");
}
