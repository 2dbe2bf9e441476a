//! Which programs the steps of a build call: those that its lines name, and those that the
//! functions of the script use.

use std::collections::BTreeSet;

use crate::build::Step;

/// Programs that lines of steps name; others are named by who makes the step.
const NAMED: [&str; 13] = [
    "blkid", "blockdev", "lvchange", "lvextend", "lvremove", "mount", "pvremove", "vgremove",
    "vgs", "vxassist", "vxdg", "vxtunefs", "wipefs",
];

/// What functions of the script use.
const USED: [(&str, &[&str]); 5] = [
    ("empty", &["blkid", "lsblk", "wipefs"]),
    ("holds", &["blkid"]),
    ("our_group", &["vgs"]),
    ("settled", &["udevadm"]),
    ("unmount", &["findmnt", "umount"]),
];

pub(crate) fn called(steps: &[Step]) -> BTreeSet<&'static str> {
    let lines = steps.iter().flat_map(|step| {
        let tests = step.needs.iter().map(|need| need.test.as_str());
        tests.chain(step.commands.iter().chain(&step.undo).map(String::as_str))
    });
    let words: BTreeSet<&str> = lines.flat_map(|line| line.split([' ', '(', ';'])).collect();
    let named = NAMED.into_iter().filter(|program| words.contains(program));
    let used = USED.into_iter().filter(|(function, _)| words.contains(function));
    named.chain(used.flat_map(|(_, programs)| programs.iter().copied())).collect()
}
