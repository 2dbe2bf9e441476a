//! Golden text of what models say of every study: one snapshot a file, so that a new study is
//! found and a changed model shows what it changes. Of `validate` it is one seed, whose figures are
//! the same on every machine and with any number of threads.

use std::path::{Path, PathBuf};

use crate::program::Program;

/// Those whose figures are simulated in some seconds each, unoptimised.
const PUBLISHED: [&str; 9] = [
    "cloud-token-bucket",
    "gpfs",
    "jfs2",
    "lustre-oss-raid6",
    "nvme-pcie-switches",
    "p690",
    "storagetek-2540",
    "veritas-cfs",
    "zfs-sas-expander",
];

/// Those whose targets are real ones without ratings, and whose streams have no rates.
const REAL: [&str; 7] = [
    "devices",
    "hits-and-misses",
    "iozone",
    "many-readers",
    "read-behind-write",
    "scratch",
    "stripe",
];

/// Those whose simulations take a minute.
const BY_BOUNDS: [&str; 1] = ["svc"];

/// That no model can tell anything of.
const UNMODELLED: &str = "small-files";

fn studies() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|path| path.extension() == Some("kdl".as_ref())).collect();
    files.sort();
    files
}

/// A program with all studies in its directory: some take their path from another.
fn with_studies() -> Program {
    let program = Program::in_memory();
    for path in studies() {
        std::fs::copy(&path, program.path(path.file_name().unwrap().to_str().unwrap())).unwrap();
    }
    program
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

#[test]
fn every_study_s_check_is_as_reviewed() {
    let program = with_studies();
    for path in studies() {
        let name = name(&path);
        let told = program.line(&format!("check {name}.kdl")).done();
        assert_eq!(told.stderr, "", "{name}");
        insta::assert_snapshot!(format!("check_{name}"), told.stdout);
    }
}

/// A line for each case, and everything about the first.
#[test]
fn every_study_s_prediction_is_as_reviewed() {
    let program = with_studies();
    for path in studies() {
        let name = name(&path);
        let all = program.line(&format!("predict {name}.kdl"));
        if name == UNMODELLED {
            all.ends(3).tells(&["can only be measured"]);
            continue;
        }
        let all = all.done();
        assert_eq!(all.stderr, "", "{name}");
        let first = program.run(first("predict", &program, &name)).done();
        let text = format!("{}\n\n{}", all.stdout.trim_end(), first.stdout);
        insta::assert_snapshot!(format!("predict_{name}"), text);
    }
}

/// All that is told of the first case of each study on whose path time passes.
#[test]
fn every_study_s_simulation_is_as_reviewed() {
    let program = with_studies();
    let mut refused = Vec::new();
    for path in studies() {
        let name = name(&path);
        let asked = first("simulate", &program, &name).into_iter();
        let told = program.run(asked.chain(["--no-report".to_owned()]));
        if name == UNMODELLED {
            told.ends(3).tells(&["can only be measured"]);
            continue;
        }
        if told.stderr.contains("the path has no rated component") {
            refused.push(name);
            continue;
        }
        assert_eq!(told.stderr, "", "{name}");
        insta::assert_snapshot!(format!("simulate_{name}"), told.done().stdout);
    }
    assert_eq!(refused, REAL, "these are measured");
}

#[test]
fn every_published_study_s_validation_is_as_reviewed() {
    let program = with_studies();
    for name in PUBLISHED {
        let told = program.line(&format!("validate {name}.kdl --seeds 1 --no-report")).done();
        assert_eq!(told.stderr, "", "{name}");
        insta::assert_snapshot!(format!("validate_{name}"), told.stdout);
    }
    for name in BY_BOUNDS {
        let line = format!("validate {name}.kdl --without-simulation --no-report");
        let told = program.line(&line).done();
        assert_eq!(told.stderr, "", "{name}");
        insta::assert_snapshot!(format!("validate_{name}"), told.stdout);
    }
}

/// Lines whose cells behind the first, a name, have a rate of these prefixes, or a size that no
/// study spells so: names of levels and sizes of blocks keep the words of the study.
fn foreign<'a>(text: &'a str, prefixes: [&str; 5], spelled: &str) -> Vec<&'a str> {
    let is_foreign = |line: &&str| {
        let line = line.trim_start();
        let cells = line.split_once("  ").map_or(line, |(_, cells)| cells);
        let words: Vec<&str> = cells.split_whitespace().collect();
        words.windows(2).any(|pair| {
            let number = pair[0].trim_start_matches(|c: char| !c.is_ascii_digit());
            let unit = pair[1].trim_end_matches([',', ';', ':', ')', '.']);
            let is_prefix = prefixes.contains(&unit.trim_end_matches("/s"));
            let is_named = !unit.ends_with("/s") && spelled.contains(&format!("{number} {unit}"));
            is_prefix && !number.is_empty() && !is_named
        })
    };
    text.lines().filter(is_foreign).collect()
}

#[test]
fn every_study_is_told_in_the_prefixes_that_were_asked_for() {
    const BINARY: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    const DECIMAL: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    let program = with_studies();
    let texts = studies().into_iter().map(|path| std::fs::read_to_string(path).unwrap());
    let spelled = texts.collect::<String>();
    for path in studies() {
        let name = name(&path);
        for command in ["plan", "predict", "validate --without-simulation --no-report"] {
            let line = format!("{command} {name}.kdl");
            let decimal = program.line(&line).stdout;
            assert_eq!(foreign(&decimal, BINARY, &spelled), Vec::<&str>::new(), "{line}");
            let binary = program.line(&format!("{line} --binary")).stdout;
            assert_eq!(foreign(&binary, DECIMAL, &spelled), Vec::<&str>::new(), "{line} --binary");
        }
        if name != UNMODELLED {
            let words = first("predict", &program, &name).into_iter();
            let binary = program.run(words.chain(["--binary".to_owned()])).done().stdout;
            assert_eq!(foreign(&binary, DECIMAL, &spelled), Vec::<&str>::new(), "{name}, one case");
        }
    }
}

/// The words that ask a command for the first case of a study alone.
fn first(command: &str, program: &Program, name: &str) -> Vec<String> {
    let plan = program.json(&format!("plan {name}.kdl"));
    let case = &plan["trials"][0];
    let mut words = vec![command.to_owned(), format!("{name}.kdl")];
    let mut add = |text: String| words.extend(["--case".to_owned(), text]);
    add(case["experiment"].as_str().unwrap().to_owned());
    for (factor, level) in case["levels"].as_object().unwrap() {
        add(format!("{factor}={}", level.as_str().unwrap()));
    }
    words
}
