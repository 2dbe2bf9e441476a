//! Rules about links, sockets and how many of something products take.

use std::collections::BTreeSet;

use iopath_path::{Network, PathFinding, Rule, Severity, exceeded};

use super::{found, marked, text_of};

/// The rules of this page; paths as small as these break others.
const RULES: [Rule; 8] = [
    Rule::Oversubscribed,
    Rule::NumaUnbalanced,
    Rule::SocketLink,
    Rule::ArrayDisks,
    Rule::VolumeGroup,
    Rule::TooManyLuns,
    Rule::InterSwitchLinks,
    Rule::NoEffect,
];

/// Holds a study to its marks of these rules, and gives what was told.
fn hold(text: &str) -> Vec<PathFinding> {
    let (study, mut found) = found(text);
    found.retain(|finding| RULES.contains(&finding.rule));
    let line = |finding: &PathFinding| study.remark(finding.span, "", None).line;
    let told: BTreeSet<_> =
        found.iter().map(|finding| (line(finding), finding.rule.name().to_owned())).collect();
    assert_eq!(told, marked(text), "{text}\n{found:#?}");
    assert_eq!(told.len(), found.len(), "told twice: {found:#?}");
    found
}

fn study(path: &str, streams: &str) -> String {
    format!("study \"t\"\npath {{\n{path}\n}}\nworkload time=\"1 s\" {{ {streams} }}\n")
}

const READER: &str = "streams \"r\" over=\"h..nvme\" block=\"1 MiB\"";

#[test]
fn more_than_twice_of_what_a_switch_carries_is_told() {
    let switch = |count: u32, mark: &str| {
        study(
            &format!(
                "host \"h\" {{\nroot-port use=\"pcie4-x16\" {{ {mark}\n\
                 pcie-switch {{ nvme count={count} use=\"nvme-gen4\" }} }} }}"
            ),
            READER,
        )
    };
    // 8 x 7 GB/s are 1.94 times 28.8 GB/s, 24 are 5.8 times.
    hold(&switch(8, ""));
    let found = hold(&switch(24, "// ! oversubscribed"));
    assert_eq!(
        text_of(&found, Rule::Oversubscribed),
        "h.root-port: what hangs below carries 168.0 GB/s of reads, 5.8 times its 28.81 GB/s"
    );
}

#[test]
fn what_lies_between_counts_and_what_nobody_rates_does_not() {
    // Four adapters of 4.6 GB/s let 18.5 GB/s through, whatever hangs below them.
    let adapters = |mark: &str| {
        study(
            &format!(
                "host \"h\" {{ root-port use=\"pcie4-x8\" {{\nhba count=4 use=\"sas-12g-x4\" {{ \
                {mark}\n\
                 expander {{ nvme count=36 read=\"270 MB/s\" }} }} }} }}"
            ),
            READER,
        )
    };
    hold(&adapters("// ! oversubscribed"));
    hold(&study("host \"h\" { root-port use=\"pcie4-x4\" { nvme \"nvme\" count=8 } }", READER));
}

#[test]
fn a_shelf_behind_the_only_wire_hangs_below_the_adapter() {
    let shelf = |hbas: u32, mark: &str| {
        study(
            &format!(
                "host \"h\" {{\nhba count={hbas} use=\"sas-12g-x4\" {mark}\n}}\n\
                 enclosure \"e\" {{ expander count={hbas} {{ ssd count=12 use=\"ssd-sas-12g\" }} \
                 }}\n\
                 wire from=\"h.hba\" to=\"e.expander\""
            ),
            "streams \"r\" over=\"e..ssd\" block=\"1 MiB\"",
        )
    };
    hold(&shelf(1, "// ! oversubscribed"));
    // Two wires share the shelf: what each carries of it depends on routes, see predict.
    hold(&shelf(2, ""));
}

