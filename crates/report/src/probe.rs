//! Short experiments on sets of targets, and which of these share a limit.
//!
//! Everything is made from the records of the run, so a stored one is told as it was at first.

use std::collections::BTreeMap;

use iopath_analysis::limit::Cause;
use iopath_analysis::probe::{Experiment, Group, Private, Step, Verdict, next};
use iopath_units::System;

use crate::document::{Block, Document, Section};
use crate::numbers::rate;
use crate::run::{RunReport, TrialReport};
use crate::words::advice::AdviceText;

/// The title of the study of such a run, by which it is known.
pub const PROBE_TITLE: &str = "Which targets share a limit";

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
    pub(crate) causes: Vec<Cause>,
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
        let causes = trials.iter().map(|trial| trial.findings.limit.cause).collect();
        let run = report.id.clone().unwrap_or_default();
        Some(Self { run, members, experiments, causes, verdict })
    }

    fn names(&self, members: &[usize]) -> String {
        let names: Vec<&str> =
            members.iter().map(|member| self.members[*member].as_str()).collect();
        match names.split_last() {
            Some((last, before)) if !before.is_empty() => {
                format!("{} and {last}", before.join(", "))
            }
            _ => names.concat(),
        }
    }

    /// What some members got while a set of them was read, on average over its experiments.
    fn rate_of(&self, member: usize, set: &[usize]) -> Option<f64> {
        let of_set = |one: &&Experiment| one.members.iter().eq(set);
        let rates = self.experiments.iter().filter(of_set).filter_map(|one| {
            let at = one.members.iter().position(|other| *other == member)?;
            one.bytes_per_sec.get(at).copied()
        });
        let rates: Vec<f64> = rates.collect();
        (!rates.is_empty()).then(|| rates.iter().sum::<f64>() / rates.len() as f64)
    }

    /// Whether something of this machine held back an experiment on a set, and not the storage.
    pub(crate) fn own_limit(&self, set: &[usize]) -> Option<&'static str> {
        let of_set = self.experiments.iter().zip(&self.causes);
        let mut of_set = of_set.filter(|(one, _)| one.members.iter().eq(set));
        of_set.find_map(|(_, cause)| match cause {
            Cause::Cpu => Some("the processors"),
            Cause::Generator => Some("the load generator"),
            Cause::PageCache => Some("main memory"),
            Cause::Device
            | Cause::Rate
            | Cause::Throttle
            | Cause::Component
            | Cause::Synchronisation
            | Cause::Flush
            | Cause::Latency
            | Cause::Unknown => None,
        })
    }

    /// What to do with what was found.
    pub(crate) fn advice(&self, verdict: &Verdict, system: System) -> Vec<AdviceText> {
        let each = verdict.groups.iter().filter(|group| self.own_limit(&group.members).is_none());
        each.map(|group| self.spread(group, system)).collect()
    }

    fn spread(&self, group: &Group, system: System) -> AdviceText {
        let names = self.names(&group.members);
        let [together, apart] =
            [group.bytes_per_sec, group.apart_bytes_per_sec].map(|bytes| rate(bytes, system));
        AdviceText {
            rule: "shared-limit",
            what: format!(
                "keep what is read at the same time apart: {names} carry {together} together, \
                 however many of them are used"
            ),
            commands: Vec::new(),
            persistent: None,
            gain: format!("without the shared limit they carry {apart}"),
            risk: "none for data where only new data is placed otherwise; what shares the limit \
                   may be an adapter, a link, a controller or a quota"
                .to_owned(),
            restart: "depends on what is moved".to_owned(),
            undo: Vec::new(),
        }
    }
}

