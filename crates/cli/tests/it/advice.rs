//! Advice is a command that runs: what findings advise, and what messages of the program name.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{Output, Program};

const SHORT: &str = "--time 60ms --warm-up 0s --passes 1 --no-progress --no-report";

/// A shell in which `iopath` is the built program and `sudo` does what it is asked.
fn shell(program: &Program, line: &str) -> Output {
    let tools = program.path("tools");
    fs::create_dir_all(&tools).unwrap();
    let scripts = [
        ("iopath", format!("exec {:?} \"$@\"", env!("CARGO_BIN_EXE_iopath"))),
        ("sudo", "exec \"$@\"".to_owned()),
    ];
    for (name, text) in scripts {
        let path = tools.join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let mut command = program.command_of(&["sh", "-c", line]);
    program.run_command(command.env("PATH", path))
}

/// The advice of all trials of a run: rule, commands, undo.
fn advice(run: &Value) -> Vec<(String, Vec<String>, Vec<String>)> {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
    };
    let trials = run["trials"].as_array().unwrap().iter();
    let all = trials.flat_map(|trial| trial["findings"]["advice"].as_array().unwrap());
    let one = |one: &Value| {
        let rule = one["rule"].as_str().unwrap().to_owned();
        (rule, texts(&one["commands"]), texts(&one["undo"]))
    };
    all.map(one).collect()
}

fn on_disk() -> Program {
    let program = Program::new();
    program.file("it's data", 4 << 20);
    program
}

#[test]
fn advice_of_real_runs_runs() {
    let program = on_disk();
    let mut seen = Vec::new();
    for options in ["--cache buffered", "--depth 1 --block 4KiB --pattern random", "--streams 2"] {
        let line = format!("iopath measure --target \"it's data\" {options} {SHORT} --json");
        let run = shell(&program, &line).done().json();
        for (rule, commands, undo) in advice(&run) {
            // What a real device's queue is set to is no one's business here.
            for command in commands.iter().chain(&undo).filter(|one| one.starts_with("iopath ")) {
                shell(&program, command).done();
            }
            seen.push(rule);
        }
    }
    assert!(seen.iter().any(|rule| rule == "past-the-cache"), "{seen:?}");
}

/// Each property that a rule sets, on the command that a record keeps.
#[test]
fn what_rules_set_can_be_set_on_the_command_of_a_run() {
    let program = on_disk();
    let line = format!("iopath measure --target \"it's data\" --block 64KiB {SHORT} --json");
    let run = shell(&program, &line).done().json();
    let trial = &run["trials"][0];
    let command = trial["environment"]["run.command"].as_str().unwrap();
    assert!(command.starts_with("iopath measure --target 'it'\\''s data'"), "{command}");
    let stream = trial["findings"]["streams"][0]["name"].as_str().unwrap();
    let stream = stream.split('[').next().unwrap();
    let fact = |run: &Value, name: &str| run["trials"][0]["environment"][name].clone();
    for (set, name, value) in [
        (format!("{stream}.depth=3"), "workload.depth", "3"),
        (format!("{stream}.count=4"), "workload.streams", "4"),
    ] {
        let again = shell(&program, &format!("{command} --set {set}")).done().json();
        assert_eq!(fact(&again, name), value, "{set}");
    }
    let set = "--set workload.cache=buffered";
    let again = shell(&program, &format!("{command} {set}")).done().json();
    let environment = again["trials"][0]["environment"].as_object().unwrap();
    let cached = |(key, value): (&String, &Value)| key.ends_with(".cache") && value == "buffered";
    assert!(environment.iter().any(cached), "{environment:#?}");
}

#[test]
fn a_sweep_is_not_advised_to_try_what_it_varies() {
    let program = on_disk();
    let text = r#"study "Depths"
layout {
    file "data" size="4 MiB"
    bind from="data" to="it's data"
}
workload passes=1 time="60 ms" warm-up="0 s" cache="buffered" {
    streams "app" over="data" op="read" block="4 KiB" pattern="random"
}
vary {
    factor "depth" of="app.depth" 1 2
    factor "cache" of="workload.cache" "buffered" "direct"
}
"#;
    program.write("depth.kdl", text);
    let run = program.json("measure depth.kdl --no-progress --no-report");
    let environment = &run["trials"][0]["environment"];
    assert_eq!(environment["run.varied"], "app.depth workload.cache");
    let rules: Vec<String> = advice(&run).into_iter().map(|(rule, ..)| rule).collect();
    let tried = ["more-in-flight", "past-the-cache"];
    assert!(!rules.iter().any(|rule| tried.contains(&rule.as_str())), "{rules:?}");
}

