//! What streams demand of components through volumes, caches and file systems.

use std::collections::{BTreeMap, BTreeSet};

use iopath_path::{
    ComponentId, Leg, Measure, Network, PathFinding, PathMistakeKind, RowId, Rule, Severity,
};
use iopath_study::{Case, PartId};
use iopath_units::Op;

use crate::text::case;

/// A network with its case, and what one request of a stream demands.
struct Built {
    case: Case,
    network: Network,
}

impl Built {
    fn of(path: &str, layout: &str, streams: &str) -> Self {
        Self::without(path, layout, streams, &[])
    }

    fn without(path: &str, layout: &str, streams: &str, removed: &[&str]) -> Self {
        let case = case(path, layout, streams);
        let removed: BTreeSet<PartId> = removed.iter().map(|name| part(&case, name)).collect();
        let network = Network::build(&case, &removed);
        let network = network.unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
        Self { case, network }
    }

    fn id(&self, name: &str) -> ComponentId {
        part(&self.case, name).into()
    }

    /// How often each leg is visited by one request of each stream.
    fn visits(&self) -> Vec<f64> {
        let mut visits = vec![0.0; self.network.legs.len()];
        for load in &self.network.streams {
            for (leg, share) in &load.roots {
                visits[leg.0 as usize] += share;
            }
        }
        for (at, leg) in self.network.legs.iter().enumerate() {
            let here = visits[at];
            for next in &leg.next {
                assert!(next.leg.0 as usize > at, "a leg stands before those that it leads to");
                visits[next.leg.0 as usize] += here * next.times;
            }
        }
        visits
    }

    /// What one request of each stream uses up of a row, both ways and ends.
    fn used(&self, component: &str, property: &str) -> f64 {
        let id = self.id(component);
        let rows = &self.network.component(id).rows;
        let row = rows.iter().find(|row| self.network.row(**row).property == property);
        let row = *row.unwrap_or_else(|| panic!("{component} has no {property}"));
        self.rows().get(&row).copied().unwrap_or(0.0)
    }

    fn rows(&self) -> BTreeMap<RowId, f64> {
        let mut used = BTreeMap::new();
        for (leg, visits) in self.network.legs.iter().zip(self.visits()) {
            for way in &leg.ways {
                for charge in self.network.crossing(way.route, leg.op, leg.bytes) {
                    *used.entry(charge.row).or_insert(0.0) += visits * way.share * charge.amount;
                }
            }
            for charge in &leg.charges {
                *used.entry(charge.row).or_insert(0.0) += visits * charge.amount;
            }
        }
        used
    }

    /// Bytes of an operation that end at a component for one request of each stream.
    fn bytes(&self, component: &str, op: Op) -> f64 {
        let id = self.id(component);
        let legs = self.network.legs.iter().zip(self.visits());
        let there = legs.filter(|(leg, _)| leg.to == id && leg.op == op);
        there.map(|(leg, visits)| leg.bytes as f64 * visits).sum()
    }

    /// Operations that end at a component for one request of each stream.
    fn operations(&self, component: &str) -> f64 {
        let id = self.id(component);
        let legs = self.network.legs.iter().zip(self.visits());
        legs.filter(|(leg, _)| leg.to == id).map(|(_, visits)| visits).sum()
    }

    fn legs_to(&self, component: &str) -> Vec<&Leg> {
        let id = self.id(component);
        self.network.legs.iter().filter(|leg| leg.to == id).collect()
    }

    fn mechanism(&self, kind: &str) -> Option<(&str, bool)> {
        let told = self.network.mechanisms.iter().find(|told| told.kind == kind)?;
        Some((&told.text, told.decides))
    }
}

fn part(case: &Case, name: &str) -> PartId {
    let mut ids = case.system.ids();
    let part = ids.find(|id| case.system.part(*id).name == name);
    part.unwrap_or_else(|| panic!("no part {name}"))
}

fn near(one: f64, other: f64) {
    assert!((one - other).abs() <= 1e-9 * other.abs().max(1e-9), "{one} is not {other}");
}

/// A host with disks of 1000 operations a second in a volume.
fn raid(volume: &str, disks: u32, stream: &str) -> Built {
    let path = format!(
        "path {{ host \"h\" {{ hba {{ raid \"r\" {volume} {{ disk count={disks} ops=\"1000 /s\" \
         }} }} }} }}"
    );
    Built::of(&path, "", &format!("streams \"s\" over=\"h..r\" {stream}"))
}

#[test]
fn small_random_writes_cost_level_5_four_times_what_reads_do_and_level_10_twice() {
    let small = "block=\"4 KiB\" pattern=\"random\"";
    let reads = "op=\"read\" ";
    let writes = "op=\"write\" ";
    for (volume, disks, times) in
        [("level=5", 8, 4.0), ("level=10", 8, 2.0), ("level=6", 8, 6.0), ("level=0", 8, 1.0)]
    {
        let read = raid(volume, disks, &format!("{reads}{small}"));
        let write = raid(volume, disks, &format!("{writes}{small}"));
        for disk in ["h.hba.r.disk[0]", "h.hba.r.disk[7]"] {
            near(read.used(disk, "ops"), 1.0 / 8.0);
            near(write.used(disk, "ops"), times / 8.0);
        }
    }
}

#[test]
fn a_full_stripe_writes_one_part_more_than_it_has_data() {
    let built = raid("level=5 segment=\"128 KiB\"", 9, "op=\"write\" block=\"1 MiB\"");
    let total: f64 =
        (0..9).map(|disk| built.bytes(&format!("h.hba.r.disk[{disk}]"), Op::Write)).sum();
    near(total, f64::from(9_u32 << 20) / 8.0);
    assert!(built.network.legs.iter().all(|leg| leg.op == Op::Write), "nothing is read first");
}

#[test]
fn shares_of_columns_are_exact_whatever_the_block() {
    let path = r#"path {
        host "node" count=2 { hba { port count=2 } }
        switch "left" { port count=8 }
        switch "right" { port count=8 }
        array "a" count=6 {
            port count=2
            raid "lun" count=4 level=0 segment="64 KiB" { disk count=11 }
        }
        wire from="node.hba.port[0]" to="left.port[0-1]"
        wire from="node.hba.port[1]" to="right.port[0-1]"
        wire from="a.port[0]" to="left.port[2-7]"
        wire from="a.port[1]" to="right.port[2-7]"
    }"#;
    for (unit, block) in [("512 KiB", "1 MiB"), ("64 KiB", "1 MB"), ("1 MiB", "32 KiB")] {
        let layout = format!("stripe \"vol\" unit=\"{unit}\" over=\"a.lun\"");
        let streams = format!("streams \"r\" on=\"node\" over=\"vol\" block=\"{block}\"");
        let built = Built::of(path, &layout, &streams);
        assert_eq!(built.network.streams.len(), 2);
        let bytes: f64 = built.network.streams.iter().map(|load| load.bytes).sum();
        for array in 0..6 {
            for lun in 0..4 {
                let lun = format!("a[{array}].lun[{lun}]");
                near(built.bytes(&lun, Op::Read), bytes / 24.0);
                near(built.bytes(&format!("{lun}.disk[3]"), Op::Read), bytes / 24.0 / 11.0);
            }
        }
    }
}

