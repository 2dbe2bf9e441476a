//! What single requests find where they go.

use iopath_path::{ComponentId, Departure, End, Hops, Network, Place, Routes, running};
use iopath_study::Case;
use iopath_units::Op;

use crate::text::case;

const ARRAY: &str = "path {\n\
    host \"h\" memory-rate=\"8 GB/s\" { hba \"a\" { port use=\"fc-4g\" } }\n\
    array \"x\" { controller \"c\" { port use=\"fc-4g\"\n\
    cache size=\"1 GiB\" both=\"2 GB/s\"\n\
    raid \"l\" level=5 segment=\"64 KiB\" read=\"300 MB/s\" {\n\
    disk count=5 use=\"hdd-15k-fc\" } } }\n\
    wire from=\"h.a.port\" to=\"x.c.port\" }";

fn array() -> Case {
    case(ARRAY, "", "streams \"r\" over=\"x.c.l\" block=\"64 KiB\"")
}

fn part(case: &Case, name: &str) -> ComponentId {
    case.system.ids().find(|id| case.system.part(*id).name == name).unwrap().into()
}

/// From the host of the first stream to the LUN.
fn first(case: &Case) -> Departure {
    let from = running(case).unwrap()[0].place;
    let (to, op, bytes) = (part(case, "x.c.l"), Op::Read, 65536);
    Departure { from, to, op, bytes, behind: None, leaves_memory: false, run: 0 }
}

#[test]
fn a_request_meets_the_cache_before_the_volume_and_the_volume_before_its_disks() {
    let case = array();
    let mut network = Network::build(&case, &[].into()).unwrap();
    let mut routes = Routes::new(&case.system, &network);
    let mut hops = Hops::new(&case, &mut network, &mut routes);
    let departure = first(&case);
    let hop = hops.hop(&departure).unwrap();
    assert_eq!(hop.ways.len(), 1);
    let crossed: Vec<_> = hops.route(hop.ways[0].route).crossed.iter().map(|one| one.0).collect();
    assert_eq!(crossed[1], part(&case, "h.a"));
    let used = |hops: &Hops<'_>, charge: &iopath_path::Charge| {
        let row = hops.network().row(charge.row);
        (hops.network().component(row.component).name.clone(), row.property, charge.amount)
    };
    let memory = used(&hops, &hop.leaving[0]);
    assert_eq!(memory, ("h".to_owned(), "memory-rate", 65536.0));
    assert_eq!(used(&hops, &hop.charges[0]), ("x.c.cache".to_owned(), "both", 65536.0));
    let End::Cache(cache) = hop.end else { panic!("{hop:?}") };
    assert!(cache.writes_back && cache.partner.is_none() && !cache.leaves_memory);

    let behind = Departure { from: hop.place, behind: Some(cache.cache), ..departure };
    let hop = hops.hop(&behind).unwrap();
    assert!(hop.ways.is_empty() && hop.leaving.is_empty());
    assert_eq!(used(&hops, &hop.charges[0]), ("x.c.l".to_owned(), "read", 65536.0));
    let again = ("x.c.cache".to_owned(), "both", 65536.0);
    assert_eq!(used(&hops, &hop.charges[1]), again, "what is fetched comes into its memory");
    let End::Volume { members, .. } = hop.end else { panic!("{hop:?}") };
    assert_eq!(members.len(), 5);

    let medium = Departure { from: hop.place, to: members[0], behind: None, ..departure };
    let hop = hops.hop(&medium).unwrap();
    let End::Medium(Some(arm)) = hop.end else { panic!("{hop:?}") };
    assert!(hop.charges.is_empty(), "the arm is told apart");
    assert!((arm.passing_s - 65536.0 / 75e6).abs() < 1e-12);
    assert!(arm.alone_s > arm.queued_s);
}

#[test]
fn a_partner_out_of_reach_makes_a_cache_write_through() {
    let pair = ARRAY.replace("controller \"c\"", "controller \"c\" count=2");
    let pair = pair.replace("cache size", "cache mirror=#true size");
    let pair = pair.replace("port { use", "port use").replace("hba \"a\"", "hba \"a\" count=2");
    let case = case(&pair, "", "streams \"r\" over=\"x.c[0].l\" op=\"write\" block=\"64 KiB\"");
    let partner = part(&case, "x.c[1]");
    for (removed, writes_back) in [([].into(), true), ([partner.into()].into(), false)] {
        let mut network = Network::build(&case, &removed).unwrap();
        let mut routes = Routes::new(&case.system, &network);
        let mut hops = Hops::new(&case, &mut network, &mut routes);
        let from: Place = running(&case).unwrap()[0].place;
        let to = part(&case, "x.c[0].l");
        let bytes = 65536;
        let departure = Departure {
            from,
            to,
            op: Op::Write,
            bytes,
            behind: None,
            leaves_memory: false,
            run: 0,
        };
        let End::Cache(cache) = hops.hop(&departure).unwrap().end else { panic!("no cache") };
        assert_eq!(cache.writes_back, writes_back);
        assert_eq!(cache.partner.is_some(), writes_back);
    }
}

#[test]
fn a_thread_prepares_what_it_sends_as_legs_say() {
    let path = ARRAY.replace("memory-rate", "cpus=4 memory-rate");
    let path = path.replace("{ hba", "{ cost prepare=\"1 GB/s\" part=\"20 us\"\nhba");
    let case = case(&path, "", "streams \"r\" over=\"x.c.l\" block=\"64 KiB\"");
    let mut network = Network::build(&case, &[].into()).unwrap();
    let of_leg = network.leg(network.streams[0].roots[0].0).issue;
    let mut routes = Routes::new(&case.system, &network);
    let hops = Hops::new(&case, &mut network, &mut routes);
    let of_hop = hops.thread((part(&case, "x.c.l"), part(&case, "h")), 65536);
    assert_eq!(of_hop, of_leg);
    assert!(of_hop.is_some_and(|issue| (issue.first_s() - 85.536e-6).abs() < 1e-12));
}
