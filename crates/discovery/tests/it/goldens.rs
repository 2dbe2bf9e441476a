//! What is written of each imitated machine: every component and link.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use iopath_discovery::{Discovered, Facts, discover};
use iopath_imitation::{NAMES, machine};
use iopath_machine::Root;
use iopath_study::{Order, Source, parse};

/// What is found on a machine below a folder.
pub(crate) fn found(base: &Path, targets: &[&str]) -> Discovered {
    let targets: Vec<PathBuf> = targets.iter().map(PathBuf::from).collect();
    discover(&Facts::read(&Root::at(base), &targets).unwrap())
}

/// The study of what was found, once its own language has taken it.
pub(crate) fn study(found: &Discovered) -> String {
    let text = found.study();
    let source = Source { name: "found.kdl".to_owned(), text: text.clone() };
    let study = parse(&source, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}\n{text}"));
    let plan = study.plan(Order::Listed).unwrap_or_else(|m| panic!("{m}\n{text}"));
    assert_eq!(plan.trials.len(), 1);
    let case = &plan.trials[0].case;
    for finding in iopath_path::check(case, &BTreeSet::new()) {
        let is_mistake = finding.severity == iopath_path::Severity::Mistake;
        assert!(!is_mistake, "{}: {}\n{text}", finding.rule.name(), finding.text);
    }
    text
}

/// The text of a snapshot: study, then what is said besides.
pub(crate) fn told(found: &Discovered) -> String {
    let mut text = study(found);
    for finding in &found.findings {
        let parts = finding.parts.join(" ");
        text.push_str(&format!(
            "\n{:?} {}: {}: {}; {}\n",
            finding.weight, finding.rule, parts, finding.text, finding.hint
        ));
    }
    for line in &found.unread {
        text.push_str(&format!("\nunread: {line}\n"));
    }
    for line in &found.assumed {
        text.push_str(&format!("\nassumed: {line}\n"));
    }
    text
}

#[test]
fn every_machine_is_drawn_as_it_is() {
    for name in NAMES {
        let folder = tempfile::tempdir().unwrap();
        machine(name).unpack(folder.path()).unwrap();
        insta::assert_snapshot!(name, told(&found(folder.path(), &[])));
    }
}

/// Only what the targets lie on is drawn, of a device as of a file.
#[test]
fn a_target_is_drawn_with_what_it_lies_on_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    machine("md").unpack(folder.path()).unwrap();
    insta::assert_snapshot!("md1-alone", told(&found(folder.path(), &["/dev/md1"])));
    std::fs::write(folder.path().join("srv/data.bin"), vec![1; 4096]).unwrap();
    let text = study(&found(folder.path(), &["/srv/data.bin"]));
    for part in [
        "file \"data-bin\" on=\"srv\" size=\"4 KiB\"",
        "filesystem \"srv\" on=\"md0\"",
        "bind from=\"data-bin\" to=\"/srv/data.bin\"",
        "streams \"reader\" over=\"data-bin\" block=\"4 KiB\"",
        "link count=4",
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(!text.contains("md1"), "{text}");
}

/// Names that the study needs for itself, or that stand twice, are made others.
#[test]
fn a_machine_may_be_called_like_a_word_of_the_study() {
    for name in ["workload", "reader", "vda1", "root", "-", "1\u{1}\"{x}"] {
        let folder = tempfile::tempdir().unwrap();
        let mut tree = machine("cloud");
        tree.file("/proc/sys/kernel/hostname", &format!("{name}\n"));
        tree.unpack(folder.path()).unwrap();
        study(&found(folder.path(), &[]));
    }
}
