//! Volatile write caches of drives that nothing flushes: what was synced may be lost with power.
//!
//! A drive says whether its write cache is on (`cache_type`,
//! Documentation/scsi/sd-parameters.rst); the kernel sends flushes where it believes so
//! (`queue/write_cache`). Writing that file changes what the kernel believes and not the drive, so
//! that flushes stop (Documentation/ABI/stable/sysfs-block). ZFS sends none where
//! `zfs_nocacheflush` is set, and none for its intent log where `zil_nocacheflush` is (zfs(4)).
//! Leaves out: NVMe drives, which show their own word to programs with an ioctl only; drives whose
//! `cache_type` was overridden (`temporary write through`); which devices a pool's log is on;
//! non-volatile caches, which nothing in /sys distinguishes from others; whether a cache that is on
//! makes a drive faster, on which published measurements disagree.

use std::collections::BTreeSet;

use iopath_machine::file_systems::Pool;

use crate::facts::Facts;
use crate::model::{Finding, Weight};

/// Which caches need no flush.
pub(super) const MAY_GO_WITHOUT: &str = "only non-volatile caches may go without: of arrays with a \
     battery, of SSDs with power-loss protection";

pub(super) fn find(facts: &Facts, names: &BTreeSet<String>) -> Vec<Finding> {
    let of_pools = facts.pools.iter().filter_map(|pool| pool_without_flushes(facts, names, pool));
    kernel_without_flushes(facts, names).into_iter().chain(of_pools).collect()
}

/// Whether the kernel flushes a drive's cache.
pub(super) fn is_volatile(facts: &Facts, disk: &str) -> bool {
    let attachment = facts.hardware.attachments.get(facts.devices.whole_of(disk));
    let cache = attachment.and_then(|attachment| attachment.queue.write_cache.as_deref());
    cache == Some("write back")
}

fn kernel_without_flushes(facts: &Facts, names: &BTreeSet<String>) -> Option<Finding> {
    let is_unflushed = |name: &&String| {
        let Some(attachment) = facts.hardware.attachments.get(*name) else { return false };
        let queue = &attachment.queue;
        let is_on = queue.cache_type.as_deref().is_some_and(|word| word.starts_with("write back"));
        is_on && queue.write_cache.as_deref() == Some("write through")
    };
    let drives: Vec<String> = names.iter().filter(is_unflushed).cloned().collect();
    if drives.is_empty() {
        return None;
    }
    let listed = drives.join(", ");
    Some(Finding {
        rule: "flushes-off",
        weight: Weight::Warning,
        text: format!(
            "write caches of drives are on (cache_type), and the kernel never flushes them \
             (queue/write_cache is write through): {listed}; a power cut may lose what was synced, \
             or the file system",
        ),
        hint: format!(
            "write \"write back\" to queue/write_cache of {listed}, which costs a flush for each \
             sync, then reload the tables of device-mapper above (or restart), and remove the udev \
             rule or script that says \"write through\", which takes it back; {MAY_GO_WITHOUT}"
        ),
        parts: drives,
    })
}

fn pool_without_flushes(facts: &Facts, names: &BTreeSet<String>, pool: &Pool) -> Option<Finding> {
    let set = facts.zfs_without_flushes.first()?;
    let parameter = set.name;
    let members: Vec<&String> = pool.tops.iter().flat_map(|top| &top.members).flatten().collect();
    let is_wanted = facts.targets.is_empty() || members.iter().any(|name| names.contains(*name));
    // Without root the labels cannot be read, so what the pool is on is not known.
    let volatile: BTreeSet<&str> = members
        .into_iter()
        .filter(|name| is_volatile(facts, name))
        .map(|name| facts.devices.whole_of(name))
        .collect();
    if volatile.is_empty() || !is_wanted {
        return None;
    }
    let lost = match parameter {
        "zil_nocacheflush" => "what was synced, unless its log is on others",
        _ => "what was synced, or the pool",
    };
    Some(Finding {
        rule: "flushes-off",
        weight: Weight::Warning,
        parts: vec![pool.name.clone()],
        text: format!(
            "ZFS does not flush ({parameter} is {}), and write caches of drives of the pool {} are \
             volatile ({}): a power cut may lose {lost}",
            set.value,
            pool.name,
            volatile.into_iter().collect::<Vec<_>>().join(", ")
        ),
        hint: format!(
            "set the parameter {parameter} of the module zfs to 0, which costs a flush for each \
             sync, and remove it from /etc/modprobe.d; {} takes it back; {MAY_GO_WITHOUT}",
            set.value
        ),
    })
}
