//! The studies that come with the program: each parses, every case has a path that can be laid,
//! and the text of a case gives the case again.

use std::collections::BTreeSet;

use iopath_path::visits::Charges;
use iopath_path::{LegId, Network, RowId, Way};
use iopath_study::{Case, Source, parse, parse_with};

macro_rules! study {
    ($name:literal) => {
        (concat!($name, ".kdl"), include_str!(concat!("../../../../studies/", $name, ".kdl")))
    };
}

const P690: (&str, &str) = study!("p690");

/// Name and text of every study of a whole path.
const STUDIES: [(&str, &str); 10] = [
    P690,
    study!("jfs2"),
    study!("gpfs"),
    study!("veritas-cfs"),
    study!("storagetek-2540"),
    study!("svc"),
    study!("nvme-pcie-switches"),
    study!("lustre-oss-raid6"),
    study!("zfs-sas-expander"),
    study!("cloud-token-bucket"),
];

fn source((name, text): (&str, &str)) -> Source {
    Source { name: name.to_owned(), text: text.to_owned() }
}

fn cases(study: (&str, &str)) -> Vec<Case> {
    let read = parse_with(&source(study), &[source(P690)], &[]);
    let cases = read.and_then(|study| study.cases());
    cases.unwrap_or_else(|mistakes| panic!("{}: {mistakes}", study.0))
}

#[test]
fn every_case_of_every_study_has_a_path() {
    for study in STUDIES {
        for case in cases(study) {
            let network = Network::build(&case, &BTreeSet::new());
            if let Err(mistakes) = network {
                panic!("{} {} {:?}: {mistakes:?}", study.0, case.experiment, case.levels);
            }
        }
    }
}

/// The rows that a request of a leg meets, each once a part: on every way, then at its end.
fn met(network: &Network, leg: LegId) -> Vec<RowId> {
    let leg = network.leg(leg);
    let crossed = |way: &Way| network.crossing(way.route, leg.op, leg.bytes);
    let mut rows: Vec<RowId> = leg.ways.iter().flat_map(crossed).map(|charge| charge.row).collect();
    let (on_ways, mut seen) = (rows.len(), BTreeSet::new());
    rows.extend(leg.charges.iter().map(|charge| charge.row));
    let mut at = 0..;
    rows.retain(|row| at.next() < Some(on_ways) || seen.insert(*row));
    rows
}

#[test]
fn what_a_leg_uses_up_stands_in_the_order_in_which_a_request_meets_it() {
    for study in STUDIES {
        let mut seen = BTreeSet::new();
        for case in cases(study).into_iter().filter(|case| seen.insert(case.experiment.clone())) {
            let network = Network::build(&case, &BTreeSet::new()).unwrap();
            let charges = Charges::of(&network);
            for leg in (0..network.legs.len() as u32).map(LegId) {
                let rows = charges.of_leg(leg).iter().map(|used| RowId(used.row));
                assert_eq!(rows.collect::<Vec<_>>(), met(&network, leg), "{} {leg:?}", study.0);
            }
        }
    }
}

#[test]
fn the_text_of_a_case_gives_the_case_again() {
    for study in STUDIES {
        let mut told = BTreeSet::new();
        for case in cases(study).into_iter().filter(|case| told.insert(case.experiment.clone())) {
            let text = source(("case.kdl", &case.text));
            let again = parse(&text, &[]).and_then(|study| study.cases());
            let again = again.unwrap_or_else(|mistakes| panic!("{mistakes}\n{}", case.text));
            assert_eq!(again.len(), 1, "{}", study.0);
            assert_eq!(again[0].text, case.text, "{}", study.0);
            assert!(again[0].system == case.system, "{} {}", study.0, case.experiment);
        }
    }
}
