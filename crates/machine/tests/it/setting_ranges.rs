//! What settings can be, on imitated machines.

use iopath_machine::Devices;
use iopath_machine::settings::{Range, Setting, Takes, range};

use crate::tree::Tree;

/// A disk with a queue.
fn disk(tree: &Tree, name: &str, number: &str, files: &[[&str; 2]]) {
    tree.disk(name, number);
    for [file, text] in files {
        tree.file(&format!("/sys/block/{name}/{file}"), text);
    }
}

fn found(tree: &Tree, places: &[&str], setting: Setting) -> Range {
    let root = tree.root();
    range(&root, &Devices::read(&root).unwrap(), places, setting).unwrap()
}

fn choosable(today: &str, takes: Takes) -> Range {
    Range::Choosable { today: today.to_owned(), takes }
}

#[test]
fn what_a_device_takes_and_is_set_to_is_known_before_anything_is_set() {
    let tree = Tree::new();
    let files = [
        ["queue/scheduler", "none [mq-deadline] kyber\n"],
        ["queue/max_sectors_kb", "128\n"],
        ["queue/max_hw_sectors_kb", "256\n"],
        ["queue/nr_requests", "64\n"],
        ["mq/0/nr_tags", "127\n"],
        ["queue/read_ahead_kb", "4096\n"],
    ];
    disk(&tree, "sda", "8:0", &files);
    let words = ["none", "mq-deadline", "kyber"].map(str::to_owned).to_vec();
    for (setting, expected) in [
        (Setting::Scheduler, choosable("mq-deadline", Takes::Words(words))),
        (Setting::MaxRequest, choosable("128", Takes::UpTo(Some(256)))),
        (Setting::Requests, choosable("64", Takes::UpTo(Some(127)))),
        (Setting::Readahead, choosable("4096", Takes::UpTo(None))),
    ] {
        assert_eq!(found(&tree, &["/dev/sda"], setting), expected);
    }
}

#[test]
fn of_several_devices_what_all_take_can_be_chosen() {
    let tree = Tree::new();
    for (name, number, most) in [("sda", "8:0", "512\n"), ("sdb", "8:16", "256\n")] {
        let files = [["queue/max_sectors_kb", "128\n"], ["queue/max_hw_sectors_kb", most]];
        disk(&tree, name, number, &files);
    }
    let both = ["/dev/sda", "/dev/sdb"];
    let takes = choosable("128", Takes::UpTo(Some(256)));
    assert_eq!(found(&tree, &both, Setting::MaxRequest), takes);
    tree.file("/sys/block/sda/queue/max_sectors_kb", "64\n");
    assert_eq!(found(&tree, &both, Setting::MaxRequest), Range::Differing, "today");
    tree.file("/sys/block/sda/queue/scheduler", "[none] kyber\n");
    tree.file("/sys/block/sdb/queue/scheduler", "[none]\n");
    assert_eq!(found(&tree, &both, Setting::Scheduler), Range::Differing, "what they offer");
}

#[test]
fn what_a_device_does_not_have_is_absent() {
    let tree = Tree::new();
    disk(&tree, "sda", "8:0", &[["queue/nr_requests", "128\n"]]);
    disk(&tree, "sdb", "8:16", &[]);
    assert_eq!(found(&tree, &["/dev/sda"], Setting::Scheduler), Range::Absent);
    let both = ["/dev/sda", "/dev/sdb"];
    assert_eq!(found(&tree, &both, Setting::Requests), Range::Absent, "of one of them");
    let alone = found(&tree, &["/dev/sda"], Setting::Requests);
    assert_eq!(alone, choosable("128", Takes::UpTo(Some(128))), "without tags, as many as today");
}