#[test]
fn decimal_requests_over_106_columns_have_exact_shares_too() {
    let path = r#"path { host "h" { hba { lun count=106 } } }"#;
    let layout = r#"stripe "vol" unit="1 MiB" over="h.hba.lun""#;
    let built = Built::of(path, layout, "streams \"s\" over=\"vol\" block=\"256 MB\"");
    for lun in 0..106 {
        near(built.bytes(&format!("h.hba.lun[{lun}]"), Op::Read), 256e6 / 106.0);
    }
    let requests = built.legs_to("h.hba.lun[0]");
    assert!(requests.len() <= 4, "parts of {} sizes", requests.len());
}

#[test]
fn full_stripes_stay_apart_from_other_sizes_so_that_none_is_read_first() {
    // 256 units over 106 members are 2 or 3 full stripes of each: their mean would be none.
    let path = r#"path {
        host "h" { hba { raid "lun" count=106 level=5 segment="128 KiB" { disk count=9 } } }
    }"#;
    let layout = r#"stripe "vol" unit="1 MiB" over="h.hba.lun""#;
    let streams = "streams \"s\" over=\"vol\" op=\"write\" block=\"256 MiB\"";
    let built = Built::of(path, layout, streams);
    assert!(built.network.legs.iter().all(|leg| leg.op == Op::Write));
    near(built.bytes("h.hba.lun[5].disk[2]", Op::Write), 256.0 / 106.0 / 8.0 * f64::from(1 << 20));
}

#[test]
fn interleaved_streams_stay_on_the_columns_that_their_blocks_lie_on() {
    let path = r#"path { host "h" { hba { lun count=4 } } }"#;
    let layout = r#"stripe "vol" unit="1 MiB" over="h.hba.lun" size="1 GiB""#;
    let streams =
        r#"streams "s" over="vol" block="1 MiB" count=4 pattern="interleaved" region="shared""#;
    let built = Built::of(path, layout, streams);
    let firsts: Vec<f64> = built
        .network
        .streams
        .iter()
        .map(|load| built.network.leg(load.roots[0].0).next.len() as f64)
        .collect();
    assert_eq!(firsts, [1.0; 4], "each of four streams in step meets one column");
    for lun in 0..4 {
        near(built.bytes(&format!("h.hba.lun[{lun}]"), Op::Read), f64::from(1 << 20));
    }
}

#[test]
fn equal_requests_of_many_streams_share_their_legs() {
    let path = r#"path { host "h" { hba { lun count=2000 { disk } } } }"#;
    let layout = r#"stripe "vol" count=16 unit="1 MiB" over="h.hba.lun" size="1 TB""#;
    let streams = r#"streams "s" over="vol" block="1 MiB" count=8"#;
    let built = Built::of(path, layout, streams);
    assert_eq!(built.network.streams.len(), 128);
    assert_eq!(built.network.legs.len(), 16 + 2000 + 2000);
}

/// One controller of a pair with a cache, a volume of two disks in it.
fn cached(cache: &str, stream: &str) -> Built {
    let path = format!(
        r#"path {{
            host "h" {{ hba {{ port }} }}
            array "a" both="400 MB/s" {{
                controller count=2 {{
                    port
                    cache size="1 GiB" {cache} both="9 GB/s"
                    raid "lun" read="100 MB/s" {{ disk count=2 ops="100 /s" }}
                }}
            }}
            wire from="h.hba.port" to="a.controller[0].port"
        }}"#
    );
    Built::of(&path, "", &format!("streams \"s\" over=\"a.controller[0].lun\" {stream}"))
}

#[test]
fn hits_send_nothing_to_media_and_misses_their_share() {
    let disk = "a.controller[0].lun.disk[0]";
    for (hit, share) in [("1.0", 0.0), ("0.75", 0.25), ("0", 1.0)] {
        let stream = format!("op=\"read\" block=\"64 KiB\" hit={hit} pattern=\"random\"");
        let built = cached("", &stream);
        near(built.operations(disk), share / 2.0);
        near(built.used("a.controller[0].lun", "read"), share * 65536.0);
    }
    let write = cached("", "op=\"write\" block=\"64 KiB\" hit=1.0");
    near(write.operations(disk), 0.0);
}

#[test]
fn a_write_back_cache_answers_first_and_destages_in_the_background() {
    let built =
        cached("write=\"back\"", "op=\"write\" block=\"64 KiB\" pattern=\"random\" hit=0.5");
    let destage = built.legs_to("a.controller[0].lun");
    assert_eq!(destage.len(), 1);
    assert!(destage[0].background);
    near(built.bytes("a.controller[0].lun", Op::Write), 32768.0);
    // All of it comes in, half of it goes on.
    near(built.used("a.controller[0].cache", "both"), 65536.0 + 32768.0);
    let through = cached("write=\"through\"", "op=\"write\" block=\"64 KiB\" hit=0.5");
    assert!(through.network.legs.iter().all(|leg| !leg.background));
    near(through.bytes("a.controller[0].lun", Op::Write), 65536.0);
}

#[test]
fn a_volume_sets_how_its_cache_treats_it() {
    let path = |own: &str| {
        format!(
            r#"path {{
                host "h" {{ hba {{ port }} }}
                array "a" both="400 MB/s" {{
                    controller count=2 {{
                        port
                        cache size="1 GiB" mirror=#true
                        raid "lun" {own} {{ disk count=2 ops="100 /s" }}
                    }}
                }}
                wire from="h.hba.port" to="a.controller[0].port"
            }}"#
        )
    };
    let built = |own: &str| {
        let stream = r#"streams "s" over="a.controller[0].lun" op="write" block="64 KiB""#;
        Built::of(&path(own), "", stream)
    };
    near(built("").used("a", "both"), 65536.0);
    let alone = built("cache-mirror=#false");
    near(alone.used("a", "both"), 0.0);
    assert!(alone.legs_to("a.controller[0].lun").iter().all(|leg| leg.background));
    let through = built("write-cache=\"through\"");
    near(through.used("a", "both"), 0.0);
    assert!(through.network.legs.iter().all(|leg| !leg.background));
}

#[test]
fn a_request_through_a_cache_holds_one_token_of_its_volume() {
    let path = r#"path {
        host "h" { hba { cache size="1 GiB"; raid "r" outstanding=32 { disk count=2 } } }
    }"#;
    for op in ["read", "write"] {
        let streams = format!("streams \"s\" over=\"h..r\" op=\"{op}\" block=\"64 KiB\"");
        let built = Built::of(path, "", &streams);
        assert_eq!(built.legs_to("h.hba.cache")[0].holds.len(), 1, "{op}");
        assert!(built.legs_to("h.hba.r")[0].holds.is_empty(), "{op}");
    }
}

