//! Cases of the shipped studies, and of studies made for a test.

use std::collections::BTreeSet;
use std::path::PathBuf;

use iopath_emulation::Plan;
use iopath_path::Network;
use iopath_study::{Assignment, Case, Scale, Source, parse_with};

pub(crate) const P690: &str = include_str!("../../../../studies/p690.kdl");
pub(crate) const JFS2: &str = include_str!("../../../../studies/jfs2.kdl");
pub(crate) const GPFS: &str = include_str!("../../../../studies/gpfs.kdl");
pub(crate) const VERITAS: &str = include_str!("../../../../studies/veritas-cfs.kdl");
pub(crate) const SVC: &str = include_str!("../../../../studies/svc.kdl");
pub(crate) const STORAGETEK: &str = include_str!("../../../../studies/storagetek-2540.kdl");

/// All cases of a study, with values set beside it.
pub(crate) fn cases(text: &str, sets: &[&str]) -> Vec<Case> {
    let source = |name: &str, text: &str| Source { name: name.into(), text: text.into() };
    let sets: Vec<_> = sets.iter().map(|set| Assignment::parse(set).unwrap()).collect();
    let study = parse_with(&source("study.kdl", text), &[source("p690.kdl", P690)], &sets);
    let study = study.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    study.cases().unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// The case of an experiment whose levels hold all of these words.
pub(crate) fn one(text: &str, experiment: &str, levels: &[&str]) -> Case {
    let fits = |case: &Case| {
        let has = |level: &&str| case.levels.iter().any(|chosen| chosen.level == **level);
        case.experiment == experiment && levels.iter().all(has)
    };
    let mut found: Vec<Case> = cases(text, &[]).into_iter().filter(fits).collect();
    assert!(!found.is_empty(), "{experiment} {levels:?}");
    found.remove(0)
}

pub(crate) fn network(case: &Case) -> Network {
    Network::build(case, &BTreeSet::new()).unwrap_or_else(|wrong| panic!("{wrong:?}"))
}

/// The plan of a case, scaled.
pub(crate) fn planned(case: &Case, scale: u64) -> (Case, Network, Plan) {
    let case = case.scaled(Scale::new(scale, 1).unwrap()).unwrap();
    let network = network(&case);
    let plan = iopath_emulation::plan(&case, &network).unwrap_or_else(|why| panic!("{why}"));
    (case, network, plan)
}

/// Paths that the devices of a plan would have.
pub(crate) fn paths(plan: &Plan) -> Vec<PathBuf> {
    (0..plan.rig.devices.len()).map(|at| PathBuf::from(format!("/run/{at}"))).collect()
}
