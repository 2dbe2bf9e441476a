//! What a path says: members, wires, zones, parts, streams for models.

use iopath_study::case::{After, Prepare};
use iopath_study::selector::Selector;
use iopath_study::source::Origin;
use iopath_study::system::Policy;
use iopath_study::{Case, PartId, System};
use iopath_units::{ByteRate, Nanos, Ratio};

use super::{cases_of, cases_with};

/// A small fabric: one host with two adapters, a switch, an array with two controllers.
const FABRIC: &str = r#"study "s"
parts {
    hba "slow" use="fc-2g" read=(given)"195 MB/s"
}
path {
    host "server" cpus=8 { hba count=2 use="slow" }
    switch "san" { asic count=2 { port count=2 use="fc-2g" } }
    array "box" {
        controller count=2 {
            port use="fc-2g"
            cache size="1 GB"
            raid "lun" level=5 segment="128 KiB" { disk count=5 size="36 GB" }
        }
    }
    wire "hosts" from="server..hba" to="san.asic.port[0]" latency="50 ns"
    wire "storage" from="box.controller.port" to="san.asic.port[1]"
    zone from="server..hba" to="box..port"
    multipath policy="owner" most=4
}
layout {
    stripe "vol" count=2 unit="1 MiB" over="box..lun"
    filesystem "fs" on="vol" { prefetch threads=8 }
    file "f" count=3 on="fs"
}
workload {
    streams "app" over="f" on="server" via="san" hit=0.5 block="1 MiB"
}
"#;

fn only(text: &str, sets: &[&str]) -> Case {
    let [case] = cases_with(text, sets).try_into().unwrap();
    case
}

fn at(system: &System, name: &str) -> PartId {
    system.ids().find(|id| system.part(*id).name == name).unwrap_or_else(|| panic!("{name}"))
}

fn members<'a>(system: &'a System, name: &str) -> Vec<&'a str> {
    let members = system.part(at(system, name)).members.iter();
    members.map(|id| system.part(*id).name.as_str()).collect()
}

fn pairs(system: &System, wire: &str) -> Vec<String> {
    let wire = system.wires.iter().find(|link| link.name == wire).unwrap();
    let name = |id: &PartId| system.part(*id).name.clone();
    wire.pairs.iter().map(|(from, to)| format!("{} - {}", name(from), name(to))).collect()
}

#[test]
fn volumes_file_systems_and_files_know_what_they_lie_on() {
    let system = only(FABRIC, &[]).system;
    let luns = ["box.controller[0].lun", "box.controller[1].lun"];
    assert_eq!(members(&system, "vol[0]"), luns);
    assert_eq!(members(&system, "fs"), ["vol[0]", "vol[1]"]);
    assert_eq!(members(&system, "f[2]"), ["fs"]);
    let shared = |name: &str| system.part(at(&system, name)).members.clone();
    assert!(std::sync::Arc::ptr_eq(&shared("vol[0]"), &shared("vol[1]")));
    assert_eq!(members(&system, luns[0]), [""; 0]);
}