/// A run as it would be on a machine whose queues have these settings, which are files here.
#[test]
fn settings_of_queues_are_made_and_taken_back() {
    let program = Program::in_memory();
    program.file("data", 4 << 20);
    program.line(&format!("measure --target data --block 128KiB {SHORT}")).done();
    program.line("export 1 run.jsonl").done();
    let queue = program.path("queue");
    fs::create_dir(&queue).unwrap();
    let text = fs::read_to_string(program.path("run.jsonl")).unwrap();
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let mut record: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    let environment = record["environment"].as_object_mut().unwrap();
    let settings = [("max_sectors_kb", "64"), ("max_hw_sectors_kb", "1024"), ("nr_requests", "0")];
    for (name, value) in settings {
        environment.insert(format!("device.vda.{name}"), value.into());
        fs::write(queue.join(name), value).unwrap();
    }
    environment.insert("target.data.devices".to_owned(), "vda".into());
    environment.insert("device.vda.queue".to_owned(), queue.to_str().unwrap().into());
    program.write("changed.jsonl", format!("{header}\n{record}\n"));
    program.line("import changed.jsonl").done();
    let all = advice(&program.json("show last"));
    let by_rule: BTreeMap<&str, _> =
        all.iter().map(|(rule, commands, undo)| (rule.as_str(), (commands, undo))).collect();
    let read = |name: &str| fs::read_to_string(queue.join(name)).unwrap().trim().to_owned();
    for (rule, file, before) in
        [("transfer-limit", "max_sectors_kb", "64"), ("queue-requests", "nr_requests", "0")]
    {
        let (commands, undo) = by_rule.get(rule).unwrap_or_else(|| panic!("{rule} in {all:?}"));
        commands.iter().for_each(|command| drop(shell(&program, command).done()));
        assert_ne!(read(file), before, "{rule}");
        undo.iter().for_each(|command| drop(shell(&program, command).done()));
        assert_eq!(read(file), before, "{rule}");
    }
}

/// Files of Rust below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// Every command that a message may name: `iopath WORD`, and the options behind it.
fn named(text: &str) -> Vec<(String, Vec<String>)> {
    let is_word = |c: char| c.is_ascii_lowercase() || c == '-';
    let mut found = Vec::new();
    for rest in text.split("iopath ").skip(1) {
        let phrase: String = rest.chars().take_while(|c| !"`\"\n,;:(){".contains(*c)).collect();
        let mut words = phrase.split_whitespace();
        let Some(word) = words.next().filter(|word| word.chars().all(is_word)) else { continue };
        let options = words.take_while(|word| word.starts_with("--") || !word.chars().all(is_word));
        let options = options.filter(|word| word.starts_with("--") && word.len() > 2);
        found.push((word.to_owned(), options.map(str::to_owned).collect()));
    }
    found
}

#[test]
fn commands_and_options_that_messages_name_exist() {
    let program = Program::in_memory();
    let help = program.line("--help").done().stdout;
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next())
        .chain(["manual"])
        .collect();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for part in ["analysis", "cli", "report", "server", "measurement", "emulation", "machine"] {
        sources(&crates.join(part).join("src"), &mut files);
    }
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let is_said = |line: &&str| !line.trim_start().starts_with("//");
        let said = text.lines().filter(is_said).collect::<Vec<_>>().join("\n");
        // Only what stands in backquotes or begins a command is a command.
        for (word, options) in named(&said) {
            let is_command = commands.contains(&word.as_str());
            let is_quoted = said.contains(&format!("`iopath {word}"));
            assert!(is_command || !is_quoted, "{}: iopath {word}", file.display());
            for option in options.iter().filter(|_| is_command) {
                let help = helps
                    .entry(word.clone())
                    .or_insert_with(|| program.run([word.as_str(), "--help"]).done().stdout);
                assert!(help.contains(option.as_str()), "{}: {word} {option}", file.display());
            }
        }
    }
}