#[test]
fn a_mirrored_cache_sends_each_write_across_the_container_to_its_partner() {
    let stream = "op=\"write\" block=\"64 KiB\"";
    let alone = cached("", stream);
    near(alone.used("a", "both"), 0.0);
    let mirrored = cached("mirror=#true", stream);
    near(mirrored.used("a", "both"), 65536.0);
    near(mirrored.used("a.controller[1].cache", "both"), 65536.0);
    assert!(mirrored.legs_to("a.controller[1].cache").iter().all(|leg| !leg.background));
}

#[test]
fn sequential_writes_leave_a_cache_in_full_stripes() {
    let path = |cache: &str| {
        format!(
            "path {{ host \"h\" {{ hba {{ {cache}; raid \"r\" level=5 segment=\"64 KiB\" {{ disk \
             count=5 }} }} }} }}"
        )
    };
    let stream = |pattern: &str| {
        format!("streams \"s\" over=\"h..r\" op=\"write\" block=\"4 KiB\" pattern=\"{pattern}\"")
    };
    let writes = |built: &Built| -> (f64, f64) {
        let disks: Vec<String> = (0..5).map(|disk| format!("h.hba.r.disk[{disk}]")).collect();
        let sum = |op| disks.iter().map(|disk| built.bytes(disk, op)).sum();
        (sum(Op::Read), sum(Op::Write))
    };
    let cache = "cache size=\"1 GiB\"";
    let (read, written) = writes(&Built::of(&path(cache), "", &stream("sequential")));
    near(read, 0.0);
    near(written, 4096.0 * 5.0 / 4.0);
    let (read, written) = writes(&Built::of(&path(cache), "", &stream("random")));
    near(read, 8192.0);
    near(written, 8192.0);
}

#[test]
fn streams_in_step_are_served_by_a_cache_but_for_the_first() {
    let streams = "block=\"1 MiB\" count=64 region=\"shared\"";
    let built = cached("", streams);
    near(built.bytes("a.controller[0].lun", Op::Read), f64::from(1 << 20));
    let (text, decides) = built.mechanism("shared-region").expect("it is told");
    assert!(text.starts_with("64 streams s share one region"), "{text}");
    assert!(!decides);
    let alone = "block=\"1 MiB\" count=64 region=\"own\"";
    let path = r#"path { host "h" { hba { lun size="1 TiB" } } }"#;
    let apart = Built::of(path, "", &format!("streams \"s\" over=\"h..lun\" {alone}"));
    near(apart.bytes("h.hba.lun", Op::Read), 64.0 * f64::from(1 << 20));
    assert_eq!(apart.mechanism("shared-region"), None);
    let uncached = Built::of(path, "", &format!("streams \"s\" over=\"h..lun\" {streams}"));
    near(uncached.bytes("h.hba.lun", Op::Read), 64.0 * f64::from(1 << 20));
    let (text, _) = uncached.mechanism("shared-region").expect("it is told");
    assert!(text.ends_with("without a cache on the path: media read it 64 times"), "{text}");
}

#[test]
fn a_server_pays_for_what_passes_it_and_an_adapter_does_not_pay_for_its_host() {
    let path = r#"path {
        host "client" memory-rate="10 GB/s" { hba { port } }
        host "server" cpus=2 memory-rate="10 GB/s" {
            cost request="5 us"
            hba "front" { port }
            hba "back" { raid "lun" level=0 { disk count=2 } }
        }
        wire from="client.hba.port" to="server.front.port"
    }"#;
    let built = Built::of(path, "", r#"streams "s" on="client" over="server..lun" block="1 MB""#);
    near(built.used("client", "memory-rate"), 1e6);
    near(built.used("server", "memory-rate"), 2e6);
    near(built.used("server", "cpus"), 5e-6);
    let own = Built::of(path, "", r#"streams "s" on="server" over="server..lun" block="1 MB""#);
    near(own.used("server", "memory-rate"), 1e6);
    near(own.used("server", "cpus"), 5e-6);
}

/// Clients of a server that holds a volume of two disks behind its cache.
fn served(clients: u32, cache: &str, stream: &str) -> Built {
    let (cpus, cache) = if cache == "cpus" { ("cpus=4", "") } else { ("", cache) };
    let path = format!(
        r#"path {{
            host "client" count={clients} {{ hba {{ port }} }}
            switch "leaf" {{ port count=16 }}
            host "server" {cpus} memory-rate="10 GB/s" {{
                {cache}
                hba "front" {{ port }}
                hba "back" {{ disk count=2 }}
            }}
            wire from="client.hba.port" to="leaf.port[0-{}]"
            wire from="server.front.port" to="leaf.port[15]"
        }}"#,
        clients - 1
    );
    let layout = r#"stripe "v" unit="64 KiB" at="server" over="server.back.disk" size="1 GB""#;
    let streams = format!("streams \"s\" on=\"client\" over=\"v\" block=\"1 MB\" {stream}");
    Built::of(&path, layout, &streams)
}

#[test]
fn a_server_without_processors_is_told_and_one_with_some_is_not() {
    let told = |built: &Built| {
        let texts = built.network.mechanisms.iter().filter(|one| one.kind == "processor-time");
        texts.filter(|one| one.text.starts_with("what server serves")).count()
    };
    assert_eq!(told(&served(3, "", "")), 1);
    assert_eq!(told(&served(3, "cpus", "")), 0);
}

#[test]
fn unrated_media_are_named_unless_something_is_rated_for_them() {
    let unrated = |path: &str, layout: &str, stream: &str| {
        let streams = format!("streams \"s\" block=\"64 KiB\" {stream}");
        let built = Built::of(&format!("path {{ host \"h\" {{ {path} }} }}"), layout, &streams);
        built.mechanism("medium-rating").map(|(text, _)| text.to_owned())
    };
    let hba = |disk: &str| format!("hba \"hba\" read=\"1 GB/s\" {{ {disk} }}");
    let of =
        |disk: &str, op: &str| unrated(&hba(disk), "", &format!("over=\"h.hba..d\" op=\"{op}\""));
    let none = Some("nothing limits h.hba.d, because no rating is stated".to_owned());
    assert_eq!(of("disk \"d\" count=3", "read"), none);
    let read = "disk \"d\" read=\"100 MB/s\"";
    assert_eq!(of(read, "read"), None);
    let writes = "nothing limits writes of h.hba.d, because no rating of them is stated";
    assert_eq!(of(read, "write").as_deref(), Some(writes));
    assert_eq!(of("disk \"d\" latency=\"5 ms\"", "read"), None);
    let array = "array \"a\" read=\"1 GB/s\" { disk \"d\" }";
    assert_eq!(unrated(&hba(array), "", "over=\"h.hba.a.d\""), None);
    let volume = "stripe \"v\" unit=\"64 KiB\" over=\"h.hba.d\" read=\"1 GB/s\"";
    assert_eq!(unrated(&hba("disk \"d\" count=2 size=\"1 GB\""), volume, "over=\"v\""), None);
}