#[test]
fn a_selector_means_parts_of_a_resolved_case_too() {
    let system = only(FABRIC, &[]).system;
    let selected = |text: &str| {
        let parts = system.select(&text.parse::<Selector>().unwrap());
        parts.iter().map(|id| system.part(*id).name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(selected("san.asic.port[1]"), ["san.asic[0].port[1]", "san.asic[1].port[1]"]);
    assert_eq!(selected("box..port, server.hba[1]").len(), 3);
    assert_eq!(selected("box..lun[0]"), ["box.controller[0].lun", "box.controller[1].lun"]);
    assert_eq!(selected("f[1-2], f[2]"), ["f[1]", "f[2]"]);
    assert_eq!(selected("hba, san.port, f[3]"), [""; 0]);
}

#[test]
fn wires_and_zones_pair_both_ends_in_order() {
    let system = only(FABRIC, &[]).system;
    assert_eq!(
        pairs(&system, "hosts"),
        ["server.hba[0] - san.asic[0].port[0]", "server.hba[1] - san.asic[1].port[0]"]
    );
    assert_eq!(system.wires[0].latency.as_ref().unwrap().value, Nanos(50));
    assert_eq!(system.zones.len(), 1);
    assert_eq!((system.multipath.policy, system.multipath.most), (Policy::Owner, Some(4)));
}

#[test]
fn a_single_end_takes_all() {
    let text = FABRIC.replace("san.asic.port[0]\"", "san\"");
    assert_eq!(
        pairs(&only(&text, &[]).system, "hosts"),
        ["server.hba[0] - san", "server.hba[1] - san"]
    );
}

#[test]
fn a_level_cables_anew() {
    let sets = ["hosts.to=san.asic[0].port", "storage.to=san.asic[1].port"];
    let system = only(FABRIC, &sets).system;
    assert_eq!(
        pairs(&system, "hosts"),
        ["server.hba[0] - san.asic[0].port[0]", "server.hba[1] - san.asic[0].port[1]"]
    );
}

#[test]
fn what_is_stated_goes_before_the_part() {
    let rates = |case: &Case, name: &str| {
        let id = at(&case.system, name);
        ["read", "write"].map(|property| case.system.byte_rate(id, property).unwrap())
    };
    let mb = |rate: u64| ByteRate(rate * 1_000_000);
    let case = only(FABRIC, &[]);
    assert_eq!(rates(&case, "server.hba[0]")[0], mb(195));
    assert_eq!(rates(&case, "server.hba[0]")[1], rates(&case, "box.controller[0].port")[1]);
    let own = only(FABRIC, &["server.hba.use=fc-4g", "server.hba.write=1 MB/s"]);
    assert_eq!(rates(&own, "server.hba[1]")[1], mb(1));
    assert!(rates(&own, "server.hba[1]")[0] > mb(390));
    let id = at(&case.system, "server.hba[0]");
    assert_eq!(case.system.value(id, "use"), None);
}

#[test]
fn edits_reach_what_stands_in_volumes_and_file_systems() {
    let case = only(FABRIC, &["box.controller.lun.disk.count=9", "fs.prefetch.threads=3"]);
    let disks = case.system.ids().filter(|id| case.system.kind(*id) == "disk").count();
    assert_eq!(disks, 18);
    assert_eq!(case.system.count(at(&case.system, "fs.prefetch"), "threads"), Some(3));
}

#[test]
fn streams_are_places_times_targets_times_count() {
    let text = FABRIC.replace("host \"server\"", "host \"server\" count=2");
    let text = text.replace("hba count=2", "hba").replace("hit=0.5", "hit=0.5 count=2");
    let case = only(&text, &[]);
    assert_eq!(case.streams.len(), 2 * 3 * 2);
    let [first, second] = ["server[0]", "server[1]"].map(|name| Some(at(&case.system, name)));
    let on: Vec<_> = case.streams[..5].iter().map(|stream| stream.modelled.on).collect();
    assert_eq!(on, [first, first, second, second, first]);
    let targets: Vec<_> = case.streams.iter().map(|stream| stream.target).collect();
    assert_eq!(targets, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
    let modelled = &case.streams[3].modelled;
    assert_eq!((modelled.hit, modelled.via[0]), (Ratio(500_000), at(&case.system, "san")));
    assert_eq!(case.streams[3].region.index, 3);
    assert_eq!(case.streams[3].region.count, 4);
}

#[test]
fn streams_follow_others() {
    let next = r#"streams "next" over="f" block="1 MiB" behind="app" lag="follow" after="app""#;
    let text = FABRIC.trim_end().trim_end_matches('}').to_owned() + next + "\n}";
    let case = only(&text, &[]);
    let modelled = &case.streams.last().unwrap().modelled;
    let behind = modelled.behind.as_ref().unwrap();
    assert_eq!((behind.group.as_str(), behind.lockstep), ("app", false));
    let after = case.streams.last().unwrap().after.as_ref().unwrap();
    let expected = After { group: "app".into(), start_delay: Nanos(0), prepare: Prepare::None };
    assert_eq!(after, &expected);
    assert_eq!((modelled.on, case.streams[0].modelled.on.is_some()), (None, true));
    assert_eq!(cases_of(&case.text), [case]);
}

#[test]
fn the_text_of_a_case_needs_no_parts() {
    let case = only(FABRIC, &[]);
    assert!(!case.text.contains("use="), "{}", case.text);
    assert!(case.text.contains("read=(given)\"195 MB/s\""), "{}", case.text);
    assert_eq!(cases_of(&case.text), [case]);
}

/// What a request costs the parts of these names, with who says so.
fn requests(case: &Case, names: &[&str]) -> Vec<String> {
    let stated = |name: &&str| {
        let value = case.system.value(at(&case.system, name), "request").unwrap();
        format!("{}{}", value.origin, value.value)
    };
    names.iter().map(stated).collect()
}

#[test]
fn a_host_with_processors_has_the_typical_cost_unless_it_states_one() {
    let study = r#"study "s"
path {
    host "a" count=2 cpus=4 { nvme "d" size="1 TB" }
    host "b" { socket cpus=4; nvme "e" size="1 TB" }
    host "c" cpus=4 { cost request="1 us"; nvme "f" size="1 TB" }
    host "g" { nvme "h" size="1 TB" }
    host "i" cpus=2 { controller { cost request="2 us"; nvme "k" size="1 TB" } }
}
workload { streams "app" over="a.d" on="a[0]" block="1 MiB" }
"#;
    let case = only(study, &[]);
    let all = ["a[0].cost", "a[1].cost", "b.cost", "c.cost", "i.cost", "i.controller.cost"];
    let typical = "(assumed)\"2310 ns\"";
    let expected = [typical, typical, typical, "\"1 us\"", typical, "\"2 us\""];
    assert_eq!(requests(&case, &all), expected);
    let costs =
        |case: &Case| case.system.ids().filter(|id| case.system.kind(*id) == "cost").count();
    assert_eq!(costs(&case), all.len(), "g has no processors");
    // Processors that an assignment gives need time, too, and the text of the case says so.
    let more = only(study, &["g.cpus=2"]);
    assert_eq!(requests(&more, &["g.cost"]), [typical]);
    for case in [case.clone(), more] {
        assert!(only(&case.text, &[]).system == case.system, "{}", case.text);
    }
    // What is chosen for it has the origin of the catalogue again.
    let chosen = only(study, &["a.cost.use=spdk-nvme", "b.cost.request=4us"]);
    let [spdk, _, set, ..] = &requests(&chosen, &all)[..] else { panic!() };
    assert!(spdk.contains("Walker") && spdk.ends_with("\"108 ns\""), "{spdk}");
    assert_eq!(set, "\"4 us\"");
}

#[test]
fn where_it_is_assumed_which_part_it_is_its_values_are_assumed() {
    let study = r#"study "s"
path { host "h" { nvme "d" use=(assumed)"nvme-gen4"; nvme "e" use="nvme-gen4" } }
workload { streams "app" over="h.d" block="1 MiB" }
"#;
    let case = only(study, &[]);
    let origin = |name| &case.system.value(at(&case.system, name), "read").unwrap().origin;
    assert_eq!(origin("h.d"), &Origin::Assumed);
    assert!(matches!(origin("h.e"), Origin::Published(_)), "{:?}", origin("h.e"));
}
