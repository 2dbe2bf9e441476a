//! Streams and servers whose processor time nothing says: no model counts it.

use std::collections::BTreeSet;

use iopath_study::case::Case;
use iopath_study::{Class, PartId, System, unindexed};

use crate::legs::{Builder, Missing};
use crate::network::Mechanism;
use crate::rows::CPUS;
use crate::running::Running;

/// One mechanism for each declaration of such streams.
pub(super) fn unpriced(
    case: &Case,
    builder: &Builder<'_>,
    running: &[Running],
) -> BTreeSet<Mechanism> {
    let mechanism = |one: &Running| {
        let missing = builder.missing_processor_time(one.place.component())?;
        let text = unpriced_text(missing, &case.streams[one.stream].group);
        Some(Mechanism { kind: "processor-time", text, decides: false })
    };
    running.iter().filter_map(mechanism).collect()
}

fn unpriced_text(missing: Missing, group: &str) -> String {
    match missing {
        Missing::Processors => {
            format!("{group} runs where no cpus are stated, so its processor time is ignored")
        }
        Missing::Socket => format!(
            "{group} runs on a host of which only the sockets state cpus, so its processor time is \
             ignored: name a socket with on"
        ),
        Missing::Request => {
            format!("{group}: no cost states a request where it runs, so requests take none")
        }
    }
}

/// One mechanism for each declaration of machines that serve others and state no processors; where
/// streams run as well, that is told of these.
pub(super) fn unpriced_servers(
    system: &System,
    ends: impl Iterator<Item = PartId>,
    running: &[Running],
) -> BTreeSet<Mechanism> {
    let host = |id: PartId| {
        let mut around = std::iter::once(id).chain(system.ancestors(id));
        around.find(|up| system.class(*up) == Class::Host)
    };
    let places = running.iter().filter_map(|one| one.place.component());
    let clients: BTreeSet<PartId> = places.filter_map(|place| host(place.into())).collect();
    let place = |end: PartId| system.part(end).place.unwrap_or(end);
    let ends: BTreeSet<PartId> = ends.map(place).collect();
    let states = |id: PartId| system.value(id, CPUS).is_some();
    let missing = |end: &PartId| {
        let server = host(*end).filter(|server| !clients.contains(server))?;
        let mut around = std::iter::once(*end).chain(system.ancestors(*end));
        (!around.any(states)).then_some(server)
    };
    let servers: BTreeSet<PartId> = ends.iter().filter_map(missing).collect();
    let mechanism = |server: PartId| {
        let name = unindexed(&system.part(server).name);
        let text = format!("what {name} serves takes no processor time, as it states no cpus");
        Mechanism { kind: "processor-time", text, decides: false }
    };
    servers.into_iter().map(mechanism).collect()
}
