//! Access times, flushes that are switched off, and room for stripes with parity.

use super::*;

/// The machine `md` with its XFS mounted so.
fn mounted(own: &str, of_file_system: &str) -> Facts {
    let mut found = facts(&machine("md"));
    for mount in found.mounts.iter_mut().filter(|mount| mount.fs_type == "xfs") {
        let words = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        mount.own_options = words(own);
        mount.options.extend(words(of_file_system));
    }
    found
}

#[test]
fn access_times_are_told_where_each_read_writes_one() {
    for (own, is_found) in
        [("rw", true), ("rw,relatime", false), ("rw,noatime", false), ("ro", false)]
    {
        let found = texts(&mounted(own, "rw"), "access-times");
        assert_eq!(!found.is_empty(), is_found, "{own}: {found:?}");
    }
    let all = findings(&mounted("rw", "rw"));
    let finding = all.iter().find(|finding| finding.rule == "access-times").unwrap();
    assert!(finding.hint.starts_with("mount -o remount,noatime /srv,"), "{}", finding.hint);
}

#[test]
fn flushes_that_are_switched_off_are_a_danger_where_caches_are_volatile() {
    for (cache, option, is_found) in [
        ("write back", "nobarrier", true),
        ("write back", "barrier=0", true),
        ("write back", "barrier", false),
        ("write through", "nobarrier", false),
    ] {
        let mut found = mounted("rw,relatime", option);
        for attachment in found.hardware.attachments.values_mut() {
            attachment.queue.write_cache = Some(cache.to_owned());
        }
        let found = texts(&found, "barriers-off");
        assert_eq!(!found.is_empty(), is_found, "{cache} {option}: {found:?}");
    }
}

#[test]
fn an_array_with_parity_wants_room_for_some_stripes() {
    let with = |pages: Option<u64>| {
        let mut found = facts(&machine("md"));
        for array in found.hardware.arrays.values_mut() {
            array.stripe_cache_pages = pages;
        }
        let all = findings(&found).into_iter().filter(|finding| finding.rule == "stripe-cache");
        all.collect::<Vec<_>>()
    };
    let found = with(Some(256));
    let finding = found.iter().find(|finding| finding.parts == ["md0"]).unwrap();
    assert!(finding.text.contains("room for 2 stripes"), "{}", finding.text);
    assert!(finding.hint.starts_with("raise md/stripe_cache_size of md0 to 2048,"));
    assert!(with(Some(1024)).is_empty(), "eight stripes are enough");
    assert!(with(None).is_empty());
}