#[test]
fn what_a_cache_of_a_server_does_not_serve_crosses_its_memory_twice() {
    let crossed =
        |cache: &str, stream: &str| served(1, cache, stream).used("server", "memory-rate");
    let cache = "cache size=\"1 GiB\"";
    near(crossed("", ""), 2e6);
    near(crossed(cache, ""), 2e6);
    near(crossed(cache, "hit=0.75"), 1.25e6);
    near(crossed(cache, "hit=1.0"), 1e6);
    near(crossed(cache, "op=\"write\""), 2e6);
    near(crossed(cache, "op=\"write\" hit=0.5"), 1.5e6);
    near(crossed("cache size=\"1 GiB\" write=\"through\"", "op=\"write\""), 2e6);
}

#[test]
fn a_cache_of_a_server_serves_streams_in_step_of_all_its_clients() {
    let read = |cache: &str, stream: &str| {
        let built = served(8, cache, stream);
        let told = built.mechanism("shared-region").map(|told| told.0.to_owned());
        (built.bytes("server.back.disk[0]", Op::Read), told.unwrap_or_default())
    };
    let (bytes, told) = read("cache size=\"1 GiB\"", "region=\"shared\"");
    near(bytes, 5e5);
    assert!(told.ends_with("caches serve all but the first of them"), "{told}");
    let (bytes, _) = read("cache size=\"1 GiB\"", "region=\"shared\" count=3");
    near(bytes, 5e5);
    let (bytes, told) = read("", "region=\"shared\"");
    near(bytes, 8.0 * 5e5);
    assert!(told.ends_with("media read it 8 times"), "{told}");
}

#[test]
fn a_page_cache_serves_streams_in_step_of_its_own_machine() {
    let path = r#"path {
        host "a" { hba { port } }
        host "b" { hba { port } }
        array "box" { controller { port count=2; lun size="1 TB" { disk } } }
        wire from="a.hba.port" to="box.controller.port[0]"
        wire from="b.hba.port" to="box.controller.port[1]"
    }"#;
    let layout = r#"filesystem "fs" on="box..lun" cache="buffered"; file "f" on="fs" size="1 GB""#;
    let streams = r#"streams "s" on="a" over="f" block="1 MB" count=3 region="shared""#;
    let built = Built::of(path, layout, streams);
    near(built.bytes("box.controller.lun", Op::Read), 1e6);
    // Each machine reads it once.
    let streams = r#"streams "s" on="a,b" over="f" block="1 MB" count=3 region="shared""#;
    let built = Built::of(path, layout, streams);
    near(built.bytes("box.controller.lun", Op::Read), 2e6);
}

#[test]
fn hits_without_a_cache_are_a_mistake() {
    let path = r#"path { host "h" { hba { lun count=3 { disk } } } }"#;
    let streams = r#"streams "s" over="h.hba.lun" block="4 KiB" hit=0.5"#;
    let mistakes = Network::build(&case(path, "", streams), &BTreeSet::new()).unwrap_err();
    let kinds: Vec<_> = mistakes.iter().map(|mistake| mistake.kind).collect();
    assert_eq!(kinds, [PathMistakeKind::Cache], "once for all its streams");
}

#[test]
fn members_that_make_up_no_volume_are_a_mistake() {
    let path = r#"path { host "h" { hba { raid "r" level=6 { disk count=3 } } } }"#;
    let streams = r#"streams "s" over="h..r" block="4 KiB""#;
    let mistakes = Network::build(&case(path, "", streams), &BTreeSet::new()).unwrap_err();
    let told: Vec<_> = mistakes.iter().map(|one| (one.kind, one.text.as_str())).collect();
    let text = "h.hba.r has 3 members without spares; level 6 needs 4";
    assert_eq!(told, [(PathMistakeKind::Geometry, text)]);
}

#[test]
fn layouts_that_offsets_cannot_count_are_a_mistake_at_their_unit() {
    let path = r#"path { host "h" { hba { lun count=4 size="4194304 TiB" } } }"#;
    let streams = r#"streams "s" over="v" block="4 KiB""#;
    for layout in [
        r#"stripe "v" unit="4194304 TiB" over="h.hba.lun" size="1 TiB""#,
        r#"concat "v" over="h.hba.lun" size="1 TiB""#,
        r#"raid "v" level=5 segment="4194304 TiB" over="h.hba.lun" size="1 TiB""#,
        r#"filesystem "fs" on="h.hba.lun" block="4194304 TiB"; file "v" on="fs" size="1 TiB""#,
    ] {
        let case = case(path, layout, streams);
        let mistakes = Network::build(&case, &BTreeSet::new()).unwrap_err();
        let kinds: Vec<_> = mistakes.iter().map(|mistake| mistake.kind).collect();
        assert_eq!(kinds, [PathMistakeKind::Geometry], "{layout}");
        let found = iopath_path::check(&case, &BTreeSet::new());
        let rules: Vec<_> = found.iter().filter(|one| one.severity == Severity::Mistake).collect();
        let long = |one: &&&PathFinding| one.rule == Rule::LayoutTooLong;
        assert_eq!(rules.iter().filter(long).count(), 1, "{layout}: {rules:?}");
    }
    // The longest that there is can be followed.
    let layout = r#"stripe "v" unit="1048576 TiB" over="h.hba.lun" size="4194304 TiB""#;
    for block in ["4 KiB", "4194304 TiB"] {
        let streams = format!("streams \"s\" over=\"v\" block=\"{block}\"");
        let built = Built::of(path, layout, &streams);
        let bytes: f64 =
            (0..4).map(|lun| built.bytes(&format!("h.hba.lun[{lun}]"), Op::Read)).sum();
        near(bytes, built.network.streams[0].bytes);
    }
}

#[test]
fn a_disk_spends_its_arm_on_bytes_and_positions() {
    let disk = |pattern: &str| {
        let path = r#"path { host "h" { hba { disk stream="100 MB/s" position="5 ms" } } }"#;
        let streams =
            format!("streams \"s\" over=\"h..disk\" block=\"1 MB\" pattern=\"{pattern}\"");
        Built::of(path, "", &streams).used("h.hba.disk", "arm")
    };
    near(disk("sequential"), 0.010);
    near(disk("random"), 0.015);
    near(disk("backwards"), 0.015);
}

