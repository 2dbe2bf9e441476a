//! Studies that take the path of another file.

use iopath_study::{Assignment, Case, Mistakes, Source, Study, includes, parse_with};

use super::cases_of;
use super::examples::PATHS;

const MACHINE: &str = r#"study "the machine"
parts { nvme "drive" use="slow" read=(given)"6 GB/s"; nvme "slow" write=(given)"1 GB/s" }
path {
    host "server" { nvme count=2 use="drive" }
    bind from="server.nvme" to="/dev/nvme[0-1]n1"
}
layout { stripe "other" unit="1 MiB" over="server.nvme" }
workload { streams "wrong" over="nothing" }
"#;

const STUDY: &str = r#"study "s"
parts { nvme "drive" read=(given)"1 GB/s" }
path file="machine.kdl" { host "second" { nvme use="drive" } }
layout { stripe "vol" unit="1 MiB" over="server.nvme, second.nvme" }
experiment "a" { workload { streams "app" over="vol" block="1 MiB" } }
experiment "b" {
    path file="machine.kdl"
    workload { streams "app" over="server.nvme" block="1 MiB" }
    vary { factor "read" of="server.nvme.read" "2 GB/s" "3 GB/s" }
}
"#;

fn source(name: &str, text: &str) -> Source {
    Source { name: name.into(), text: text.into() }
}

fn read(text: &str, others: &[(&str, &str)]) -> Result<Study, Mistakes> {
    let others: Vec<_> = others.iter().map(|(name, text)| source(name, text)).collect();
    parse_with(&source("lab/study.kdl", text), &others, &[])
}

fn rates(case: &Case) -> Vec<u64> {
    let drives = case.system.ids().filter(|id| case.system.kind(*id) == "nvme");
    drives.map(|id| case.system.byte_rate(id, "read").unwrap().0 / 1_000_000_000).collect()
}

#[test]
fn a_path_is_taken_with_its_parts_and_binds() {
    let study = read(STUDY, &[("lab/machine.kdl", MACHINE)]).unwrap();
    let cases = study.cases().unwrap();
    let all: Vec<_> = cases.iter().map(rates).collect();
    // Each file means its own part; what one lacks the other may have.
    assert_eq!(all, [vec![6, 6, 1], vec![2, 2], vec![3, 3]]);
    assert_eq!(cases[1].targets[1].binding.as_deref(), Some("/dev/nvme1n1"));
    for case in cases {
        assert!(!case.text.contains("file=") && !case.text.contains("use="), "{}", case.text);
        assert_eq!(cases_of(&case.text), [case]);
    }
}

#[test]
fn the_caller_learns_which_files_to_read() {
    assert_eq!(includes(&source("lab/study.kdl", STUDY)), ["lab/machine.kdl"]);
    let text = "path file=\"../a.kdl\"\nexperiment \"e\" { path file=\"/b.kdl\" }\npath file=4";
    assert_eq!(includes(&source("lab/study.kdl", text)), ["a.kdl", "/b.kdl"]);
    assert!(includes(&source("x", "path {")).is_empty());
}

#[test]
fn files_that_take_from_others_are_followed() {
    let middle = "path file=\"machine.kdl\" { enclosure \"more\" { disk } }";
    let text = STUDY.replacen("machine.kdl", "middle.kdl", 1);
    let others = [("lab/machine.kdl", MACHINE), ("lab/middle.kdl", middle)];
    let cases = read(&text, &others).unwrap().cases().unwrap();
    let names: Vec<_> = cases[0].system.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names[..4], ["server", "server.nvme[0]", "server.nvme[1]", "more"]);
}

/// Exactly these mistakes: file, line, part of the message.
fn check(found: Result<Study, Mistakes>, expected: &[(&str, usize, &str)]) {
    let mistakes = found.err().unwrap_or_else(|| panic!("no mistake: {expected:?}"));
    assert_eq!(mistakes.list.len(), expected.len(), "{mistakes}");
    for (mistake, (file, line, part)) in mistakes.list.iter().zip(expected) {
        assert_eq!((mistake.source.as_str(), mistake.line), (*file, *line), "{mistakes}");
        assert!(mistake.message.contains(part), "{part}: {mistakes}");
    }
}