#[test]
fn ports_of_a_controller_carry_what_its_volumes_do() {
    let controller = |ports: u32, mark: &str| {
        study(
            &format!(
                "host \"h\" {{ hba count={ports} use=\"fc-8g\" }}\narray \"a\" {{\ncontroller {{ \
                {mark}\n\
                 port count={ports} use=\"fc-8g\"\n\
                 raid \"lun\" level=6 segment=\"128 KiB\" spares=1 {{ ssd count=11 read=\"500 \
                 MB/s\" }} }} }}\n\
                 wire from=\"h.hba\" to=\"a.controller.port\""
            ),
            "streams \"r\" over=\"a..lun\" block=\"1 MiB\"",
        )
    };
    let found = hold(&controller(1, "// ! oversubscribed"));
    assert!(text_of(&found, Rule::Oversubscribed).starts_with("a.controller: what hangs below"));
    hold(&controller(4, ""));
}

/// Two sockets, each with drives, under streams.
fn sockets(host: &str, other: &str, on: &str, mark: &str) -> String {
    study(
        &format!(
            "host \"h\" {host} {{ {mark}\nsocket \"a\" {{ root-port use=\"pcie4-x4\" {{ nvme }} \
            }}\n\
             socket \"b\" {{ {other} }} }}"
        ),
        &format!("streams \"r\" over=\"h..nvme\" block=\"1 MiB\" {on}"),
    )
}

#[test]
fn sockets_without_a_stated_link_are_told_where_data_crosses() {
    let equal = "root-port use=\"pcie4-x4\" { nvme }";
    let found = hold(&sockets("", equal, "", "// ! socket-link"));
    assert!(text_of(&found, Rule::SocketLink).starts_with("h: 2 sockets, and no link"));
    hold(&sockets("", equal, "on=\"h.a\"", "// ! socket-link"));
    // Stated: as a rate of data, or as a link.
    hold(&sockets("read=\"60 GB/s\"", equal, "", ""));
    hold(&sockets("use=\"upi-11-2gt\"", equal, "", ""));
    // Each stream at its own socket.
    let local =
        sockets("", equal, "on=\"h.a\"", "").replace("over=\"h..nvme\"", "over=\"h.a..nvme\"");
    hold(&local);
    hold(&study("host \"h\" { socket { root-port { nvme } } }", READER));
}

#[test]
fn sockets_with_unequal_devices_or_links_are_told() {
    let told = |other: &str| {
        let text = sockets("read=\"60 GB/s\"", other, "", "")
            .replace("socket \"a\" {", "socket \"a\" { // ! numa-unbalanced\n");
        hold(&text)
    };
    let found = told("root-port count=2 use=\"pcie4-x4\" { nvme }");
    assert_eq!(
        text_of(&found, Rule::NumaUnbalanced),
        "h: unequal sockets: a has 1 device on links of 7.202 GB/s, b has 2 devices on links of \
         14.40 GB/s"
    );
    told("root-port use=\"pcie4-x8\" { nvme }");
    told("");
}

#[test]
fn an_array_of_more_than_thirty_disks_is_told() {
    let array = |disks: u32, mark: &str| {
        study(
            &format!(
                "host \"h\" {{ hba }}\narray \"a\" {{ controller {{ port\n\
                 raid \"lun\" level=10 segment=\"128 KiB\" spares=1 {{ disk count={disks} }} \
                 {mark}\n}} }}\n\
                 wire from=\"h.hba\" to=\"a.controller.port\""
            ),
            "streams \"r\" over=\"a..lun\" block=\"4 KiB\"",
        )
    };
    hold(&array(31, ""));
    hold(&array(33, "// ! array-disks"));
    // Software of a machine has no such limit.
    hold(&study(
        "host \"h\" { enclosure { disk count=32 } }\n}\nlayout {\nraid \"v\" level=10 \
        segment=\"128 KiB\" over=\"h..disk\"",
        "streams \"r\" over=\"v\" block=\"4 KiB\"",
    ));
}

