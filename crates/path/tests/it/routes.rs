//! The routing rule, on paths that people have.

use iopath_path::{Obstruction, Place};

use crate::text::Paths;

const SERVER: &str = r#"path {
    host "server" both="90 GB/s" {
        socket count=2 {
            root-port count=2 { pcie-switch { nvme count=6 } }
        }
    }
}"#;

#[test]
fn a_route_inside_a_host_crosses_what_is_on_its_way_and_not_what_encloses_it() {
    let mut paths = Paths::of(SERVER, "server");
    let near = paths.ways("server.socket[0]", "server.socket[0].root-port[1].pcie-switch.nvme[3]");
    let expected = "server.socket[0] server.socket[0].root-port[1] \
                    server.socket[0].root-port[1].pcie-switch";
    assert_eq!(near, [(expected.to_owned(), 1.0)]);
}

#[test]
fn the_way_to_the_other_socket_turns_at_the_host() {
    let mut paths = Paths::of(SERVER, "server");
    let far = paths.ways("server.socket[0]", "server.socket[1].root-port[0].pcie-switch.nvme[0]");
    let expected = "server.socket[0] server server.socket[1] server.socket[1].root-port[0] \
                    server.socket[1].root-port[0].pcie-switch";
    assert_eq!(far, [(expected.to_owned(), 1.0)]);
}

#[test]
fn a_stream_on_the_host_itself_crosses_the_host() {
    let mut paths = Paths::of(SERVER, "server");
    let way = paths.ways("server", "server.socket[1].root-port[0].pcie-switch.nvme[0]");
    assert!(way[0].0.starts_with("server server.socket[1] "), "{way:?}");
    let mut paths = Paths::of(r#"path { host "h" { nvme count=2 } }"#, "h");
    assert_eq!(paths.ways("h", "h.nvme[1]"), [("h".to_owned(), 1.0)]);
}

#[test]
fn media_of_one_box_share_their_route() {
    let mut paths = Paths::of(SERVER, "server");
    let start = Place::start(Some(paths.id("server.socket[0]")));
    let mut to = |name: &str| {
        let id = paths.id(name);
        paths.routes.ways(start, id).expect("reachable").ways
    };
    let one = to("server.socket[0].root-port[0].pcie-switch.nvme[0]");
    assert_eq!(to("server.socket[0].root-port[0].pcie-switch.nvme[5]"), one);
    assert_ne!(to("server.socket[0].root-port[1].pcie-switch.nvme[0]"), one);
}

#[test]
fn a_path_without_a_host_begins_outside_of_it() {
    let streams = r#"streams "s" over="box.nvme" block="4 KiB""#;
    let mut paths =
        Paths::with(r#"path { enclosure "box" both="1 GB/s" { nvme count=2 } }"#, "", streams);
    let id = paths.id("box.nvme[1]");
    let arrival = paths.routes.ways(Place::start(None), id).expect("reachable");
    let crossed = &paths.routes.route(arrival.ways[0].route).crossed;
    assert_eq!(crossed, &[(paths.id("box"), false)]);
}

/// Seven drawers of 16 adapters, seven switches of 4 ASICs, 56 arrays of two controllers.
fn p690(hosts: &str, storage: &str, zones: &str) -> String {
    format!(
        r#"path {{
    host "p690" {{ drawer count=7 {{ planar count=2 {{ hba count=8 }} }} }}
    switch "san" count=7 both="1600 MB/s" {{ asic count=4 {{ port count=8 }} }}
    array "fastt" count=56 {{
        controller count=2 {{ port; raid "lun" level=5 {{ disk count=9 }} }}
    }}
    wire from="p690..hba" to="{hosts}"
    wire from="fastt.controller.port" to="{storage}"
    {zones}
}}"#
    )
}

const ZONED: &str = r#"zone from="p690..hba" to="fastt.controller.port""#;

#[test]
fn a_route_inside_one_asic_never_meets_the_switch() {
    let text = p690("san.asic.port[0-3]", "san.asic.port[4-7]", ZONED);
    let mut paths = Paths::of(&text, "p690");
    let ways = paths.ways("p690", "fastt[9].controller[1].lun");
    let expected = "p690 p690.drawer[1] p690.drawer[1].planar[0] p690.drawer[1].planar[0].hba[3] \
                    san[1].asic[0].port[3] san[1].asic[0] san[1].asic[0].port[7] \
                    fastt[9].controller[1].port fastt[9].controller[1]";
    assert_eq!(ways, [(expected.to_owned(), 1.0)]);
}