#[test]
fn a_file_that_is_not_there_is_one_mistake_a_place() {
    let file = "lab/study.kdl";
    let part = "lab/machine.kdl cannot be read";
    check(read(STUDY, &[]), &[(file, 3, part), (file, 7, part)]);
}

#[test]
fn files_that_take_their_own_path() {
    let file = "lab/study.kdl";
    check(
        read(&STUDY.replace("machine", "study"), &[]),
        &[(file, 3, "lab/study.kdl includes itself"), (file, 7, "includes itself")],
    );
    let one = ("lab/machine.kdl", "path file=\"b.kdl\"");
    let other = ("lab/b.kdl", "path file=\"machine.kdl\"");
    let part = "lab/machine.kdl includes itself";
    check(read(STUDY, &[one, other]), &[("lab/b.kdl", 1, part)]);
    let empty = ("lab/machine.kdl", "study \"no path here\"");
    let part = "lab/machine.kdl has no path";
    check(read(STUDY, &[empty]), &[(file, 3, part), (file, 7, part)]);
}

#[test]
fn a_mistake_in_an_included_file_is_told_there_once() {
    let wrong = MACHINE.replace("nvme count=2 use=\"drive\"", "nvme count=2 use=\"drvie\"");
    let file = "lab/machine.kdl";
    check(read(STUDY, &[(file, &wrong)]), &[(file, 4, "there is no part \"drvie\"")]);
    let wrong = MACHINE.replace("host", "hots");
    check(read(STUDY, &[(file, &wrong)]), &[(file, 4, "unknown kind \"hots\"")]);
}

#[test]
fn parameters_are_all_limits_with_who_says_so() {
    let others = [source("lab/machine.kdl", MACHINE)];
    let read = |sets: &[Assignment]| {
        parse_with(&source("lab/study.kdl", STUDY), &others, sets).unwrap().parameters()
    };
    let all = read(&[]);
    let lines = all.iter().map(|one| {
        let own = one.experiment.as_deref().unwrap_or("-");
        format!("{}={}{} {own}", one.path, one.origin, one.value)
    });
    // What experiment b varies is no parameter of a either: nobody could set it.
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r#"
    server.nvme.write=(given)"1 GB/s" -
    second.nvme.read=(given)"1 GB/s" -
    server.nvme.write=(given)"1 GB/s" b
    "#);
    for (at, parameter) in all.iter().enumerate() {
        let set = Assignment::parse(&format!("{}=5 MB/s", parameter.path)).unwrap();
        let after = &read(&[set])[at];
        assert!(after.is_assumed() && !parameter.is_assumed());
        assert_eq!(after.value.to_string(), "\"5 MB/s\"");
    }
}

#[test]
fn assumed_and_inferred_sizes_are_parameters_and_what_they_come_from_is_no_check() {
    let text = |sort: &str| {
        format!(
            r#"study "t"
layout {{ file "f" size=("inferred from 'fast' by the cache")"1 GB" }}
workload {{ streams "r" over="f" block=(assumed)"1 MiB" depth=4 }}
published {{ {sort} "fast" throughput="1 GB/s" }}"#
        )
    };
    let read = |sort: &str| parse_with(&source("t.kdl", &text(sort)), &[], &[]);
    let all = read("given").unwrap().parameters();
    let told: Vec<_> =
        all.iter().map(|one| (&*one.path, one.is_assumed(), one.is_inferred())).collect();
    assert_eq!(told, [("f.size", false, true), ("r.block", true, false)]);
    check(read("check"), &[("t.kdl", 2, "this is inferred from \"fast\", which proves nothing")]);
}

#[test]
fn every_parameter_can_be_set() {
    let small = ["storagetek-2540", "cloud-token-bucket", "nvme-pcie-switches", "zfs-sas-expander"];
    for (name, text) in PATHS.iter().filter(|(name, _)| small.contains(name)) {
        let study = source(name, text);
        let parameters = parse_with(&study, &[], &[]).unwrap().parameters();
        assert!(!parameters.is_empty(), "{name}");
        for parameter in parameters {
            let set = format!("{}={}", parameter.path, parameter.value);
            let set = Assignment::parse(&set).unwrap();
            if let Err(mistakes) = parse_with(&study, &[], &[set]) {
                panic!("{name}: {mistakes}");
            }
        }
    }
}
