//! How file systems are mounted: whether each read writes an access time, and whether flushes reach
//! volatile caches.
//!
//! mountinfo says `noatime` or `relatime`; where it says neither, access times are strict
//! (fs/proc_namespace.c). `nobarrier` or `barrier=0` keep a file system from flushing (ext4(5),
//! xfs(5) before Linux 4.19). Leaves out: file systems without a block device.

use std::collections::BTreeSet;

use iopath_machine::mounts::Mount;

use super::write_caches::{MAY_GO_WITHOUT, is_volatile};
use crate::facts::Facts;
use crate::model::{Finding, Weight};

pub(super) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mounts = facts.mounts.iter().filter_map(|mount| {
        let device = &facts.devices.by_number(mount.number)?.name;
        let is_new = names.contains(device) && seen.insert(device.clone());
        is_new.then_some((mount, device))
    });
    let rules = |(mount, device): (&Mount, &String)| {
        let found = [access_times(mount, device), no_barriers(facts, mount, device)];
        found.into_iter().flatten()
    };
    mounts.flat_map(rules).collect()
}

fn has(mount: &Mount, word: &str) -> bool {
    mount.own_options.iter().chain(&mount.options).any(|option| option == word)
}

fn access_times(mount: &Mount, device: &str) -> Option<Finding> {
    let is_lazy = ["noatime", "relatime", "ro"].iter().any(|word| has(mount, word));
    (!is_lazy).then(|| Finding {
        rule: "access-times",
        weight: Weight::Advice,
        parts: vec![device.to_owned()],
        text: format!(
            "the {} on {} writes the time of every read: 1 more inode to write for each file that \
             is read",
            mount.fs_type,
            mount.mount_point.display()
        ),
        hint: format!(
            "mount -o remount,noatime {}, also in /etc/fstab; programs that look for unread mail \
             or unused files by access times need relatime",
            mount.mount_point.display()
        ),
    })
}

fn no_barriers(facts: &Facts, mount: &Mount, device: &str) -> Option<Finding> {
    let option = ["nobarrier", "barrier=0"].into_iter().find(|word| has(mount, word))?;
    let leaves = facts.devices.leaves(device).into_iter();
    let volatile: Vec<String> = leaves.filter(|disk| is_volatile(facts, disk)).collect();
    (!volatile.is_empty()).then(|| Finding {
        rule: "barriers-off",
        weight: Weight::Warning,
        parts: vec![device.to_owned()],
        text: format!(
            "the {} on {} is mounted with {option}, and write caches of drives below it are \
             volatile ({}): a power cut may lose what was synced, or the file system",
            mount.fs_type,
            mount.mount_point.display(),
            volatile.join(", ")
        ),
        hint: format!(
            "mount -o remount,barrier {}, which costs a flush for each sync, or switch the drives' \
             write caches off; {MAY_GO_WITHOUT}",
            mount.mount_point.display()
        ),
    })
}
