//! What is found wrong or unwise, and what is left in peace.

use std::path::PathBuf;

use iopath_discovery::{Facts, Finding, Target, Weight, discover};
use iopath_imitation::{NAMES, Tree, machine};
use iopath_machine::Root;

mod layout;
mod links;
mod members;
mod mounts;
mod paths;
mod placement;
mod write_caches;

/// The facts of an imitated machine.
fn facts(tree: &Tree) -> Facts {
    let folder = tree.unpacked().unwrap();
    Facts::read(&Root::at(folder.path()), &[]).unwrap()
}

fn findings(facts: &Facts) -> Vec<Finding> {
    discover(facts).findings
}

/// Findings in short: rule and whom they concern.
fn short(facts: &Facts) -> Vec<String> {
    let all = findings(facts);
    all.iter().map(|finding| format!("{} {}", finding.rule, finding.parts.join(" "))).collect()
}

/// The texts of one rule.
fn texts(facts: &Facts, rule: &str) -> Vec<String> {
    let all = findings(facts).into_iter().filter(|finding| finding.rule == rule);
    all.map(|finding| finding.text).collect()
}

#[test]
fn each_machine_has_the_findings_it_was_made_with() {
    for name in NAMES {
        let expected: &[&str] = match name {
            "nvme-server" => &["degraded-link nvme7n1"],
            "md" => &["stripe-cache md0", "one-controller md1", "stripe-hint md0"],
            "jbod" => &["degraded-link sdf"],
            "dual" => &["unjoined-paths sdc sdd"],
            _ => &[],
        };
        assert_eq!(short(&facts(&machine(name))), expected, "{name}");
    }
}

#[test]
fn every_finding_has_figures_and_says_what_to_do() {
    for name in ["nvme-server", "md", "jbod"] {
        for finding in findings(&facts(&machine(name))) {
            assert!(finding.text.contains(|c: char| c.is_ascii_digit()), "{finding:?}");
            assert!(finding.hint.split(' ').count() > 4, "{finding:?}");
        }
    }
}

#[test]
fn only_what_a_target_lies_on_is_judged() {
    let tree = machine("md");
    let folder = tree.unpacked().unwrap();
    let root = Root::at(folder.path());
    for (target, expected) in [
        ("/dev/md1", &["one-controller md1"][..]),
        ("/dev/md0", &["stripe-cache md0", "stripe-hint md0"]),
        ("/srv", &["stripe-cache md0", "stripe-hint md0"]),
        ("/dev/sda", &[]),
    ] {
        let facts = Facts::read(&root, &[PathBuf::from(target)]).unwrap();
        assert_eq!(short(&facts), expected, "{target}");
    }
}

#[test]
fn warnings_come_first() {
    let mut tree = machine("md");
    tree.attribute("/sys/devices/virtual/block/md0/md", "degraded", "1");
    let weights: Vec<Weight> =
        findings(&facts(&tree)).iter().map(|finding| finding.weight).collect();
    assert_eq!(weights[0], Weight::Warning);
    assert!(weights[1..].iter().all(|weight| *weight == Weight::Advice), "{weights:?}");
}

/// A target with a number of pieces.
fn in_pieces(facts: &Facts, bytes: u64, extents: Option<u64>, device: &str) -> Facts {
    let mut facts = facts.clone();
    let place = iopath_discovery::Place { mount: None, devices: [device.to_owned()].into() };
    let kind = iopath_machine::target::TargetKind::RegularFile;
    let path = PathBuf::from("/srv/big");
    facts.targets = vec![Target { path, kind, bytes, free_bytes: 0, place, extents }];
    facts
}
