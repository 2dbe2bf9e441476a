//! Volumes that stand for several: mirrors of zipped sides, volumes at places.

use iopath_study::{Case, System};

use super::{cases_of, cases_with};

const MIRRORS: &str = r#"study "s"
path {
    host "server" count=2
    array "box" { controller count=2 { lun count=6 { disk } } }
}
layout {
    mirror "m" { side of="box.controller[0].lun"; side of="box.controller[1].lun" }
    stripe "pool" unit="128 KiB" over="m"
    concat "local" count=2 at="server" over="m[2-3]"
}
workload { streams "app" over="pool" block="64 KiB" }
"#;

fn only(text: &str, sets: &[&str]) -> Case {
    let [case] = cases_with(text, sets).try_into().unwrap();
    assert_eq!(cases_of(&case.text), std::slice::from_ref(&case));
    case
}

fn members(system: &System, name: &str) -> Vec<String> {
    let part = system.parts.iter().find(|part| part.name == name).unwrap();
    part.members.iter().map(|id| system.part(*id).name.clone()).collect()
}

fn named<'a>(system: &'a System, kind: &str) -> Vec<&'a str> {
    let ids = system.ids().filter(|id| system.kind(*id) == kind);
    ids.map(|id| system.part(id).name.as_str()).collect()
}

#[test]
fn a_mirror_stands_for_as_many_as_a_side_is_long() {
    let system = only(MIRRORS, &[]).system;
    assert_eq!(named(&system, "mirror"), ["m[0]", "m[1]", "m[2]", "m[3]", "m[4]", "m[5]"]);
    assert_eq!(members(&system, "m[4]"), ["box.controller[0].lun[4]", "box.controller[1].lun[4]"]);
    assert_eq!(members(&system, "pool"), named(&system, "mirror"));
}

#[test]
fn a_single_mirror_has_no_index() {
    let text = MIRRORS.replace("m[2-3]", "m").replace("lun count=6", "lun");
    let system = only(&text, &[]).system;
    assert_eq!(named(&system, "mirror"), ["m"]);
    assert_eq!(members(&system, "m"), ["box.controller[0].lun", "box.controller[1].lun"]);
}

#[test]
fn a_level_makes_the_sides_longer() {
    let system = only(MIRRORS, &["box.controller.lun.count=9"]).system;
    assert_eq!(members(&system, "pool").len(), 9);
}

#[test]
fn a_volume_stands_at_each_place_count_times() {
    let system = only(MIRRORS, &[]).system;
    let place = |part: &iopath_study::system::Part| {
        let place = part.place.map(|place| system.part(place).name.clone());
        (part.name.clone(), place.unwrap_or_default())
    };
    let local = system.parts.iter().filter(|part| part.name.starts_with("local")).map(place);
    let expected = [
        ("local[0]", "server[0]"),
        ("local[1]", "server[0]"),
        ("local[2]", "server[1]"),
        ("local[3]", "server[1]"),
    ];
    let expected = expected.map(|(name, place)| (name.to_owned(), place.to_owned()));
    assert_eq!(local.collect::<Vec<_>>(), expected);
    assert_eq!(members(&system, "local[3]"), ["m[2]", "m[3]"]);
}

#[test]
fn luns_of_path_and_layout_keep_their_places() {
    let text = r#"study "s"
path { host "server"; lun "a" size="1 GB" { disk }; enclosure "shelf" { disk count=4 } }
layout {
    stripe "s" unit="64 KiB" over="a, b"
    raid "b" level=5 over="shelf.disk"
    filesystem "fs" on="s"
}
workload { streams "app" over="s" block="64 KiB" }"#;
    let case = only(text, &[]);
    assert_eq!(members(&case.system, "s"), ["a", "b"]);
    assert_eq!(members(&case.system, "b").len(), 4);
}
