//! Volatile caches that nothing flushes: the kernel's belief against the drive's word, and ZFS.

use iopath_machine::file_systems::{Pool, Top, TopKind};

use super::*;

/// The machine `md` with what the kernel believes of the caches of two drives, and what they say.
fn believed(queue: &str, drive: Option<&str>) -> Facts {
    let mut found = facts(&machine("md"));
    for name in ["sda", "sdc"] {
        let attachment = found.hardware.attachments.get_mut(name).unwrap();
        attachment.queue.write_cache = Some(queue.to_owned());
        attachment.queue.cache_type = drive.map(str::to_owned);
    }
    found
}

#[test]
fn a_cache_that_the_kernel_believes_to_be_off_is_never_flushed() {
    for (queue, drive, is_found) in [
        ("write through", Some("write back"), true),
        ("write through", Some("write back, no read (daft)"), true),
        ("write back", Some("write back"), false),
        ("write through", Some("write through"), false),
        ("write through", Some("none"), false),
        ("write through", None, false),
    ] {
        let found = texts(&believed(queue, drive), "flushes-off");
        assert_eq!(!found.is_empty(), is_found, "{queue} {drive:?}: {found:?}");
    }
    let all = findings(&believed("write through", Some("write back")));
    let finding = all.iter().find(|finding| finding.rule == "flushes-off").unwrap();
    assert_eq!((finding.weight, finding.parts.join(" ")), (Weight::Warning, "sda sdc".to_owned()));
    assert!(
        finding.text.starts_with("write caches of drives are on (cache_type)"),
        "{}",
        finding.text
    );
    assert!(finding.text.contains(": sda, sdc; "), "{}", finding.text);
    let command = "write \"write back\" to queue/write_cache of sda, sdc, which costs";
    assert!(finding.hint.starts_with(command), "{}", finding.hint);
}

/// As the files of a SCSI disk have it; SATA disks are SCSI disks to the kernel.
#[test]
fn the_drive_s_word_is_read_from_its_scsi_disk() {
    let mut tree = machine("jbod");
    let folder = tree.unpacked().unwrap();
    let disk = std::fs::canonicalize(folder.path().join("sys/block/sdb")).unwrap();
    let disk = disk.strip_prefix(folder.path().canonicalize().unwrap()).unwrap();
    let queue = format!("/{}/queue", disk.display());
    tree.attribute(&queue, "write_cache", "write through");
    let found = short(&facts(&tree));
    assert!(found.contains(&"flushes-off sdb".to_owned()), "{found:?}");
}

/// The machine `zfs` with its pool over drives, and parameters of ZFS.
fn pool(cache: &str, parameters: [(&str, &str); 2]) -> Facts {
    let mut tree = machine("zfs");
    for (name, value) in parameters {
        tree.attribute("/sys/module/zfs/parameters", name, value);
    }
    let mut found = facts(&tree);
    let members = ["sda1", "sdb1"].map(|name| Some(name.to_owned())).to_vec();
    let tops = vec![Top { kind: TopKind::Mirror, members }];
    found.pools = vec![Pool { name: "tank".to_owned(), state: None, tops }];
    for attachment in found.hardware.attachments.values_mut() {
        attachment.queue.write_cache = Some(cache.to_owned());
        attachment.queue.cache_type = Some(cache.to_owned());
    }
    found
}

#[test]
fn a_pool_without_flushes_is_in_danger_over_volatile_caches_only() {
    let off = [("zfs_nocacheflush", "1"), ("zil_nocacheflush", "0")];
    let off_for_log = [("zfs_nocacheflush", "0"), ("zil_nocacheflush", "1")];
    let on = [("zfs_nocacheflush", "0"), ("zil_nocacheflush", "0")];
    for (cache, parameters, lost) in [
        ("write back", off, Some("what was synced, or the pool")),
        ("write back", off_for_log, Some("may lose what was synced, unless its log is on others")),
        ("write back", on, None),
        ("write through", off, None),
    ] {
        let found = texts(&pool(cache, parameters), "flushes-off");
        let ends = lost.is_some_and(|lost| found.len() == 1 && found[0].ends_with(lost));
        assert!(ends || lost.is_none() && found.is_empty(), "{cache} {parameters:?}: {found:?}");
    }
    let text = texts(&pool("write back", off), "flushes-off").remove(0);
    assert!(text.contains("(zfs_nocacheflush is 1)"), "{text}");
    assert!(text.contains("of drives of the pool tank are volatile (sda, sdb)"), "{text}");
    // Of a pool whose labels only root may read the drives are not known.
    let mut unknown = pool("write back", off);
    unknown.pools[0].tops.clear();
    assert!(texts(&unknown, "flushes-off").is_empty());
}
