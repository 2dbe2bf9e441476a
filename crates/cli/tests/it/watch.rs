//! Watching: lines for people and programs, stored runs, a real load beside it, a live terminal.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;

use crate::loopback::{Bench, MIB, is_root, system};
use crate::program::{Program, Running};
use crate::shape;
use crate::terminal::{Terminal, awaited};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_interval_is_a_line_of_json() {
    let program = Program::in_memory();
    let output = program.line("watch --interval 50ms --count 3 --json").done();
    let all = lines(&output.stdout);
    assert_eq!((all.len(), output.stderr.as_str()), (3, ""));
    all.iter().for_each(shape::watched);
    let interval = all[1]["interval_ns"].as_u64().unwrap();
    assert!((40_000_000..5_000_000_000).contains(&interval), "{interval}");
    assert!(all[2]["at_unix_ns"].as_u64() > all[1]["at_unix_ns"].as_u64());
    assert!(!program.store().exists(), "nothing is stored unless asked for");
}

#[test]
fn without_a_terminal_there_are_plain_lines() {
    let program = Program::in_memory();
    let output = program.line("watch . --interval 20ms --time 40ms").done();
    assert_eq!(output.stdout.matches("over ").count(), 2, "{}", output.stdout);
    assert!(output.stdout.contains("cpu: busy") && !output.stdout.contains('\u{1b}'));
}

#[test]
fn mistakes_are_told_before_anything_is_watched() {
    let program = Program::in_memory();
    program.line("watch --interval 1ms").ends(3).tells(&["--interval", "10 ms"]);
    program.line("watch --interval soon").ends(3).tells(&["--interval"]);
    program.line("watch --count 0").ends(3).tells(&["--count"]);
    program.line("watch --root /nowhere --count 1").ends(3).tells(&["--root"]);
}

#[test]
fn what_holds_no_data_is_not_watched() {
    let program = Program::in_memory();
    let said = "/dev/null: not a file, a directory or a block device";
    program.line("watch /dev/null --count 1").ends(4).tells(&[said]);
}

#[test]
fn a_target_that_does_not_exist_is_named_once_without_a_guess_why() {
    let program = Program::in_memory();
    for target in ["nope", "/dev/nope"] {
        let said = format!("{target}: no such file or device");
        let output = program.line(&format!("watch {target} --count 1")).ends(4).tells(&[&said]);
        assert_eq!(output.stderr.matches(target).count(), 1, "{}", output.stderr);
        assert!(!output.stderr.contains("kernel"), "{}", output.stderr);
    }
}

#[test]
fn a_reader_that_leaves_ends_it() {
    let program = Program::in_memory();
    let mut child = program.command(["watch", "--interval", "20ms", "--json"]).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let ended = awaited(move || {
        stdout.read_exact(&mut [0]).unwrap();
        drop(stdout);
        stderr.read_to_end(&mut Vec::new()).unwrap();
    });
    if ended.is_none() {
        child.kill().unwrap();
    }
    child.wait().unwrap();
    assert!(ended.is_some(), "it goes on without a reader");
}

#[test]
fn what_was_recorded_is_a_run_like_any_other() {
    let program = Program::in_memory();
    let line = "watch --interval 50ms --count 4 --record --plain";
    program.line(line).done().tells(&["stored as run 1"]);
    let listed = &program.json("list")["runs"][0];
    assert_eq!((&listed["technique"], &listed["passes"]), (&"observation".into(), &1.into()));
    assert!(
        listed["verdict"].as_str().unwrap().starts_with("the whole machine: watched: "),
        "{listed:#}"
    );
    let shown = program.json("show last");
    let trial = &shown["trials"][0];
    assert_eq!(trial["technique"], "observation");
    shape::watched(&trial["watched"]);
    let text = program.line("show last").done().stdout;
    assert!(text.contains("cpu: busy") && text.contains("limit"), "{text}");
    program.line("export last run.jsonl").done();
    program.line("import run.jsonl").done();
}

#[test]
fn an_interrupt_ends_it_and_keeps_what_was_seen() {
    for (line, code) in [
        ("watch --interval 20ms --record --json", 0),
        ("watch --interval 20ms --record --json --count 100000", 130),
    ] {
        let program = Program::in_memory();
        let running = program.start(line);
        running.await_lines(2);
        running.signal(Signal::INT);
        let output = running.wait().ends(code).tells(&["stored as run 1"]);
        assert!(output.stdout.lines().count() > 1);
        assert_eq!(program.json("list")["runs"][0]["passes"], 1);
    }
}

