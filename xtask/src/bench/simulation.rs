//! What simulations cost, start, reading and bounds included: how many stages requests cross in a
//! second of user time, how long the slowest case of each study takes, and all of `validate`.
//!
//! One case is simulated by one thread, so processor time is how long it takes where nothing else
//! runs; what else runs does not change it. Cases that cannot be simulated are left out and named.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::hold::Queue;
use super::outcome::{Goal, Outcome, Value};
use super::place::{Place, Where};
use super::prediction::shipped;
use super::stage::Stage;
use crate::workspace::Workspace;

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Simulation {
    /// One case of a study.
    Stages {
        study: &'static str,
        cases: &'static [&'static str],
        /// Stages crossed in the time that the queue alone takes for one event.
        least_per_event: f64,
    },
    /// Each case of every study that describes a path, alone and once.
    Slowest { most_sec: f64 },
    /// All figures of all published studies.
    Validate { most_sec: f64 },
}

/// Events of the hold model that stages are compared with: what the machine can do at that time.
const PENDING: u32 = 64;

pub(crate) fn measure(simulation: Simulation, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let place = Place::empty(&stage.folder(Where::Memory))?;
    match simulation {
        Simulation::Stages { study, cases, least_per_event } => {
            let file = Workspace::read()?.root.join("studies").join(study);
            let words = simulate(stage, &file, cases.iter().map(|case| (*case).to_owned()));
            let queue = Queue::build(PENDING, stage)?;
            let (mut millions, mut per_event) = (Vec::new(), Vec::new());
            for _ in 0..stage.runs() {
                let (stdout, cost) = stage.output(&words, &place)?;
                let stages = stages(&stdout)? * 1e-6 / cost.user_sec;
                millions.push(stages);
                per_event.push(stages / queue.millions_per_sec(stage, &place)?);
            }
            let goal = Some(Goal::AtLeast(least_per_event));
            outcome.values.push(Value::new("million request-stages/s", millions, None));
            outcome.values.push(Value::new("request-stages per event of hold-64", per_event, goal));
        }
        Simulation::Slowest { most_sec } => {
            for file in shipped()? {
                let mut left_out = Vec::new();
                let value = slowest(&file, (stage, &place), Goal::AtMost(most_sec), &mut left_out)?;
                outcome.values.extend(value);
                outcome.notes.extend(left_out);
            }
        }
        Simulation::Validate { most_sec } => {
            let words = ["validate", "--json", "--no-progress", "--no-report"].map(str::to_owned);
            let mut words = [vec![stage.iopath.display().to_string()], words.to_vec()].concat();
            if stage.is_smoke_test() {
                let study = Workspace::read()?.root.join("studies/storagetek-2540.kdl");
                words.push(study.display().to_string());
            }
            let (_, seconds) = timed(stage, &words, &place)?;
            let goal = Some(Goal::AtMost(most_sec));
            outcome.values.push(Value::new("s", vec![seconds], goal));
        }
    }
    Ok(())
}

/// The words that simulate cases of a study.
fn simulate(stage: &Stage, file: &Path, cases: impl Iterator<Item = String>) -> Vec<String> {
    let mut words = vec![stage.iopath.display().to_string()];
    let what = ["simulate", "--json", "--no-progress", "--no-report", "--threads", "1"];
    words.extend(what.map(str::to_owned));
    words.extend(cases.flat_map(|case| ["--case".to_owned(), case]));
    words.push(file.display().to_string());
    words
}

fn timed(stage: &Stage, words: &[String], place: &Place) -> Result<(Vec<u8>, f64)> {
    let begun = Instant::now();
    let (stdout, _) = stage.output(words, place)?;
    Ok((stdout, begun.elapsed().as_secs_f64()))
}

/// The longest of all cases of a study that can be simulated, and what to say of the others.
fn slowest(
    file: &Path,
    (stage, place): (&Stage, &Place),
    goal: Goal,
    left_out: &mut Vec<String>,
) -> Result<Option<Value>> {
    let study = file.file_stem().unwrap_or_default().to_string_lossy();
    let plan = [&stage.iopath, Path::new("plan"), Path::new("--json"), file];
    let plan = plan.map(|word| word.display().to_string());
    let (stdout, _) = stage.output(&plan, place)?;
    let Plan { trials } = serde_json::from_slice(&stdout).context("iopath plans another JSON")?;
    let mut longest = None;
    let cases = if stage.is_smoke_test() { 1 } else { trials.len() };
    for case in trials.into_iter().map(Trial::named).take(cases) {
        let words = simulate(stage, file, case.iter().cloned());
        match stage.output(&words, place) {
            Ok((_, cost)) => {
                let seconds = cost.user_sec + cost.system_sec;
                if longest.as_ref().is_none_or(|(_, most)| seconds > *most) {
                    longest = Some((case.join(", "), seconds));
                }
            }
            Err(error) if is_refused(&error) => {
                left_out
                    .push(format!("{study}: {}: {REFUSED}, so it is left out", case.join(", ")));
            }
            Err(error) => return Err(error).with_context(|| case.join(", ")),
        }
    }
    Ok(longest.map(|(case, seconds)| {
        Value::new(format!("s of {study}: {case}"), vec![seconds], Some(goal))
    }))
}

/// What `iopath simulate` says of a case in which time would not pass.
const REFUSED: &str = "the path has no rated component";

fn is_refused(error: &anyhow::Error) -> bool {
    error.to_string().contains(REFUSED)
}

/// The part of `iopath-plan/1` that is read here.
#[derive(Deserialize)]
struct Plan {
    trials: Vec<Trial>,
}

#[derive(Deserialize)]
struct Trial {
    experiment: String,
    levels: BTreeMap<String, String>,
}

impl Trial {
    /// As `--case` has it.
    fn named(self) -> Vec<String> {
        let levels = self.levels.into_iter().map(|(factor, level)| format!("{factor}={level}"));
        std::iter::once(self.experiment).chain(levels).collect()
    }
}

/// The part of `iopath-simulation/6` that is read here.
#[derive(Deserialize)]
struct Output {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    environment: BTreeMap<String, String>,
}

/// The stages that requests of all cases have crossed.
fn stages(stdout: &[u8]) -> Result<f64> {
    let Output { cases } =
        serde_json::from_slice(stdout).context("iopath simulates another JSON")?;
    let of = |case: &Case| case.environment.get("simulation.stages")?.parse::<f64>().ok();
    cases.iter().map(of).sum::<Option<f64>>().context("a simulation counts no stages")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_those_of_all_cases() {
        let text = r#"{"cases": [{"environment": {"simulation.stages": "12", "x": "y"}},
            {"environment": {"simulation.stages": "30"}, "levels": {}}]}"#;
        assert_eq!(stages(text.as_bytes()).unwrap(), 42.0);
        assert!(stages(br#"{"cases": [{"environment": {}}]}"#).is_err());
    }

    #[test]
    fn a_case_that_is_refused_is_told_from_one_that_fails() {
        let error = |text: &'static str| anyhow::anyhow!("iopath: exit status: 2: error: {text}");
        let refused = "the path has no rated component, so there is nothing to simulate";
        assert!(is_refused(&error(refused)));
        assert!(!is_refused(&error("no such study")));
    }

    #[test]
    fn a_case_is_named_by_experiment_and_levels() {
        let text = r#"{"trials": [{"experiment": "64 files", "levels": {"readahead": "24"}}]}"#;
        let Plan { trials } = serde_json::from_str(text).unwrap();
        let named: Vec<_> = trials.into_iter().map(Trial::named).collect();
        assert_eq!(named, [["64 files", "readahead=24"]]);
    }
}