#[test]
fn heads_pass_over_the_parity_between_data_or_move_over_it() {
    let without = |removed: &[&str], level: u32, load: &str| {
        let path = format!(
            "path {{ host \"h\" {{ hba {{ raid \"r\" level={level} segment=\"1 MB\" {{
                disk count=12 stream=\"100 MB/s\" position=\"15 ms\" position-queued=\"12 ms\"
             }} }} }} }}"
        );
        let load = format!("streams \"s\" over=\"h..r\" {load}");
        Built::without(&path, "", &load, removed).used("h.hba.r.disk[3]", "arm")
    };
    let arm = |level: u32, load: &str| without(&[], level, load);
    let read = "op=\"read\" block=\"1 MB\"";
    // Each of twelve disks has a twelfth of the requests, and passes its bytes in 10 ms. Parity of
    // one segment passes in 10 ms, once for eleven of data; two of it in 20, more than a move.
    near(arm(5, read), (10e-3 + 10e-3 / 11.0) / 12.0);
    near(arm(6, read), (10e-3 + 12e-3 / 10.0) / 12.0);
    near(arm(60, read), (10e-3 + 12e-3 / 4.0) / 12.0);
    // Of a stream that writes, too, some request or other writes the parity.
    let mixed = "op=\"mix\" reads=0.5 block=\"11 MB\"";
    near(arm(5, mixed), (10e-3 * 11.0 / 12.0 + 10e-3) / 2.0);
    // Nothing is between data where parity has a disk of its own or is written too, and heads that
    // move anyway pass over nothing.
    near(arm(4, read), 10e-3 / 11.0);
    near(arm(0, read), 10e-3 / 12.0);
    near(arm(5, &format!("{read} pattern=\"random\"")), 22e-3 / 12.0);
    near(arm(5, "op=\"write\" block=\"11 MB\""), 10e-3);
    // Without a disk a scan reads ten of eleven in each row, and passes over the other parity.
    let degraded = without(&["h.hba.r.disk[0]"], 6, "op=\"read\" block=\"10 MB\"");
    near(degraded, 10e-3 * 10.0 / 11.0 * 1.1);
    near(without(&["h.hba.r.disk[0]"], 5, "op=\"read\" block=\"11 MB\""), 10e-3);
}

#[test]
fn a_device_without_an_arm_takes_a_fixed_time_and_its_bytes() {
    let drive = |stream: &str| {
        let path = r#"path { host "h" {
            ssd read="1 GB/s" write="500 MB/s" read-time="10 us" write-time="20 us"
        } }"#;
        let streams = format!("streams \"s\" over=\"h..ssd\" {stream}");
        Built::of(path, "", &streams).used("h.ssd", "arm")
    };
    near(drive("block=\"1 MB\""), 0.001_010);
    near(drive("block=\"4 kB\" pattern=\"random\""), 0.000_014);
    near(drive("block=\"1 MB\" op=\"write\""), 0.002_020);
    near(
        drive("block=\"4 kB\" op=\"mix\" reads=\"50 %\" pattern=\"random\""),
        0.5 * (14e-6 + 28e-6),
    );
}

/// A file on a file system on one disk.
fn filed(file_system: &str, inside: &str, workload: &str) -> Built {
    let path = r#"path {
        host "h" cpus=4 memory-rate="10 GB/s" {
            cost request="10 us" copy="1 GB/s" pin="2 GB/s"
            hba { disk size="1 TB" }
        }
    }"#;
    let layout = format!(
        "filesystem \"fs\" on=\"h..disk\" {file_system} {{ {inside} }}\nfile \"f\" on=\"fs\" \
         size=\"10 GB\""
    );
    Built::of(path, &layout, &format!("streams \"s\" over=\"f\" {workload}"))
}

#[test]
fn processors_copy_when_buffered_and_pin_when_direct() {
    let block = "block=\"1 MB\" depth=2";
    let direct = filed("", "issue pinned=#true", block);
    near(direct.used("h", "cpus"), 10e-6);
    near(direct.used("h", "memory-rate"), 1e6);
    let pinning = filed("", "issue pinned=#false", block);
    near(pinning.used("h", "cpus"), 10e-6 + 0.5e-3);
    let buffered = filed("cache=\"buffered\"", "", block);
    near(buffered.used("h", "cpus"), 10e-6 + 1e-3);
    near(buffered.used("h", "memory-rate"), 3e6);
}

#[test]
fn readahead_makes_requests_of_its_unit_and_keeps_them_in_flight() {
    let ahead =
        filed("cache=\"buffered\"", "readahead unit=\"512 KiB\" streams=24", "block=\"32 KiB\"");
    let disk = ahead.legs_to("h.hba.disk");
    assert_eq!(disk.iter().map(|leg| leg.bytes).collect::<Vec<_>>(), [512 << 10]);
    near(ahead.bytes("h.hba.disk", Op::Read), 32768.0);
    near(ahead.network.streams[0].in_flight, 24.0 * 16.0);
    let off =
        filed("cache=\"buffered\"", "readahead unit=\"512 KiB\" streams=0", "block=\"32 KiB\"");
    assert_eq!(off.legs_to("h.hba.disk")[0].bytes, 32 << 10);
    near(off.network.streams[0].in_flight, 1.0);
    let random = "block=\"32 KiB\" pattern=\"random\"";
    let random = filed("cache=\"buffered\"", "readahead unit=\"512 KiB\" streams=24", random);
    assert_eq!(random.legs_to("h.hba.disk")[0].bytes, 32 << 10);
}

#[test]
fn part_of_a_record_is_read_before_it_is_written_again() {
    let record = "cache=\"buffered\" record=\"128 KiB\"";
    let disk = |workload: &str| {
        let built = filed(record, "", workload);
        (built.bytes("h.hba.disk", Op::Read), built.bytes("h.hba.disk", Op::Write))
    };
    let (read, written) = disk("op=\"write\" block=\"64 KiB\"");
    near(read, 0.0);
    near(written, 65536.0);
    let (read, written) = disk("op=\"write\" block=\"64 KiB\" pattern=\"random\"");
    near(read, 131_072.0);
    near(written, 131_072.0);
    let (read, written) = disk("op=\"write\" block=\"256 KiB\" pattern=\"random\"");
    near(read, 0.0);
    near(written, 262_144.0);
    let again = r#"op="write" block="64 KiB"
        streams "t" over="f" op="write" block="64 KiB" after="s""#;
    let (read, written) = disk(again);
    near(read, 65536.0);
    near(written, 2.0 * 65536.0);
    let waits = |inside: &str| {
        let built = filed(record, inside, again);
        let mut reads = built.network.legs.iter().filter(|leg| leg.op == Op::Read);
        !reads.next().expect("records are read").background
    };
    assert!(waits(""));
    assert!(!waits("readahead unit=\"128 KiB\" streams=4"), "it is there when its change comes");
}

#[test]
fn requests_that_make_up_a_record_wait_for_it_once() {
    let built = filed("cache=\"buffered\" record=\"128 KiB\"", "", "block=\"32 KiB\"");
    let next = built.legs_to("fs")[0].next[0];
    near(next.times, 0.25);
    near(next.at_once, 1.0);
    // What is read ahead is counted in flight: there each of them waits.
    let ahead = "readahead unit=\"128 KiB\" streams=2";
    let built = filed("cache=\"buffered\"", ahead, "block=\"32 KiB\"");
    let next = built.legs_to("fs")[0].next[0];
    near(next.at_once, next.times);
    near(built.network.streams[0].in_flight, 8.0);
}

