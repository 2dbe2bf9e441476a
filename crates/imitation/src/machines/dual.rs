//! A server whose units have two paths each and no fabric: a disk of SAS with two ports behind two
//! adapters and a disk of a hypervisor behind two of virtio-scsi, both joined by multipath; a
//! second disk of the hypervisor that nothing joins; a drive of NVMe with two controllers. Names of
//! all but the SAS disk are those that QEMU gave a guest; the rest is synthetic.

use super::nvme_slot;
use crate::{Function, Queue, Rate, Tree};

pub(super) fn tree() -> Tree {
    let mut tree = Tree::new();
    tree.node(0, "0-7", 32_791_040, "10");
    let adapters = [virtio(&mut tree, 0), virtio(&mut tree, 1)];
    let sectors = 1_048_576;
    for (target, names) in [["sda", "sdb"], ["sdc", "sdd"]].iter().enumerate() {
        let mut paths = Vec::new();
        for (host, (adapter, name)) in adapters.iter().zip(names).enumerate() {
            let number = format!("8:{}", 32 * target + 16 * host);
            let address = format!("{host}:0:{target}:0");
            let disk =
                tree.scsi_disk(adapter, &address, (name, &number), (sectors, &Queue::disk()));
            let wwid = format!("naa.5000c50015ea71a{}", ["a", "b"][target]);
            let facts = [("vendor", "QEMU"), ("model", "QEMU HARDDISK"), ("wwid", &wwid)];
            tree.scsi_attributes(&disk, &facts);
            paths.push(disk);
        }
        if target == 0 {
            multipath(&mut tree, 0, "mpatha", (sectors, &paths, ["8:0", "8:16"]));
        }
    }
    let paths = [sas(&mut tree, 2, "sde", "8:64"), sas(&mut tree, 3, "sdf", "8:80")];
    multipath(&mut tree, 1, "mpathb", (23_437_770_752, &paths, ["8:64", "8:80"]));
    nvme(&mut tree);
    tree
}

fn multipath(
    tree: &mut Tree,
    minor: u32,
    name: &str,
    (sectors, paths, numbers): (u64, &[String], [&str; 2]),
) {
    let queue = Queue::virtual_device().with("scheduler", "none [mq-deadline] kyber bfq");
    let folder = tree.upper(&format!("dm-{minor}"), &format!("253:{minor}"), sectors, &queue);
    tree.mapper(&folder, name, &format!("mpath-{name}-0000"));
    tree.stack(&folder, paths);
    let [one, other] = numbers;
    let line = format!("0 {sectors} multipath 0 0 1 1 service-time 0 2 2 {one} 1 1 {other} 1 1");
    tree.table(name, &line);
}

/// An adapter of virtio-scsi; the folder of its host.
fn virtio(tree: &mut Tree, number: u32) -> String {
    let function =
        Function { class: "0x010000", id: "1af4:1048", driver: "virtio-pci", node: -1, rate: None };
    let slot = tree.function(&format!("pci0000:00/0000:00:0{}.0", 3 + number), function);
    tree.scsi_host(&format!("{slot}/virtio{number}"), number, "virtio_scsi", 128)
}

/// An adapter of SAS with the disk that it alone leads to; the disk's folder.
fn sas(tree: &mut Tree, number: u32, name: &str, device: &str) -> String {
    let rate = Rate::full("8.0 GT/s PCIe", 8);
    let port = format!("pci0000:80/0000:80:0{number}.0");
    tree.function(&port, Function::port("8086:6f08", 0, rate));
    let function = Function {
        class: "0x010700",
        id: "1000:0097",
        driver: "mpt3sas",
        node: 0,
        rate: Some(rate),
    };
    let adapter = tree.function(&format!("{port}/0000:8{number}:00.0"), function);
    let host = tree.scsi_host(&adapter, number, "mpt3sas", 9856);
    let port = tree.sas_port(&host, &format!("port-{number}:0"), &[0], "12.0 Gbit");
    let end = tree.sas_end(&port, "0x0000000000000000", number);
    let disk = (23_437_770_752, &Queue::disk());
    let disk = tree.scsi_disk(&end, &format!("{number}:0:0:0"), (name, device), disk);
    let facts =
        [("vendor", "SEAGATE"), ("model", "ST12000NM0038"), ("wwid", "naa.5000c500a1b2c3d7")];
    tree.scsi_attributes(&disk, &facts);
    disk
}

/// One subsystem with two controllers, as drivers/nvme/host/multipath.c shows them.
fn nvme(tree: &mut Tree) {
    let subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
    tree.attribute(subsystem, "subsysnqn", "nqn.2019-08.org.qemu:lab");
    tree.attribute(subsystem, "iopolicy", "numa");
    tree.class("nvme-subsystem", "nvme-subsys0", subsystem);
    let head = format!("{subsystem}/nvme0n1");
    tree.disk(&head, "259:0", 1_048_576, &Queue::nvme());
    tree.attribute(&head, "nsid", "1");
    for number in 0..2 {
        let slot = nvme_slot(tree, number, "144d:a824");
        let controller = format!("{slot}/nvme/nvme{number}");
        tree.attributes(
            &controller,
            &[
                ("transport", "pcie"),
                ("address", &format!("0000:4{}:00.0", 1 + number)),
                ("state", "live"),
                ("model", "SAMSUNG MZWLJ1T9HBJR-00007"),
                ("firmware_rev", "EPK98B5Q"),
                ("queue_count", "65"),
                ("sqsize", "1023"),
                ("cntlid", &number.to_string()),
            ],
        );
        let path = format!("{controller}/nvme0c{number}n1");
        tree.attribute(&path, "hidden", "1");
        tree.attribute(&path, "size", "1048576");
        tree.link(&format!("/sys/block/nvme0c{number}n1"), &path);
        tree.class("nvme", &format!("nvme{number}"), &controller);
        tree.link(&format!("{subsystem}/nvme{number}"), &controller);
    }
}