#[test]
fn a_route_between_halves_of_a_switch_crosses_the_switch() {
    let text = p690("san.asic[0-1].port", "san.asic[2-3].port", ZONED);
    let mut paths = Paths::of(&text, "p690");
    let ways = paths.ways("p690", "fastt[0].controller[0].lun");
    let expected = "p690 p690.drawer[0] p690.drawer[0].planar[0] p690.drawer[0].planar[0].hba[0] \
                    san[0].asic[0].port[0] san[0].asic[0] san[0] san[0].asic[2] \
                    san[0].asic[2].port[0] fastt[0].controller[0].port fastt[0].controller[0]";
    assert_eq!(ways, [(expected.to_owned(), 1.0)]);
}

#[test]
fn without_zones_every_adapter_on_the_switch_takes_its_share() {
    let text = p690("san.asic.port[0-3]", "san.asic.port[4-7]", "");
    let mut paths = Paths::of(&text, "p690");
    let ways = paths.ways("p690", "fastt[8].controller[0].lun");
    assert_eq!(ways.len(), 16);
    assert!(ways.iter().all(|(_, share)| *share == 1.0 / 16.0));
    assert!(ways.iter().all(|(way, _)| way.contains("p690.drawer[1].")), "{ways:?}");
}

#[test]
fn the_way_through_the_partner_is_standby_and_crosses_the_array() {
    let text = p690("san.asic.port[0-3]", "san.asic.port[4-7]", "");
    let mut paths = Paths::of(&text, "p690");
    let (from, to) = (Place::start(Some(paths.id("p690"))), paths.id("fastt[0].controller[0].lun"));
    let choices = paths.routes.choices(from, to).expect("reachable");
    let array = (paths.id("fastt[0]"), false);
    assert_eq!(choices.len(), 32);
    for choice in &choices {
        let crosses = choice.routes[0].crossed.contains(&array);
        assert_eq!(choice.optimised, !crosses);
    }
    assert_eq!(choices.iter().filter(|choice| choice.optimised).count(), 16);
}

const TWO_FABRICS: &str = r#"path {
    host "node" count=2 { hba { port count=2 } }
    switch "fabric" count=2
    array "a" count=6 {
        port count=2
        lun count=4 { disk count=11 }
    }
    wire from="node.hba.port[0]" to="fabric[0]"
    wire from="node.hba.port[1]" to="fabric[1]"
    wire from="a.port[0]" to="fabric[0]"
    wire from="a.port[1]" to="fabric[1]"
}"#;

#[test]
fn two_fabrics_give_two_routes_of_equal_share() {
    let mut paths = Paths::of(TWO_FABRICS, "node[0]");
    let ways = paths.ways("node[1]", "a[5].lun[3]");
    let way = |side: usize| {
        format!(
            "node[1] node[1].hba node[1].hba.port[{side}] fabric[{side}] a[5].port[{side}] a[5]"
        )
    };
    assert_eq!(ways, [(way(0), 0.5), (way(1), 0.5)]);
}

/// Hosts, nodes in pairs, arrays behind them, all on two switches.
const SVC: &str = r#"path {
    host "aix" count=2 { hba { port count=2 } }
    switch "fabric" count=2
    array "iogroup" count=2 {
        controller "node" count=2 { port count=4 }
    }
    array "ds4300" count=3 {
        controller count=2 { port count=2; raid "lun" level=10 { disk count=14 } }
    }
    wire from="aix.hba.port[0]" to="fabric[0]"
    wire from="aix.hba.port[1]" to="fabric[1]"
    wire from="iogroup.node.port[0,2]" to="fabric[0]"
    wire from="iogroup.node.port[1,3]" to="fabric[1]"
    wire from="ds4300.controller.port[0]" to="fabric[0]"
    wire from="ds4300.controller.port[1]" to="fabric[1]"
    multipath policy="round-robin" most=4
}"#;