/// A file on four disks of data and one of parity, of the machine or of its adapter.
fn on_parity(at: &str, file_system: &str, stream: &str) -> Built {
    let path = "path { host \"h\" { hba \"a\" { disk count=5 size=\"1 TB\" } } }";
    let layout = format!(
        "raid \"r\" level=5 over=\"h.a.disk\" {at}\nfilesystem \"fs\" on=\"r\" \
         {file_system}\nfile \"f\" on=\"fs\" size=\"10 GB\""
    );
    let op = if stream.contains("op=") { "" } else { "op=\"write\"" };
    Built::of(path, &layout, &format!("streams \"s\" over=\"f\" block=\"32 KiB\" {op} {stream}"))
}

impl Built {
    /// Bytes read from the disks, and written to them, for each byte of a stream.
    fn amplified(&self) -> [f64; 2] {
        [Op::Read, Op::Write].map(|op| {
            let disks = (0..5).map(|disk| self.bytes(&format!("h.a.disk[{disk}]"), op));
            disks.sum::<f64>() / self.network.streams[0].bytes
        })
    }

    fn finds(&self, rule: Rule) -> bool {
        iopath_path::findings(&self.case, &self.network).iter().any(|one| one.rule == rule)
    }
}

#[test]
fn software_raid_gathers_full_stripes_of_what_a_page_cache_writes_in_order() {
    let buffered = r#"cache="buffered""#;
    let in_order = [
        "",
        "pattern=\"backwards\"",
        "count=4",
        "sync=\"end\"",
        "sync=\"fdatasync\" sync-every=32",
        "count=4 region=\"shared\" pattern=\"interleaved\"",
    ];
    for stream in in_order {
        let built = on_parity("", buffered, stream);
        let [reads, writes] = built.amplified();
        let count = built.network.streams.len() as f64;
        near(reads, 0.0);
        near(writes / count, 1.25);
        let found = [Rule::SmallWrites, Rule::PartialStripe].map(|rule| built.finds(rule));
        assert_eq!(found, [false; 2], "{stream}");
    }
    // A merged request is as large as kernels hand down, whatever it is split into.
    let built = on_parity("", buffered, "");
    assert!(built.legs_to("r").iter().all(|leg| leg.bytes == 1 << 20));
    // A flush comes before its stripe is full: what is left of it is read.
    let flushed = on_parity("segment=\"512 KiB\"", buffered, "sync=\"fdatasync\" sync-every=32");
    assert!(flushed.amplified()[0] > 0.5 && flushed.finds(Rule::SmallWrites));
    let says = |built: &Built| {
        let found = iopath_path::findings(&built.case, &built.network);
        let found = found.into_iter().find(|one| one.rule == Rule::SmallWrites);
        found.expect("a small write").text
    };
    assert!(says(&flushed).contains("writes of 1 MiB, merged by the page cache,"));
    let in_records = "cache=\"buffered\" record=\"64 KiB\"";
    let recorded = says(&on_parity("", in_records, "pattern=\"random\""));
    assert!(recorded.contains("writes of 64 KiB are smaller"), "{recorded}");
    assert!(flushed.legs_to("r").iter().all(|leg| leg.bytes == 1 << 20));
    let few = on_parity("", buffered, "sync=\"fdatasync\" sync-every=3");
    assert!(few.amplified()[0] > 0.5 && few.legs_to("r").iter().all(|leg| leg.bytes == 96 << 10));
    let others = [
        (buffered, "pattern=\"random\""),
        (buffered, "op=\"mix\" reads=0.5"),
        (buffered, "sync=\"dsync\""),
        ("", ""),
        ("cache=\"buffered\" record=\"32 KiB\"", ""),
    ];
    for (file_system, stream) in others {
        let built = on_parity("", file_system, stream);
        let [reads, _] = built.amplified();
        assert!(reads > 0.1, "{file_system} {stream}: {reads}");
        assert!(built.finds(Rule::SmallWrites), "{file_system} {stream}");
    }
    // An adapter gets what was merged, and gathers nothing: 1 MiB are two thirds of its stripe.
    let adapter = on_parity("at=\"h.a\" segment=\"384 KiB\"", buffered, "");
    let [reads, _] = adapter.amplified();
    assert!(reads > 0.1 && adapter.finds(Rule::SmallWrites), "{reads}");
}

#[test]
fn one_writer_holds_the_lock_of_a_file_and_readers_do_not() {
    let holds = |op: &str| {
        let built = filed("lock=\"inode\"", "", &format!("op=\"{op}\" block=\"1 MB\""));
        let pools = built.legs_to("f")[0].holds.iter().map(|hold| {
            let pool = &built.network.pools[hold.pool.0 as usize];
            (pool.property, pool.tokens, hold.tokens)
        });
        pools.collect::<Vec<_>>()
    };
    assert_eq!(holds("write"), [("lock", 1, 1.0)]);
    assert_eq!(holds("read"), []);
}

#[test]
fn threads_of_a_file_system_are_held_by_blocks_and_capped_by_their_rate() {
    let built = filed(
        "cache=\"buffered\" block=\"4 MB\"",
        "prefetch threads=400 rate-cap=\"5000 MB/s\"",
        "block=\"8 MB\"",
    );
    let hold = built.legs_to("fs")[0].holds[0];
    let pool = &built.network.pools[hold.pool.0 as usize];
    assert_eq!((pool.property, pool.tokens), ("threads", 400));
    near(hold.tokens, 2.0);
    near(built.network.streams[0].in_flight, 200.0);
    near(built.used("fs.prefetch", "rate-cap"), 8e6);
}

#[test]
fn groups_that_a_file_system_commits_are_told_of_what_writes_through_its_cache() {
    let told = |cache: &str, op: &str| {
        let inside = "commit interval=\"5 s\" flushes=2";
        let built = filed(cache, inside, &format!("block=\"1 MB\" op=\"{op}\""));
        built.mechanism("commit").map(|(text, decides)| (text.to_owned(), decides))
    };
    let (text, decides) = told("cache=\"buffered\"", "write").unwrap();
    assert!(text.starts_with("fs commits writes in groups"), "{text}");
    assert!(!decides, "a bound without it is still one to hold against a figure");
    assert_eq!(told("cache=\"buffered\"", "read"), None);
    assert_eq!(told("", "write"), None);
}

