//! Rules for Fibre Channel, on networks.

use std::collections::BTreeSet;

use iopath_path::{PathFinding, Rule};

/// What is found of a host on two switches, with an array of which a port is on one of them only.
fn rules(adapter: &str) -> BTreeSet<&'static str> {
    let text = format!(
        r#"study "t"
path {{
    host "h" {{ {adapter} {{ port count=4 }} }}
    switch "s" count=2
    array "a" {{
        controller "c" count=2 {{ port count=3; lun {{ disk }} }}
        controller "half" {{ port; lun {{ disk }} }}
    }}
    wire from="h.io.port[0-1]" to="s[0]"
    wire from="h.io.port[2-3]" to="s[1]"
    wire from="a.c.port[0-1]" to="s[0]"
    wire from="a.c.port[2]" to="s[1]"
    wire from="a.half.port" to="s[0]"
}}
workload time="1 s" {{ streams "r" over="a..lun" block="1 MiB" }}
"#
    );
    let (_, found) = super::found(&text);
    found.iter().map(|finding| finding.rule.name()).collect()
}

#[test]
fn zones_paths_and_halves_are_matters_of_fibre_channel() {
    let of_fibre_channel =
        [Rule::OneHalf, Rule::TooManyPaths, Rule::UnevenNodePorts, Rule::WideZone];
    let of_fibre_channel: BTreeSet<_> = of_fibre_channel.iter().map(|rule| rule.name()).collect();
    let fibre_channel = rules("hba \"io\" use=\"fc-16g\"");
    assert!(fibre_channel.is_superset(&of_fibre_channel), "{fibre_channel:?}");
    let rest: BTreeSet<_> = fibre_channel.difference(&of_fibre_channel).copied().collect();
    assert!(rest.contains("single-points"), "{rest:?}");
    // What holds for every network stays.
    assert_eq!(rules("nic \"io\" use=\"eth-25g\""), rest);
    let infiniband = "nic \"io\" read=(\"NDR, 400 Gb/s\")\"50 GB/s\" write=\"50 GB/s\"";
    assert_eq!(rules(infiniband), rest);
}

/// Copies of a server's volume that its clients write cross the network.
#[test]
fn a_volume_of_a_server_is_split_there_only_where_at_says_so() {
    let on = |on: &str, volume: &str, op: &str| {
        let text = format!(
            r#"study "t"
path {{
    host "client" count=2 {{ socket "s"; nic use="eth-25g" }}
    switch "tor"
    host "srv" {{ nic use="eth-25g"; nvme "drive" count=8 use="nvme-gen4" }}
    wire from="client.nic" to="tor"
    wire from="srv.nic" to="tor"
}}
layout {{ raid "md0" segment="128 KiB" over="srv.drive" {volume} }}
workload time="1 s" {{ streams "c" on="{on}" over="md0" op="{op}" block="1 MiB" }}
"#
        );
        let (_, found) = super::found(&text);
        let is_it = |one: &&PathFinding| one.rule == Rule::SplitByClient;
        found.iter().find(is_it).map(|one| format!("{}; {}", one.text, one.hint))
    };
    let says = |volume: &str, op: &str| on("client", volume, op);
    let expected = "md0: all of its drives are in srv, but c on client splits its writes: copies \
                    and parity cross the network; state at=\"srv\" where the server splits them";
    assert_eq!(says("level=10", "write").as_deref(), Some(expected));
    assert!(says("level=5", "write").is_some());
    assert!(on("client.s", "level=5", "write").is_some());
    assert_eq!(on("srv", "level=5", "write"), None);
    assert_eq!(says("level=10 at=\"srv\"", "write"), None);
    assert_eq!(says("level=10", "read"), None);
    assert_eq!(says("level=0", "write"), None);
}

/// Virtual disks of two nodes over a network, and the SAN behind these.
fn nodes(front: &str, adapter: &str) -> BTreeSet<&'static str> {
    let text = format!(
        r#"study "t"
path {{
    host "h" {{ {adapter} {{ port count=4 }} }}
    switch "lan"
    switch "san" count=2
    array "pair" {{ controller "node" count=2 {{ port "front"; port "back" count=2 }} }}
    array "a" {{
        controller "c" count=2 {{ port count=2; raid "lun" level=5 spares=1 {{ disk count=6 }} }}
    }}
    wire from="h.io.port" to="{front}"
    wire from="pair.node.front" to="{front}"
    wire from="pair.node.back[0]" to="san[0]"
    wire from="pair.node.back[1]" to="san[1]"
    wire from="a.c.port[0]" to="san[0]"
    wire from="a.c.port[1]" to="san[1]"
}}
layout {{ stripe "vdisk" count=2 at="pair.node" unit="256 MiB" over="a..lun" }}
workload time="1 s" {{ streams "r" on="h" over="vdisk" block="1 MiB" }}
"#
    );
    let (_, found) = super::found(&text);
    found.iter().map(|finding| finding.rule.name()).collect()
}

#[test]
fn a_network_next_to_a_san_is_no_half_of_it() {
    let told = nodes("lan", "nic \"io\" use=\"eth-25g\"");
    for rule in [Rule::OneHalf, Rule::PortPair, Rule::UnevenNodePorts] {
        assert!(!told.contains(rule.name()), "{told:?}");
    }
    let told = nodes("san[0]", "hba \"io\" use=\"fc-16g\"");
    for rule in [Rule::OneHalf, Rule::PortPair, Rule::UnevenNodePorts] {
        assert!(told.contains(rule.name()), "{rule}: {told:?}");
    }
}
