//! A server with seven NVMe drives under everything that device-mapper and bcache make: a volume
//! over two drives, an overprovisioned thin pool with an encrypted volume on it, a snapshot with
//! its origin, a cached volume, a mirror of LVM, and a drive cached by another. The tables have the
//! form that LVM 2.03 and cryptsetup give them on Debian 12; sizes are synthetic.

use super::nvme_slot;
use crate::{Queue, Tree};

/// A mapped device: minor number, name, end of its UUID, sectors, what it stands on, its table.
type Row = (u32, &'static str, &'static str, u64, &'static [&'static str], &'static str);

const ROWS: &[Row] = &[
    (
        0,
        "vg-two",
        "",
        2_000_000,
        &["nvme0n1", "nvme1n1"],
        "0 1000000 linear 259:0 2048\n1000000 1000000 linear 259:1 2048",
    ),
    (1, "vg-pool_tmeta", "-tmeta", 8192, &["nvme1n1"], "0 8192 linear 259:1 1002048"),
    (2, "vg-pool_tdata", "-tdata", 327_680, &["nvme2n1"], "0 327680 linear 259:2 2048"),
    (
        3,
        "vg-pool-tpool",
        "-tpool",
        327_680,
        &["dm-1", "dm-2"],
        "0 327680 thin-pool 253:1 253:2 128 0 0",
    ),
    (4, "vg-pool", "-pool", 327_680, &["dm-3"], "0 327680 linear 253:3 0"),
    (5, "vg-thin", "", 614_400, &["dm-3"], "0 614400 thin 253:3 1"),
    (6, "vg-second", "", 163_840, &["dm-3"], "0 163840 thin 253:3 2"),
    (7, "vg-full-real", "-real", 163_840, &["nvme2n1"], "0 163840 linear 259:2 329728"),
    (8, "vg-full", "", 163_840, &["dm-7"], "0 163840 snapshot-origin 253:7"),
    (9, "vg-snap-cow", "-cow", 81_920, &["nvme2n1"], "0 81920 linear 259:2 493568"),
    (10, "vg-snap", "", 163_840, &["dm-7", "dm-9"], "0 163840 snapshot 253:7 253:9 P 8"),
    (11, "vg-big_corig", "-corig", 1_638_400, &["nvme3n1"], "0 1638400 linear 259:3 2048"),
    (12, "vg-fast_cdata", "-cdata", 163_840, &["nvme4n1"], "0 163840 linear 259:4 10240"),
    (13, "vg-fast_cmeta", "-cmeta", 8192, &["nvme4n1"], "0 8192 linear 259:4 2048"),
    (
        14,
        "vg-big",
        "",
        1_638_400,
        &["dm-11", "dm-12", "dm-13"],
        "0 1638400 cache 253:13 253:12 253:11 128 2 metadata2 writeback smq 0",
    ),
    (15, "vg-m_rmeta_0", "", 8192, &["nvme3n1"], "0 8192 linear 259:3 1640448"),
    (16, "vg-m_rimage_0", "", 163_840, &["nvme3n1"], "0 163840 linear 259:3 1648640"),
    (17, "vg-m_rmeta_1", "", 8192, &["nvme4n1"], "0 8192 linear 259:4 174080"),
    (18, "vg-m_rimage_1", "", 163_840, &["nvme4n1"], "0 163840 linear 259:4 182272"),
    (
        19,
        "vg-m",
        "",
        163_840,
        &["dm-15", "dm-16", "dm-17", "dm-18"],
        "0 163840 raid raid1 3 0 region_size 4096 2 253:15 253:16 253:17 253:18",
    ),
];

pub(super) fn tree() -> Tree {
    let mut tree = Tree::new();
    tree.node(0, "0-7", 32_791_040, "10");
    let mut folders: Vec<(String, String)> = Vec::new();
    for number in 0..7 {
        folders.push((format!("nvme{number}n1"), drive(&mut tree, number)));
    }
    for (minor, name, end, sectors, lower, table) in ROWS {
        let uuid = format!("LVM-sT1pEdVg0000000000000000000000{minor:032}{end}");
        mapped(&mut tree, &mut folders, (*minor, name, &uuid), (*sectors, lower, table));
    }
    let line = "0 614400 crypt aes-xts-plain64 :64:logon:cryptsetup:1-2 0 253:5 0";
    let secret = (20, "secret", "CRYPT-PLAIN-secret");
    mapped(&mut tree, &mut folders, secret, (614_400, &["dm-5"], line));
    tree.mount("253:20", "/secret", "ext4", ("/dev/mapper/secret", "rw"));
    let (backing, cache) = (folders[5].1.clone(), folders[6].1.clone());
    bcache(&mut tree, &backing, &cache);
    tree
}

fn mapped(
    tree: &mut Tree,
    folders: &mut Vec<(String, String)>,
    (minor, name, uuid): (u32, &str, &str),
    (sectors, lower, table): (u64, &[&str], &str),
) {
    let kernel = format!("dm-{minor}");
    let queue = Queue::virtual_device();
    let folder = tree.upper(&kernel, &format!("253:{minor}"), sectors, &queue);
    tree.mapper(&folder, name, uuid);
    let below = folders.iter().filter(|(known, _)| lower.contains(&known.as_str()));
    let below: Vec<String> = below.map(|(_, folder)| folder.clone()).collect();
    tree.stack(&folder, &below);
    tree.table(name, table);
    folders.push((kernel, folder));
}

fn drive(tree: &mut Tree, number: u32) -> String {
    let drive = nvme_slot(tree, number, "144d:a808");
    let controller = tree.nvme_controller(&drive, number, "Samsung SSD 970 PRO 1TB");
    tree.namespace(&controller, &format!("259:{number}"), 2_097_152)
}

/// As drivers/md/bcache/sysfs.c shows members.
fn bcache(tree: &mut Tree, backing: &str, cache: &str) {
    let folder = tree.upper("bcache0", "252:0", 2_097_136, &Queue::virtual_device());
    tree.stack(&folder, &[backing.to_owned(), cache.to_owned()]);
    let modes = "writethrough [writeback] writearound none";
    tree.attributes(
        &format!("{backing}/bcache"),
        &[("cache_mode", modes), ("state", "clean"), ("running", "1")],
    );
    tree.attributes(&format!("{cache}/bcache"), &[("nbuckets", "2048"), ("bucket_size", "512.0k")]);
    tree.link(&format!("{folder}/bcache"), &format!("{backing}/bcache"));
}
