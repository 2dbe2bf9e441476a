//! Owners and daemons that are killed, and manifests of processes that are long gone.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use iopath_emulation::{Media, Rig, Role, State, Trouble, standing, sweep, tear_down};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::bench::{Bench, MIB, bring_up, daemons, device, group, is_possible};

/// Tells the test binary, started anew, to own an emulation under this directory.
const DIRECTORY: &str = "IOPATH_TEST_OWNER_DIRECTORY";
const LOOPS: &str = "IOPATH_TEST_OWNER_LOOPS";

fn rig() -> Rig {
    let devices = (0..3).map(|index| device(index, MIB, &[0])).collect();
    Rig { groups: vec![group("bus", 1e9)], devices }
}

/// Not a test by itself: the process that other tests kill.
#[test]
fn an_owner_for_the_tests_that_kill_it() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let mut options = Bench::new().options(Media::Files);
    options.directory = PathBuf::from(directory);
    options.loops = std::env::var_os(LOOPS).is_some();
    let up = bring_up(&rig(), &options).unwrap();
    writeln!(std::io::stdout(), "up: {}", up.directory().display()).unwrap();
    loop {
        thread::park();
    }
}

/// An owner that has brought its emulation up.
fn owner(directory: &Path, loops: bool) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "crashes::an_owner_for_the_tests_that_kill_it", "--nocapture"]);
    command.env(DIRECTORY, directory).stdout(Stdio::piped());
    if loops {
        command.env(LOOPS, "1");
    }
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("up: ")), "it did not come up");
    child
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..2000 {
        if is_so() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("not in 20 s: {what}");
}

fn kill_owner(loops: bool) {
    let bench = Bench::new();
    let directory = bench.directory();
    let mut child = owner(&directory, loops);
    let found = standing(&directory).pop().unwrap().unwrap();
    assert_eq!(found.state, State::Owned);
    assert!(sweep(&directory).removed.is_empty(), "its owner is there");
    child.kill().unwrap();
    child.wait().unwrap();
    let name = directory.to_str().unwrap();
    wait_until("the daemons end with their owner", || daemons(name).is_empty());
    assert_eq!(standing(&directory).pop().unwrap().unwrap().state, State::Dead);
    let swept = sweep(&directory);
    assert!(swept.troubles.is_empty(), "{:?}", swept.troubles);
    assert_eq!(swept.removed, [found.directory]);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn what_a_killed_owner_left_goes_with_the_next_sweep() {
    if is_possible() {
        kill_owner(false);
    }
}

#[test]
fn loop_devices_of_a_killed_owner_go_too() {
    if is_possible() {
        kill_owner(true);
    }
}

#[test]
fn a_start_that_was_killed_before_its_manifest_is_swept_and_takes_no_name() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let mut options = bench.options(Media::Null);
    options.kept = true;
    let mut killed = Command::new("true").spawn().unwrap();
    killed.wait().unwrap();
    let left = options.directory.join(format!(".making.{}.1", killed.id()));
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("manifest.new"), "{").unwrap();
    assert!(standing(&options.directory).is_empty(), "it is no emulation");
    let up = bring_up(&rig(), &options).unwrap();
    let swept = sweep(&options.directory);
    assert!(swept.troubles.is_empty(), "{:?}", swept.troubles);
    assert_eq!(swept.removed, [left]);
    let trouble = bring_up(&rig(), &options).unwrap_err();
    assert!(matches!(trouble, Trouble::Standing { .. }), "{trouble}");
    up.tear_down().unwrap();
    fs::remove_dir(&options.directory).unwrap();
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

fn manifest(directory: &Path) -> (PathBuf, Value) {
    let path = directory.join("manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    (path, serde_json::from_str(&text).unwrap())
}

fn pid(manifest: &Value, role: Role) -> Pid {
    let is_one = |daemon: &&Value| daemon["role"] == role.to_string();
    let daemon = manifest["daemons"].as_array().unwrap().iter().find(is_one).unwrap();
    Pid::from_raw(daemon["life"]["pid"].as_i64().unwrap().try_into().unwrap()).unwrap()
}

#[test]
fn a_daemon_that_is_killed_is_named_and_the_rest_goes() {
    if !is_possible() {
        return;
    }
    for (role, errno) in
        [(Role::Exports, rustix::io::Errno::NOTCONN), (Role::Media, rustix::io::Errno::IO)]
    {
        let bench = Bench::new();
        let mut up = bring_up(&rig(), &bench.options(Media::Null)).unwrap();
        let file = File::open(&up.paths()[0]).unwrap();
        kill_process(pid(&manifest(up.directory()).1, role), Signal::KILL).unwrap();
        let mut found = None;
        wait_until("the daemon ends", || {
            found = up.failed();
            found.is_some()
        });
        let found = found.unwrap();
        let expected = format!("the daemon of the {role} was killed by signal 9");
        assert_eq!(found.to_string(), expected);
        let error = file.read_exact_at(&mut [0; 4096], 0).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(errno.raw_os_error()), "{role}: {error}");
        drop(file);
        up.tear_down().unwrap();
        assert_eq!(bench.leftovers(), Vec::<String>::new());
    }
}

