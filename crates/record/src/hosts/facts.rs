//! Facts about all hosts as one environment: what holds of all of them once, else by host.
//!
//! A fact about a named thing (`target.NAME.…`, `device.NAME.…`) is called by the name that this
//! has in the merged record, so that whoever knows the entity finds it. Facts of the load are of
//! the rank's own streams: how many, how much buffer and how fast the generator is add up, what all
//! streams have in common must hold on all ranks. All else is of the host, as its lowest rank says.

mod about;
mod renamed;

use std::collections::{BTreeMap, BTreeSet};

use super::parts::Parts;
use super::things::Things;
use crate::{Environment, Fact};
use about::{About, Joined};
use renamed::Renamed;

pub(super) fn of(parts: &Parts, things: &Things) -> Environment {
    let mut all: BTreeMap<String, Said> = BTreeMap::new();
    for (part, one) in parts.ranks.iter().enumerate() {
        let names = Renamed::of(parts, things, part);
        for (key, value) in &one.record.environment {
            let about = About::of(key);
            let value = names.value(key, value);
            let said = all.entry(names.key(key, &about));
            let said = said.or_insert_with(|| Said { about, by_part: BTreeMap::new() });
            said.by_part.insert(part, value);
        }
    }
    let told = all.iter().flat_map(|(key, said)| said.told(parts, key));
    told.chain(of_ranks(parts, things)).collect()
}

/// What the merge itself knows.
fn of_ranks(parts: &Parts, things: &Things) -> Environment {
    let bound = parts.ranks.iter().map(|part| part.bound_ns).max().unwrap_or(0);
    let host = |node: &String| {
        let part = parts.ranks.iter().find(|part| part.host.node == *node);
        part.map_or("", |part| part.host.name.as_str())
    };
    let hosts: Vec<&str> = parts.nodes.iter().map(host).collect();
    let mut all = Environment::from([
        Fact::RankCount.is(parts.ranks.len().to_string()),
        Fact::RankHosts.is(hosts.join(" ")),
        Fact::ClockBound.is(bound.to_string()),
    ]);
    for (node, host) in parts.nodes.iter().zip(hosts) {
        all.extend([Fact::NodeHost(node).is(host)]);
        all.extend([Fact::NodeStreams(node).is(streams_on(parts, node).join(" "))]);
    }
    for (identity, devices) in &things.same {
        let names = devices.iter().map(|id| things.entity(*id).name.as_str());
        all.extend([Fact::SharedDevices(identity).is(names.collect::<Vec<_>>().join(" "))]);
    }
    all
}

fn streams_on<'a>(parts: &'a Parts, node: &str) -> Vec<&'a str> {
    let streams = parts.each(|record| &record.streams);
    let here = streams.filter(|(part, _)| parts.node(*part) == node);
    here.map(|(part, stream)| parts.entity(part, stream.entity).name.as_str()).collect()
}

/// What parts say of one fact.
struct Said {
    about: About,
    by_part: BTreeMap<usize, String>,
}

impl Said {
    /// As facts of the merged record.
    fn told(&self, parts: &Parts, key: &str) -> Vec<(String, String)> {
        let is_of_all = self.by_part.len() == parts.ranks.len();
        let once = match self.about.joined {
            Joined::Sum => self.sum().filter(|_| is_of_all),
            Joined::List { between } => Some(self.joined(between)),
            Joined::Common => self.only().filter(|_| is_of_all),
            Joined::Known => self.only(),
            Joined::Host => return self.of_hosts(parts, key),
        };
        match once {
            Some(value) => vec![(key.to_owned(), value)],
            None => self.by_rank(parts, key),
        }
    }

    /// The value of all who know one.
    fn only(&self) -> Option<String> {
        let values: BTreeSet<&String> = self.by_part.values().collect();
        values.first().filter(|_| values.len() == 1).map(|value| (*value).clone())
    }

    fn sum(&self) -> Option<String> {
        let mut numbers = self.by_part.values().map(|text| text.parse::<u64>().ok());
        let sum = numbers.try_fold(0_u64, |sum, one| Some(sum.saturating_add(one?)))?;
        Some(sum.to_string())
    }

    /// The items of all lists, each once, in the order of ranks.
    fn joined(&self, between: &str) -> String {
        let mut all: Vec<&str> = Vec::new();
        for item in self.by_part.values().flat_map(|list| list.split(between)) {
            if !item.is_empty() && !all.contains(&item) {
                all.push(item);
            }
        }
        all.join(between)
    }

    /// One for all where all hosts have the same, else one of each.
    fn of_hosts(&self, parts: &Parts, key: &str) -> Vec<(String, String)> {
        let mut by_node: BTreeMap<&str, &String> = BTreeMap::new();
        for (part, value) in &self.by_part {
            by_node.entry(parts.node(*part)).or_insert(value);
        }
        let values: BTreeSet<&String> = by_node.values().copied().collect();
        if values.len() == 1 && by_node.len() == parts.nodes.len() {
            return by_node
                .into_values()
                .take(1)
                .map(|one| (key.to_owned(), one.clone()))
                .collect();
        }
        let each = by_node.into_iter();
        each.map(|(node, value)| (self.about.key_of(key, node), value.clone())).collect()
    }

    /// One of each host where its ranks have the same, else one of each rank.
    fn by_rank(&self, parts: &Parts, key: &str) -> Vec<(String, String)> {
        let mut by_node: BTreeMap<&str, BTreeSet<&String>> = BTreeMap::new();
        for (part, value) in &self.by_part {
            by_node.entry(parts.node(*part)).or_default().insert(value);
        }
        let told = |(part, value): (&usize, &String)| {
            let node = parts.node(*part);
            let of_rank = format!("rank[{}]", parts.ranks[*part].rank);
            let is_of_node = by_node[node].len() == 1 && !parts.is_one_host();
            let whose = if is_of_node { node } else { of_rank.as_str() };
            (self.about.key_of(key, whose), value.clone())
        };
        self.by_part.iter().map(told).collect()
    }
}
