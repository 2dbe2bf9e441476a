//! What block devices hang on, on imitated machines and on this one.

use iopath_imitation::{Function, NAMES, Rate, Tree, machine};
use iopath_machine::hardware::{Attachment, PciLink, Scsi, ScsiVia, Transport};
use iopath_machine::{Devices, Hardware, Root};

mod disks;
mod fabrics;
mod missing;
mod queues;

/// Reads an imitated machine.
fn read(tree: &Tree) -> Hardware {
    let directory = tree.unpacked().unwrap();
    let root = Root::at(directory.path());
    let devices = Devices::read(&root).unwrap();
    Hardware::read(&root, &devices)
}

fn scsi(attachment: &Attachment) -> &Scsi {
    match &attachment.transport {
        Transport::Scsi(scsi) => scsi,
        other => panic!("no SCSI device: {other:?}"),
    }
}

/// The way to a device in words: kinds and addresses, from the root port down.
fn way(hardware: &Hardware, device: &str) -> String {
    let address = hardware.attachments[device].pci.as_deref().unwrap_or_default();
    let chain = hardware.chain(address);
    let words: Vec<String> = chain.iter().map(|f| format!("{:?} {}", f.kind, f.address)).collect();
    words.join(" > ")
}

/// Links in words: rate now of the rate at most.
fn rates(links: &[PciLink]) -> String {
    let rate = |link: &PciLink| format!("{} of {}", link.current.unwrap(), link.max.unwrap());
    links.iter().map(rate).collect::<Vec<_>>().join(" > ")
}

#[test]
fn the_way_to_every_kind_of_disk_is_found() {
    for (name, device, expected) in [
        ("laptop", "nvme0n1", "RootPort 0000:00:02.4 > Endpoint 0000:02:00.0"),
        (
            "nvme-server",
            "nvme13n1",
            "RootPort 0000:b2:02.0 > SwitchUpstream 0000:b3:00.0 > \
             SwitchDownstream 0000:b4:01.0 > Endpoint 0000:b6:00.0",
        ),
        ("san", "sda", "Endpoint 0000:00:17.0"),
        ("san", "sdd", "RootPort 0000:3a:00.0 > Endpoint 0000:3b:00.1"),
        ("san", "dm-0", ""),
        ("md", "sdf", "Endpoint 0000:00:17.0"),
        ("lvm", "nvme3n1", "RootPort 0000:40:01.4 > Endpoint 0000:44:00.0"),
        ("zfs", "sdd", "Endpoint 0000:00:1f.2"),
        ("jbod", "sdl", "RootPort 0000:80:03.0 > Endpoint 0000:81:00.0"),
        ("cloud", "vda", "Endpoint 0000:00:04.0"),
        ("cloud", "sda", "Endpoint 0000:00:05.0"),
        ("fabrics", "sdb", "Endpoint 0000:00:14.0"),
        ("fabrics", "sda", ""),
        ("fabrics", "nvme0n1", ""),
    ] {
        assert_eq!(way(&read(&machine(name)), device), expected, "{device} of {name}");
    }
}

#[test]
fn each_link_has_its_rate_and_the_most_of_both_ends() {
    let server = read(&machine("nvme-server"));
    let links = |device: &str| server.links(server.attachments[device].pci.as_deref().unwrap());
    let full = "16 GT/s x16 of 16 GT/s x16 > 16 GT/s x4 of 16 GT/s x4";
    assert_eq!(rates(&links("nvme6n1")), full);
    let narrow = "16 GT/s x16 of 16 GT/s x16 > 16 GT/s x2 of 16 GT/s x4";
    assert_eq!(rates(&links("nvme7n1")), narrow);
    let slots: Vec<_> = ["0000:17:00.0", "0000:19:00.0"]
        .map(|address| server.functions[address].slot.as_deref())
        .to_vec();
    assert_eq!(slots, [None, Some("100")]);
}

/// Intel's VMD is a device with a PCI domain of its own behind it.
#[test]
fn a_drive_behind_a_volume_management_device_has_its_way() {
    let mut tree = Tree::new();
    let rate = Rate::full("16.0 GT/s PCIe", 4);
    let device = |class, rate| Function { class, id: "8086:9a0b", driver: "vmd", node: 0, rate };
    let vmd = "pci0000:00/0000:00:0e.0";
    tree.function(vmd, device("0x010400", None));
    let port = format!("{vmd}/pci10000:e0/10000:e0:06.0");
    tree.function(&port, Function::port("8086:9a09", 0, rate));
    let drive = tree.function(&format!("{port}/10000:e1:00.0"), device("0x010802", Some(rate)));
    let controller = tree.nvme_controller(&drive, 0, "KIOXIA");
    tree.namespace(&controller, "259:0", 1 << 21);
    let hardware = read(&tree);
    let expected = "Endpoint 0000:00:0e.0 > RootPort 10000:e0:06.0 > Endpoint 10000:e1:00.0";
    assert_eq!(way(&hardware, "nvme0n1"), expected);
    assert_eq!(rates(&hardware.links("10000:e1:00.0")), "16 GT/s x4 of 16 GT/s x4");
}

