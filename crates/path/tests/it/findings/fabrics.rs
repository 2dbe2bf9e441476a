//! Rules about wires, zones and routes.

use iopath_path::{Rule, Severity};

use super::{hold, text_of};

const READER: &str = "workload time=\"1 s\" { streams \"r\" over=\"a..lun\" block=\"1 MiB\" }";

/// Hosts and arrays of two controllers on two switches.
fn dual(extra: &str) -> String {
    format!(
        r#"study "t"
path {{
    host "h" {{ hba {{ port count=2 }} }}
    switch "s" count=2
    array "a" count=2 {{
        controller "c" count=2 {{
            port count=2
            lun {{ disk }}
        }}
    }}
    wire from="h.hba.port[0]" to="s[0]"
    wire from="h.hba.port[1]" to="s[1]"
    {extra}
}}
{READER}
"#
    )
}

const BOTH: &str = r#"wire from="a.c.port[0]" to="s[0]"
    wire from="a.c.port[1]" to="s[1]""#;

#[test]
fn a_dual_fabric_with_everything_on_both_halves_is_sound() {
    hold(&dual(BOTH));
}

#[test]
fn every_controller_is_on_both_halves() {
    let crossed = r#"wire from="a[0].c.port[0]" to="s[0]"
    wire from="a[0].c.port[1]" to="s[1]"
    wire from="a[1].c[0].port" to="s[0]"
    wire from="a[1].c[1].port" to="s[1]""#;
    let text = dual(crossed).replace("\"c\" count=2 {", "\"c\" count=2 { // ! one-half");
    let (study, found) = super::found(&text);
    let told = found.iter().find(|finding| finding.rule == Rule::OneHalf).unwrap();
    assert_eq!(
        told.text,
        "a[1].c: wired to 1 of 2 halves of the fabric: without that half it is unreachable"
    );
    assert_eq!(study.remark(told.span, "", None).line, 6);
}

#[test]
fn nodes_have_equal_numbers_of_ports_on_each_switch() {
    let text = |to: &str, mark: &str| {
        format!(
            r#"study "t"
path {{
    host "h" {{ hba {{ port count=2 }} }}
    switch "s" count=2
    array "a" {{
        controller "c" count=2 {{ {mark}
            port count=4
            lun {{ disk }}
        }}
    }}
    wire from="h.hba.port" to="s"
    wire from="a.c.port[0]" to="s[0]"
    wire from="a.c.port[1]" to="s[1]"
    wire from="a.c.port[2]" to="s[0]"
    wire from="a.c.port[3]" to="s[{to}]"
    zone from="h.hba.port[0]" to="a.c[0].port[0]"
    zone from="h.hba.port[0]" to="a.c[1].port[0]"
    zone from="h.hba.port[1]" to="a.c[0].port[1]"
    zone from="h.hba.port[1]" to="a.c[1].port[1]"
}}
{READER}
"#
        )
    };
    hold(&text("1", ""));
    let found = hold(&text("0", "// ! uneven-node-ports"));
    let told = text_of(&found, Rule::UnevenNodePorts);
    assert_eq!(told, "a.c: unequal numbers of ports: 3 on s[0], 1 on s[1]");
}

#[test]
fn more_than_four_paths_do_not_help() {
    let text = |most: &str, marks: (&str, &str)| {
        format!(
            r#"study "t"
path {{
    host "h" {{ hba {{ port count=4 {} }} }}
    switch "s" count=2
    array "a" {{
        controller "c" count=2 {{
            port count=2
            lun {{ disk }} {}
        }}
    }}
    wire from="h.hba.port[0-1]" to="s[0]"
    wire from="h.hba.port[2-3]" to="s[1]"
    wire from="a.c.port[0]" to="s[0]"
    wire from="a.c.port[1]" to="s[1]"
    {most}
}}
{READER}
"#,
            marks.0.replace('@', "\n"),
            marks.1,
        )
    };
    let found = hold(&text("", ("", "// ! too-many-paths")));
    let told = text_of(&found, Rule::TooManyPaths);
    assert!(told.starts_with("a.c.lun: 8 paths from each h to it"), "{told}");
    hold(&text("multipath most=4", ("", "")));
}

