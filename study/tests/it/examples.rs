//! The examples that come with the program: each parses, and its cases are those that it promises.

use super::{cases_of, levels};

pub(crate) const EXAMPLES: [(&str, &str); 4] = [
    ("scratch", include_str!("../../../studies/scratch.kdl")),
    ("devices", include_str!("../../../studies/devices.kdl")),
    ("mixed-open-loop", include_str!("../../../studies/mixed-open-loop.kdl")),
    ("many-readers", include_str!("../../../studies/many-readers.kdl")),
];

fn listing(name: &str) -> String {
    let (_, text) = EXAMPLES.iter().find(|(example, _)| *example == name).unwrap();
    let line = |case: &iopath_study::Case| {
        let streams = case.streams.len();
        let block = case.streams[0].block;
        format!("{}: {} | {streams} streams, {block}", case.experiment, levels(case))
    };
    cases_of(text).iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn scratch() {
    insta::assert_snapshot!(listing("scratch"), @"");
}

#[test]
fn devices() {
    insta::assert_snapshot!(listing("devices"), @"");
    let cases = cases_of(EXAMPLES[1].1);
    let bound: Vec<_> = cases[4].targets.iter().map(|t| t.binding.clone().unwrap()).collect();
    assert_eq!(bound, ["/dev/nvme0n1", "/dev/nvme1n1", "/dev/nvme2n1", "/dev/nvme3n1"]);
    assert!(cases.iter().flat_map(|case| &case.streams).all(|s| s.reads.0 == 1_000_000));
}

#[test]
fn mixed_open_loop() {
    insta::assert_snapshot!(listing("mixed-open-loop"), @"");
}

#[test]
fn many_readers() {
    insta::assert_snapshot!(listing("many-readers"), @"");
}
