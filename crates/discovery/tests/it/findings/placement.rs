//! Interrupts, queues and owners: what is served by too few.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use iopath_discovery::{Bind, placement};
use iopath_imitation::{Interrupt, Queue};

use super::*;

/// The adapter of the machine `san`, next to node 0 (processors 0-15) of two.
const PORTS: [&str; 2] = [
    "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0",
    "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.1",
];

/// `san` with 32 processors and interrupts of its adapter: of which port, and which processor
/// serves how many.
fn served(interrupts: &[(usize, usize, u64)]) -> Tree {
    let mut tree = machine("san");
    tree.processors(32);
    for (number, &(port, served_by, count)) in (40..).zip(interrupts) {
        let interrupt = Interrupt { number, allowed: "0-31", served_by, count };
        tree.interrupt(PORTS[port], interrupt);
    }
    tree
}

fn binds(facts: &Facts) -> Vec<(u32, u32)> {
    let bind = |bind: &Bind| {
        assert_eq!(bind.today, "0-31");
        (bind.interrupt, bind.to)
    };
    placement(facts, findings(facts)).binds.iter().map(bind).collect()
}

#[test]
fn interrupts_that_one_processor_serves_are_spread_near_their_controllers() {
    let found = facts(&served(&[(0, 16, 900_000), (0, 16, 800_000), (1, 16, 700_000)]));
    let text = "processor 16 handles 100 % of storage interrupts since boot, 3 of 3 of which can \
                be moved, of 0000:3b:00.0 (qla2xxx), 0000:3b:00.1 (qla2xxx); 31 of 32 processors \
                handle none";
    assert_eq!(texts(&found, "interrupts-on-one"), [text]);
    // Node 1 has processor 16.
    assert_eq!(binds(&found), [(40, 0), (41, 1), (42, 2)]);
    assert_eq!(texts(&found, "interrupts-remote"), [""; 0], "spreading them mends that too");
}

#[test]
fn interrupts_on_several_processors_of_their_node_are_left_in_peace() {
    for interrupts in [
        &[(0, 0, 900_000), (0, 1, 800_000)][..],
        // One interrupt cannot be spread.
        &[(0, 0, 900_000)],
        // Nothing has happened yet.
        &[(0, 0, 900), (0, 0, 800)],
        // The second is of errors.
        &[(0, 5, 900_000), (0, 5, 20)],
        // A user on one processor: the queues of others are not used.
        &[(0, 3, 900_000), (0, 4, 0), (1, 3, 900_000), (1, 4, 0)],
        // A user on another node: the queue that is near is not used.
        &[(0, 20, 900_000), (0, 1, 0)],
    ] {
        let found = facts(&served(interrupts));
        assert_eq!(short(&found), [""; 0], "{interrupts:?}");
        assert_eq!(binds(&found), []);
    }
}

#[test]
fn interrupts_that_another_node_serves_come_to_their_own() {
    let found = facts(&served(&[(0, 20, 900_000), (0, 17, 800_000), (1, 2, 700_000)]));
    let text = "0000:3b:00.0 (qla2xxx) is next to node 0 (processors 0-15), and all its \
                interrupts go elsewhere, to processor 17, 20";
    assert_eq!(texts(&found, "interrupts-remote"), [text]);
    assert_eq!(binds(&found), [(40, 0), (41, 1)]);
}

/// Each goes to the processor that serves least, whoever's interrupts it serves.
#[test]
fn interrupts_of_several_controllers_are_dealt_together() {
    let remote = [(0, 20, 900_000), (0, 17, 800_000), (1, 21, 700_000), (1, 22, 600_000)];
    assert_eq!(binds(&facts(&served(&remote))), [(40, 0), (41, 1), (42, 2), (43, 3)]);
    // Processor 0 serves what is not moved.
    let one_is_near = [(0, 20, 900_000), (0, 17, 800_000), (1, 0, 700_000)];
    assert_eq!(binds(&facts(&served(&one_is_near))), [(40, 1), (41, 2)]);
}

#[test]
fn processors_that_are_kept_free_of_interrupts_get_none() {
    let mut tree = served(&[(0, 16, 900_000), (1, 16, 800_000)]);
    tree.attribute("/sys/devices/system/cpu", "isolated", "0-13");
    assert_eq!(binds(&facts(&tree)), [(40, 14), (41, 15)]);
    tree.attribute("/sys/devices/system/cpu", "isolated", "0-15,17-31");
    assert_eq!(short(&facts(&tree)), [""; 0], "one is left");
}

