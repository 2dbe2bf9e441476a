//! Rules that are met or missed: what binds, which level is best, whether a metric rises along a
//! factor. Each technique is judged by its own figures; the simulation decides where the analytic
//! model has none.

use iopath_study::published::Figure;
use iopath_study::value::Value;

use super::bottleneck::{binding, fullest, means};
use super::selected::Selected;
use super::statement::{how_well, named, needs, nothing, over_seeds, reasons, rule, words};
use super::{Agreement, Answers, Judged, Outcome, Predicted, Published, Status, metric};
use crate::thresholds::validation::IDENTITY_TOLERANCE;

/// The rows of the rules of a figure.
pub(super) fn rules(selected: &Selected<'_>, figure: &Figure) -> Vec<Agreement> {
    let mut rows = Vec::new();
    if let Some(Value::Selector(wanted)) = rule(figure, "bottleneck") {
        let bound = |answers: &Answers| Some(owned(binding(answers.analytic.as_ref()?)));
        let simulated = |answers: &Answers| Some(fullest(answers.simulated.first()?));
        let is_meant = |name: &String| means(wanted, name);
        let analytic = binds(selected, &bound, &is_meant);
        let simulated = binds(selected, &simulated, &is_meant);
        let analytic = Some(analytic.unwrap_or_else(|| (Predicted::Components(Vec::new()), false)));
        let published = Published::Text(wanted.to_string());
        rows.push(rule_row((figure, "bottleneck"), published, analytic, simulated));
    }
    for (name, judge) in [("best", best as Judge), ("rises", rises)] {
        let Some(metric) = rule(figure, name).and_then(words) else { continue };
        let Some(factor) = rule(figure, "along").and_then(words) else { continue };
        let by = |values: Values, known: Known| {
            let trend = Trend { selected, figure, metric, factor, values, known };
            trend.judged(judge)
        };
        let (of, along) = (metric.to_owned(), factor.to_owned());
        let published = Published::Along { metric: of, factor: along };
        let exactly = by(claimed, |_, _| 0.0);
        let row = rule_row((figure, name), published, exactly, by(simulated, how_well_both));
        let first = selected.cases.first();
        let reasons = first.map(|answers| reasons(figure, answers, None)).unwrap_or_default();
        let is_open = row.analytic == Predicted::NeedsSimulation;
        rows.push(Agreement {
            needs: if is_open { needs(reasons, name) } else { Vec::new() },
            ..row
        });
    }
    rows
}

/// What a technique says, and whether that is as published.
type RuleResult = (Predicted, bool);

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

/// What binds: each group must have a case in which what is meant does; the first that has none is
/// told. None where a technique says nothing of a case.
fn binds(
    selected: &Selected<'_>,
    names: &dyn Fn(&Answers) -> Option<Vec<String>>,
    is_meant: &dyn Fn(&String) -> bool,
) -> Option<RuleResult> {
    let groups = selected.groups(None);
    let of_group = |group: &Vec<&Answers>| {
        let each: Vec<Vec<String>> =
            group.iter().map(|answers| names(answers)).collect::<Option<_>>()?;
        let found = each.iter().find(|names| names.iter().any(is_meant));
        Some((Predicted::Components(found.or(each.first())?.clone()), found.is_some()))
    };
    let all: Vec<RuleResult> = groups.iter().map(of_group).collect::<Option<_>>()?;
    all.iter().find(|(_, met)| !met).or(all.first()).cloned()
}

/// A metric along a factor, as a technique says it.
struct Trend<'a> {
    selected: &'a Selected<'a>,
    figure: &'a Figure,
    metric: &'a str,
    factor: &'a str,
    values: Values,
    known: Known,
}

/// How well a technique knows the ratio of what it says of two cases, a share.
type Known = fn(&Answers, &Answers) -> f64;

type Values = fn(&Figure, &Answers, &str) -> Option<f64>;

/// What the analytic model says of a case, where it needs no simulation.
fn claimed(figure: &Figure, answers: &Answers, metric: &str) -> Option<f64> {
    let (group, metric) = metric::key(metric);
    let record = answers.analytic.as_ref().filter(|_| reasons(figure, answers, None).is_empty());
    metric::of(record?, group, metric)
}