#[test]
fn what_the_page_cache_serves_is_copied_and_no_more() {
    let used = |hit: &str, op: &str| {
        let built = filed(
            "cache=\"buffered\" block=\"250 kB\"",
            "prefetch threads=10 rate-cap=\"1 GB/s\"",
            &format!("op=\"{op}\" block=\"1 MB\" depth=64 hit={hit}"),
        );
        let threads = |leg: &&Leg| leg.holds.iter().map(|hold| hold.tokens).sum::<f64>();
        let held: f64 = built.legs_to("fs").iter().map(threads).sum();
        let capped = match hit {
            "1.0" => 0.0,
            _ => built.used("fs.prefetch", "rate-cap"),
        };
        (built.used("h", "memory-rate"), capped, held)
    };
    for op in ["read", "write"] {
        assert_eq!(used("1.0", op), (2e6, 0.0, 0.0));
        assert_eq!(used("0.5", op), (2.5e6, 5e5, 2.0));
        assert_eq!(used("0", op), (3e6, 1e6, 4.0));
    }
    // Of streams in step the first one fetches for all.
    let step = "block=\"1 MB\" count=4 region=\"shared\"";
    let built = filed("cache=\"buffered\"", "prefetch threads=10 rate-cap=\"1 GB/s\"", step);
    near(built.used("h", "memory-rate"), 4.0 * 2e6 + 1e6);
    near(built.used("fs.prefetch", "rate-cap"), 1e6);
}

#[test]
fn blocks_go_out_one_after_the_other_where_issue_is_serial() {
    let path = r#"path { host "h" { hba { lun count=8 } } }"#;
    let layout = r#"
        filesystem "fs" on="h..lun" block="1 MiB" allocation="random" { issue mode="serial" }
        file "f" on="fs" size="1 GiB""#;
    let built = Built::of(path, layout, "streams \"s\" over=\"f\" block=\"16 MiB\"");
    let leg = built.legs_to("fs")[0];
    assert!(leg.serial);
    near(leg.next.iter().map(|next| next.times).sum(), 16.0);
    near(built.bytes("h.hba.lun[3]", Op::Read), f64::from(2 << 20));
}

#[test]
fn requests_to_a_served_volume_go_to_its_node_and_its_parts_on_from_there() {
    let path = r#"path {
        host "aix" { hba { port } }
        switch "fabric" { port count=8 }
        array "pair" both="1 GB/s" {
            controller "node" count=2 ops="1000 /s" {
                port
                cache size="4 GB" mirror=#true
            }
        }
        array "back" {
            controller { port; raid "lun" count=4 level=0 { disk count=2 } }
        }
        wire from="aix.hba.port" to="fabric.port[0]"
        wire from="pair.node.port" to="fabric.port[1-2]"
        wire from="back.controller.port" to="fabric.port[3]"
    }"#;
    let layout = r#"stripe "vdisk" at="pair.node" unit="1 MiB" over="back..lun""#;
    let stream = |op: &str| {
        format!(
            "streams \"s\" over=\"vdisk[0]\" op=\"{op}\" block=\"4 KiB\" pattern=\"random\" hit=0.5"
        )
    };
    let read = Built::of(path, layout, &stream("read"));
    near(read.used("pair.node[0]", "ops"), 1.0);
    near(read.used("pair", "both"), 0.0);
    near(read.bytes("back.controller.lun[2]", Op::Read), 4096.0 * 0.5 / 4.0);
    let write = Built::of(path, layout, &stream("write"));
    // The write itself at its node, its copy at the other.
    near(write.used("pair.node[0]", "ops"), 1.0);
    near(write.used("pair.node[1]", "ops"), 1.0);
    near(write.used("pair", "both"), 4096.0);
    let destage = write.legs_to("vdisk[0]");
    assert!(destage.len() == 1 && destage[0].background);
}

#[test]
fn without_its_partner_a_mirrored_cache_writes_through() {
    let path = r#"path {
        host "h" { hba { port } }
        array "a" {
            controller count=2 { port; cache size="1 GiB" mirror=#true; lun { disk } }
        }
        switch "w" { port count=3 }
        wire from="h.hba.port" to="w.port[0]"
        wire from="a.controller.port" to="w.port[1-2]"
    }"#;
    let streams = r#"streams "s" over="a.controller[0].lun" op="write" block="64 KiB""#;
    let whole = Built::of(path, "", streams);
    assert!(whole.legs_to("a.controller[0].lun")[0].background);
    let degraded = Built::without(path, "", streams, &["a.controller[1]"]);
    assert!(!degraded.legs_to("a.controller[0].lun")[0].background);
}

#[test]
fn a_degraded_volume_reads_all_survivors_for_what_is_lost() {
    let path = r#"path { host "h" { hba { raid "r" level=5 { disk count=5 } } } }"#;
    let streams = r#"streams "s" over="h..r" block="4 KiB" pattern="random""#;
    let whole = Built::of(path, "", streams);
    near(whole.operations("h.hba.r.disk[1]"), 0.2);
    let degraded = Built::without(path, "", streams, &["h.hba.r.disk[0]"]);
    near(degraded.operations("h.hba.r.disk[1]"), 0.4);
    near(degraded.operations("h.hba.r.disk[0]"), 0.0);
}

#[test]
fn a_rate_is_shared_by_the_streams_of_its_declaration() {
    let path = r#"path { host "h" { hba { lun count=4 } } }"#;
    let streams = r#"streams "s" over="h..lun" block="4 KiB" count=5 rate="1000 /s" depth=64"#;
    let built = Built::of(path, "", streams);
    let wants: f64 = built.network.streams.iter().filter_map(|load| load.wants_per_sec).sum();
    near(wants, 1000.0);
    near(built.network.streams[0].in_flight, 64.0);
}

#[test]
fn the_spc1_like_load_has_the_published_mix() {
    let path = r#"path { host "h" { hba { lun size="1 TB" { disk } } } }"#;
    let streams = r#"streams "s" over="h..lun" pattern="spc1-like" op="mix" reads=0.5 \
        block="4 KiB" rate="1000 /s" load=0.5"#;
    let built = Built::of(path, "", streams);
    let load = &built.network.streams[0];
    near(load.roots.iter().map(|(_, share)| share).sum(), 1.0);
    let reads = load.roots.iter().filter(|(leg, _)| built.network.leg(*leg).op == Op::Read);
    let reads: f64 = reads.map(|(_, share)| share).sum();
    assert!((reads - 0.394).abs() < 0.001, "{reads}");
    assert!((load.bytes / 1024.0 - 8.0).abs() < 0.05, "{}", load.bytes);
    near(load.wants_per_sec.expect("open"), 500.0);
}

#[test]
fn sequential_streams_that_meet_at_an_arm_are_told_and_decide_only_where_arms_could_bind() {
    let path = |adapter: &str| {
        format!(
            r#"path {{ host "h" {{ hba read="{adapter}" {{
                raid "r" level=0 segment="1 MiB" {{ disk count=4 stream="100 MB/s" position="5 ms" }}
            }} }} }}"#
        )
    };
    let layout = r#"file "f" count=8 on="fs" size="10 GB"
        filesystem "fs" on="h..r""#;
    let streams = "streams \"s\" over=\"f\" block=\"4 MiB\"";
    // Four arms pass 400 MB/s, and 270 if each part of 1 MiB has to reach its place.
    let slow = Built::of(&path("200 MB/s"), layout, streams);
    let (text, decides) = slow.mechanism("interleaved-streams").expect("told");
    assert!(text.starts_with("8 sequential streams share each arm of h.hba.r.disk"), "{text}");
    assert!(!decides, "the adapter binds in any order");
    let fast = Built::of(&path("1 GB/s"), layout, streams);
    assert_eq!(fast.mechanism("interleaved-streams").map(|told| told.1), Some(true));
    let one = "streams \"s\" over=\"f[0]\" block=\"4 MiB\"";
    assert_eq!(Built::of(&path("1 GB/s"), layout, one).mechanism("interleaved-streams"), None);
}

