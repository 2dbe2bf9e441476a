//! A compute node whose data are on an NFS server, reached by two ports of 25 Gb/s in a bond; its
//! own disk is in memory. Synthetic.

use crate::{Function, Rate, Tree};

pub(super) fn tree() -> Tree {
    let mut tree = Tree::new();
    tree.node(0, "0-31", 131_072_000, "10 32");
    tree.node(1, "32-63", 132_120_576, "32 10");
    let rate = Rate::full("8.0 GT/s PCIe", 8);
    let port = "pci0000:40/0000:40:01.1";
    tree.function(port, Function::port("1022:1483", 0, rate));
    let bond = tree.interface("/sys/devices/virtual", "bond0", 50_000);
    for function in 0..2 {
        let mellanox = Function {
            class: "0x020000",
            id: "15b3:1015",
            driver: "mlx5_core",
            node: 0,
            rate: Some(rate),
        };
        let card = tree.function(&format!("{port}/0000:41:00.{function}"), mellanox);
        let name = format!("enp65s0f{function}np{function}");
        let interface = tree.interface(&card, &name, 25_000);
        tree.link(&format!("{bond}/lower_{name}"), &interface);
        tree.link(&format!("{interface}/upper_bond0"), &bond);
        let adapter = format!("{card}/infiniband/mlx5_{function}");
        tree.attributes(
            &format!("{adapter}/ports/1"),
            &[("rate", "25 Gb/sec (1X EDR)"), ("state", "4: ACTIVE"), ("link_layer", "Ethernet")],
        );
        tree.class("infiniband", &format!("mlx5_{function}"), &adapter);
    }
    let options = "rw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,nconnect=4,\
                   timeo=600,retrans=2,sec=sys,clientaddr=10.0.0.9,local_lock=none,addr=10.0.0.5";
    tree.mount("0:52", "/home", "nfs4", ("filer:/export/home", options));
    tree.file("/proc/self/mountstats", MOUNTSTATS);
    tree.file("/proc/net/route", ROUTES);
    tree
}

/// 10.0.0.0/24 lies behind the bond.
const ROUTES: &str = "\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
bond0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0
bond0\t0000000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
";

const MOUNTSTATS: &str = "\
device rootfs mounted on / with fstype rootfs
device filer:/export/home mounted on /home with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2,rsize=1048576,wsize=1048576,nconnect=4,proto=tcp
\tage:\t86400
\tbytes:\t0 0 10737418240 5368709120 10737418240 5368709120 0 0
\txprt:\ttcp 0 0 2 0 0 30720 30720 0 61440 0 64 512 512
\tREAD: 10240 10240 0 1638400 10738991104 512 204800 215040 0
\tWRITE: 5120 5120 0 5370347520 716800 256 153600 158720 0
";
