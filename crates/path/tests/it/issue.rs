//! What the thread of a stream does before the parts of its requests are on their way.

use iopath_path::{Issue, Leg, Network};

use crate::text::Paths;

/// Four arrays behind an adapter, with a volume of 1 MB units over all of them.
fn network(cost: &str, layout: &str, streams: &str) -> Network {
    let path = format!(
        r#"path {{
    host "h" cpus=4 {{
        {cost}
        hba {{ array "a" count=4 {{ controller {{ lun level=0 {{ disk count=2 }} }} }} }}
    }}
}}"#
    );
    let volume = r#"stripe "vol" unit="1 MB" largest-request="1 MB" over="h..lun""#;
    Paths::with(&path, &format!("{volume}\n{layout}"), streams).network
}

const COST: &str = r#"cost prepare="2 GB/s" part="50 us""#;
const FS: &str = r#"filesystem "fs" on="vol" cache="direct"
file "f" on="fs" size="1 GB""#;

/// The first leg of the only stream.
fn root(network: &Network) -> &Leg {
    network.leg(network.streams[0].roots[0].0)
}

fn issue(network: &Network) -> Issue {
    let legs = network.legs.iter().filter(|leg| leg.issue.is_some());
    assert_eq!(legs.count(), 1, "only what a stream asks for is issued by it");
    root(network).issue.unwrap()
}

fn near(one: f64, other: f64) {
    assert!((one - other).abs() <= 1e-9 * other.abs(), "{one} is not {other}");
}

#[test]
fn a_thread_prepares_bytes_and_spends_a_span_on_each_part() {
    let network = network(COST, "", r#"streams "s" over="vol" block="8 MB""#);
    let issue = issue(&network);
    near(issue.prepare_s, 4e-3);
    near(issue.part_s, 50e-6);
    near(issue.parts, 8.0);
    near(issue.first_s(), 4.05e-3);
    near(issue.total_s(), 4.4e-3);
    // All of it is time of the processors.
    let charges = root(&network).charges.iter().filter(|charge| charge.row == issue.row);
    near(charges.map(|charge| charge.amount).sum(), 4.4e-3);
    assert_eq!(network.row(issue.row).property, "cpus");
}

#[test]
fn what_another_machine_splits_is_one_part() {
    let network = network(COST, "", r#"streams "s" over="h..lun" block="8 MB""#);
    near(root(&network).issue.unwrap().parts, 1.0);
}

#[test]
fn a_file_has_the_parts_of_its_volume_and_what_its_file_system_does_not_say() {
    let stream = r#"streams "s" over="f" block="2 MB""#;
    let around = issue(&network(COST, FS, stream));
    near(around.parts, 2.0);
    let own = FS.replace("\"direct\"", "\"direct\" { cost part=\"10 us\" }");
    let own = issue(&network(COST, &own, stream));
    near(own.part_s, 10e-6);
    near(own.prepare_s, around.prepare_s);
}

#[test]
fn a_copy_of_each_part_is_a_part_too() {
    let layout = r#"mirror "m" { side of="h.hba.a[0]..lun"
side of="h.hba.a[1]..lun" }"#;
    let of = |op: &str| {
        let stream = format!("streams \"s\" over=\"m\" op=\"{op}\" block=\"1 MB\"");
        issue(&network(COST, layout, &stream)).parts
    };
    near(of("write"), 2.0);
    near(of("read"), 1.0);
}

#[test]
fn others_transfer_for_who_reads_through_the_page_cache() {
    let layout = FS.replace("direct", "buffered");
    let network = network(COST, &layout, r#"streams "s" over="f" block="2 MB""#);
    assert!(network.legs.iter().all(|leg| leg.issue.is_none()));
}

#[test]
fn nothing_is_issued_where_nothing_is_said_of_it() {
    let network = network(r#"cost request="1 us""#, "", r#"streams "s" over="vol" block="8 MB""#);
    assert!(network.legs.iter().all(|leg| leg.issue.is_none()));
}
