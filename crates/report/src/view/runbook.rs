//! A runbook: what was expected of each step, and what it did.
//!
//! A step expects what the path can carry (its bound), or a share of what an earlier step carried,
//! the smaller of both. The steps stand in the run's study, what they did in its records, so a
//! stored run is shown as it was at first.

use iopath_analysis::limit::Limiting;
use iopath_study::{Step, Study};

use super::run::TrialReport;
use super::{DescribedPath, RunView, reached};

/// The steps of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Runbook {
    /// Title of its study.
    pub title: String,
    /// In the order of the study.
    pub steps: Vec<StepFound>,
}

/// One step and what it did.
#[derive(Clone, Debug, PartialEq)]
pub struct StepFound {
    /// As the study has it.
    pub step: Step,
    /// What its cases did; empty where it was not run.
    pub cases: Vec<StepCase>,
    /// What it comes to.
    pub outcome: Outcome,
}

/// One case of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepCase {
    /// Its levels, as `factor=level`.
    pub levels: String,
    pub bytes_per_sec: f64,
    /// Bytes of a request, on average.
    pub request_bytes: f64,
    pub expected: Option<Expected>,
    pub jain: Option<f64>,
    pub limit: Limiting,
}

/// A step before it is run.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedStep {
    pub step: Step,
    /// Time of its passes; none where only bytes end them.
    pub time_ns: Option<u64>,
    /// What its path can carry at most, in bytes a second, and bytes of a request.
    pub bound: Option<[f64; 2]>,
}

/// A throughput that is expected, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    pub bytes_per_sec: f64,
    /// The step before it that carried this; none where it is the bound of the path.
    pub like: Option<String>,
}

/// What a step comes to: of several cases the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    AsExpected,
    /// It was measured, and nothing is known to compare it with.
    NothingExpected,
    /// More than expected, by more than the tolerance.
    Above,
    /// Streams got unequal shares.
    Unfair,
    /// Less than expected, by more than the tolerance.
    Below,
    /// The run ended before it.
    NotReached,
    /// What it needs is not there.
    NotRun,
}

impl Outcome {
    /// Its word in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AsExpected => "as-expected",
            Self::NothingExpected => "nothing-expected",
            Self::Above => "above",
            Self::Unfair => "unfair",
            Self::Below => "below",
            Self::NotReached => "not-reached",
            Self::NotRun => "not-run",
        }
    }
}

impl Runbook {
    /// The steps of a study with what a run of it did; none where it has no steps.
    #[must_use]
    pub fn of(study: &Study, view: &RunView) -> Option<Self> {
        let found = |step: &Step| StepFound::of(step, view);
        let steps: Vec<StepFound> = study.steps.iter().map(found).collect();
        (!steps.is_empty()).then(|| Self { title: study.title.clone(), steps })
    }

    /// How many steps came out so.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        self.steps.iter().filter(|one| one.outcome == outcome).count()
    }
}

impl StepFound {
    fn of(step: &Step, view: &RunView) -> Self {
        let trials = view.report.trials.iter().zip(&view.paths);
        let own = trials.filter(|(trial, _)| trial.case.experiment == step.title);
        let like = like(step, view);
        let cases: Vec<StepCase> =
            own.map(|(trial, path)| StepCase::of(trial, path, like.clone())).collect();
        let outcome = match cases.iter().map(|case| case.outcome(step)).max() {
            Some(worst) => worst,
            None if step.needs.is_some() => Outcome::NotRun,
            None => Outcome::NotReached,
        };
        Self { step: step.clone(), cases, outcome }
    }

    /// Its worst case.
    #[must_use]
    pub fn worst(&self) -> Option<&StepCase> {
        let behind = |case: &StepCase| {
            case.expected.as_ref().map_or(1.0, |one| case.bytes_per_sec / one.bytes_per_sec)
        };
        let off = |case: &&StepCase| (behind(case) - 1.0).abs();
        let is_worst = |case: &&StepCase| case.outcome(&self.step) == self.outcome;
        let mut worst: Vec<&StepCase> = self.cases.iter().filter(is_worst).collect();
        worst.sort_by(|a, b| off(a).total_cmp(&off(b)));
        worst.pop()
    }
}

/// The share of an earlier step that is expected; none where that was not run.
fn like(step: &Step, view: &RunView) -> Option<Expected> {
    let title = step.like.as_ref()?;
    let of_it = view.report.trials.iter().filter(|trial| trial.case.experiment == *title);
    let all: f64 = of_it.map(|trial| reached(&trial.findings)).sum();
    let bytes_per_sec = all * step.ratio.as_f64();
    (bytes_per_sec > 0.0).then(|| Expected { bytes_per_sec, like: Some(title.clone()) })
}

impl StepCase {
    fn of(trial: &TrialReport, path: &DescribedPath, like: Option<Expected>) -> Self {
        let bound = path.expected.as_ref().map(|bound| bound.throughput_bytes_per_sec);
        let bound = bound.map(|bytes_per_sec| Expected { bytes_per_sec, like: None });
        let smaller = |a: Expected, b: Expected| match a.bytes_per_sec <= b.bytes_per_sec {
            true => a,
            false => b,
        };
        let findings = &trial.findings;
        let levels = trial.case.levels.iter().map(|(factor, level)| format!("{factor}={level}"));
        Self {
            levels: levels.collect::<Vec<_>>().join(" "),
            bytes_per_sec: reached(findings),
            request_bytes: findings.bytes as f64 / findings.requests.max(1) as f64,
            expected: match (like, bound) {
                (Some(like), Some(bound)) => Some(smaller(like, bound)),
                (like, bound) => like.or(bound),
            },
            jain: findings.jain,
            limit: findings.limit.clone(),
        }
    }

    fn outcome(&self, step: &Step) -> Outcome {
        let tolerance = step.tolerance.as_f64();
        let of_expected =
            self.expected.as_ref().map(|one| self.bytes_per_sec / one.bytes_per_sec - 1.0);
        let is_unfair = step.fair.zip(self.jain).is_some_and(|(least, jain)| jain < least.as_f64());
        match of_expected {
            Some(off) if off < -tolerance => Outcome::Below,
            _ if is_unfair => Outcome::Unfair,
            Some(off) if off > tolerance => Outcome::Above,
            Some(_) => Outcome::AsExpected,
            None => Outcome::NothingExpected,
        }
    }
}