#[test]
fn a_request_to_a_node_enters_by_four_ports_and_leaves_by_them_the_other_way() {
    let layout = r#"stripe "vdisk" at="iogroup.node" unit="256 MiB" over="ds4300..lun""#;
    let streams = r#"streams "s" on="aix" over="vdisk" block="4 KiB""#;
    let mut paths = Paths::with(SVC, layout, streams);
    let start = Place::start(Some(paths.id("aix[1]")));
    let disk = paths.case.targets[2].part.into();
    let node = paths.network.component(disk).place.expect("split at a node");
    assert_eq!(paths.network.component(node).name, "iogroup[1].node[0]");

    let arrival = paths.routes.ways(start, disk).expect("reachable");
    assert_eq!(arrival.place.component(), Some(node));
    assert_eq!(arrival.ways.len(), 4);
    for way in &arrival.ways {
        let crossed = &paths.routes.route(way.route).crossed;
        assert!(crossed.iter().all(|(_, flipped)| !flipped), "{crossed:?}");
        assert_eq!(crossed.last(), Some(&(node, false)));
    }

    let lun = paths.id("ds4300[2].controller[1].lun");
    let beyond = paths.routes.ways(arrival.place, lun).expect("reachable");
    let ports: Vec<_> =
        (0..4).map(|n| paths.id(&format!("iogroup[1].node[0].port[{n}]"))).collect();
    for way in &beyond.ways {
        let crossed = &paths.routes.route(way.route).crossed;
        assert!(ports.contains(&crossed[0].0) && crossed[0].1, "{crossed:?}");
        assert!(crossed[1..].iter().all(|(id, flipped)| !flipped && *id != node));
    }
}

#[test]
fn a_server_of_others_carries_what_it_sends_against_what_it_fetches() {
    let path = r#"path {
        host "client" { nic }
        switch "net" { port count=2 }
        host "oss" { nic; hba }
        enclosure "jbod" { expander; disk count=2 }
        wire from="client.nic" to="net.port[0]"
        wire from="oss.nic" to="net.port[1]"
        wire from="oss.hba" to="jbod.expander"
    }"#;
    let layout = r#"raid "ost" level=1 at="oss" over="jbod.disk""#;
    let streams = r#"streams "s" on="client" over="ost" block="4 KiB""#;
    let mut paths = Paths::with(path, layout, streams);
    let ways = paths.ways("client", "ost");
    let expected = "client client.nic net.port[0] net ~net.port[1] ~oss.nic oss";
    assert_eq!(ways, [(expected.to_owned(), 1.0)]);

    let start = Place::start(Some(paths.id("client")));
    let (ost, disk) = (paths.id("ost"), paths.id("jbod.disk[1]"));
    let place = paths.routes.ways(start, ost).expect("reachable").place;
    let ways = paths.routes.ways(place, disk).expect("reachable").ways;
    let crossed = &paths.routes.route(ways[0].route).crossed;
    let along = ["oss.hba", "jbod.expander", "jbod"].map(|name| (paths.id(name), false));
    assert_eq!(crossed, &along);
}

#[test]
fn switches_are_passed_by_the_fewest_wires_and_their_links_have_two_directions() {
    let path = r#"path {
        host "h" count=2 { hba }
        switch "left" { port count=3 }
        switch "middle" { port count=2 }
        switch "right" { port count=4 }
        array "a" { port }
        array "b" { port }
        wire from="h[0].hba" to="left.port[0]"
        wire from="h[1].hba" to="right.port[3]"
        wire from="left.port[1]" to="right.port[0]"
        wire from="left.port[2]" to="middle.port[0]"
        wire from="middle.port[1]" to="right.port[1]"
        wire from="a.port" to="right.port[2]"
        wire from="b.port" to="left"
    }"#;
    let mut paths = Paths::of(path, "h[0]");
    let there = "h[0] h[0].hba left.port[0] left left.port[1] right.port[0] right right.port[2] \
                 a.port a";
    assert_eq!(paths.ways("h[0]", "a"), [(there.to_owned(), 1.0)]);
    let back = "h[1] h[1].hba right.port[3] right ~right.port[0] ~left.port[1] left b.port b";
    assert_eq!(paths.ways("h[1]", "b"), [(back.to_owned(), 1.0)]);
}

#[test]
fn parallel_wires_between_switches_divide_the_share_of_their_ports() {
    let path = r#"path {
        host "h" { hba }
        switch "left"
        switch "right" { port count=3 }
        array "a" { port }
        wire from="right.port[0-1]" to="left"
        wire from="h.hba" to="left"
        wire from="a.port" to="right.port[2]"
        multipath policy="fixed"
    }"#;
    let mut paths = Paths::of(path, "h");
    let ways = paths.ways("h", "a");
    let way = |port| format!("h h.hba left ~right.port[{port}] right right.port[2] a.port a");
    assert_eq!(ways, [(way(0), 0.5), (way(1), 0.5)]);
}

