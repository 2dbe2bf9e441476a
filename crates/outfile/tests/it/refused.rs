//! What is never an output, and stays as it is.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use iopath_outfile::{Rules, Trouble, check, create, write};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::world::{World, text};

/// Both before a run and when it is written.
fn refused(path: &Path, rules: &Rules<'_>) -> Trouble {
    let trouble = check(path, rules).expect_err("must be refused");
    let later = write(path, b"new", rules).expect_err("must be refused");
    assert_eq!(trouble.to_string(), later.to_string());
    trouble
}

#[test]
fn an_existing_file_is_refused_with_the_name_that_gives_it_up() {
    let world = World::new();
    let path = world.file("precious", "user's data");
    let link = world.path("link");
    symlink(&path, &link).unwrap();
    for way in [&path, &link] {
        let trouble = refused(way, &Rules::default());
        assert!(trouble.is_refusal());
        let ending = format!("--allow-destroy {}", path.display());
        assert!(trouble.to_string().ends_with(&ending), "{trouble}");
    }
    for name in ["precious", "./precious", "", &link.display().to_string()] {
        refused(&path, &Rules { named: &[name.to_owned()], ..Rules::default() });
    }
    assert_eq!(text(&path), "user's data");
    write(&link, b"new", &Rules { named: &[path.display().to_string()], ..Rules::default() })
        .unwrap();
    assert_eq!(
        (text(&path).as_str(), world.names()),
        ("new", vec!["link".into(), "precious".into()])
    );
    assert!(link.is_symlink());
}

#[test]
fn a_file_of_the_run_is_refused_whatever_is_named() {
    let world = World::new();
    let (there, missing) = (world.file("there", "mark"), world.path("missing"));
    let hard = world.path("hard");
    fs::hard_link(&there, &hard).unwrap();
    symlink(world.path(""), world.path("here")).unwrap();
    let apart = [there.clone(), missing.clone()];
    let ways = [there.clone(), missing.clone(), hard, world.path("here/missing")];
    for way in ways {
        let named = [way.display().to_string(), there.display().to_string()];
        let rules = Rules { apart: &apart, mark: Some(b"mark"), named: &named, ..Rules::default() };
        assert!(matches!(refused(&way, &rules), Trouble::InUse { .. }), "{}", way.display());
    }
    assert_eq!((text(&there).as_str(), missing.exists()), ("mark", false));
}

#[test]
fn what_is_no_file_is_refused_whatever_is_named() {
    let world = World::new();
    let fifo = world.path("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let socket = world.path("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    let directory = world.path("directory");
    fs::create_dir(&directory).unwrap();
    let link = world.path("link");
    symlink("/dev/full", &link).unwrap();
    let full = Path::new("/dev/full");
    for path in [&fifo, &socket, &directory, &link, full, Path::new("/"), &world.path("new/")] {
        let rules = Rules { named: &[path.display().to_string()], ..Rules::default() };
        let trouble = refused(path, &rules);
        assert!(matches!(trouble, Trouble::Unsuitable { .. }), "{}: {trouble}", path.display());
        assert!(!trouble.is_refusal());
    }
    assert_eq!(world.names(), ["directory", "fifo", "link", "socket"]);
}

#[test]
fn a_mistyped_device_makes_no_file_in_memory() {
    let path = Path::new("/dev/iopath-no-such-device");
    assert!(matches!(refused(path, &Rules::default()), Trouble::Unsuitable { .. }));
    assert!(!path.exists());
}

#[test]
fn a_link_to_nothing_and_a_ring_of_links_are_refused() {
    let world = World::new();
    let (dangling, ring) = (world.path("dangling"), world.path("ring"));
    symlink("nowhere", &dangling).unwrap();
    symlink("ring", &ring).unwrap();
    assert!(matches!(refused(&dangling, &Rules::default()), Trouble::Dangling { .. }));
    assert!(matches!(refused(&ring, &Rules::default()), Trouble::Kernel { .. }));
    assert_eq!(world.names(), ["dangling", "ring"]);
}

#[test]
fn a_path_that_leads_nowhere_is_refused_before_a_run() {
    let world = World::new();
    let file = world.file("file", "");
    for path in [world.path("missing/new"), file.join("new"), world.path("n".repeat(300).as_str())]
    {
        assert!(matches!(refused(&path, &Rules::default()), Trouble::Kernel { .. }));
    }
    assert_eq!(world.names(), ["file"]);
}

#[test]
fn a_draft_that_is_not_committed_leaves_nothing() {
    let world = World::new();
    let path = world.path("out");
    let draft = create(&path, &Rules::default()).unwrap();
    assert_eq!(world.names(), [""; 0], "it has no name while it is written");
    drop(draft);
    assert_eq!(world.names(), [""; 0]);
}
