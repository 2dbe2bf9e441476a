//! Which disk a partition is of, by the names that Linux gives them
//! (`disk_name` in block/genhd.c: a `p` stands before the number where the disk's name ends in a
//! digit).

use std::collections::BTreeMap;

use iopath_record::Kind;

use crate::Thing;

/// Sets the parent of each partition whose disk is there too.
pub(crate) fn enclose(things: &mut [Thing]) {
    let named = things.iter().enumerate().rev().map(|(at, thing)| (thing.name.clone(), at));
    let disks: BTreeMap<String, usize> = named.collect();
    for thing in things.iter_mut().filter(|thing| thing.kind == Kind::Disk) {
        let disk = disk_of(&thing.name);
        thing.parent = disk.and_then(|disk| disks.get(disk).copied());
    }
}

fn disk_of(name: &str) -> Option<&str> {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if stem.len() == name.len() {
        return None;
    }
    match stem.strip_suffix('p') {
        Some(disk) if disk.ends_with(|letter: char| letter.is_ascii_digit()) => Some(disk),
        _ if stem.ends_with(|letter: char| letter.is_ascii_lowercase()) => Some(stem),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_name_their_disk() {
        for (name, disk) in [
            ("sda1", Some("sda")),
            ("vda", None),
            ("nvme0n1p2", Some("nvme0n1")),
            ("mmcblk0p1", Some("mmcblk0")),
            ("dm-3", None),
            ("nvme0n1", Some("nvme0n")),
        ] {
            assert_eq!(disk_of(name), disk, "{name}");
        }
    }
}