#[test]
fn a_switch_inside_a_machine_is_no_way_through_the_machine() {
    let path = r#"path {
        host "h" { hba }
        host "other" { pcie-switch { hba count=2 } }
        switch "s" count=2
        array "a" { port }
        wire from="h.hba" to="s[0]"
        wire from="other.pcie-switch.hba" to="s"
        wire from="a.port" to="s[1]"
    }"#;
    let mut paths = Paths::of(path, "h");
    let (from, to) = (Place::start(Some(paths.id("h"))), paths.id("a"));
    assert_eq!(paths.routes.ways(from, to).expect_err("no way").why, Obstruction::Wire);
}

#[test]
fn zones_name_a_port_or_what_contains_it_and_bind_fabrics_only() {
    let path = r#"path {
        host "h" count=2 { hba count=2 { port } }
        switch "s" { port count=8 }
        array "a" count=2 { controller { port count=2 }; expander }
        enclosure "e" { expander; disk }
        wire from="h.hba.port" to="s.port[0-3]"
        wire from="a.controller.port" to="s.port[4-7]"
        wire from="a[0].expander" to="e.expander"
        zone from="h[0].hba[1]" to="a[0]"
        zone from="a[1].controller.port[1]" to="h[0]"
    }"#;
    let mut paths = Paths::of(path, "h[0]");
    let short = |ways: Vec<(String, f64)>| -> Vec<String> {
        let ends = ways.into_iter().map(|(way, _)| {
            let names: Vec<&str> = way.split(' ').collect();
            format!("{} to {}", names[2], names[6])
        });
        ends.collect()
    };
    let expected = [
        "h[0].hba[1].port to a[0].controller.port[0]",
        "h[0].hba[1].port to a[0].controller.port[1]",
    ];
    assert_eq!(short(paths.ways("h[0]", "a[0].controller")), expected);
    let expected = [
        "h[0].hba[0].port to a[1].controller.port[1]",
        "h[0].hba[1].port to a[1].controller.port[1]",
    ];
    assert_eq!(short(paths.ways("h[0]", "a[1].controller")), expected);
    let (from, to) = (Place::start(Some(paths.id("h[1]"))), paths.id("a[0].controller"));
    assert_eq!(paths.routes.ways(from, to).expect_err("no zone").why, Obstruction::Zone);
    let sas = paths.ways("a[0]", "e.disk");
    assert_eq!(sas, [("a[0] a[0].expander e.expander e".to_owned(), 1.0)]);
}

#[test]
fn the_first_routes_use_as_many_ports_as_there_are() {
    let path = |most: u32| {
        format!(
            r#"path {{
        host "h" {{ hba count=2 }}
        switch "s"
        array "a" {{ port count=2 }}
        wire from="h.hba" to="s"
        wire from="a.port" to="s"
        multipath most={most}
    }}"#
        )
    };
    let expected = ["h h.hba[0] s a.port[0] a", "h h.hba[1] s a.port[1] a"];
    let mut two = Paths::of(&path(2), "h");
    let ways = two.ways("h", "a");
    assert_eq!(ways, expected.map(|way| (way.to_owned(), 0.5)));
    let mut all = Paths::of(&path(9), "h");
    assert_eq!(all.ways("h", "a").len(), 4);
}

#[test]
fn adaptive_policies_feed_each_route_by_its_least_capacity() {
    let path = r#"path {
        host "h" { hba count=2 both="8 GB/s" }
        switch "s"
        array "a" { port "slow" both="1 GB/s"; port "fast" both="3 GB/s" }
        wire from="h.hba[0]" to="a.slow"
        wire from="h.hba[1]" to="a.fast"
        multipath policy="service-time"
    }"#;
    let mut paths = Paths::of(path, "h");
    let shares: Vec<f64> = paths.ways("h", "a").into_iter().map(|(_, share)| share).collect();
    assert_eq!(shares, [0.25, 0.75]);
}

#[test]
fn delays_of_components_and_wires_add_up() {
    let path = r#"path {
        host "h" { hba latency="10 us" }
        switch "s" latency="1 us"
        array "a" { port latency="5 us"; nvme latency="80 us" }
        wire from="h.hba" to="s" latency="2 us"
        wire from="a.port" to="s" latency="50 us"
    }"#;
    let mut paths = Paths::of(path, "h");
    let (from, to) = (Place::start(Some(paths.id("h"))), paths.id("a.nvme"));
    let way = paths.routes.ways(from, to).expect("reachable").ways[0];
    let delay = paths.routes.route(way.route).latency_s;
    assert!((delay - 68e-6).abs() < 1e-12, "{delay}");
}
