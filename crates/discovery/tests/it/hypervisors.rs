//! Links and classes that a hypervisor only pretends have no rating; what it hands through has its
//! own.

use iopath_discovery::MeasuredValue;
use iopath_imitation::{Function, Queue, Rate, Tree, machine};

use crate::goldens::{found, told};

const PORT: &str = "pci0000:00/0000:00:03.0";

/// A port as QEMU has it, whatever is below.
fn port(tree: &mut Tree) {
    let rate = Rate::full("2.5 GT/s PCIe", 1);
    tree.function(PORT, Function::port("1b36:000c", -1, rate));
}

fn text(tree: &Tree) -> String {
    let folder = tempfile::tempdir().unwrap();
    tree.unpack(folder.path()).unwrap();
    told(&found(folder.path(), &[]))
}

fn nvme(tree: &mut Tree, (id, model): (&'static str, &str), rate: Rate) {
    let function = Function { class: "0x010802", id, driver: "nvme", node: -1, rate: Some(rate) };
    let drive = tree.function(&format!("{PORT}/0000:01:00.0"), function);
    let controller = tree.nvme_controller(&drive, 0, model);
    tree.namespace(&controller, "259:0", 7_501_476_528);
}

#[test]
fn a_port_and_a_drive_of_qemu_have_no_rating() {
    let mut tree = Tree::new();
    port(&mut tree);
    nvme(&mut tree, ("1b36:0010", "QEMU NVMe Ctrl"), Rate::full("2.5 GT/s PCIe", 1));
    let text = text(&tree);
    assert!(text.contains("rp-00-03-0"), "the port is drawn: {text}");
    assert!(!text.contains("pcie1"), "{text}");
    assert!(!text.contains("assumed"), "{text}");
    assert!(text.contains("unread: nvme0n1: a hypervisor's disk: its backing storage"), "{text}");
}

#[test]
fn a_drive_that_is_handed_through_keeps_its_own() {
    let mut tree = Tree::new();
    port(&mut tree);
    let rate = Rate::full("16.0 GT/s PCIe", 4);
    nvme(&mut tree, ("144d:a824", "SAMSUNG MZWLR3T8HBLS-00007"), rate);
    let text = text(&tree);
    assert!(text.contains("pcie4-x4"), "{text}");
    assert!(text.contains("nvme-gen4"), "{text}");
}

#[test]
fn lanes_and_disks_of_an_imitated_sas_adapter_have_no_rating() {
    let mut tree = Tree::new();
    port(&mut tree);
    let sas =
        Function { class: "0x010000", id: "1000:0054", driver: "mptsas", node: -1, rate: None };
    let adapter = tree.function(&format!("{PORT}/0000:01:00.0"), sas);
    let host = tree.scsi_host(&adapter, 0, "mptsas", 127);
    let lane = tree.sas_port(&host, "port-0:0", &[0], "3.0 Gbit");
    let end = tree.sas_end(&lane, "0x0000000000000000", 0);
    let disk = tree.scsi_disk(&end, "0:0:0:0", ("sda", "8:0"), (1_048_576, &Queue::disk()));
    tree.scsi_attributes(&disk, &[("vendor", "QEMU"), ("model", "QEMU HARDDISK")]);
    let text = text(&tree);
    for rating in ["sas-3g", "hdd-", "pcie1", "assumed"] {
        assert!(!text.contains(rating), "{rating}: {text}");
    }
    assert!(text.contains("unread: sda: a hypervisor's disk: its backing storage"), "{text}");
}

#[test]
fn a_disk_that_was_measured_has_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    machine("cloud").unpack(folder.path()).unwrap();
    let found = found(folder.path(), &[]);
    let identities = found.identities();
    let part = identities.values().find(|part| part.kernel == "vda").unwrap().clone();
    let of = |property: &str| {
        let (property, value) = (property.to_owned(), "100 MB/s".to_owned());
        MeasuredValue { part: part.clone(), property, value, origin: "measured".to_owned() }
    };
    let unlimited = |values: &[MeasuredValue]| {
        let (found, _) = found.clone().with_measured(values);
        let lines = found.unread.into_iter();
        let of_limits = lines.filter_map(|line| {
            let (device, rest) = line.split_once(':')?;
            Some(format!("{device}: {}", rest.strip_suffix(" no limit here")?.rsplit(", ").next()?))
        });
        of_limits.collect::<Vec<_>>()
    };
    assert_eq!(unlimited(&[of("latency")]), ["sda: so it has", "vda: so it has"]);
    let reads = [of("latency"), of("read")];
    assert_eq!(unlimited(&reads), ["sda: so it has", "vda: so writes have"]);
    assert_eq!(unlimited(&[of("read"), of("write-ops")]), ["sda: so it has"]);
    assert_eq!(unlimited(&[of("both")]), ["sda: so it has"]);
}
