//! The studies that come with the program, so that it can be validated wherever it runs.

use iopath_study::Source;

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../studies/", $name)))),*]
    };
}

/// Published studies first, of them those about throughput, then paths of today.
const STUDIES: &[(&str, &str)] = shipped![
    "p690.kdl",
    "jfs2.kdl",
    "gpfs.kdl",
    "veritas-cfs.kdl",
    "storagetek-2540.kdl",
    "svc.kdl",
    "nvme-pcie-switches.kdl",
    "lustre-oss-raid6.kdl",
    "zfs-sas-expander.kdl",
    "cloud-token-bucket.kdl",
];

/// Systems that the models were not made for.
const FIELD: &[(&str, &str)] = shipped![
    "field/dmi-six-ssds.kdl",
    "field/spdk-optane.kdl",
    "field/netflix-epyc.kdl",
    "field/beegfs-me4084.kdl",
    "field/calomel-zfs.kdl",
    "field/sas-expander.kdl",
    "field/s3500-raid.kdl",
    "field/p4800x.kdl",
    "field/x25e-two-adapters.kdl",
    "field/s3700-raid0.kdl",
    "field/p3plus-nas.kdl",
    "field/photon-one-thread.kdl",
    "field/dmi3-950pro.kdl",
    "field/nfs-nconnect.kdl",
    "field/ceph-63-nodes.kdl",
    "field/raidz2-nas.kdl",
    "field/lustre-md3460.kdl",
];

/// Procedures of runbooks.
const RUNBOOKS: &[(&str, &str)] = &[
    ("general", include_str!("../../../studies/runbooks/general.kdl")),
    ("veritas-cfs", include_str!("../../../studies/runbooks/veritas-cfs.kdl")),
    ("p690", include_str!("../../../studies/runbooks/p690.kdl")),
];

/// Stands before their names, so that no file on disk is meant.
const PLACE: &str = "shipped:/";

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = Source> {
    STUDIES.iter().map(|(name, text)| source(name, text))
}

/// Field studies.
pub(crate) fn field() -> impl Iterator<Item = Source> {
    FIELD.iter().map(|(name, text)| source(name, text))
}

/// The published ones whose figures are throughputs of paths more than of caches.
pub(crate) fn of_throughput() -> impl Iterator<Item = Source> {
    STUDIES.iter().take(4).map(|(name, text)| source(name, text))
}

/// The one of this name, with its place in front: what a shipped study takes a path from.
pub(crate) fn named(name: &str) -> Option<Source> {
    let name = name.strip_prefix(PLACE)?;
    STUDIES.iter().find(|(other, _)| *other == name).map(|(name, text)| source(name, text))
}

/// Names of the procedures.
pub(crate) fn runbooks() -> impl Iterator<Item = &'static str> {
    RUNBOOKS.iter().map(|(name, _)| *name)
}

/// The procedure of this name.
pub(crate) fn runbook(name: &str) -> Option<Source> {
    let is_it = |(other, _): &&(&str, &str)| *other == name;
    let place = format!("runbooks/{name}.kdl");
    RUNBOOKS.iter().find(is_it).map(|(_, text)| source(&place, text))
}

/// Whether a name is of something that comes with the program.
pub(crate) fn is_shipped(name: &str) -> bool {
    name.starts_with(PLACE)
}

/// A name beside those that come with the program: what it takes a path from is looked for there.
pub(crate) fn beside(name: &str) -> String {
    format!("{PLACE}{name}")
}

fn source(name: &str, text: &str) -> Source {
    Source { name: format!("{PLACE}{name}"), text: text.to_owned() }
}
