//! Network cards and Fibre Channel ports. Read are bytes and requests as their layer counts them:
//! packets of a network card, what a Fibre Channel driver counts as received.

use std::collections::BTreeMap;

use iopath_machine::counters::{fc_hosts, network};
use iopath_record::{Counter, Kind, Layer};

use super::{Entities, Ground, Named, Source, put, put_known, source};

/// Of targets, only where one is reached over the network.
pub(super) fn open_network(table: &mut dyn Entities, ground: Ground<'_>) -> Option<Source> {
    if !ground.scope.has_mount(|mount| mount.fs_type.starts_with("nfs")) {
        return None;
    }
    let found = network::read(ground.root).unwrap_or_default();
    let named = |one: network::Interface| {
        let id = table.put(Named::new(&one.name, Kind::Network, Layer::Adapter));
        (one.name, id)
    };
    let each: BTreeMap<_, _> = found.into_iter().map(named).collect();
    if each.is_empty() {
        return None;
    }
    source(move |root, readings| {
        for one in network::read(root).unwrap_or_default() {
            let Some(entity) = each.get(&one.name) else { continue };
            let (received, sent) = (one.received, one.sent);
            let counters = [
                (Counter::ReadBytes, received.bytes),
                (Counter::WriteBytes, sent.bytes),
                (Counter::ReadOperations, received.packets),
                (Counter::WriteOperations, sent.packets),
                (Counter::Errors, received.errors.saturating_add(sent.errors)),
            ];
            put(readings, *entity, &counters);
        }
    })
}

/// Of targets, the ports that their devices hang on.
pub(super) fn open_fibre(table: &mut dyn Entities, ground: Ground<'_>) -> Option<Source> {
    let found = fc_hosts::read(ground.root).unwrap_or_default();
    let is_meant = |one: &fc_hosts::FcHost| {
        let mut names = ground.scope.devices();
        ground.scope.is_whole || names.any(|name| fc_hosts::may_carry(ground.root, &one.name, name))
    };
    let named = |one: fc_hosts::FcHost| {
        let host = Named::new(&one.name, Kind::FcHost, Layer::Adapter);
        let id = table.put(Named { binding: one.port_name, ..host });
        (one.name, id)
    };
    let each: BTreeMap<_, _> = found.into_iter().filter(is_meant).map(named).collect();
    if each.is_empty() {
        return None;
    }
    source(move |root, readings| {
        for (name, entity) in &each {
            let Ok(one) = fc_hosts::read_host(root, name.clone()) else { continue };
            let counters = [
                (Counter::ReadBytes, one.received_bytes),
                (Counter::WriteBytes, one.sent_bytes),
                (Counter::ReadOperations, one.input_requests),
                (Counter::WriteOperations, one.output_requests),
                (Counter::Errors, one.errors),
            ];
            put_known(readings, *entity, &counters);
        }
    })
}
