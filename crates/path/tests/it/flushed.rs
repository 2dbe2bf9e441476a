//! What a flush goes to, and what it takes there.

use std::collections::BTreeSet;

use iopath_path::Network;
use iopath_units::Nanos;

use crate::text::case;

/// Milliseconds that a flush takes, and who takes them; removed parts by name.
fn flush(path: &str, layout: &str, over: &str, removed: &[&str]) -> Option<(u64, Option<String>)> {
    let streams =
        format!("streams \"app\" over=\"{over}\" op=\"write\" block=\"8 KiB\" sync=\"fdatasync\"");
    let case = case(&format!("path {{ {path} }}"), layout, &streams);
    let is_removed =
        |id: &iopath_study::PartId| removed.contains(&case.system.part(*id).name.as_str());
    let removed: BTreeSet<_> = case.system.ids().filter(is_removed).collect();
    let network = Network::build(&case, &removed).unwrap_or_else(|all| panic!("{all:?}"));
    let flushing = network.streams[0].flushing?;
    let longest = flushing.longest.map(|id| network.component(id).name.clone());
    assert_eq!(flushing.takes.0 % 1_000_000, 0);
    Some((flushing.takes.0 / 1_000_000, longest))
}

fn by(ms: u64, name: &str) -> Option<(u64, Option<String>)> {
    Some((ms, Some(name.to_owned())))
}

const NOTHING: Option<(u64, Option<String>)> = Some((0, None));

#[test]
fn a_flush_of_a_volume_takes_as_long_as_that_of_its_slowest_member() {
    let host = "host \"h\" {
        ssd \"a\" flush-time=\"1 ms\" size=\"1 GiB\"
        ssd \"b\" flush-time=\"3 ms\" size=\"1 GiB\"
        ssd \"c\" size=\"1 GiB\"
    }";
    assert_eq!(flush(host, "", "h.a", &[]), by(1, "h.a"));
    assert_eq!(flush(host, "", "h.c", &[]), NOTHING);
    let stripe = |members: &str| format!("stripe \"s\" unit=\"64 KiB\" over=\"{members}\"");
    assert_eq!(flush(host, &stripe("h.a,h.b"), "s", &[]), by(3, "h.b"));
    assert_eq!(flush(host, &stripe("h.a,h.c"), "s", &[]), by(1, "h.a"));
    let file = "filesystem \"fs\" on=\"h.b\"; file \"f\" size=\"1 MiB\" on=\"fs\"";
    assert_eq!(flush(host, file, "f", &[]), by(3, "h.b"));
    let mirror = "mirror \"m\" { side of=\"h.a\"; side of=\"h.b\" }";
    assert_eq!(flush(host, mirror, "m", &[]), by(3, "h.b"));
    assert_eq!(flush(host, mirror, "m", &["h.b"]), by(1, "h.a"));
}

/// A volume of disks that take 5 ms behind two controllers of an array with these caches.
fn array(cache: &str, removed: &[&str]) -> Option<(u64, Option<String>)> {
    let path = format!(
        "host \"h\" {{ hba count=2 {{ port }} }}
         array \"a\" {{
            controller \"c\" {{
                port; cache size=\"1 GB\" {cache}
                raid \"v\" level=0 segment=\"64 KiB\" {{
                    disk count=4 flush-time=\"5 ms\" size=\"1 GiB\"
                }}
            }}
            controller \"d\" {{ port; cache size=\"1 GB\" {cache} }}
         }}
         wire from=\"h.hba[0].port\" to=\"a.c.port\"
         wire from=\"h.hba[1].port\" to=\"a.d.port\""
    );
    flush(&path, "", "a.c.v", removed)
}

#[test]
fn the_nearest_cache_that_answers_writes_is_flushed_for_what_is_behind_it() {
    assert_eq!(array("write=\"back\" flush=\"never\"", &[]), NOTHING);
    let cache = "write=\"back\" flush=\"on-sync\"";
    assert_eq!(array(cache, &[]), NOTHING);
    let name = "a.c.cache";
    assert_eq!(array(&format!("{cache} flush-time=\"2 ms\""), &[]), by(2, name));
    let mirrored = format!("{cache} flush-time=\"2 ms\" mirror=#true");
    assert_eq!(array(&mirrored, &[]), by(2, name));
}

