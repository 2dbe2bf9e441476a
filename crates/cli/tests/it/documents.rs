//! README, tutorial, cookbook and the page for users of other tools: what they show works.
//!
//! A block `console` has commands behind `$ `, a line each. They run in the order of the page, in
//! one directory with a store of its own, and must succeed. A block `kdl` begins with `// NAME`:
//! it is saved as that file and checked. Commands in a block `text` are not run; `NOT_RUN` says
//! why. Of the output that is quoted only that of `predict` is compared: it is the same everywhere.

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::program::{Output, Program};

const README: &str = include_str!("../../../../README.md");
const TUTORIAL: &str = include_str!("../../../../docs/tutorial.md");
const COOKBOOK: &str = include_str!("../../../../docs/cookbook.md");
const COMING_FROM: &str = include_str!("../../../../docs/coming-from.md");

/// Every command of the pages that is not run, with the reason.
const NOT_RUN: [(&str, &str); 11] = [
    ("iopath measure", "a minute"),
    ("cargo build --release", "builds the program"),
    ("sudo install target/release/iopath /usr/local/bin", "needs root"),
    ("iopath measure --target /dev/nvme0n1 --pattern random --block 4KiB --depth 32", "a device"),
    (
        "iopath simulate studies/veritas-cfs.kdl --case \"64 files\" --case processes=64",
        "a quarter of a minute, and simulate is run elsewhere",
    ),
    ("iopath validate", "a minute"),
    ("iopath emulate studies/p690.kdl --case \"component profile\" --run", "needs QEMU and FUSE"),
    ("iopath measure --like postgres-wal --target /var/lib/postgresql", "that directory, minutes"),
    (
        "iopath measure --target . --pattern random --block 16KiB --size 8GiB --time 30m",
        "an hour and a half",
    ),
    ("fio --output-format=json+ --output=fio.json job.fio", "another program"),
    ("iopath import fio.json", "what that program wrote"),
];

/// What a reader does with a piece of a page.
#[derive(Debug, PartialEq)]
enum Step<'a> {
    Save { name: &'a str, text: &'a str },
    Run { command: &'a str, shown: Vec<&'a str> },
    Read { command: &'a str },
}

/// The steps of a page in its order.
fn steps(page: &str) -> Vec<Step<'_>> {
    let blocks = page.split("\n```").skip(1).step_by(2);
    let steps = blocks.flat_map(|block| {
        let (kind, text) = block.split_once('\n').unwrap();
        match kind {
            "console" => run(text),
            "kdl" => vec![saved(text)],
            "text" => read(text),
            other => panic!("a block of {other:?}: write console, kdl or text"),
        }
    });
    steps.collect()
}

/// Each command with the lines that are shown below it, without those that stand for others.
fn run(text: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step::Run { command, shown: Vec::new() }),
            (None, Some(Step::Run { shown, .. })) if line.trim() != "…" => shown.push(line),
            (None, Some(_)) => {}
            (None, None) => panic!("a block begins with {line:?}, which is no command"),
        }
    }
    steps
}

fn saved(text: &str) -> Step<'_> {
    let first = text.lines().next().unwrap_or_default();
    let name = first.strip_prefix("// ").filter(|name| name.ends_with(".kdl"));
    Step::Save { name: name.unwrap_or_else(|| panic!("{first:?} names no file")), text }
}

fn read(text: &str) -> Vec<Step<'_>> {
    let commands = text.lines().filter_map(|line| line.strip_prefix("$ "));
    commands.map(|command| Step::Read { command }).collect()
}

/// Does what a page shows, and says how many commands that were.
fn follow(page: &str) -> usize {
    let program = Program::new();
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    symlink(root.canonicalize().unwrap().join("studies"), program.path("studies")).unwrap();
    let mut runs = 0;
    for step in steps(page) {
        match step {
            Step::Save { name, text } => {
                program.write(name, text);
                program.line(&format!("check {name}")).done();
            }
            Step::Run { command, shown } => {
                compare(command, &shown, &in_shell(&program, command).done());
                runs += 1;
            }
            Step::Read { .. } => {}
        }
    }
    runs
}

/// Runs a command as a shell does that finds the program.
fn in_shell(program: &Program, command: &str) -> Output {
    let folder = Path::new(env!("CARGO_BIN_EXE_iopath")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    program.run_command(program.command_of(&["sh", "-c", command]).env("PATH", path))
}

#[track_caller]
fn compare(command: &str, shown: &[&str], output: &Output) {
    if command.starts_with("iopath predict ") {
        for line in shown {
            let is_there = output.stdout.lines().any(|printed| printed == *line);
            assert!(is_there, "{command} does not print {line}\n{}", output.stdout);
        }
    }
}

#[test]
fn what_the_readme_shows_works() {
    assert!(follow(README) >= 20);
}

#[test]
fn the_tutorial_can_be_followed() {
    assert!(follow(TUTORIAL) >= 12);
}

#[test]
fn every_recipe_of_the_cookbook_works() {
    assert!(follow(COOKBOOK) >= 16);
}

#[test]
fn what_users_of_other_tools_are_promised_works() {
    assert!(follow(COMING_FROM) >= 6);
}

#[test]
fn few_commands_are_not_run_each_for_a_reason() {
    let pages = [README, TUTORIAL, COOKBOOK, COMING_FROM];
    let steps = pages.into_iter().flat_map(steps);
    let read = steps.filter_map(|step| match step {
        Step::Read { command } => Some(command),
        Step::Save { .. } | Step::Run { .. } => None,
    });
    assert_eq!(read.collect::<Vec<_>>(), NOT_RUN.map(|(command, _)| command));
}

#[test]
fn a_page_is_taken_apart_into_what_its_reader_does() {
    let page = "# A\n\n```kdl\n// a.kdl\nstudy \"a\"\n```\n\n```console\n$ iopath list\nnothing\n\
                …\n$ ls\n```\n\n```text\nonly shown\n$ reboot\n```\n";
    let expected = [
        Step::Save { name: "a.kdl", text: "// a.kdl\nstudy \"a\"" },
        Step::Run { command: "iopath list", shown: vec!["nothing"] },
        Step::Run { command: "ls", shown: Vec::new() },
        Step::Read { command: "reboot" },
    ];
    assert_eq!(steps(page), expected);
}
