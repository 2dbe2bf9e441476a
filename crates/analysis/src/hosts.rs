//! Several hosts in one record: what each got, how evenly, and whose a limit is.
//!
//! Jain's index over hosts ([`crate::fairness`] has it over streams) is of the bytes that the
//! streams of each moved in the window. A limit is a host's where the thing carries the host's node
//! in its name; what hosts share is fabric or storage, by its layer.
//! It leaves out what hosts were meant to get: with unequal streams they are unequal by intent.

use std::collections::BTreeMap;

use iopath_record::{Entity, Fact, Layer, Record};
use serde::Serialize;

use crate::findings::Findings;
use crate::statistics::{jain, mean};

/// How hosts shared the storage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostShares {
    /// In the order of their nodes.
    pub hosts: Vec<HostShare>,
    /// Jain's index over their throughput; none where nobody got anything.
    pub jain: Option<f64>,
    /// Greatest less least throughput, over the mean.
    pub spread: Option<f64>,
    /// Whose the limit is; none where nothing is named that is on a side.
    pub side: Option<Side>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostShare {
    /// What its entities are called by: `node[1]`.
    pub node: String,
    /// Its name.
    pub host: String,
    /// How many streams it had.
    pub streams: usize,
    /// What they moved in the window, over its length.
    pub throughput_bytes_per_sec: f64,
}

/// Whose a thing is that limits a case of several hosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// One host's own: more hosts get more.
    Host {
        /// Which.
        node: String,
    },
    /// Between the hosts and the storage.
    Fabric,
    /// What hosts share: more hosts get no more.
    Storage {
        /// The same device as other kernels count it.
        devices: Vec<String>,
    },
}

/// The shares of hosts; none of a record of one host.
#[must_use]
pub fn shares(record: &Record, findings: &Findings) -> Option<HostShares> {
    let rates = findings.streams.iter();
    let rates: BTreeMap<&str, f64> = rates
        .filter_map(|stream| Some((stream.name.as_str(), stream.throughput_bytes_per_sec?)))
        .collect();
    let share = |(node, host): (String, &str)| {
        let streams = Fact::NodeStreams(&node).of(&record.environment).unwrap_or_default();
        let streams: Vec<&str> = streams.split_whitespace().collect();
        let throughput = streams.iter().filter_map(|name| rates.get(name)).sum();
        HostShare {
            host: host.to_owned(),
            streams: streams.len(),
            throughput_bytes_per_sec: throughput,
            node,
        }
    };
    let hosts: Vec<HostShare> = nodes(record).into_iter().map(share).collect();
    let each: Vec<f64> = hosts.iter().map(|one| one.throughput_bytes_per_sec).collect();
    let most = each.iter().copied().fold(0.0, f64::max);
    let least = each.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = mean(&each).filter(|mean| *mean > 0.0);
    let spread = mean.map(|mean| (most - least) / mean);
    let limit = findings.limit.entity.as_deref();
    let side = limit.and_then(|name| side(record, name));
    (hosts.len() > 1).then(|| HostShares { jain: jain(&each), spread, hosts, side })
}

