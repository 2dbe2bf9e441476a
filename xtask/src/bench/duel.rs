//! iopath and fio in turns: A B C, C B A, A B C, so that a drift favours nobody.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result};

use super::catalogue::{Duel, Rival};
use super::fio::Engine;
use super::outcome::{Comparison, Outcome};
use super::place::Place;
use super::run::{Load, Sample};
use super::stage::{Stage, Tool, tell_progress};
use super::statistics::median;

/// Each of fio's settings is tried so often and so long, in turns as well (chosen).
const TRIALS: usize = 3;
const TRIAL: Duration = Duration::from_secs(2);

pub(crate) fn fight(duel: &Duel, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let place = stage.place(duel.place)?;
    let mut tools = vec![Tool::Iopath];
    for rival in duel.rivals {
        let engine = fastest(rival, &duel.load, (stage, &place), outcome)?;
        tools.push(Tool::Fio(engine));
    }
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); tools.len()];
    for pair in 0..stage.pairs {
        tell_progress("pair", pair, stage.pairs);
        for index in turn(tools.len(), pair) {
            samples[index].push(stage.sample(tools[index], &duel.load, &place)?);
        }
    }
    tell_progress("pair", stage.pairs, stage.pairs);
    for (rival, theirs) in duel.rivals.iter().zip(&samples[1..]) {
        for (figure, goal) in rival.figures {
            let values = |samples: &[Sample]| samples.iter().map(|s| s.value(*figure)).collect();
            let (ours, theirs) = (values(&samples[0]), values(theirs));
            let rival = format!("fio {}", rival.engine);
            let comparison = Comparison::new(rival, figure.name(), ours, theirs, *goal);
            outcome.comparisons.push(comparison.context("no pair was run")?);
        }
    }
    outcome.notes.extend(warnings(&samples[0]));
    Ok(())
}

/// The order of one round: forward, then backward.
fn turn(tools: usize, pair: usize) -> Vec<usize> {
    let forward = 0..tools;
    if pair.is_multiple_of(2) { forward.collect() } else { forward.rev().collect() }
}

/// The setting with the most operations in the median of some short runs; all are noted.
fn fastest(
    rival: &Rival,
    load: &Load,
    (stage, place): (&Stage, &Place),
    outcome: &mut Outcome,
) -> Result<Engine> {
    let engines: Vec<Engine> =
        rival.settings.iter().map(|settings| Engine { name: rival.engine, settings }).collect();
    let [first, _, ..] = engines[..] else {
        return engines.first().copied().context("fio has no setting here");
    };
    let mut tried: Vec<Vec<f64>> = vec![Vec::new(); engines.len()];
    let rounds = if stage.is_smoke_test() { 1 } else { TRIALS };
    for round in 0..rounds {
        tell_progress("settings of fio, round", round, rounds);
        for index in turn(engines.len(), round) {
            let run = stage.run(Tool::Fio(engines[index]), load, place, TRIAL.min(stage.length))?;
            tried[index].push(run.done.operations_per_sec);
        }
    }
    let rates: Vec<f64> = tried.iter().map(|rates| median(rates).unwrap_or(0.0)).collect();
    let best = best_of(&rates);
    for (index, (engine, rate)) in engines.iter().zip(&rates).enumerate() {
        let mark = if index == best { "used " } else { "tried" };
        let settings = if engine.settings.is_empty() { "no more" } else { engine.settings };
        let note = format!("fio {} {mark} {rate:>9.0} operations/s: {settings}", engine.name);
        outcome.notes.push(note);
    }
    Ok(engines.get(best).copied().unwrap_or(first))
}

/// Where the greatest value is, the first of equal ones.
fn best_of(rates: &[f64]) -> usize {
    (0..rates.len()).rev().max_by(|a, b| rates[*a].total_cmp(&rates[*b])).unwrap_or(0)
}

/// Each kind of warning with the number of runs that gave it.
fn warnings(samples: &[Sample]) -> Vec<String> {
    let of = |sample: &Sample| sample.long.done.warnings.iter().cloned().collect::<BTreeSet<_>>();
    let each: Vec<BTreeSet<String>> = samples.iter().map(of).collect();
    let kinds: BTreeSet<&String> = each.iter().flatten().collect();
    let count = |kind: &String| each.iter().filter(|kinds| kinds.contains(kind)).count();
    let line = |kind| format!("iopath warned in {} of {} runs: {kind}", count(kind), each.len());
    kinds.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::process::Cost;
    use super::super::run::{Done, Run};
    use super::*;

    #[test]
    fn every_other_round_goes_backward() {
        assert_eq!(turn(2, 0), [0, 1]);
        assert_eq!(turn(2, 1), [1, 0]);
        assert_eq!(turn(3, 2), [0, 1, 2]);
        assert_eq!(turn(3, 3), [2, 1, 0]);
    }

    #[test]
    fn the_fastest_setting_is_the_first_of_the_greatest() {
        assert_eq!(best_of(&[1.0, 3.0, 2.0]), 1);
        assert_eq!(best_of(&[3.0, 1.0, 3.0]), 0);
    }

    #[test]
    fn a_warning_is_told_once_with_the_number_of_its_runs() {
        let run = |warnings: &[&str]| Run {
            done: Done {
                requests: 1.0,
                operations_per_sec: 1.0,
                bytes_per_sec: 1.0,
                warnings: warnings.iter().map(|kind| (*kind).to_owned()).collect(),
            },
            cost: Cost { user_sec: 0.0, system_sec: 0.0, peak_bytes: 0.0 },
        };
        let sample = |long: &[&str]| Sample { long: run(long), short: run(&["short-pass"]) };
        let samples = [sample(&["other-load", "other-load"]), sample(&[])];
        assert_eq!(warnings(&samples), ["iopath warned in 1 of 2 runs: other-load"]);
    }
}
