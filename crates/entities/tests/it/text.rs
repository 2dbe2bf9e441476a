//! Studies as text, their networks, and a record that holds only what this crate makes.

use std::collections::BTreeSet;

use iopath_entities::Table;
use iopath_path::Network;
use iopath_record::{CaseText, ClockNote, Record, Relation, Technique};
use iopath_study::{Case, Source, parse};

/// The first case of a study, and its network.
pub(crate) fn case(path: &str, layout: &str, streams: &str) -> (Case, Network) {
    let text = format!(
        "study \"t\"\npath {{ {path} }}\nlayout {{ {layout} }}\n\
         workload time=\"1 s\" {{ {streams} }}"
    );
    let source = Source { name: "t.kdl".into(), text };
    let cases = parse(&source, &[]).and_then(|study| study.cases());
    let case = cases.unwrap_or_else(|mistakes| panic!("{mistakes}")).remove(0);
    let network = network(&case);
    (case, network)
}

pub(crate) fn network(case: &Case) -> Network {
    Network::build(case, &BTreeSet::new()).unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
}

/// A record of these entities in which nothing has happened.
pub(crate) fn record(table: &Table, relations: Vec<Relation>) -> Record {
    Record {
        format: Record::FORMAT,
        case: CaseText {
            study: String::new(),
            experiment: String::new(),
            text: String::new(),
            levels: Default::default(),
            trial: 0,
            pass: 0,
            seed: 0,
        },
        technique: Technique::Analytic,
        environment: Default::default(),
        entities: table.entities.clone(),
        relations,
        clock: ClockNote::default(),
        instants_ns: Vec::new(),
        series: Vec::new(),
        streams: Vec::new(),
        heat: Vec::new(),
        bounds: Vec::new(),
        bad_blocks: Default::default(),
        curve: Vec::new(),
        events: Vec::new(),
        warnings: Vec::new(),
    }
}
