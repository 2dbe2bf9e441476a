//! What is read to find shared limits: the files and devices of a run, each by every host that used
//! it where there are several.

use std::collections::{BTreeMap, BTreeSet};

use iopath_analysis::probe::MOST_MEMBERS;
use iopath_record::{Layer, Record};
use iopath_report::member_on;
use iopath_study::Case;
use iopath_study::case::Target;

use crate::exit_status::Problem;

/// A file or device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// Of its stream.
    pub name: String,
    pub path: String,
    /// The host that reads it, where there are several.
    pub node: Option<usize>,
}

/// A path, and the host that has it.
type Place = (String, Option<usize>);

/// Of a run, for so many hosts.
pub(super) fn of(records: &[Record], cases: &[Case], hosts: usize) -> Result<Vec<Member>, Problem> {
    let bound: BTreeSet<String> =
        cases.iter().flat_map(|case| &case.targets).flat_map(paths).collect();
    let places: BTreeSet<Place> = match hosts {
        1 => {
            let devices = if bound.len() < 2 { below(records) } else { BTreeSet::new() };
            let found = if devices.len() > 1 { devices } else { bound };
            found.into_iter().map(|path| (path, None)).collect()
        }
        _ => on_hosts(records, cases, hosts)?,
    };
    match places.len() {
        0 => Err(Problem::mistake(
            "nothing to probe: the run has no target that is still there; scratch files \
             vanish with their run. Measure files or devices with --target",
        )),
        1 => Err(Problem::mistake(format!(
            "nothing to probe: the run has only one target, {}; measure several at once, with \
             --target for each",
            places.first().map_or("", |(path, _)| path.as_str())
        ))),
        many if many > MOST_MEMBERS => Err(Problem::mistake(format!(
            "{many} targets are too many to probe in reasonable time; the maximum is \
             {MOST_MEMBERS}"
        ))),
        _ => Ok(named(&places)),
    }
}

/// What a target stands for, or what lies below one that is composed.
fn paths(target: &Target) -> Vec<String> {
    match &target.binding {
        Some(path) => vec![path.clone()],
        None => target.below.values().filter_map(|bind| bind.paths.first().cloned()).collect(),
    }
}

/// Each target by the hosts that used it; of a run of one host, by all.
fn on_hosts(records: &[Record], cases: &[Case], hosts: usize) -> Result<BTreeSet<Place>, Problem> {
    let mut used: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for (key, streams) in records.iter().flat_map(|record| &record.environment) {
        if let Some(node) = node_of(key) {
            used.entry(node).or_default().extend(streams.split_whitespace());
        }
    }
    if let Some(last) = used.keys().last().filter(|last| **last >= hosts) {
        return Err(Problem::mistake(format!(
            "the run was on {} hosts, these are {hosts}: start a rank on each of them",
            last + 1
        )));
    }
    let streams = cases.iter().flat_map(|case| {
        case.streams.iter().map(move |stream| (stream.name.as_str(), &case.targets[stream.target]))
    });
    let places = streams.flat_map(|(stream, target)| {
        let used = &used;
        let uses = move |node: &usize| {
            used.is_empty() || used.get(node).is_some_and(|names| names.contains(stream))
        };
        let nodes = (0..hosts).filter(uses);
        nodes.flat_map(move |node| paths(target).into_iter().map(move |path| (path, Some(node))))
    });
    Ok(places.collect())
}

/// The number of the node whose streams a fact lists.
fn node_of(key: &str) -> Option<usize> {
    key.strip_prefix("ranks.node[")?.strip_suffix("].streams")?.parse().ok()
}

/// Devices at the bottom of the run's paths.
fn below(records: &[Record]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for record in records {
        let above: BTreeSet<u32> = record.relations.iter().map(|one| one.upper.0).collect();
        let lower = record.relations.iter().flat_map(|one| one.lower.iter().map(|id| id.0));
        let ends = lower.filter(|id| !above.contains(id));
        let devices = ends.filter_map(|id| record.entities.get(id as usize));
        let devices = devices.filter(|entity| entity.layer == Layer::Device);
        found.extend(devices.filter_map(|entity| entity.binding.clone()));
    }
    found
}

/// The last part of each path, where it is a name that a study can have and no other path's.
fn named(places: &BTreeSet<Place>) -> Vec<Member> {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let paths: BTreeSet<&String> = places.iter().map(|(path, _)| path).collect();
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    paths.iter().for_each(|path| *uses.entry(last(path)).or_default() += 1);
    let is_plain = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    let of_path = paths.iter().enumerate().map(|(number, path)| {
        let name = last(path);
        let name = match is_plain(&name) && uses[&name] == 1 {
            true => name,
            false => format!("target{number}"),
        };
        (*path, name)
    });
    let names: BTreeMap<&String, String> = of_path.collect();
    let member = |(path, node): &Place| {
        let name = &names[path];
        let name = node.map_or_else(|| name.clone(), |node| member_on(name, node));
        Member { name, path: path.clone(), node: *node }
    };
    let mut members: Vec<Member> = places.iter().map(member).collect();
    members.sort_by_key(|member| (member.name.len(), member.name.clone()));
    members
}