#[test]
fn daemons_that_do_not_answer_are_killed() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let up = bring_up(&rig(), &bench.options(Media::Null)).unwrap();
    let text = manifest(up.directory()).1;
    for role in [Role::Exports, Role::Media] {
        kill_process(pid(&text, role), Signal::STOP).unwrap();
    }
    let removed = up.tear_down().unwrap();
    assert_eq!(removed.killed, [Role::Exports, Role::Media]);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn a_process_that_has_the_number_of_a_dead_one_is_left_alone() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let mut options = bench.options(Media::Null);
    options.kept = true;
    let up = bring_up(&rig(), &options).unwrap();
    let directory = up.directory().to_owned();
    let (path, mut text) = manifest(&directory);
    for role in [Role::Exports, Role::Media] {
        kill_process(pid(&text, role), Signal::KILL).unwrap();
    }
    let mut stranger = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    for (index, daemon) in text["daemons"].as_array_mut().unwrap().iter_mut().enumerate() {
        daemon["life"]["pid"] = json!(stranger.id());
        // By the other way too: number known from the daemon's own file only.
        if index == 0 {
            daemon["life"] = Value::Null;
            fs::write(daemon["pid_file"].as_str().unwrap(), stranger.id().to_string()).unwrap();
        }
    }
    fs::write(&path, text.to_string()).unwrap();
    let found = standing(&options.directory).pop().unwrap().unwrap();
    tear_down(&found).unwrap();
    assert!(stranger.try_wait().unwrap().is_none(), "it was signalled");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    drop(up);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn a_daemon_whose_number_was_not_noted_any_more_is_found_by_its_own_file() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let mut options = bench.options(Media::Null);
    options.kept = true;
    let up = bring_up(&rig(), &options).unwrap();
    let (path, mut text) = manifest(up.directory());
    for daemon in text["daemons"].as_array_mut().unwrap() {
        daemon["life"] = Value::Null;
    }
    fs::write(&path, text.to_string()).unwrap();
    let found = standing(&options.directory).pop().unwrap().unwrap();
    assert_eq!(found.state, State::Kept);
    tear_down(&found).unwrap();
    drop(up);
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn nothing_that_the_manifest_does_not_name_is_removed() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let options = bench.options(Media::Files);
    let up = bring_up(&rig(), &options).unwrap();
    let strange = up.directory().join("notes.txt");
    fs::write(&strange, "mine").unwrap();
    let trouble = up.tear_down().unwrap_err();
    let told = "notes.txt does not belong to this emulation: move it";
    assert!(trouble.to_string().ends_with(told), "{trouble}");
    assert_eq!(fs::read_to_string(&strange).unwrap(), "mine");
    fs::remove_file(&strange).unwrap();
    tear_down(&standing(&options.directory).pop().unwrap().unwrap()).unwrap();
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn a_manifest_of_another_user_is_refused() {
    if !is_possible() {
        return;
    }
    let bench = Bench::new();
    let mut options = bench.options(Media::Null);
    options.kept = true;
    let up = bring_up(&rig(), &options).unwrap();
    let path = up.directory().join("manifest.json");
    std::os::unix::fs::chown(&path, Some(65534), None).unwrap();
    let trouble = standing(&options.directory).pop().unwrap().unwrap_err();
    assert!(trouble.to_string().ends_with("it belongs to user 65534"), "{trouble}");
    assert!(sweep(&options.directory).removed.is_empty());
    up.tear_down().unwrap();
    assert_eq!(bench.leftovers(), Vec::<String>::new());
}

#[test]
fn a_manifest_that_names_files_elsewhere_is_refused() {
    let bench = Bench::new();
    let directory = bench.directory().join("study");
    fs::create_dir_all(&directory).unwrap();
    let text = json!({
        "format": "iopath-emulation/1", "label": "x", "kept": false, "boot": null, "owner": null,
        "daemons": [], "devices": [], "mounts": [], "loops": [], "files": ["/etc/passwd"],
        "above_is_ours": false,
    });
    for (text, why) in [
        (text.to_string(), "/etc/passwd is not in its directory"),
        (text.to_string().replace("emulation/1", "emulation/9"), "its format is"),
        ("{".to_owned(), "EOF while parsing"),
    ] {
        fs::write(directory.join("manifest.json"), text).unwrap();
        let swept = sweep(&bench.directory());
        let [trouble] = &swept.troubles[..] else { panic!("{swept:?}") };
        assert!(matches!(trouble, Trouble::Manifest { .. }), "{trouble}");
        assert!(trouble.to_string().contains(why), "{trouble}");
    }
}
