//! iopath here and at another commit in turns: A B, B A, so that a drift favours neither. The
//! column `fio` is the other commit's.
//!
//! A pair is one run of each; the goal is at most 3 % slower, in the direction that the benchmark's
//! own goal has. Left out are benchmarks that compare two ways of one program, such as `volume`.

use anyhow::{Context, Result, bail};

use super::catalogue::{Benchmark, Duel, Work};
use super::options::Options;
use super::outcome::{Comparison, Goal, Outcome};
use super::place::Place;
use super::play;
use super::programs::Source;
use super::run::Figure;
use super::stage::{Stage, Tool, tell_progress};

/// How much slower a change may be: chosen, what a reader of benchmarks takes for noise.
const SLOWER: f64 = 0.03;

/// The other commit.
pub(crate) struct Against {
    name: String,
    there: Stage,
}

/// One figure of one run.
struct Found {
    figure: String,
    value: f64,
    goal: Option<Goal>,
}

impl Against {
    /// Builds it; `here` is only looked at.
    pub(crate) fn prepare(options: &Options, here: &Stage) -> Result<Option<Self>> {
        let Some(name) = &options.against else { return Ok(None) };
        let there = here.with(Source::commit(name)?)?;
        Ok(Some(Self { name: name.clone(), there }))
    }

    pub(crate) fn compare(&self, benchmark: &Benchmark, here: &Stage) -> Result<Outcome> {
        let place = match &benchmark.work {
            Work::Duel(duel) => Some(here.place(duel.place)?),
            _ => None,
        };
        let stages = [here, &self.there];
        let mut runs = [Vec::new(), Vec::new()];
        for pair in 0..here.pairs {
            tell_progress("pair", pair, here.pairs);
            for at in [pair % 2, 1 - pair % 2] {
                runs[at].push(run(benchmark, stages[at], place.as_ref())?);
            }
        }
        tell_progress("pair", here.pairs, here.pairs);
        let mut outcome = Outcome::new(benchmark.name, benchmark.about);
        let first = runs[0].first().context("no pair was run")?;
        for (at, Found { figure, goal, .. }) in first.iter().enumerate() {
            let [ours, theirs] = runs.each_ref().map(|runs| values(runs, at, figure));
            let comparison =
                Comparison::new(self.name.clone(), figure, ours?, theirs?, goal.map(not_slower));
            outcome.comparisons.push(comparison.context("no pair was run")?);
        }
        Ok(outcome)
    }
}

fn run(benchmark: &Benchmark, stage: &Stage, place: Option<&Place>) -> Result<Vec<Found>> {
    if let (Work::Duel(duel), Some(place)) = (&benchmark.work, place) {
        return own_sample(duel, stage, place);
    }
    let outcome = play(benchmark, &stage.once())?;
    if outcome.values.is_empty() {
        bail!("it compares two ways already, and no figure of one can be compared with a commit");
    }
    let found = |value: super::outcome::Value| Found {
        figure: value.figure,
        value: value.worst,
        goal: value.goal,
    };
    Ok(outcome.values.into_iter().map(found).collect())
}

/// What fio would be compared with.
fn own_sample(duel: &Duel, stage: &Stage, place: &Place) -> Result<Vec<Found>> {
    let sample = stage.sample(Tool::Iopath, &duel.load, place)?;
    let figures = [Figure::Operations, Figure::UserTime, Figure::ProcessorTime];
    let found = figures.map(|figure| {
        let goal = match figure {
            Figure::Operations | Figure::Throughput => Goal::AtLeast(1.0),
            Figure::UserTime | Figure::ProcessorTime => Goal::AtMost(1.0),
        };
        let value = sample.value(figure);
        Found { figure: figure.name().to_owned(), value, goal: Some(goal) }
    });
    Ok(found.into())
}

/// The values of one figure, which every run has at the same place.
fn values(runs: &[Vec<Found>], at: usize, figure: &str) -> Result<Vec<f64>> {
    let value = |run: &Vec<Found>| {
        let found = run.get(at).filter(|found| found.figure == figure);
        found.map(|found| found.value).with_context(|| format!("a run has no {figure}"))
    };
    runs.iter().map(value).collect()
}

/// The goal of a ratio, from which way the figure is better.
fn not_slower(goal: Goal) -> Goal {
    match goal {
        Goal::AtLeast(_) => Goal::AtLeast(1.0 - SLOWER),
        Goal::AtMost(_) | Goal::Below(_) => Goal::AtMost(1.0 + SLOWER),
        Goal::Within(..) | Goal::NotApart => Goal::Within(1.0 - SLOWER, 1.0 + SLOWER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_may_be_three_percent_worse_in_its_own_direction() {
        assert_eq!(not_slower(Goal::AtLeast(20.0)), Goal::AtLeast(0.97));
        assert_eq!(not_slower(Goal::AtMost(50.0)), Goal::AtMost(1.03));
        assert_eq!(not_slower(Goal::Below(1e8)), Goal::AtMost(1.03));
    }

    #[test]
    fn runs_with_other_figures_are_not_compared() {
        let run =
            |figure: &str, value| vec![Found { figure: figure.to_owned(), value, goal: None }];
        let same = [run("ms", 1.0), run("ms", 2.0)];
        assert_eq!(values(&same, 0, "ms").unwrap(), [1.0, 2.0]);
        let other = [run("ms", 1.0), run("s", 2.0)];
        assert_eq!(values(&other, 0, "ms").unwrap_err().to_string(), "a run has no ms");
    }
}