#[test]
fn a_flush_empties_a_cache_without_a_battery() {
    let of = |cache: &str| {
        let path = format!(
            "path {{ host \"h\" {{ hba {{ controller \"c\" {{
                cache size=\"1 GB\" {cache}
                lun \"l\" {{ ssd size=\"1 GiB\" flush-time=\"0 s\" }}
            }} }} }} }}"
        );
        let stream = "streams \"app\" over=\"h..l\" op=\"write\" block=\"8 KiB\" sync=\"fsync\"";
        let network = Network::build(&case(&path, "", stream), &BTreeSet::new()).unwrap();
        let flushing = network.streams[0].flushing.expect("it waits for flushes");
        let empties = flushing.empties.map(|at| network.component(at).name.clone());
        (flushing.takes_time(), empties)
    };
    assert_eq!(of("flush=\"on-sync\""), (true, Some("h.hba.c.cache".to_owned())));
    assert_eq!(of("flush=\"on-sync\" write=\"through\""), (false, None));
    assert_eq!(of("flush=\"never\""), (false, None));
    assert_eq!(of(""), (false, None));
}

#[test]
fn what_is_written_through_a_cache_lies_on_the_disks_behind_it() {
    let disk = "a.c.v.disk[0]";
    assert_eq!(array("write=\"through\"", &[]), by(5, disk));
    assert_eq!(array("write=\"off\" flush=\"on-sync\" flush-time=\"2 ms\"", &[]), by(5, disk));
    // Without its partner a mirrored cache writes through.
    let mirrored = "write=\"back\" flush=\"never\" mirror=#true";
    assert_eq!(array(mirrored, &[]), NOTHING);
    assert_eq!(array(mirrored, &["a.d"]), by(5, disk));
}

#[test]
fn a_flush_waits_for_a_write_of_the_page_cache_or_says_that_it_is_not_modelled() {
    let of = |cache: &str, inside: &str| {
        let path = "path { host \"h\" { ssd \"a\" flush-time=\"1 ms\" size=\"1 GiB\" } }";
        let layout = format!(
            "filesystem \"fs\" on=\"h.a\" cache=\"{cache}\" {{ {inside} }}
             file \"f\" on=\"fs\" size=\"64 MiB\""
        );
        let stream =
            "streams \"app\" over=\"f\" op=\"write\" block=\"8 KiB\" sync=\"fsync\" sync-every=4";
        let network = Network::build(&case(path, &layout, stream), &BTreeSet::new()).unwrap();
        let leg = network.streams[0].flushing.and_then(|flushing| flushing.writes_back);
        let is_left_out = network.mechanisms.iter().any(|one| one.kind == "write-back-on-flush");
        (
            leg.map(|back| (network.leg(back.leg).background, network.leg(back.leg).bytes)),
            is_left_out,
        )
    };
    // Four of 8 KiB are merged.
    assert_eq!(of("buffered", ""), (Some((true, 32768)), false));
    assert_eq!(of("buffered", "commit interval=\"5 s\""), (None, true));
    assert_eq!(of("direct", ""), (None, false));
    // Only what has to be: part of a record, and what is no hit.
    assert_eq!(of("buffered\" record=\"128 KiB", ""), (Some((true, 8192)), false));
    assert_eq!(of("buffered", "prefetch threads=4"), (Some((true, 8192)), false));
}

#[test]
fn what_is_in_the_page_cache_already_is_not_written_for_a_flush() {
    let of = |stream: &str| {
        let path = "path { host \"h\" { ssd \"a\" size=\"1 GiB\" } }";
        let layout = "filesystem \"fs\" on=\"h.a\" cache=\"buffered\"; \
                      file \"f\" size=\"64 MiB\" on=\"fs\"";
        let stream = format!(
            "streams \"app\" over=\"f\" op=\"write\" pattern=\"random\" block=\"8 KiB\" {stream}"
        );
        let network = Network::build(&case(path, layout, &stream), &BTreeSet::new()).unwrap();
        let flushing = network.streams[0].flushing.unwrap();
        (flushing.takes_time(), flushing.writes_back.map(|back| back.share_ppm))
    };
    assert_eq!(of("sync=\"dsync\""), (true, Some(1_000_000)));
    assert_eq!(of("sync=\"dsync\" hit=0.75"), (true, Some(250_000)));
    // Those before the last may be below by then.
    assert_eq!(of("sync=\"fsync\" sync-every=2 hit=0.5"), (true, Some(500_000)));
    assert_eq!(of("sync=\"dsync\" hit=1.0"), (false, None));
}

#[test]
fn nobody_waits_for_a_flush_who_need_not() {
    let of = |stream: &str| {
        let path = "path { host \"h\" { ssd \"a\" flush-time=\"1 ms\" size=\"1 GiB\" } }";
        let case =
            case(path, "", &format!("streams \"app\" over=\"h.a\" block=\"8 KiB\" {stream}"));
        let network = Network::build(&case, &BTreeSet::new()).unwrap();
        network.streams[0].flushing.map(|flushing| flushing.takes)
    };
    assert_eq!(of("op=\"write\""), None);
    assert_eq!(of("op=\"write\" sync=\"end\""), None);
    for sync in ["dsync", "sync", "fsync", "fdatasync"] {
        assert_eq!(of(&format!("op=\"write\" sync=\"{sync}\"")), Some(Nanos(1_000_000)));
    }
}