/// The verdict, what it stands on, and advice.
#[must_use]
pub fn document(probed: &Probed, system: System) -> Document {
    let Some(verdict) = &probed.verdict else {
        let text = "not decided: experiments are missing".to_owned();
        return Document::of_blocks(PROBE_TITLE.to_owned(), vec![Block::Text(text)]);
    };
    let answer = vec![Block::Verdict(sentence(probed, verdict))];
    let groups = verdict.groups.iter();
    let groups = groups.map(|group| Section {
        id: "group",
        title: head(probed, group, system),
        blocks: vec![Block::Lines(lines(probed, group, system))],
    });
    let advice = probed.advice(verdict, system);
    let advice = if advice.is_empty() { Vec::new() } else { vec![Block::Advice(advice)] };
    let doubt = "in doubt: what all got together is less than these groups explain; rates changed \
                 between experiments, or a limit takes little from everybody. Longer experiments \
                 tell more (--time)";
    let doubt = (!verdict.is_consistent).then(|| Block::warning(String::new(), doubt));
    let last = [
        private(probed, verdict, system),
        Section::of("together", "", vec![Block::Text(together(probed, verdict, system))]),
        Section::of("advice", "advice", advice),
        Section::of("doubt", "", doubt.into_iter().collect()),
    ];
    let sections = Section::of("verdict", "verdict", answer).into_iter().chain(groups);
    let sections = sections.chain(last.into_iter().flatten()).collect();
    Document { title: PROBE_TITLE.to_owned(), sections, ..Document::default() }
}

fn sentence(probed: &Probed, verdict: &Verdict) -> String {
    if verdict.groups.is_empty() {
        let all: Vec<usize> = (0..probed.members.len()).collect();
        return format!(
            "{} share no limit: each gets together what it gets alone",
            probed.names(&all)
        );
    }
    let each = verdict.groups.iter().map(|group| match probed.own_limit(&group.members) {
        None => format!("{} share a limit", probed.names(&group.members)),
        Some(what) => {
            format!(
                "{} are held back together by {what} of this machine",
                probed.names(&group.members)
            )
        }
    });
    let mut said: Vec<String> = each.collect();
    let single: Vec<usize> = verdict.private.iter().map(|private| private.member).collect();
    match single.len() {
        0 => {}
        1 => said.push(format!("{} shares none", probed.names(&single))),
        _ => said.push(format!("{} share none", probed.names(&single))),
    }
    said.join("; ")
}

fn head(probed: &Probed, group: &Group, system: System) -> String {
    format!(
        "{}: {} together, {} without the limit",
        probed.names(&group.members),
        rate(group.bytes_per_sec, system),
        rate(group.apart_bytes_per_sec, system)
    )
}

/// What was measured of a group, and of those within.
fn lines(probed: &Probed, group: &Group, system: System) -> Vec<String> {
    let of = |bytes: f64| rate(bytes, system);
    let alone = group.members.iter().filter_map(|member| {
        let name = &probed.members[*member];
        Some(format!("{name} alone {}", of(probed.rate_of(*member, &[*member])?)))
    });
    let alone = alone.collect::<Vec<_>>().join(", ");
    let with_all = with_all(probed, &group.members).map(of);
    let with_all = with_all.map(|all| format!("; while all were read {all}")).unwrap_or_default();
    let together = of(group.bytes_per_sec);
    let mut lines = vec![format!("- {alone}, together {together}{with_all}  [shared-limit]")];
    lines.extend(probed.own_limit(&group.members).map(|what| {
        format!("- {what} of this machine held it back: this is no limit of the storage")
    }));
    for inner in &group.within {
        lines.push(format!("- within it: {}", head(probed, inner, system)));
        lines.extend(self::lines(probed, inner, system));
    }
    lines
}

/// What some got while all were read.
fn with_all(probed: &Probed, members: &[usize]) -> Option<f64> {
    let all: Vec<usize> = (0..probed.members.len()).collect();
    members.iter().map(|member| probed.rate_of(*member, &all)).sum()
}

fn private(probed: &Probed, verdict: &Verdict, system: System) -> Option<Section> {
    let of = |bytes: f64| rate(bytes, system);
    let line = |private: &Private| {
        let with_all = with_all(probed, &[private.member]).map(of).unwrap_or_default();
        let name = &probed.members[private.member];
        format!("- {name} alone {}, while all were read {with_all}", of(private.bytes_per_sec))
    };
    let lines = Block::lines(verdict.private.iter().map(line).collect());
    Section::of("private", "no limit shared", lines.into_iter().collect())
}

fn together(probed: &Probed, verdict: &Verdict, system: System) -> String {
    format!(
        "all {} together: {}; {} experiments. A limit that takes less than a tenth from everybody \
         is not seen",
        probed.members.len(),
        rate(verdict.together_bytes_per_sec, system),
        probed.experiments.len()
    )
}
