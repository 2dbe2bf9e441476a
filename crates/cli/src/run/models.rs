//! The cases of a command with their networks: what `--without` takes out, the network of what is
//! left beside that with everything in place, and the records that a technique makes of them.

use std::collections::BTreeSet;

use iopath_path::{Direction, Loss, Network, PathMistake, RowId, rebuilds};
use iopath_record::{Fact, Histogram, Record};
use iopath_report::{Carried, Lost, Rebuild, Removal};
use iopath_simulation::Settings;
use iopath_study::selector::Selector;
use iopath_study::{Case, PartId, Study, Trial, unindexed};

use crate::arguments::StoreOption;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::paths;
use crate::run::crew::Simulator;
use crate::run::facts;
use crate::run::kept::{Kept, Stored};
use crate::run::parallel;

/// What `--without` names.
pub(crate) struct Without {
    selectors: Vec<(String, Selector)>,
}

impl Without {
    pub(crate) fn of(texts: &[String], trials: &[&Trial]) -> Result<Self, Problem> {
        let mut wrong = Vec::new();
        let mut selectors = Vec::new();
        for text in texts {
            match text.parse::<Selector>() {
                Ok(selector) => {
                    let is_there = |trial: &&Trial| !trial.case.system.select(&selector).is_empty();
                    if let Some(first) = trials.first().filter(|_| !trials.iter().any(is_there)) {
                        let why = first.case.system.absent(&selector).join("; ");
                        wrong.push(format!("--without {text}: {why}"));
                    }
                    selectors.push((text.clone(), selector));
                }
                Err(error) => wrong.push(format!("--without {text}: {error}")),
            }
        }
        if wrong.is_empty() {
            Ok(Self { selectors })
        } else {
            Err(Problem::mistake(wrong.join("\n")))
        }
    }

    /// Nothing is taken out.
    pub(crate) fn nothing() -> Self {
        Self { selectors: Vec::new() }
    }

    pub(crate) fn parts(&self, case: &Case) -> BTreeSet<PartId> {
        self.selectors.iter().flat_map(|(_, selector)| case.system.select(selector)).collect()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.selectors.iter().map(|(text, _)| text.clone()).collect()
    }
}

/// A case with its network.
pub(crate) struct Built<'a> {
    pub trial: &'a Trial,
    pub paths: Paths,
}

/// The network of a case; where something is taken out, also that with everything in place.
pub(crate) enum Paths {
    Whole(Network),
    Without {
        rest: Network,
        whole: Network,
    },
    /// Every stream stops.
    Nothing {
        why: String,
        whole: Network,
    },
}

/// The networks of all cases; mistakes of all of them at once.
pub(crate) fn build<'a>(
    study: &Study,
    trials: &[&'a Trial],
    without: &Without,
) -> Result<Vec<Built<'a>>, Problem> {
    let mut mistakes = paths::Mistakes::default();
    let mut all = Vec::new();
    let built = |trial: &&Trial| networks(trial, without);
    let built = parallel::in_order(parallel::threads(None), trials, built, &mut |_| ());
    for (trial, paths) in trials.iter().zip(built) {
        match paths {
            Ok(paths) => all.push(Built { trial, paths }),
            Err(wrong) => mistakes.add(wrong),
        }
    }
    mistakes.into_result(study)?;
    Ok(all)
}

/// The networks of a case.
fn networks(trial: &Trial, without: &Without) -> Result<Paths, Vec<PathMistake>> {
    let removed = without.parts(&trial.case);
    let built = Network::build(&trial.case, &removed);
    if removed.is_empty() {
        return built.map(Paths::Whole);
    }
    let whole = Network::build(&trial.case, &BTreeSet::new())?;
    Ok(match built {
        Ok(rest) => Paths::Without { rest, whole },
        // What is right with everything in place is no mistake of the study.
        Err(wrong) => Paths::Nothing { why: why(wrong), whole },
    })
}

/// Why a case cannot go on, each reason once.
pub(crate) fn why(wrong: Vec<PathMistake>) -> String {
    let texts: BTreeSet<String> = wrong.into_iter().map(|mistake| mistake.text).collect();
    texts.into_iter().collect::<Vec<_>>().join("; ")
}