/// The median over the seeds of a case.
fn simulated(_: &Figure, answers: &Answers, metric: &str) -> Option<f64> {
    let (group, metric) = metric::key(metric);
    Some(over_seeds(answers, None, &|record, _| metric::of(record, group, metric))?.0)
}

fn how_well_both(one: &Answers, other: &Answers) -> f64 {
    how_well(one, Some(other))
}

type Judge = fn(&Trend<'_>, &Answers) -> Option<RuleResult>;

impl<'a> Trend<'a> {
    /// The first group that misses it is told, else the first.
    fn judged(&self, judge: Judge) -> Option<RuleResult> {
        let groups = self.selected.groups(Some(self.factor));
        let firsts = groups.iter().filter_map(|group| group.first());
        let judged: Vec<RuleResult> =
            firsts.map(|answers| judge(self, answers)).collect::<Option<_>>()?;
        judged.iter().find(|(_, met)| !met).or(judged.first()).cloned()
    }

    /// The values of cases; none where one has none.
    fn values(&self, cases: Vec<&'a Answers>) -> Option<Vec<(f64, &'a Answers)>> {
        let one = |answers| Some(((self.values)(self.figure, answers, self.metric)?, answers));
        cases.into_iter().map(one).collect()
    }

    fn slack(&self) -> f64 {
        rule(self.figure, "tolerance").and_then(metric::number).unwrap_or(IDENTITY_TOLERANCE)
    }

    fn level(&self, answers: &Answers) -> String {
        let levels = answers.case.levels.iter();
        levels.filter(|level| level.factor == self.factor).map(|l| l.level.clone()).collect()
    }
}

/// Whether the level that is chosen has the greatest value, within the tolerance.
fn best(trend: &Trend<'_>, answers: &Answers) -> Option<RuleResult> {
    let all = trend.values(trend.selected.along(answers, trend.factor, true))?;
    let own = (trend.values)(trend.figure, answers, trend.metric)?;
    let (most, at) = all.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let share = own / most;
    let level = trend.level(at);
    Some((Predicted::OfBest { share, level }, share >= 1.0 - trend.slack()))
}

/// Whether no value falls below the one before, within the tolerance and the interval of the two,
/// and the last lies above the first by more than their interval.
fn rises(trend: &Trend<'_>, answers: &Answers) -> Option<RuleResult> {
    let all = trend.values(trend.selected.along(answers, trend.factor, false))?;
    let slack = trend.slack();
    let least = |one: &Answers, other: &Answers| 1.0 - slack - (trend.known)(one, other);
    let falls = |pair: &&[(f64, &Answers)]| pair[1].0 < pair[0].0 * least(pair[0].1, pair[1].1);
    let fall = all.windows(2).find(falls);
    let (first, last) = (all.first()?, all.last()?);
    let is_flat =
        last.0 <= first.0 * (1.0 + IDENTITY_TOLERANCE.max((trend.known)(first.1, last.1)));
    Some(match fall {
        Some(pair) => (Predicted::Falls { at: trend.level(pair[1].1) }, false),
        None if is_flat => (Predicted::Flat { levels: all.len() }, false),
        None => (Predicted::Rises { levels: all.len() }, true),
    })
}

/// The row of a rule.
fn rule_row(
    (figure, rule): (&Figure, &str),
    published: Published,
    analytic: Option<RuleResult>,
    simulated: Option<RuleResult>,
) -> Agreement {
    let outcome = |told: &RuleResult| if told.1 { Outcome::Met } else { Outcome::Missed };
    let judged = |outcome| Judged { error_percent: None, outcome };
    let by_analytic = analytic.as_ref().map_or(Outcome::Open, outcome);
    let by_simulation = simulated.as_ref().map(outcome);
    Agreement {
        figure: named(figure, rule),
        status: Status::Shape,
        published,
        outcome: match (&analytic, by_simulation) {
            (None, Some(outcome)) => outcome,
            (Some(_), _) | (None, None) => by_analytic,
        },
        analytic: analytic.map_or(Predicted::NeedsSimulation, |(said, _)| said),
        by_analytic: judged(by_analytic),
        simulated: simulated.map_or(Predicted::Nothing, |(said, _)| said),
        by_simulation: by_simulation.map(judged),
        ..nothing()
    }
}