#[test]
fn a_stream_that_reads_and_one_that_writes_meet_at_an_arm() {
    let path = r#"path { host "h" { hba { disk "d" stream="200 MB/s" position="8 ms" } } }"#;
    let told = |streams: &str| {
        let built = Built::of(path, "", streams);
        built.mechanism("interleaved-streams").map(|(text, decides)| (text.to_owned(), decides))
    };
    let of = |name: &str, more: &str| format!("streams \"{name}\" over=\"h..d\" {more}\n");
    let [read, write] = ["r", "w"].map(|name| {
        let op = if name == "r" { "read" } else { "write" };
        of(name, &format!("op=\"{op}\" block=\"64 KiB\""))
    });
    assert_eq!(told(&read), None);
    let (text, decides) = told(&format!("{read}{write}")).expect("they meet");
    assert!(text.starts_with("2 sequential streams share each arm of h.hba.d"), "{text}");
    assert!(decides, "each reads or writes where the other was not");
    // One stream goes on where it was, whether it reads or writes.
    assert_eq!(told(&of("m", "op=\"mix\" reads=0.5 block=\"64 KiB\"")), None);
    let random = of("x", "op=\"write\" block=\"64 KiB\" pattern=\"random\"");
    let (text, decides) = told(&format!("{read}{random}")).expect("the arm goes to and fro");
    let both = "1 sequential stream and 1 random stream share each arm of h.hba.d";
    assert!(text.starts_with(both), "{text}");
    assert!(decides, "a scan is no longer sequential");
    assert_eq!(told(&format!("{random}{random}").replacen("\"x\"", "\"y\"", 1)), None);
}

#[test]
fn adaptive_routes_share_what_is_written_by_what_they_can_write() {
    let path = r#"path {
        host "h" { hba "one" read="1 GB/s" write="1 GB/s"; hba "two" read="100 MB/s" write="1 GB/s" }
        switch "s"
        array "a" { port count=2 read="1 GB/s" write="1 GB/s"; lun { ssd } }
        wire from="h.one" to="s"
        wire from="h.two" to="s"
        wire from="a.port" to="s"
        multipath policy="queue-length"
    }"#;
    let share = |op: &str| {
        let stream = format!("streams \"x\" over=\"a.lun\" op=\"{op}\" block=\"1 MiB\"");
        let network = Built::of(path, "", &stream).network;
        let (root, _) = network.streams[0].roots[0];
        let is_one = |route: &iopath_path::Route| {
            route.crossed.iter().any(|(id, _)| network.component(*id).name == "h.one")
        };
        let ways = network.leg(root).ways.iter().filter(|way| is_one(network.route(way.route)));
        ways.map(|way| way.share).sum::<f64>()
    };
    near(share("write"), 0.5);
    near(share("read"), 10.0 / 11.0);
}

#[test]
fn a_sequential_stream_is_told_to_be_on_one_member_of_a_concatenation() {
    let told = |members: u32, pattern: &str| {
        let path = format!(r#"path {{ host "h" {{ nvme "n" count={members} size="1 TB" }} }}"#);
        let stream = format!(r#"streams "r" over="c" block="1 MiB" pattern="{pattern}""#);
        let built = Built::of(&path, "concat \"c\" over=\"h.n\"", &stream);
        built.mechanism("concat").map(|(_, decides)| decides)
    };
    assert_eq!(told(4, "sequential"), Some(false));
    assert_eq!(told(4, "random"), None);
    assert_eq!(told(1, "sequential"), None);
}

#[test]
fn a_stream_meets_an_arm_once_whatever_leads_it_there() {
    let path = r#"path {
        host "h" count=2 { hba }
        array "a" { controller count=2 { port count=2
            raid "r" level=5 segment="256 KiB" { disk count=5 stream="200 MB/s" position="8 ms" } } }
        wire from="h[0].hba" to="a.controller[0].port[0]"
        wire from="h[1].hba" to="a.controller[0].port[1]"
    }"#;
    let layout = r#"stripe "v" unit="1 MiB" over="a..r"
        stripe "w" unit="1 MiB" at="a.controller" over="a..r""#;
    for (streams, told) in [
        (r#"on="h[0]" over="v""#, None),
        (r#"on="h" over="v""#, Some("2 ")),
        (r#"on="h" over="v" count=2"#, Some("4 ")),
        (r#"on="h[0]" over="w[0]""#, None),
        (r#"on="h[0]" over="w""#, Some("2 ")),
        (r#"on="h" over="w" count=2"#, Some("8 ")),
        (r#"on="h" over="w" count=2 pattern="random""#, None),
    ] {
        let built = Built::of(path, layout, &format!("streams \"s\" {streams} block=\"1 MiB\""));
        let text = built.mechanism("interleaved-streams").map(|(text, _)| text);
        assert_eq!(text.is_some(), told.is_some(), "{streams}: {text:?}");
        let begins = told.is_none_or(|told| text.is_some_and(|text| text.starts_with(told)));
        assert!(begins, "{streams}: {text:?}");
    }
}

#[test]
fn bytes_of_every_row_are_the_bytes_that_pass_it() {
    // Rows of bytes at an end are charged with what ends there.
    let built = cached("", "op=\"read\" block=\"64 KiB\" hit=0.25");
    for (row, amount) in built.rows() {
        let row = built.network.row(row);
        if row.measure == Measure::Bytes && row.property == "read" {
            near(amount, 0.75 * 65536.0);
        }
    }
}

#[test]
fn copies_of_a_mirrored_cache_use_up_what_a_partner_does_but_not_what_it_is_rated_to_write() {
    let path = r#"path {
        host "h" { hba { port count=2 } }
        array "a" both="3 GB/s" {
            controller count=2 write="2 GB/s" write-ops="900 /s" both="5 GB/s" ops="1000 /s" {
                port
                cache size="1 GiB" mirror=#true
                lun { disk }
            }
        }
        wire from="h.hba.port" to="a.controller.port"
    }"#;
    let stream = "streams \"s\" over=\"a.controller[0].lun\" op=\"write\" block=\"1 MiB\"";
    let built = Built::of(path, "", stream);
    let megabyte = f64::from(1 << 20);
    near(built.used("a.controller[0]", "write"), megabyte);
    near(built.used("a.controller[1]", "write"), 0.0);
    near(built.used("a.controller[1]", "write-ops"), 0.0);
    near(built.used("a.controller[1]", "both"), megabyte);
    near(built.used("a.controller[1]", "ops"), 1.0);
    near(built.used("a", "both"), megabyte);
}
