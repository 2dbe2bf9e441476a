//! What each host of a run got, and whose the limit is.

use iopath_analysis::hosts::{HostShare, HostShares, Side, shares, side};
use iopath_record::Record;
use iopath_units::System;

use super::Shown;
use super::chosen::{ChosenTrial, each};
use crate::document::{Block, Section, Table};
use crate::numbers::rate;

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let blocks = each(shown, |case| {
        case.first().map_or_else(Vec::new, |record| blocks(record, case, shown.system))
    });
    Section::of("hosts", "hosts", blocks)
}

fn blocks(record: &Record, case: &ChosenTrial<'_>, system: System) -> Vec<Block> {
    let findings = &case.trial.findings;
    let Some(shares) = shares(record, findings) else { return Vec::new() };
    let limit = findings.limit.entity.as_deref();
    let whose = limit.and_then(|name| Some(whose(&side(record, name)?, name, &shares)));
    let said = [Some(evenly(&shares)), whose].into_iter().flatten();
    let said = said.map(|sentence| Block::Text(case.of(sentence)));
    std::iter::once(Block::Table(table(&shares.hosts, system))).chain(said).collect()
}

fn table(hosts: &[HostShare], system: System) -> Table {
    Table::of(hosts)
        .column("node", |one| one.node.clone())
        .column("host", |one| one.host.clone())
        .column("streams", |one| one.streams.to_string())
        .column("throughput", |one| rate(one.throughput_bytes_per_sec, system))
        .bars(|one| one.throughput_bytes_per_sec)
        .done()
}

/// How evenly the hosts shared.
fn evenly(shares: &HostShares) -> String {
    let spread = shares.spread.map_or(String::new(), |spread| {
        format!(", from the slowest to the fastest {:.1} % of the mean", 100.0 * spread)
    });
    let jain = shares.jain.map_or("–".to_owned(), |jain| format!("{jain:.3}"));
    format!("Jain's index over hosts {jain}{spread}")
}

/// Who gets more by more of what.
fn whose(side: &Side, name: &str, shares: &HostShares) -> String {
    match side {
        Side::Host { node } => {
            let host = shares.hosts.iter().find(|one| one.node == *node);
            let host = host.map_or("", |one| one.host.as_str());
            format!("{name} is {host}'s own: the limit is the host, and more hosts get more")
        }
        Side::Fabric => {
            format!("{name} is between hosts and storage: the limit is the fabric")
        }
        Side::Storage { devices } if devices.len() > 1 => format!(
            "{} are one device: the limit is the storage, and more hosts get no more",
            devices.join(", ")
        ),
        Side::Storage { .. } => {
            format!(
                "{name} is shared by all hosts: the limit is the storage, and more hosts get no \
                 more"
            )
        }
    }
}
