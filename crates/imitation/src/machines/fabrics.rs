//! A host of storage over Ethernet: an NVMe/TCP namespace with two paths, one of which the target
//! makes inaccessible; an iSCSI disk bound to an interface; a USB disk. Synthetic.

use crate::{Function, Queue, Rate, Tree};

pub(super) fn tree() -> Tree {
    let mut tree = Tree::new();
    tree.node(0, "0-15", 65_787_652, "10");
    let rate = Rate::full("8.0 GT/s PCIe", 8);
    let port = "pci0000:00/0000:00:03.0";
    tree.function(port, Function::port("8086:6f08", 0, rate));
    let intel =
        Function { class: "0x020000", id: "8086:158b", driver: "i40e", node: 0, rate: Some(rate) };
    let card = tree.function(&format!("{port}/0000:03:00.0"), intel);
    tree.interface(&card, "ens1f0", 25_000);
    nvme_over_tcp(&mut tree);
    iscsi(&mut tree);
    usb(&mut tree);
    tree.file("/proc/net/route", ROUTES);
    tree
}

/// 10.0.0.0/23 lies behind the only port.
const ROUTES: &str = "\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
ens1f0\t0000000A\t00000000\t0001\t0\t0\t0\t00FEFFFF\t0\t0\t0
";

fn nvme_over_tcp(tree: &mut Tree) {
    let subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
    tree.attribute(subsystem, "subsysnqn", "nqn.2014-08.org.example:array1");
    tree.attribute(subsystem, "iopolicy", "round-robin");
    tree.class("nvme-subsystem", "nvme-subsys0", subsystem);
    let head = format!("{subsystem}/nvme0n1");
    tree.disk(&head, "259:0", 2_147_483_648, &Queue::nvme());
    tree.attribute(&head, "nsid", "1");
    for (number, state) in [(0, "optimized"), (1, "inaccessible")] {
        let controller = format!("/sys/devices/virtual/nvme-fabrics/ctl/nvme{number}");
        let address = format!("traddr=10.0.{number}.5,trsvcid=4420,src_addr=10.0.{number}.9");
        tree.attributes(
            &controller,
            &[
                ("transport", "tcp"),
                ("address", &address),
                ("state", "live"),
                ("model", "Linux"),
                ("firmware_rev", "6.12"),
                ("queue_count", "17"),
                ("sqsize", "127"),
                ("cntlid", if number == 0 { "1" } else { "2" }),
            ],
        );
        let path = format!("{controller}/nvme0c{number}n1");
        tree.attribute(&path, "ana_state", state);
        tree.attribute(&path, "hidden", "1");
        tree.attribute(&path, "size", "2147483648");
        tree.link(&format!("/sys/block/nvme0c{number}n1"), &path);
        tree.class("nvme", &format!("nvme{number}"), &controller);
        tree.link(&format!("{subsystem}/nvme{number}"), &controller);
    }
}

fn iscsi(tree: &mut Tree) {
    let host = tree.scsi_host("/sys/devices/platform", 3, "iscsi_tcp", 144);
    let facts = format!("{host}/iscsi_host/host3");
    tree.attributes(&facts, &[("netdev", "ens1f0"), ("ipaddress", "10.0.0.9")]);
    tree.class("iscsi_host", "host3", &facts);
    let session = format!("{host}/session1");
    let facts = format!("{session}/iscsi_session/session1");
    let target = "iqn.2003-01.org.example:array2";
    tree.attributes(&facts, &[("targetname", target), ("state", "LOGGED_IN")]);
    tree.class("iscsi_session", "session1", &facts);
    let connection = format!("{session}/connection1:0/iscsi_connection/connection1:0");
    tree.attributes(&connection, &[("address", "10.0.0.6"), ("port", "3260")]);
    tree.class("iscsi_connection", "connection1:0", &connection);
    let queue = Queue::disk().with("rotational", "0");
    let disk = tree.scsi_disk(&session, "3:0:0:1", ("sda", "8:0"), (419_430_400, &queue));
    tree.scsi_attributes(&disk, &[("vendor", "LIO-ORG"), ("model", "data")]);
}

fn usb(tree: &mut Tree) {
    let xhci =
        Function { class: "0x0c0330", id: "8086:8d31", driver: "xhci_hcd", node: -1, rate: None };
    let controller = tree.function("pci0000:00/0000:00:14.0", xhci);
    let device = format!("{controller}/usb2/2-1");
    tree.attributes(&device, &[("speed", "5000"), ("version", " 3.00")]);
    let host = tree.scsi_host(&format!("{device}/2-1:1.0"), 4, "uas", 30);
    let disk = (3_907_029_168, &Queue::disk());
    tree.scsi_disk(&host, "4:0:0:0", ("sdb", "8:16"), disk);
}