#[test]
fn a_volume_over_more_than_128_devices_is_told_once() {
    let group = |devices: u32, mark: &str| {
        study(
            &format!(
                "host \"h\" {{ enclosure {{ raid \"pv\" level=10 count={devices} {{ disk count=2 \
                }} }} }}\n}}\nlayout {{\n\
                 stripe \"one\" unit=\"1 MiB\" over=\"h..pv[0-63]\"\n\
                 stripe \"two\" unit=\"1 MiB\" over=\"h..pv[64-{}]\"\n\
                 concat \"lv\" over=\"one, two\" {mark}",
                devices - 1
            ),
            "streams \"r\" over=\"lv\" block=\"1 MiB\"",
        )
    };
    hold(&group(128, ""));
    let found = hold(&group(129, "// ! volume-group"));
    assert!(text_of(&found, Rule::VolumeGroup).starts_with("lv: over 129 devices"));
}

#[test]
fn a_stated_number_of_members_is_the_limit_and_more_a_mistake() {
    let group = |most: &str, mark: &str| {
        study(
            &format!(
                "host \"h\" {{ enclosure {{ part \"pv\" count=140 }} }}\n}}\nlayout {{\n\
                 stripe \"lv\" unit=\"1 MiB\" over=\"h..pv\" {most} {mark}"
            ),
            "streams \"r\" over=\"lv\" block=\"1 MiB\"",
        )
    };
    hold(&group("most-members=1024", ""));
    hold(&group("most-members=140", ""));
    let severity = |found: &[PathFinding]| found[0].severity;
    assert_eq!(severity(&hold(&group("", "// ! volume-group"))), Severity::Advice);
    let found = hold(&group("most-members=139", "// ! volume-group"));
    assert_eq!(severity(&found), Severity::Mistake);
    let expected = "lv: over 140 devices, in a volume group of at most 139";
    assert_eq!(text_of(&found, Rule::VolumeGroup), expected);
}

#[test]
fn disks_of_an_array_are_limited_without_its_spares() {
    let array = |disks: u32, most: &str, mark: &str| {
        study(
            &format!(
                "host \"h\" {{ hba use=\"fc-8g\" }}\narray \"a\" {{ controller {{\n\
                 raid \"r\" level=6 spares=2 {most} {{ {mark}\ndisk count={disks} }} }} }}\n\
                 wire from=\"h.hba\" to=\"a\""
            ),
            "streams \"r\" over=\"a..r\" block=\"1 MiB\"",
        )
    };
    hold(&array(32, "", ""));
    hold(&array(33, "", "// ! array-disks"));
    hold(&array(33, "most-members=31", ""));
    let found = hold(&array(33, "most-members=30", "// ! array-disks"));
    assert_eq!(
        text_of(&found, Rule::ArrayDisks),
        "a.controller.r: 31 disks in an array of at most 30"
    );
}

/// Two hosts at three arrays of four LUNs; a stripe of each host is over those of two arrays.
fn luns(host: &str, array: &str, mark_of_host: &str, mark_of_array: &str) -> String {
    study(
        &format!(
            "host \"h\" count=2 {host} {{ {mark_of_host}\nhba use=\"fc-8g\"; nvme }}\n\
             switch \"s\"\n\
             array \"a\" count=3 {array} {{ {mark_of_array}\n\
             controller {{ lun count=4 {{ ssd count=2 }} }} }}\n\
             wire from=\"h.hba\" to=\"s\"\nwire from=\"a\" to=\"s\"\n}}\n\
             layout {{ stripe \"v\" unit=\"1 MiB\" over=\"a[0-1]..lun\""
        ),
        "streams \"r\" on=\"h\" over=\"v\" block=\"1 MiB\"; \
         streams \"own\" on=\"h[0]\" over=\"h[0].nvme\" block=\"1 MiB\"; \
         streams \"l\" on=\"h[1]\" over=\"a[2]..lun[0]\" block=\"1 MiB\"",
    )
}

/// Host 0 uses 8, host 1 another one besides; a drive of its own is none.
#[test]
fn luns_that_a_host_uses_are_those_of_other_boxes() {
    hold(&luns("most-luns=9", "", "", ""));
    let found = hold(&luns("most-luns=8", "", "// ! too-many-luns", ""));
    assert_eq!(text_of(&found, Rule::TooManyLuns), "h[1]: uses 9 LUNs, of at most 8");
}

