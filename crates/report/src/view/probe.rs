//! Short experiments on sets of targets, and which of these share a limit.
//!
//! Everything is made from the records of the run, so a stored one is shown as it was at first.

use std::collections::{BTreeMap, BTreeSet};

use iopath_analysis::limit::Limiting;
use iopath_analysis::probe::{Experiment, Step, Verdict, next};
use serde::Serialize;

use super::run::{RunReport, TrialReport};

/// The title of the study of such a run, by which it is known.
pub const PROBE_TITLE: &str = "Which targets share a limit";

/// A target as one of several hosts reads it.
#[must_use]
pub fn member_on(target: &str, node: usize) -> String {
    format!("{target}-node{node}")
}

/// Where the limit of a group lies, where several hosts read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Whose {
    /// All members are of one host, and another host reads some of the targets without it.
    Host {
        /// Which: `node[1]`.
        node: String,
    },
    /// Several hosts run into it.
    BeyondHosts,
}

/// A run of experiments, of which each trial reads some members at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct Probed {
    /// Its name in the store.
    pub run: String,
    /// Names of the members: each was read alone first, in this order.
    pub members: Vec<String>,
    /// What was measured.
    pub experiments: Vec<Experiment>,
    /// What held each experiment back.
    pub(crate) limits: Vec<Limiting>,
    /// Whether several hosts read.
    pub(crate) has_hosts: bool,
    /// What is found; none where experiments are missing.
    pub verdict: Option<Verdict>,
}

impl Probed {
    /// What the trials of a run tell; none where the run is no such one.
    #[must_use]
    pub fn of(report: &RunReport) -> Option<Self> {
        let is_probe = |trial: &TrialReport| trial.case.study == PROBE_TITLE;
        let trials = &report.trials;
        if trials.is_empty() || !trials.iter().all(is_probe) {
            return None;
        }
        let streams = |trial: &TrialReport| -> Vec<(String, f64)> {
            let each = trial.findings.streams.iter();
            each.map(|s| (s.name.clone(), s.throughput_bytes_per_sec.unwrap_or_default())).collect()
        };
        let mut members: Vec<String> = Vec::new();
        let mut experiments = Vec::new();
        for streams in trials.iter().map(streams) {
            for (name, _) in &streams {
                if !members.contains(name) {
                    members.push(name.clone());
                }
            }
            let number = |name: &String| members.iter().position(|member| member == name);
            let rates: BTreeMap<usize, f64> =
                streams.iter().filter_map(|(name, rate)| Some((number(name)?, *rate))).collect();
            let (members, bytes_per_sec) = rates.into_iter().unzip();
            experiments.push(Experiment { members, bytes_per_sec });
        }
        let verdict = match next(members.len(), &experiments) {
            Step::Decided(verdict) if members.len() > 1 => Some(verdict),
            Step::Decided(_) | Step::Measure(_) => None,
        };
        let limits = trials.iter().map(|trial| trial.findings.limit.clone()).collect();
        let has_hosts = trials.iter().any(|trial| trial.hosts.is_some());
        let run = report.id.clone().unwrap_or_default();
        Some(Self { run, members, experiments, limits, has_hosts, verdict })
    }

    /// What some members got while a set of them was read, on average over its experiments.
    pub(crate) fn rate_of(&self, member: usize, set: &[usize]) -> Option<f64> {
        let of_set = |one: &&Experiment| one.members.iter().eq(set);
        let rates = self.experiments.iter().filter(of_set).filter_map(|one| {
            let at = one.members.iter().position(|other| *other == member)?;
            one.bytes_per_sec.get(at).copied()
        });
        let rates: Vec<f64> = rates.collect();
        (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
    }

    /// What some got while all were read.
    pub(crate) fn with_all(&self, members: &[usize]) -> Option<f64> {
        let all: Vec<usize> = (0..self.members.len()).collect();
        members.iter().map(|member| self.rate_of(*member, &all)).sum()
    }

    /// Where the limit of a group lies; none where one host reads, or no other the same targets.
    pub(crate) fn whose(&self, group: &[usize]) -> Option<Whose> {
        if !self.has_hosts {
            return None;
        }
        let all: Vec<(&str, usize)> =
            self.members.iter().map(|name| target_and_node(name)).collect::<Option<_>>()?;
        let nodes: BTreeSet<usize> = group.iter().map(|member| all[*member].1).collect();
        let targets: BTreeSet<&str> = group.iter().map(|member| all[*member].0).collect();
        match nodes.iter().collect::<Vec<_>>()[..] {
            [node] => {
                let is_apart =
                    |(target, other): &(&str, usize)| other != node && targets.contains(target);
                let host = || Whose::Host { node: format!("node[{node}]") };
                all.iter().any(is_apart).then(host)
            }
            _ => Some(Whose::BeyondHosts),
        }
    }

    /// What of this machine held back an experiment on a set, where that was not the storage.
    pub(crate) fn own_limit(&self, set: &[usize]) -> Option<&Limiting> {
        let of_set = self.experiments.iter().zip(&self.limits);
        let mut limits = of_set.filter(|(one, _)| one.members.iter().eq(set));
        limits.find_map(|(_, limit)| limit.cause.is_of_host().then_some(limit))
    }
}

/// A member's target and node, as [`member_on`] has put them together.
fn target_and_node(name: &str) -> Option<(&str, usize)> {
    let (target, node) = name.rsplit_once("-node")?;
    Some((target, node.parse().ok()?))
}