#[test]
fn a_host_adapter_is_zoned_to_one_port_of_a_controller() {
    let text = |zones: &str, mark: &str| {
        format!(
            r#"study "t"
path {{
    host "h" {{
        hba {mark}
    }}
    switch "s"
    array "a" {{
        controller "c" count=2 {{ port count=2; lun {{ disk }} }}
    }}
    wire from="h.hba" to="s"
    wire from="a.c.port" to="s"
    {zones}
}}
{READER}
"#
        )
    };
    let found = hold(&text("", "// ! wide-zone"));
    assert!(text_of(&found, Rule::WideZone).contains("each reaches 2 ports of one c"));
    hold(&text(r#"zone from="h.hba" to="a.c.port[0]""#, ""));
}

/// Nodes in pairs that serve virtual disks over storage behind them.
fn nodes(ports: &str, at: &str, mark: &str) -> String {
    format!(
        r#"study "t"
path {{
    host "h" {{ hba {{ port count=4 }} }}
    switch "s" count=2
    array "pair" {{
        controller "node" count=2 {{ {mark}
            port count=2
        }}
    }}
    array "a" {{
        controller "c" count=2 {{ port count=2; raid "lun" level=5 spares=1 {{ disk count=6 }} }}
    }}
    {ports}
    wire from="pair.node.port[0]" to="s[0]"
    wire from="pair.node.port[1]" to="s[1]"
    wire from="a.c.port[0]" to="s[0]"
    wire from="a.c.port[1]" to="s[1]"
    multipath most=4
}}
layout {{
    {at}
}}
workload time="1 s" {{ streams "r" on="h" over="vdisk" block="1 MiB" }}
"#
    )
}

#[test]
fn virtual_disks_are_spread_evenly_over_nodes() {
    let two = r#"wire from="h.hba.port[0,2]" to="s[0]"
    wire from="h.hba.port[1,3]" to="s[1]"
    zone from="h.hba.port[0]" to="pair.node.port[0]"
    zone from="h.hba.port[1]" to="pair.node.port[1]"
    zone from="pair.node[0].port[0]" to="a.c.port[0]"
    zone from="pair.node[0].port[1]" to="a.c.port[1]"
    zone from="pair.node[1].port[0]" to="a.c.port[0]"
    zone from="pair.node[1].port[1]" to="a.c.port[1]""#;
    let even = r#"stripe "vdisk" count=4 at="pair.node" unit="256 MiB" over="a..lun""#;
    hold(&nodes(two, even, ""));
    let one = r#"stripe "vdisk" count=4 at="pair.node[0]" unit="256 MiB" over="a..lun""#;
    let (_, found) = super::found(&nodes(two, one, ""));
    let told = text_of(&found, Rule::UnevenPreferred);
    assert_eq!(told, "pair.node[0]: each serves 4 volumes, while another serves 0");
}

#[test]
fn a_virtual_disk_takes_one_pair_of_host_ports() {
    let four = r#"wire from="h.hba.port[0,2]" to="s[0]"
    wire from="h.hba.port[1,3]" to="s[1]""#;
    let vdisk = r#"stripe "vdisk" at="pair.node" unit="256 MiB" over="a..lun" // ! port-pair"#;
    let found = hold(&nodes(four, vdisk, ""));
    assert!(text_of(&found, Rule::PortPair).contains("each host uses 4 ports for it"));
    let half = r#"wire from="h.hba.port" to="s[0]"
    zone from="h.hba.port[0]" to="pair.node.port[0]"
    zone from="pair.node.port[0]" to="a.c.port[0]"
    zone from="pair.node.port[1]" to="a.c.port[1]""#;
    let (_, found) = super::found(&nodes(half, vdisk, ""));
    let told = found.iter().find(|finding| finding.rule == Rule::PortPair).unwrap();
    assert_eq!(told.severity, Severity::Warning);
}

#[test]
fn routes_through_a_partner_only_are_told() {
    let text = |from: &str, to: &str, mark: &str| {
        format!(
            r#"study "t"
path {{
    host "h" {{ hba {{ port count=2 }} }}
    array "a" {{
        controller "left" {{
            port "front" count=2
            lun {{ disk }} {mark}
        }}
        controller "right" {{ port "front" count=2; lun {{ disk }} }}
    }}
    wire from="h.hba.port[{from}]" to="{to}"
}}
workload time="1 s" {{ streams "r" over="a.left.lun" block="1 MiB" }}
"#
        )
    };
    let (study, found) = super::found(&text("0-1", "a.right.front", "// ! not-through-owner"));
    let told = found.iter().find(|finding| finding.rule == Rule::NotThroughOwner).unwrap();
    assert!(told.text.starts_with(
        "a.left.lun: every route to it goes through a controller that is not its owner"
    ));
    assert_eq!(study.remark(told.span, "", None).line, 7);
    hold(&text("0-1", "a.left.front", ""));
}

#[test]
fn what_no_route_leads_to_is_told_once() {
    let text = |wire: &str, mark: &str| {
        format!(
            r#"study "t"
path {{
    host "h" {{ hba {{ port count=2 }} }}
    array "a" {{ port; lun count=4 {{ disk }} }}
    array "b" {{ port; lun count=4 {{ disk }} {mark}
    }}
    wire from="h.hba.port[0]" to="a.port"
    {wire}
}}
workload time="1 s" {{ streams "r" over="a.lun" block="1 MiB" }}
"#
        )
    };
    hold(&text(r#"wire from="h.hba.port[1]" to="b.port""#, ""));
    let text = text("", "// ! unreachable-target");
    let (study, found) = super::found(&text);
    let told = found.iter().find(|finding| finding.rule == Rule::UnreachableTarget).unwrap();
    assert_eq!(told.text, "b.lun: no route leads to it from any host");
    assert_eq!(study.remark(told.span, "", None).line, 5);
    let used = text.replace("over=\"a.lun\"", "over=\"b.lun\"");
    let (_, found) = super::found(&used);
    let told: Vec<_> =
        found.iter().filter(|finding| finding.rule == Rule::UnreachableTarget).collect();
    assert_eq!(told.len(), 1, "{found:#?}");
    assert_eq!(told[0].severity, Severity::Mistake);
}

#[test]
fn active_routes_are_spread_over_controllers() {
    let text = |over: &str| {
        format!(
            r#"study "t"
path {{
    host "h" {{ hba {{ port count=2 }} }}
    array "a" {{
        controller "c" count=2 {{ port; lun count=4 {{ disk }} }}
    }}
    wire from="h.hba.port" to="a.c.port"
}}
workload time="1 s" {{ streams "r" over="{over}" block="1 MiB" }}
"#
        )
    };
    let (_, found) = super::found(&text("a.c[0].lun, a.c[1].lun[0]"));
    let told = text_of(&found, Rule::UnevenPaths);
    assert_eq!(told, "a.c[0]: active routes of 4 volumes go through it, of 1 through a.c[1]");
    hold(&text("a.c.lun"));
    hold(&text("a.c[0].lun[0-1], a.c[1].lun[0]"));
}

#[test]
fn conversations_stay_inside_an_asic_or_the_cables_to_swap_are_named() {
    let text = |hosts: &str, storage: &str, limit: &str, mark: &str| {
        format!(
            r#"study "t"
path {{
    host "h" {{ hba count=8 }}
    switch "san" {limit} {{ {mark}
        asic count=2 {{ port count=8 both="200 MB/s" }}
    }}
    array "a" count=8 {{ port; lun {{ disk }} }}
    wire from="h.hba" to="{hosts}"
    wire from="a.port" to="{storage}"
    zone from="h.hba" to="a.port"
}}
{READER}
"#
        )
    };
    let limit = "both=\"800 MB/s\"";
    hold(&text("san.asic.port[0-3]", "san.asic.port[4-7]", limit, ""));
    hold(&text("san.asic[0].port", "san.asic[1].port", "", ""));
    let found =
        hold(&text("san.asic[0].port", "san.asic[1].port", limit, "// ! crosses-backplane"));
    let told = &found[0];
    assert_eq!(
        told.text,
        "san: 8 of 8 flows go from one ASIC to another and share the backplane of 800.0 \
         MB/s: 100.0 MB/s each; a port carries 200.0 MB/s"
    );
    assert_eq!(
        told.hint,
        "swap the cables of san.asic[0].port[4-7] with those of san.asic[1].port[0-3], in this \
         order: then each host port is next to its storage port on one ASIC"
    );
    let swapped = text(
        "san.asic[0].port[0-3], san.asic[1].port[0-3]",
        "san.asic[0].port[4-7], san.asic[1].port[4-7]",
        limit,
        "",
    );
    hold(&swapped);
}
