//! A host with a Fibre Channel adapter of two ports, each of which sees both controllers of an
//! array: four paths to one logical unit, two of them active and two on standby, joined by
//! dm-multipath under XFS. A fifth disk is the local SATA disk. Synthetic.

use crate::{Function, Queue, Rate, Tree};

pub(super) fn tree() -> Tree {
    let mut tree = Tree::new();
    tree.node(0, "0-15", 65_787_652, "10 21");
    tree.node(1, "16-31", 66_055_208, "21 10");
    local_disk(&mut tree);
    let port = "pci0000:3a/0000:3a:00.0";
    let rate = Rate::full("8.0 GT/s PCIe", 8);
    tree.function(port, Function::port("8086:2030", 0, rate));
    let mut paths = Vec::new();
    for (function, host) in [(0, 7), (1, 8)] {
        paths.extend(adapter_port(&mut tree, port, function, host));
    }
    let queue = Queue::virtual_device().with("scheduler", "none [mq-deadline] kyber");
    let volume = tree.upper("dm-0", "253:0", 4_294_967_296, &queue);
    let wwid = "3600a098000a1b2c3000004d25e6f7081";
    tree.mapper(&volume, "mpatha", &format!("mpath-{wwid}"));
    tree.stack(&volume, &paths);
    tree.table(
        "mpatha",
        "0 4294967296 multipath 1 queue_if_no_path 1 alua 2 1 service-time 0 2 1 8:16 1 8:48 1 \
         service-time 0 2 1 8:32 1 8:64 1",
    );
    tree.mount("253:0", "/data", "xfs", ("/dev/mapper/mpatha", "rw,attr2,inode64,noquota"));
    tree
}

/// One port of the adapter, with its two paths.
fn adapter_port(tree: &mut Tree, above: &str, function: u32, host: u32) -> Vec<String> {
    let qlogic = Function {
        class: "0x0c0400",
        id: "1077:2261",
        driver: "qla2xxx",
        node: 0,
        rate: Some(Rate::full("8.0 GT/s PCIe", 8)),
    };
    let adapter = tree.function(&format!("{above}/0000:3b:00.{function}"), qlogic);
    let folder = tree.scsi_host(&adapter, host, "qla2xxx", 4096);
    tree.fc_host(&folder, &format!("0x21000024ff3434e{}", 4 + function), "16 Gbit");
    let mut paths = Vec::new();
    for (target, state) in [(0, "active/optimized"), (1, "standby")] {
        let remote = format!("rport-{host}:0-{target}");
        let port_name = format!("0x20{target}{}00a098a1b2c3", 3 + function);
        let remote = tree.remote_port(&folder, &remote, &port_name);
        let index = (function * 2 + target) as usize;
        let name = ["sdb", "sdc", "sdd", "sde"][index];
        let number = format!("8:{}", 16 * (index + 1));
        let address = format!("{host}:0:{target}:1");
        let queue = Queue::disk().with("rotational", "0");
        let disk = tree.scsi_disk(&remote, &address, (name, &number), (4_294_967_296, &queue));
        tree.scsi_attributes(
            &disk,
            &[
                ("access_state", state),
                ("preferred_path", if target == 0 { "1" } else { "0" }),
                ("vendor", "NETAPP"),
                ("model", "INF-01-00"),
                ("rev", "0860"),
                ("wwid", "naa.600a098000a1b2c3000004d25e6f7081"),
            ],
        );
        paths.push(disk);
    }
    paths
}

fn local_disk(tree: &mut Tree) {
    let ahci = Function { class: "0x010601", id: "8086:a182", driver: "ahci", node: 0, rate: None };
    let controller = tree.function("pci0000:00/0000:00:17.0", ahci);
    let host = tree.ata_port(&controller, 1, 0, "6.0 Gbps");
    let disk = tree.scsi_disk(&host, "0:0:0:0", ("sda", "8:0"), (937_703_088, &Queue::disk()));
    tree.scsi_attributes(&disk, &[("vendor", "ATA"), ("model", "ST500NM0011")]);
    tree.mount("8:0", "/", "ext4", ("/dev/sda", "rw"));
}
