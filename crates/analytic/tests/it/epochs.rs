//! Streams that run one after the other.

use std::collections::BTreeSet;

use iopath_analytic::evaluate;
use iopath_path::Network;
use iopath_record::Record;
use iopath_study::{Source, parse};

fn record(streams: &str) -> Record {
    let text = format!(
        "study \"t\"\npath {{ host \"h\" {{ link \"l\" both=\"100 MB/s\" {{ part \"p\" }} }} }}\n\
         workload {{ {streams} }}"
    );
    let source = Source { name: "t.kdl".into(), text };
    let case = parse(&source, &[]).and_then(|study| study.cases()).unwrap().remove(0);
    let network = Network::build(&case, &BTreeSet::new()).unwrap();
    evaluate(&case, &network)
}

fn stream(name: &str, more: &str) -> String {
    format!("streams \"{name}\" over=\"h..p\" block=\"1 MB\" count=2 {more}\n")
}

#[test]
fn streams_that_end_before_do_not_compete() {
    let together = record(&(stream("a", "") + &stream("b", "")));
    assert_eq!(together.streams.len(), 4);
    assert_eq!(together.warnings, []);
    let in_turn = stream("a", "") + &stream("b", "after=\"a\"") + &stream("c", "after=\"b\"");
    let in_turn = record(&in_turn);
    assert_eq!(in_turn.streams.len(), 6);
    assert_eq!(in_turn.bounds[0].bytes_per_sec, 100_000_000);
    let window = |record: &Record, at: usize| record.streams[at].phases[0].clone();
    let shared = window(&together, 0);
    for at in 0..6 {
        let alone = window(&in_turn, at);
        assert_eq!(alone.read_bytes, 2 * shared.read_bytes);
        assert_eq!(alone.from_ns, at as u64 / 2 * shared.to_ns);
    }
    assert_eq!(in_turn.instants_ns.len(), 4);
}