impl Built<'_> {
    /// What a technique makes of a case, and of it with everything in place where something was
    /// taken out.
    pub(crate) fn records(
        &self,
        without: &Without,
        technique: &dyn Fn(&Case, &Network) -> Record,
    ) -> (Record, Option<Record>) {
        let record = |network: &Network| self.record(network, technique);
        let (mut rest, whole) = match &self.paths {
            Paths::Whole(whole) => return (record(whole), None),
            Paths::Without { rest, whole } => (record(rest), record(whole)),
            Paths::Nothing { why, whole } => {
                let whole = record(whole);
                (stopped(&whole, why), whole)
            }
        };
        rest.environment.extend([Fact::Without.is(without.names().join(", "))]);
        (rest, Some(whole))
    }

    /// What a technique makes of a case with what is left of its path; none where every stream
    /// stops.
    pub(crate) fn left(
        &self,
        without: &Without,
        technique: &dyn Fn(&Case, &Network) -> Record,
    ) -> Option<Record> {
        let (network, fact) = match &self.paths {
            Paths::Whole(whole) => (whole, None),
            Paths::Without { rest, .. } => {
                (rest, Some(Fact::Without.is(without.names().join(", "))))
            }
            Paths::Nothing { .. } => return None,
        };
        let mut record = self.record(network, technique);
        record.environment.extend(fact);
        Some(record)
    }

    fn record(&self, network: &Network, technique: &dyn Fn(&Case, &Network) -> Record) -> Record {
        let mut record = technique(&self.trial.case, network);
        facts::add(&self.trial.case, network, &mut record.environment);
        record.case.trial = u32::try_from(self.trial.index).unwrap_or(u32::MAX);
        record
    }

    /// What was taken out, beside what there was `before`.
    pub(crate) fn removal(&self, without: &Without, before: Carried) -> Removal {
        let lost = match &self.paths {
            Paths::Without { rest, whole } => lost(&self.trial.case, rest, whole),
            Paths::Whole(_) | Paths::Nothing { .. } => Vec::new(),
        };
        Removal { removed: without.names(), before, lost }
    }
}

/// A simulation of a case with one seed: the first is the study's own.
pub(crate) fn simulated(
    simulator: &Simulator,
    case: &Case,
    network: &Network,
    pass: u32,
    settings: &Settings,
) -> Record {
    let seed = case.workload.seed.wrapping_add(u64::from(pass));
    let mut record = simulator.simulate(case, network, &Settings { seed, ..*settings });
    record.case.pass = pass;
    record
}

/// The record of a case of which every stream has stopped.
pub(crate) fn stopped(whole: &Record, why: &str) -> Record {
    let mut record = whole.clone();
    record.environment.extend([Fact::NothingLeft.is(why)]);
    for stream in &mut record.streams {
        stream.phases.clear();
    }
    record.series.clear();
    record.heat.fill(Histogram::default());
    record.events.clear();
    record.bounds.clear();
    record.curve.clear();
    record.warnings.clear();
    record
}

/// What became of volumes and streams, by name.
fn lost(case: &Case, network: &Network, whole: &Network) -> Vec<Lost> {
    let rebuilds = rebuilds(case, whole, network);
    let rebuild = |volume| {
        let one = rebuilds.iter().find(|one| one.volume == volume);
        one.map(|one| rebuild(whole, one))
    };
    let volume = |kind, id, text: &str, rebuild| {
        let name = network.component(id).name.clone();
        Lost { kind, name, text: text.to_owned(), rebuild }
    };
    let told = |loss: &Loss| match loss {
        Loss::Moved { volume: id, to } => {
            let text = format!("{} is now its owner", network.component(*to).name);
            volume("moved", *id, &text, None)
        }
        Loss::Reserve { volume: id, text } => volume("reserve", *id, text, None),
        Loss::Degraded { volume: id, text } => volume("degraded", *id, text, rebuild(*id)),
        Loss::Spare { volume: id, text } => volume("spare", *id, text, None),
        Loss::Gone { volume: id, text } => volume("gone", *id, text, None),
        Loss::Stopped { stream, text } => {
            let name = case.streams[*stream].name.clone();
            Lost { kind: "stopped", name, text: text.clone(), rebuild: None }
        }
    };
    network.losses.iter().map(told).collect()
}

/// How long a rebuild takes at least.
fn rebuild(whole: &Network, of: &iopath_path::Rebuild) -> Rebuild {
    Rebuild {
        bytes: of.bytes.map(|bytes| bytes.0),
        bytes_per_sec: of.bytes_per_sec.round() as u64,
        limit: of.limit.map_or_else(|| "its rebuild rate".to_owned(), |row| limit(whole, row)),
        reads: of.reads,
        has_spare: of.has_spare,
    }
}

fn limit(whole: &Network, row: RowId) -> String {
    let limit = whole.row(row);
    let name = unindexed(&whole.component(limit.component).name);
    match (limit.property, limit.direction) {
        ("cpus", _) => format!("the processors of {name}"),
        ("parity-threads", _) => format!("the parity threads of {name}"),
        (_, Direction::Read) => format!("reads of {name}"),
        (_, Direction::Write) => format!("writes to {name}"),
        (_, Direction::Both) => name,
    }
}

/// Puts records into the store as a run of a study, with the time of the day in each.
pub(crate) fn keep(
    option: &StoreOption,
    study: &str,
    records: impl Iterator<Item = Record>,
) -> Result<Stored, Problem> {
    let mut kept = Kept::open(option, study)?;
    records.for_each(|record| kept.add(&record));
    Ok(kept.end(ExitStatus::Done))
}