#[test]
fn luns_that_an_array_makes_count_whoever_uses_them() {
    hold(&luns("", "most-luns=4", "", ""));
    let found = hold(&luns("", "most-luns=3", "", "// ! too-many-luns"));
    assert_eq!(text_of(&found, Rule::TooManyLuns), "a: makes 4 LUNs, of at most 3");
    assert_eq!(found[0].severity, Severity::Mistake);
}

/// What `size` asks of each build says what `check` says, and nothing else.
#[test]
fn what_cannot_be_built_is_what_check_calls_a_mistake() {
    for (host, array) in [("", ""), ("most-luns=8", ""), ("most-luns=8", "most-luns=3")] {
        let text = luns(host, array, "", "");
        let (study, found) = found(&text);
        let stated = [Rule::TooManyLuns, Rule::ArrayDisks, Rule::VolumeGroup];
        let of_check = found.into_iter().filter(|one| stated.contains(&one.rule));
        let case = study.cases().unwrap().remove(0);
        let network = Network::build(&case, &BTreeSet::new()).unwrap();
        assert_eq!(exceeded(&case, &network), of_check.collect::<Vec<_>>(), "{host} {array}");
    }
}

/// Two switches with so many links between them, hosts on one and arrays on the other.
fn fabric(links: u32, adapter: &str, mark: &str) -> String {
    study(
        &format!(
            "host \"h\" count=4 {{ {adapter} }}\n\
             switch \"near\" {{ {mark}\nport count=8 use=\"fc-8g\"; port \"isl\" count={links} \
             use=\"fc-8g\" }}\n\
             switch \"far\" {{ port count=8 use=\"fc-8g\"; port \"isl\" count={links} \
             use=\"fc-8g\" }}\n\
             array \"a\" count=4 {{ controller {{ port use=\"fc-8g\"; lun {{ ssd read=\"500 \
             MB/s\" }} }} }}\n\
             wire from=\"h.io\" to=\"near.port[0-3]\"\n\
             wire from=\"near.isl\" to=\"far.isl\"\n\
             wire from=\"far.port[0-3]\" to=\"a.controller.port\""
        ),
        "streams \"r\" on=\"h\" over=\"a..lun\" block=\"1 MiB\"",
    )
}

#[test]
fn links_between_switches_that_carry_less_than_what_crosses_are_told() {
    let hba = "hba \"io\" use=\"fc-8g\"";
    let found = hold(&fabric(2, hba, "// ! inter-switch-links"));
    assert_eq!(
        text_of(&found, Rule::InterSwitchLinks),
        "2 links between near and far carry 1.653 GB/s, the ports that communicate across them \
         3.306 GB/s"
    );
    hold(&fabric(4, hba, ""));
    // Uplinks of a network are oversubscribed by design.
    hold(&fabric(2, "nic \"io\" use=\"eth-10g\"", ""));
}

#[test]
fn a_link_with_nothing_in_it_has_no_effect() {
    let host = |inside: &str| study(&format!("host \"h\" {{\n{inside}\n}}"), READER);
    hold(&host("nvme\nlink \"l\" both=\"1 GB/s\" // ! no-effect"));
    hold(&host("link \"l\" both=\"1 GB/s\" { nvme }"));
}

#[test]
fn packets_without_a_rate_have_no_effect() {
    let link = |values: &str, mark: &str| {
        study(&format!("host \"h\" {{\nroot-port {values} {{ {mark}\nnvme }} }}"), READER)
    };
    hold(&link("payload=\"128 B\" overhead=\"24 B\"", "// ! no-effect"));
    hold(&link("link-rate=\"2 GB/s\" payload=\"128 B\"", "// ! no-effect"));
    hold(&link("use=\"pcie2-x4\" payload=\"128 B\"", ""));
    hold(&link("window=\"64 KiB\"", "// ! no-effect"));
    hold(&link("round-trip=\"10 ms\"", "// ! no-effect"));
    hold(&link("window=\"64 KiB\" round-trip=\"10 ms\"", ""));
}
