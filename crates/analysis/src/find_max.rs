//! The highest load within a limit of response time: what the trials of a search came to.
//!
//! The search itself is a state machine ([`search`]), a load is judged by [`mod@judge`]. Its trials
//! differ in the factor [`RATE`], and their records say what was searched for, so all of it is
//! found again from the records of a stored run.
//! It leaves out load sweeps that a study states ([`crate::load_sweep`]).

use std::collections::BTreeMap;

use iopath_record::{CaseText, Environment, Fact, Record};
use iopath_units::OperationRate;
use serde::Serialize;

use crate::findings::Findings;

pub mod judge;
mod limit;
pub mod search;

pub use iopath_study::open_loop::RATE;
pub use judge::{Figure, Judged, response_ns};
pub use limit::{LatencyLimit, Metric, NoLatency};
pub use search::{Answer, Outcome, Reason, Search, Step};

/// What the trials of a search have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// The limit.
    pub limit: LatencyLimit,
    /// How far apart the highest load within and the lowest beyond may be, as a share.
    pub precision: f64,
    /// Requests a second that use the system up, as far as it was known before.
    pub saturated_per_sec: f64,
}

impl Wanted {
    /// The facts that say so.
    #[must_use]
    pub fn facts(&self) -> [(String, String); 3] {
        let ppm = (self.precision * 1e6).round() as u64;
        [
            Fact::FindMaxLatency.is(self.limit.to_string()),
            Fact::FindMaxPrecision.is(ppm.to_string()),
            Fact::FindMaxSaturated.is(format!("{:.3}", self.saturated_per_sec)),
        ]
    }

    /// What facts say; none where they are of no search.
    #[must_use]
    pub fn of(environment: &Environment) -> Option<Self> {
        let ppm: f64 = Fact::FindMaxPrecision.of(environment)?.parse().ok()?;
        Some(Self {
            limit: Fact::FindMaxLatency.of(environment)?.parse().ok()?,
            precision: ppm / 1e6,
            saturated_per_sec: Fact::FindMaxSaturated.of(environment)?.parse().ok()?,
        })
    }

    /// The search for it.
    #[must_use]
    pub fn search(&self) -> Search {
        Search::new(self.saturated_per_sec, self.precision)
    }
}

/// The rate of a trial of a search, in requests a second; none of other trials.
#[must_use]
pub fn wanted_per_sec(case: &CaseText) -> Option<f64> {
    let rate: OperationRate = case.levels.get(RATE)?.parse().ok()?;
    Some(rate.per_sec())
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HighestLoad {
    /// Whose trials.
    pub experiment: String,
    /// The levels of all other factors.
    pub levels: BTreeMap<String, String>,
    /// What was to be kept.
    pub limit: LatencyLimit,
    /// Requests a second that use the system up, as far as it was known before the search.
    pub saturated_per_sec: f64,
    /// Whether that is a bound; else it was measured, with as many requests in flight as the depths
    /// of the streams allow.
    pub is_modelled: bool,
    /// The answer; none where the search did not end.
    pub answer: Option<Answer>,
    /// What was tried, by rising load.
    pub loads: Vec<TriedLoad>,
}

/// One load that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TriedLoad {
    /// The trial's place in the run.
    pub trial: u32,
    /// Passes that it took.
    pub passes: usize,
    /// Requests a second that were to come.
    pub wanted_per_sec: f64,
    /// Requests a second that completed.
    pub achieved_per_sec: f64,
    /// Bytes of them.
    pub throughput_bytes_per_sec: f64,
    /// Whether it was within the limit.
    pub outcome: Outcome,
    /// The figure that is limited; none where nothing completed.
    pub figure: Option<Figure>,
    /// Mean response from the intended start.
    pub response_ns_mean: Option<f64>,
    /// Half of the requests took no longer.
    pub response_ns_p50: Option<u64>,
    /// 99 % of the requests took no longer.
    pub response_ns_p99: Option<u64>,
}

impl HighestLoad {
    /// The load that was tried at this rate.
    #[must_use]
    pub fn at(&self, per_sec: f64) -> Option<&TriedLoad> {
        self.loads.iter().find(|load| load.wanted_per_sec == per_sec)
    }
}

/// A trial with its passes.
#[derive(Clone, Copy, Debug)]
pub struct Tried<'a> {
    /// Its findings.
    pub findings: &'a Findings,
    /// Its passes; at least one.
    pub passes: &'a [Record],
}

/// Every search among the trials of a run, which are in the order of their execution.
#[must_use]
pub fn highest_loads(trials: &[Tried<'_>]) -> Vec<HighestLoad> {
    let mut groups: Vec<(Key<'_>, Vec<Tried<'_>>)> = Vec::new();
    for trial in trials {
        let Some(key) = trial.passes.first().and_then(Key::of) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(*trial),
            None => groups.push((key, vec![*trial])),
        }
    }
    groups.iter().map(|(key, members)| highest_load(key, members)).collect()
}

/// What the trials of one search have in common.
#[derive(PartialEq)]
struct Key<'a> {
    experiment: &'a str,
    levels: BTreeMap<&'a str, &'a str>,
    wanted: Wanted,
    is_modelled: bool,
}

impl<'a> Key<'a> {
    fn of(record: &'a Record) -> Option<Self> {
        let wanted = Wanted::of(&record.environment)?;
        wanted_per_sec(&record.case)?;
        let levels = record.case.levels.iter().filter(|(name, _)| *name != RATE);
        let levels = levels.map(|(name, level)| (name.as_str(), level.as_str())).collect();
        let is_modelled = record.technique.is_model();
        Some(Self { experiment: &record.case.experiment, levels, wanted, is_modelled })
    }
}

fn highest_load(key: &Key<'_>, members: &[Tried<'_>]) -> HighestLoad {
    let wanted = key.wanted;
    let mut search = wanted.search();
    let mut loads = Vec::new();
    for trial in members {
        let Some(load) = tried(trial, wanted.limit) else { continue };
        search.observe(load.wanted_per_sec, load.outcome);
        loads.push(load);
    }
    loads.sort_by(|one, other| one.wanted_per_sec.total_cmp(&other.wanted_per_sec));
    let owned = |(name, level): (&&str, &&str)| ((*name).to_owned(), (*level).to_owned());
    HighestLoad {
        experiment: key.experiment.to_owned(),
        levels: key.levels.iter().map(owned).collect(),
        limit: wanted.limit,
        saturated_per_sec: wanted.saturated_per_sec,
        is_modelled: key.is_modelled,
        answer: match search.next() {
            Step::Done(answer) => Some(answer),
            Step::Try(_) => None,
        },
        loads,
    }
}

fn tried(trial: &Tried<'_>, limit: LatencyLimit) -> Option<TriedLoad> {
    let Tried { findings, passes } = *trial;
    let case = &passes.first()?.case;
    let wanted_per_sec = wanted_per_sec(case)?;
    let Judged { outcome, figure } = judge::judge(passes, findings, limit, wanted_per_sec);
    Some(TriedLoad {
        trial: case.trial,
        passes: passes.len(),
        wanted_per_sec,
        achieved_per_sec: judge::achieved_per_sec(findings),
        throughput_bytes_per_sec: findings.headline.throughput_bytes_per_sec,
        outcome,
        figure,
        response_ns_mean: findings.intended_latency_ns_mean.or(findings.latency_ns_mean),
        response_ns_p50: findings.intended_latency_ns_p50,
        response_ns_p99: findings.intended_latency_ns_p99,
    })
}