/// Whose the entity of that name is; none where the record has one host, or where it is on no side
/// (streams, and processors that hosts share).
fn side(record: &Record, name: &str) -> Option<Side> {
    let nodes = nodes(record);
    if nodes.len() < 2 {
        return None;
    }
    let entity = record.entities.iter().find(|entity| entity.name == name)?;
    if let Some(devices) = same_device(record, name) {
        return Some(Side::Storage { devices });
    }
    let is_of = |node: &String| {
        let rest = name.strip_prefix(node.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    match nodes.into_iter().map(|(node, _)| node).find(is_of) {
        Some(node) => Some(Side::Host { node }),
        None => shared_side(record, entity),
    }
}

/// What no host has for itself.
fn shared_side(record: &Record, entity: &Entity) -> Option<Side> {
    match entity.layer {
        Layer::Switch => Some(Side::Fabric),
        Layer::Port if is_in_switch(record, entity) => Some(Side::Fabric),
        Layer::FileSystem
        | Layer::Volume
        | Layer::Lun
        | Layer::Device
        | Layer::Port
        | Layer::Adapter
        | Layer::Bus => Some(Side::Storage { devices: Vec::new() }),
        Layer::Application | Layer::Memory | Layer::Processor | Layer::Generator => None,
    }
}

/// Deepest containment that is followed: no path is as deep.
const DEEPEST: usize = 32;

fn is_in_switch(record: &Record, entity: &Entity) -> bool {
    let outer = |one: &&Entity| record.entities.get(one.parent?.0 as usize);
    let around = std::iter::successors(Some(entity), outer).take(DEEPEST);
    around.skip(1).any(|one| one.layer == Layer::Switch)
}

/// All entities that are one device with this one.
fn same_device(record: &Record, name: &str) -> Option<Vec<String>> {
    let facts = record.environment.iter();
    let shared = facts.filter(|(key, _)| key.starts_with("shared.") && key.ends_with(".devices"));
    let mut groups = shared.map(|(_, names)| names.split_whitespace());
    let found = groups.find(|names| names.clone().any(|one| one == name))?;
    Some(found.map(str::to_owned).collect())
}

/// Nodes with the names of their hosts, in the order of their numbers.
fn nodes(record: &Record) -> Vec<(String, &str)> {
    let named = record.environment.iter().filter_map(|(key, host)| {
        let node = key.strip_prefix("ranks.")?.strip_suffix(".host")?;
        Some((node.to_owned(), host.as_str()))
    });
    let mut nodes: Vec<(String, &str)> = named.collect();
    nodes.sort_by(|(one, _), (other, _)| (one.len(), one).cmp(&(other.len(), other)));
    nodes
}

#[cfg(test)]
mod tests {
    use iopath_record::{EntityId, Kind};

    use super::*;
    use crate::findings::analyse::analyse;
    use crate::sample::Sample;

    /// Two hosts with a stream each, and entities of these names and layers.
    fn record(entities: &[(&str, Layer)]) -> Record {
        let mut record = Sample::new().record();
        record.environment.extend([
            Fact::NodeHost("node[0]").is("a"),
            Fact::NodeHost("node[1]").is("b"),
            Fact::NodeStreams("node[0]").is("reader[0]"),
            Fact::NodeStreams("node[1]").is("reader[1]"),
            Fact::SharedDevices("naa.1").is("node[0].sda node[1].sdb"),
        ]);
        let of = |(name, layer): &(&str, Layer)| Entity {
            name: (*name).to_owned(),
            kind: Kind::Part,
            layer: *layer,
            ..record.entities[0].clone()
        };
        let more: Vec<Entity> = entities.iter().map(of).collect();
        record.entities.extend(more);
        record
    }

    #[test]
    fn hosts_get_what_their_streams_get() {
        let mut record = record(&[]);
        record.streams[1].phases[1].read_bytes /= 3;
        let findings = analyse(std::slice::from_ref(&record)).unwrap();
        let found = shares(&record, &findings).unwrap();
        let [one, other] = found.hosts.as_slice() else { panic!("{found:?}") };
        assert_eq!((one.host.as_str(), other.node.as_str(), other.streams), ("a", "node[1]", 1));
        let ratio = one.throughput_bytes_per_sec / other.throughput_bytes_per_sec;
        assert!((ratio - 3.0).abs() < 1e-4, "{found:?}");
        assert!((found.jain.unwrap() - 0.8).abs() < 1e-4, "{found:?}");
        assert!((found.spread.unwrap() - 1.0).abs() < 1e-4, "{found:?}");
        record.environment.remove(&Fact::NodeHost("node[1]").to_string());
        assert_eq!(shares(&record, &findings), None);
    }

    #[test]
    fn a_limit_is_a_host_s_the_fabric_s_or_the_storage_s() {
        let all = [
            ("node[1].hba", Layer::Adapter),
            ("node[1]", Layer::Processor),
            ("node[0].sda", Layer::Device),
            ("switch", Layer::Switch),
            ("array.port[1]", Layer::Port),
            ("switch.port[1]", Layer::Port),
        ];
        let mut record = record(&all);
        let switch = record.entities.iter().position(|one| one.name == "switch").unwrap();
        record.entities.last_mut().unwrap().parent = Some(EntityId(switch as u32));
        let of = |name: &str| side(&record, name);
        let host = Some(Side::Host { node: "node[1]".to_owned() });
        assert_eq!((of("node[1].hba"), of("node[1]")), (host.clone(), host));
        let devices = ["node[0].sda", "node[1].sdb"].map(str::to_owned).to_vec();
        assert_eq!(of("node[0].sda"), Some(Side::Storage { devices }));
        assert_eq!((of("switch"), of("switch.port[1]")), (Some(Side::Fabric), Some(Side::Fabric)));
        assert_eq!(of("array.port[1]"), Some(Side::Storage { devices: Vec::new() }));
        assert_eq!((of("reader[0]"), of("unknown")), (None, None));
    }
}