/// Otherwise every fast drive in an older slot would look degraded.
#[test]
fn a_fast_drive_in_a_slow_port_runs_as_fast_as_both_can() {
    let mut tree = machine("laptop");
    let port = "/sys/devices/pci0000:00/0000:00:02.4";
    for (folder, end) in [(port.to_owned(), "max"), (format!("{port}/0000:02:00.0"), "current")] {
        tree.attribute(&folder, &format!("{end}_link_speed"), "8.0 GT/s PCIe");
    }
    let links = read(&tree).links("0000:02:00.0");
    assert_eq!(rates(&links), "8 GT/s x4 of 8 GT/s x4");
    assert_eq!(links[0].max_below.unwrap().to_string(), "16 GT/s x4");
}

#[test]
fn a_link_that_says_nothing_or_rests_is_told_so() {
    let drive = "/sys/devices/pci0000:00/0000:00:02.4/0000:02:00.0";
    for (name, text) in [
        ("current_link_speed", "Unknown"),
        ("current_link_width", "0"),
        ("current_link_width", "63"),
        ("current_link_width", "255"),
    ] {
        let mut tree = machine("laptop");
        tree.attribute(drive, name, text);
        assert_eq!(read(&tree).functions["0000:02:00.0"].current, None, "{name} {text}");
    }
    for (name, text, expected) in [
        ("power/runtime_status", "active", false),
        ("power/runtime_status", "suspended", true),
        ("power_state", "D3hot", true),
        ("power_state", "unknown", false),
    ] {
        let mut tree = machine("laptop");
        tree.attribute(drive, name, text);
        let links = read(&tree).links("0000:02:00.0");
        assert_eq!(links[0].is_suspended, expected, "{name} {text}");
    }
}

#[test]
fn nodes_have_processors_memory_and_distances() {
    let hardware = read(&machine("nvme-server"));
    let node = &hardware.nodes[1];
    assert_eq!((node.number, node.cpus.as_str(), node.cpu_count), (1, "32-63,96-127", 64));
    assert_eq!(node.memory_bytes, Some(264_237_312 * 1024));
    assert_eq!(node.distances, [21, 10]);
    for (name, device, node) in [
        ("nvme-server", "nvme0n1", Some(0)),
        ("nvme-server", "nvme23n1", Some(1)),
        ("san", "sde", Some(0)),
        ("jbod", "sda", Some(1)),
        ("laptop", "nvme0n1", None),
        ("md", "sda", None),
        ("san", "dm-0", None),
    ] {
        assert_eq!(read(&machine(name)).node_of(device), node, "{device} of {name}");
    }
}

#[test]
fn the_processors_that_this_process_may_use_are_read() {
    let mut tree = machine("san");
    assert_eq!(read(&tree).usable_cpus, None);
    tree.file("/proc/self/status", "Name:\tiopath\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n");
    assert_eq!(read(&tree).usable_cpus.as_deref(), Some("0-7"));
    let root = Root::live();
    let live = Hardware::read(&root, &Devices::read(&root).unwrap());
    assert!(live.usable_cpus.is_some());
}

/// Waking reads devices, and those of an imitated machine are not there.
#[test]
fn only_this_machine_is_woken() {
    let directory = machine("nvme-server").unpacked().unwrap();
    let root = Root::at(directory.path());
    let mut hardware = Hardware::read(&root, &Devices::read(&root).unwrap());
    let before = hardware.clone();
    let all = hardware.attachments.keys().cloned().collect();
    assert!(hardware.wake(&root, &all).is_empty());
    assert_eq!(hardware, before);
}

#[test]
fn a_host_knows_its_driver_and_function() {
    let hardware = read(&machine("san"));
    let host = &hardware.scsi_hosts[&8];
    assert_eq!(host.driver.as_deref(), Some("qla2xxx"));
    assert_eq!(host.pci.as_deref(), Some("0000:3b:00.1"));
}

#[test]
fn this_very_machine_is_read() {
    let root = Root::live();
    let devices = Devices::read(&root).unwrap();
    let hardware = Hardware::read(&root, &devices);
    let whole = devices.iter().filter(|device| device.range().is_none());
    let names: Vec<&String> = whole.map(|device| &device.name).collect();
    assert_eq!(hardware.attachments.keys().collect::<Vec<_>>(), names);
    for address in hardware.functions.keys() {
        let chain = hardware.chain(address);
        assert_eq!(&chain.last().unwrap().address, address);
        assert_eq!(chain[0].parent, None);
    }
}

#[test]
fn imitated_machines_tell_all_they_have() {
    for name in NAMES {
        assert_eq!(read(&machine(name)).unread, [""; 0], "{name}");
    }
}
