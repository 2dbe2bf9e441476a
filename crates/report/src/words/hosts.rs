//! Whose a limit is where several hosts measured together.

use iopath_analysis::hosts::{HostShares, Side};
use iopath_analysis::limit::Limiting;

/// Who gets more by more of what.
pub(crate) fn whose(limit: &Limiting, shares: &HostShares) -> Option<String> {
    let name = limit.entity.as_deref()?;
    let said = match shares.side.as_ref()? {
        Side::Host { node } => {
            let host = host_of(shares, node);
            format!("{name} is {host}'s own: the limit is the host, and more hosts get more")
        }
        Side::Fabric => {
            format!("{name} is between hosts and storage: the limit is the fabric")
        }
        Side::Storage { devices } if devices.len() > 1 => format!(
            "{} are one device: the limit is the storage, and more hosts get no more",
            devices.join(", ")
        ),
        Side::Storage { .. } => format!(
            "{name} is shared by all hosts: the limit is the storage, and more hosts get no more"
        ),
    };
    Some(said)
}

/// The same in some words, behind the limit.
pub(crate) fn side(shares: &HostShares) -> Option<String> {
    Some(match shares.side.as_ref()? {
        Side::Host { node } => format!("; it is {}'s own", host_of(shares, node)),
        Side::Fabric => "; it is the fabric".to_owned(),
        Side::Storage { .. } => "; it is the storage, which all hosts share".to_owned(),
    })
}

fn host_of<'a>(shares: &'a HostShares, node: &str) -> &'a str {
    let host = shares.hosts.iter().find(|one| one.node == *node);
    host.map_or("", |one| one.host.as_str())
}
