//! A pool of ZFS is drawn by the labels of its members. The labels are made here, after the
//! published format.

use std::fs;
use std::path::Path;

use iopath_imitation::machine;
use iopath_imitation::nvlist::{list, number, pair, text};

use crate::goldens::{found, told};

/// Writes the label of one member of a group.
fn label(base: &Path, device: &str, guid: u64, (id, kind, guids): (u64, &str, &[u64])) {
    let child = |guid: &u64| list(&[pair("type", 9, 1, &text("disk")), number("guid", *guid)]);
    let children: Vec<u8> = guids.iter().flat_map(child).collect();
    let tree = list(&[
        pair("type", 9, 1, &text(kind)),
        number("id", id),
        number("nparity", 1),
        pair("children", 20, guids.len() as u32, &children),
    ]);
    let all = list(&[
        pair("name", 9, 1, &text("tank")),
        number("guid", guid),
        pair("vdev_tree", 19, 1, &tree),
    ]);
    let mut bytes = vec![0; 16 << 10];
    bytes.extend([1, 1, 0, 0]);
    bytes.extend(all);
    fs::write(base.join(format!("dev/{device}")), bytes).unwrap();
}

#[test]
fn two_mirrors_are_dealt_over() {
    let folder = tempfile::tempdir().unwrap();
    machine("zfs").unpack(folder.path()).unwrap();
    for (device, guid, id, guids) in [
        ("sda1", 1, 0, [1, 3]),
        ("sdb1", 2, 1, [2, 4]),
        ("sdc1", 3, 0, [1, 3]),
        ("sdd1", 4, 1, [2, 4]),
    ] {
        label(folder.path(), device, guid, (id, "mirror", &guids));
    }
    insta::assert_snapshot!(told(&found(folder.path(), &[])));
}

#[test]
fn a_group_with_parity_is_one() {
    let folder = tempfile::tempdir().unwrap();
    machine("zfs").unpack(folder.path()).unwrap();
    for (device, guid) in [("sda1", 1), ("sdb1", 2), ("sdc1", 3), ("sdd1", 4)] {
        label(folder.path(), device, guid, (0, "raidz", &[1, 2, 3, 4]));
    }
    let text = told(&found(folder.path(), &[]));
    assert!(text.contains("raid \"tank-0\" level=5"), "{text}");
    assert!(text.contains("filesystem \"tank\" on=\"tank-0\""), "{text}");
}
