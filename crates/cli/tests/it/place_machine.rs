//! `iopath place` of a machine: imitated ones whose interrupts one processor or another node
//! serves, and this one, where nothing is touched.

use iopath_imitation::{Interrupt, Tree, machine};

use crate::program::Program;
use crate::shape;

const PORT: &str = "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0";

fn with(tree: &Tree) -> Program {
    let program = Program::in_memory();
    tree.unpack(&program.path("machine")).unwrap();
    program
}

fn served(number: u32, allowed: &str, served_by: usize) -> Interrupt<'_> {
    Interrupt { number, allowed, served_by, count: 500_000 }
}

/// A host of 32 processors on two nodes; processor 16 serves both interrupts of a port of node 0.
fn crowded() -> Program {
    let mut tree = machine("san");
    tree.processors(32);
    tree.interrupt(PORT, served(40, "0-31", 16));
    tree.interrupt(PORT, served(41, "16-31", 16));
    with(&tree)
}

#[test]
fn commands_bind_interrupts_and_bring_back_what_is_set_today() {
    let program = crowded();
    let placing = program.json("place --root machine");
    shape::machine_placed(&placing);
    assert_eq!(placing["moves"][0]["rule"], "interrupts-on-one");
    let lines = |of: &str| -> Vec<&str> {
        placing[of].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
    };
    let bind = |to: &str, number: u32| format!("echo {to} > /proc/irq/{number}/smp_affinity_list");
    assert_eq!(lines("commands"), [bind("0", 40), bind("1", 41)]);
    assert_eq!(lines("undo"), [bind("0-31", 40), bind("16-31", 41)]);
    let port = &placing["controllers"][1];
    assert_eq!(
        (&port["address"], &port["interrupts"]),
        (&"0000:3b:00.0".into(), &1_000_000.into())
    );
    assert_eq!(port["served_by"][0]["share"], 1.0);
    let shown = program.line("place --root machine").done().stdout;
    for part in [
        "1 finding: interrupts-on-one; 2 interrupts to move",
        "1. warning: sdb, sdc: processor 16 handles 100 % of storage",
        "echo 1 > /proc/irq/41/smp_affinity_list",
        "16 (100 %)",
    ] {
        assert!(shown.contains(part), "no {part:?} in\n{shown}");
    }
}

/// As the commands would leave it.
#[test]
fn a_machine_whose_interrupts_are_bound_has_nothing_to_move() {
    let mut tree = machine("san");
    tree.processors(32);
    tree.interrupt(PORT, served(40, "0", 0));
    tree.interrupt(PORT, served(41, "1", 1));
    let program = with(&tree);
    let shown = program.line("place --root machine").done().stdout;
    assert!(shown.starts_with("3 storage controllers, nothing to move"), "{shown}");
    assert!(!shown.contains("echo"), "{shown}");
    // Of one target what it is behind.
    let placing = program.json("place --root machine /dev/sda");
    assert_eq!(placing["controllers"].as_array().unwrap().len(), 1);
}

#[test]
fn this_machine_is_placed_and_nothing_is_touched() {
    let program = Program::in_memory();
    program.file("data.bin", 1 << 20);
    let affinities = || -> Vec<String> {
        let files = std::fs::read_dir("/proc/irq").unwrap().flatten();
        let lists = files.map(|entry| entry.path().join("smp_affinity_list"));
        lists.filter_map(|list| std::fs::read_to_string(list).ok()).collect()
    };
    let before = affinities();
    shape::machine_placed(&program.json("place"));
    assert_eq!(affinities(), before);
    let shown = program.line("place data.bin").done().stdout;
    assert!(shown.starts_with("no storage controller on PCI"), "{shown}");
    program.line("place gone.kdl").ends(4).tells(&["gone.kdl: name a study, or a target that"]);
}