#[test]
fn the_bytes_of_a_load_beside_it_are_those_that_are_told() {
    if !is_root() {
        return;
    }
    let mut bench = Bench::new();
    let program = Program::in_memory();
    // In memory, so that nobody else's load is on the device.
    let backing = program.file("backing", 64 << 20);
    let node = bench.attach(&backing, &[]);
    let running = program.start(&format!("watch {node} --interval 100ms --record --json"));
    running.await_lines(1);
    let dd = |words: &[&str]| system("dd", [&["bs=64K", "status=none"], words].concat());
    dd(&["if=/dev/zero", &format!("of={node}"), "oflag=direct", "count=512"]);
    dd(&[&format!("if={node}"), "of=/dev/null", "iflag=direct", "count=256"]);
    // The second line from here covers the end of the load.
    running.await_lines(running.lines() + 2);
    running.interrupt();
    let output = running.wait().done();
    let name = node.trim_start_matches("/dev/");
    let moved = |key: &str| -> f64 {
        let each = lines(&output.stdout).into_iter().map(|line| {
            let entities = line["entities"].as_array().unwrap();
            let of = entities.iter().find(|entity| entity["name"] == name).unwrap();
            let seconds = line["interval_ns"].as_f64().unwrap() / 1e9;
            of[key].as_f64().unwrap() * seconds
        });
        each.sum()
    };
    let near = |value: f64, expected: u64| {
        let expected = expected as f64;
        assert!((value - expected).abs() <= 0.01 * expected, "{value} is not {expected}");
    };
    near(moved("write_bytes_per_sec"), 32 * MIB);
    near(moved("read_bytes_per_sec"), 16 * MIB);
    near(moved("write_operations_per_sec"), 512);
    let findings = &program.json("show last")["trials"][0]["findings"];
    // Rest around the load is left out, and with it edges of a hundredth of the fastest interval.
    let bytes = findings["bytes"].as_f64().unwrap() / (48 * MIB) as f64;
    assert!((0.97..=1.0).contains(&bytes), "{bytes}");
}

/// The modes that `stty -g` printed: first and last line of colons and digits.
fn modes(text: &str) -> Vec<String> {
    let is_modes = |line: &&str| line.matches(':').count() > 10;
    text.lines().map(str::trim).filter(is_modes).map(str::to_owned).collect()
}

#[test]
fn the_live_view_starts_resizes_and_leaves_the_terminal_as_it_was() {
    for keys in ["q", "\u{3}"] {
        let program = Program::in_memory();
        let mut terminal = Terminal::start(&program, "watch --interval 100ms --record");
        let begun = terminal.wait_for("\u{1b}[?1049h");
        let tty = begun.lines().find(|line| line.starts_with("/dev/")).unwrap().trim().to_owned();
        let picture = terminal.wait_for("cpu: busy");
        assert!(picture.contains("the whole machine"), "{picture:?}");
        terminal.wait_for("over ");
        system("stty", ["-F", &tty, "rows", "40", "cols", "130"]);
        // A wide picture has a column for reads alone.
        terminal.wait_for("\u{1b}[40;1H");
        terminal.press(" ");
        terminal.wait_for("space resumes");
        terminal.press("?");
        terminal.wait_for("these keys, or the picture again");
        terminal.press("?");
        terminal.wait_for("memory: cached");
        terminal.press(keys);
        let ended = terminal.wait_for("closed");
        assert!(ended.contains("\u{1b}[?1049l") && ended.contains("\u{1b}[?25h"), "{ended:?}");
        assert!(ended.contains("stored as run 1") && ended.contains("ended 0"), "{ended:?}");
        let all = begun + &ended;
        let modes = modes(&all);
        assert!(modes.len() == 2 && modes[0] == modes[1], "{modes:?} of {all:?}");
    }
}

#[test]
fn a_signal_restores_the_terminal_too() {
    let program = Program::in_memory();
    let mut terminal = Terminal::start(&program, "watch --interval 100ms");
    let begun = terminal.wait_for("cpu: busy");
    let id = begun.lines().find_map(|line| line.strip_prefix("process ")).unwrap().trim();
    system("kill", ["-TERM", id]);
    let ended = terminal.wait_for("ended ");
    assert!(ended.contains("\u{1b}[?1049l"), "{ended:?}");
}

/// Both ends of a terminal that controls no process, so that no signal comes when it goes.
fn terminal() -> (File, OwnedFd) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let theirs = rustix::fs::open(name, flags, Mode::empty()).unwrap();
    let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&theirs, size).unwrap();
    (File::from(ours), theirs)
}

#[test]
fn the_live_view_ends_with_its_terminal_and_keeps_what_it_recorded() {
    let program = Program::in_memory();
    let (mut ours, theirs) = terminal();
    let mut command = program.command(["watch", "--interval", "50ms", "--record"]);
    command.env("TERM", "xterm-256color");
    command.stdin(theirs.try_clone().unwrap()).stdout(theirs);
    let mut child = command.spawn().unwrap();
    // The command holds the program's end of the terminal, too.
    drop(command);
    let mut stderr = child.stderr.take().unwrap();
    let said = awaited(move || {
        let (mut seen, mut piece) = (String::new(), [0; 4096]);
        while !seen.contains("cpu: busy") {
            let count = ours.read(&mut piece).unwrap();
            seen.push_str(&String::from_utf8_lossy(&piece[..count]));
        }
        drop(ours);
        let mut said = String::new();
        stderr.read_to_string(&mut said).unwrap();
        said
    });
    if said.is_none() {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    let said = said.expect("a picture, and an end with its terminal");
    assert_eq!((status.code(), said.as_str()), (Some(0), "stored as run 1: iopath show 1\n"));
    assert_eq!(program.json("list")["runs"][0]["passes"], 1);
}

#[test]
fn an_empty_no_color_is_none_and_a_full_one_is_honoured() {
    // Nothing is coloured off a terminal, whatever the environment says.
    let program = Program::in_memory();
    let mut command = program.command(["watch", "--count", "1", "--interval", "20ms"]);
    let output = Running::start(&program, command.env("NO_COLOR", "1")).wait().done();
    assert!(!output.stdout.contains('\u{1b}'));
}
