//! Whose traffic reappears where, and how often.

use iopath_entities::{Flows, StreamClass, Table, relations};
use iopath_path::{ComponentId, LegId, Network};
use iopath_record::Relation;
use iopath_study::Case;

use crate::text::{case, record};

const PATH: &str = r#"host "h" { disk count=2 read="100 MB/s" write="100 MB/s" }"#;

/// Requests of every leg, where every stream makes so many.
fn requests(network: &Network, each: f64) -> Vec<f64> {
    let mut requests = vec![0.0; network.legs.len()];
    for (leg, share) in network.streams.iter().flat_map(|stream| &stream.roots) {
        requests[leg.0 as usize] += each * share;
    }
    for at in 0..requests.len() {
        for next in &network.legs[at].next {
            requests[next.leg.0 as usize] += requests[at] * next.times;
        }
    }
    requests
}

/// The relations where streams make so many requests, and so large a share of what these lead to
/// by the layout was there: a cache had the rest.
pub(crate) fn of(
    case: &Case,
    network: &Network,
    table: &Table,
    each: f64,
    share: f64,
) -> Vec<Relation> {
    let all = requests(network, each);
    let requests = |leg: LegId| all[leg.0 as usize];
    let led_to =
        |leg: LegId, place: usize| requests(leg) * network.leg(leg).next[place].times * share;
    let bytes = |component: ComponentId| {
        let mut bytes = [0.0; 2];
        for (leg, requests) in network.legs.iter().zip(&all) {
            if leg.to == component {
                bytes[leg.op.index()] += requests * leg.bytes as f64;
            }
        }
        bytes
    };
    let flows = Flows { requests: &requests, led_to: &led_to, bytes: &bytes };
    let relations = relations(network, table, &flows);
    assert_eq!(record(table, relations.clone()).validate(), [], "{}", case.experiment);
    relations
}

/// Names of what is above and below, and the copies of reads and of writes.
fn told(layout: &str, op: &str, each: f64, share: f64) -> Vec<(String, Vec<String>, [u64; 2])> {
    let streams = format!("streams \"s\" over=\"v\" op=\"{op}\" block=\"64 KiB\"");
    let (case, network) = case(PATH, layout, &streams);
    let classes = StreamClass::by_group(&case, &network);
    let table = Table::new(&case, &network, &classes, &|_| Some(Vec::new()));
    let name = |id: iopath_record::EntityId| table.entities[id.0 as usize].name.clone();
    let told = |relation: &Relation| {
        let below = relation.lower.iter().copied().map(name).collect();
        let copies = [relation.read_copies_ppm, relation.write_copies_ppm];
        (name(relation.upper), below, copies)
    };
    of(&case, &network, &table, each, share).iter().map(told).collect()
}

fn expected(above: &str, below: &str, copies: [u64; 2]) -> (String, Vec<String>, [u64; 2]) {
    (above.to_owned(), vec![below.to_owned()], copies)
}

#[test]
fn a_mirror_writes_every_byte_on_all_its_sides() {
    let found =
        told("mirror \"v\" { side of=\"h.disk[0]\"; side of=\"h.disk[1]\" }", "write", 7.0, 1.0);
    let members = expected("v", "h.disk[0-1]", [1_000_000, 2_000_000]);
    assert_eq!(found, [expected("s", "v", [1_000_000; 2]), members]);
}

#[test]
fn copies_are_counted_and_not_stated() {
    let found = told("stripe \"v\" unit=\"64 KiB\" over=\"h.disk\"", "read", 7.0, 0.25);
    let members = expected("v", "h.disk[0-1]", [250_000, 1_000_000]);
    assert_eq!(found, [expected("s", "v", [1_000_000; 2]), members]);
}

#[test]
fn where_nothing_flows_only_streams_have_relations() {
    let found = told("stripe \"v\" unit=\"64 KiB\" over=\"h.disk\"", "read", 0.0, 1.0);
    assert_eq!(found, [expected("s", "v", [1_000_000; 2])]);
}