/// Where the kernel does not say which of several processors, it may be a near one.
#[test]
fn a_list_of_processors_is_no_processor() {
    let tree = served(&[(0, 20, 900_000)]);
    for (list, is_found) in [("0-31", false), ("16-31", true)] {
        let mut tree = tree.clone();
        tree.attribute("/proc/irq/40", "effective_affinity_list", list);
        let found = texts(&facts(&tree), "interrupts-remote");
        assert_eq!(!found.is_empty(), is_found, "{found:?}");
    }
}

/// As newer kernels have it: what the kernel spreads by itself cannot be written.
#[test]
fn what_the_kernel_spreads_cannot_be_moved() {
    let tree = served(&[(0, 20, 900_000), (0, 20, 800_000)]);
    let folder = tree.unpacked().unwrap();
    for number in [40, 41] {
        let file = folder.path().join(format!("proc/irq/{number}/smp_affinity_list"));
        std::fs::set_permissions(file, Permissions::from_mode(0o444)).unwrap();
    }
    let found = Facts::read(&Root::at(folder.path()), &[]).unwrap();
    assert_eq!(short(&found), [""; 0]);
    let controllers = placement(&found, Vec::new()).controllers;
    let port = controllers.iter().find(|one| one.address == "0000:3b:00.0").unwrap();
    assert_eq!(port.interrupts.len(), 2);
    assert!(port.interrupts.iter().all(|interrupt| !interrupt.can_move));
}

#[test]
fn many_processors_share_the_queue_of_a_virtual_disk() {
    for (processors, queues, is_found) in [(16, 1, true), (8, 1, false), (64, 8, false)] {
        let mut tree = machine("cloud");
        tree.processors(processors);
        let mut found = facts(&tree);
        found.hardware.attachments.get_mut("vda").unwrap().queues = Some(queues);
        let texts = texts(&found, "few-queues");
        assert_eq!(!texts.is_empty(), is_found, "{processors} {queues}: {texts:?}");
    }
}

/// `san` with more units behind its array, each served by the port of this number on each side.
fn owned(owners: &[usize]) -> Tree {
    let mut tree = machine("san");
    for (unit, owner) in (2..).zip(owners) {
        let mut paths = Vec::new();
        for (side, port) in PORTS.iter().enumerate() {
            for target in 0..2 {
                let host = 7 + side;
                let at = format!("{port}/host{host}/rport-{host}:0-{target}");
                let index = 4 * unit + 2 * side + target;
                let (name, number) = (format!("sdx{index}"), format!("65:{index}"));
                let address = format!("{host}:0:{target}:{unit}");
                let place = (name.as_str(), number.as_str());
                let disk = tree.scsi_disk(&at, &address, place, (1 << 20, &Queue::disk()));
                let state = if target == *owner { "active/optimized" } else { "standby" };
                let wwid = format!("naa.600a09800000000{unit}");
                tree.scsi_attributes(&disk, &[("access_state", state), ("wwid", &wwid)]);
                paths.push(disk);
            }
        }
        let queue = Queue::virtual_device();
        let volume = tree.upper(&format!("dm-{unit}"), &format!("253:{unit}"), 1 << 20, &queue);
        tree.mapper(&volume, &format!("mpath{unit}"), &format!("mpath-3600a09800000000{unit}"));
        tree.stack(&volume, &paths);
    }
    tree
}

#[test]
fn units_that_one_controller_owns_leave_the_other_idle() {
    // The machine has one unit on target 0 already.
    let found = facts(&owned(&[0, 0]));
    let text = "3 units share 4 ports of their array and use them unevenly: 3 through \
                0x200300a098a1b2c3, 3 through 0x200400a098a1b2c3, 0 through 0x201300a098a1b2c3, 0 \
                through 0x201400a098a1b2c3";
    assert_eq!(texts(&found, "uneven-owners"), [text]);
    for owners in [&[0, 1][..], &[1, 1, 0], &[0], &[]] {
        assert_eq!(texts(&facts(&owned(owners)), "uneven-owners"), [""; 0], "{owners:?}");
    }
}

#[test]
fn owners_are_not_judged_while_paths_are_down() {
    let mut tree = owned(&[0, 0]);
    let host = format!("{}/host8/fc_host/host8", PORTS[1]);
    tree.attribute(&host, "port_state", "Linkdown");
    assert_eq!(texts(&facts(&tree), "uneven-owners"), [""; 0]);
}
