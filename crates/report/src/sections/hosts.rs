//! What each host of a run got, and whose the limit is.

use iopath_analysis::hosts::{HostShare, HostShares};
use iopath_units::System;

use super::Shown;
use super::chosen::{ChosenTrial, each};
use crate::document::{Block, Section, Table};
use crate::numbers::rate;
use crate::words::hosts as words;

pub(crate) fn section(shown: &Shown<'_>) -> Option<Section> {
    let blocks = each(shown, |case| blocks(case, shown.system));
    Section::of("hosts", "hosts", blocks)
}

fn blocks(case: &ChosenTrial<'_>, system: System) -> Vec<Block> {
    let Some(shares) = &case.trial.hosts else { return Vec::new() };
    let said = [Some(evenly(shares)), words::whose(&case.trial.findings.limit, shares)];
    let said = said.into_iter().flatten().map(|sentence| Block::Text(case.of(sentence)));
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
