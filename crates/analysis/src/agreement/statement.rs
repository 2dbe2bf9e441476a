//! From one statement of a metric to one row: what each technique says, how that holds, and which
//! of them decides.

use iopath_record::Record;
use iopath_study::published::{Choice, Expectation, Figure, Sort};
use iopath_study::value::Value;

use super::edges::Edges;
use super::null::{Null, capacities};
use super::selected::{Selected, decisive, unfair};
use super::{
    Agreement, Answers, Judged, Need, Note, Outcome, Predicted, Published, Seeds, Status, Unit,
    metric,
};
use crate::statistics::median;
use crate::thresholds::validation::{
    CHECK_TOLERANCE, IDENTITY_TOLERANCE, SIMULATED_IDENTITY_TOLERANCE,
};
use crate::usage::pass::pooled;

/// The row of a metric.
pub(super) fn expected(
    selected: &Selected<'_>,
    figure: &Figure,
    expected: &Expectation,
) -> Agreement {
    let key = match &expected.streams {
        Some(streams) => format!("{streams}.{}", expected.metric),
        None => expected.metric.to_owned(),
    };
    let unit = match expected.metric {
        "ratio" => Unit::One,
        metric => metric::unit(metric),
    };
    let row = |answers: &&Answers| {
        let value =
            |record: &Record, other: Option<&Record>| number(figure, expected, record, other);
        judged(selected, figure, expected, (answers, &value))
    };
    let analytic = told(selected, &row, |row| Some(row.by_analytic));
    let simulated = told(selected, &row, |row| row.by_simulation);
    let row = match (analytic, simulated) {
        (Some(analytic), Some(simulated)) => both(figure, analytic, simulated),
        (Some(row), None) | (None, Some(row)) => row,
        (None, None) => Agreement { notes: vec![Note::NoCase], ..nothing() },
    };
    Agreement {
        figure: named(figure, &key),
        status: figure.sort.into(),
        published: Published::Text(expected.text.value.clone()),
        unit,
        ..row
    }
}

/// The row that tells what a technique says: of each group the case that comes nearest, of these
/// the one that lies furthest off.
fn told(
    selected: &Selected<'_>,
    row: &dyn Fn(&&Answers) -> Agreement,
    by: fn(&Agreement) -> Option<Judged>,
) -> Option<Agreement> {
    let distance = |row: &Agreement| by(row).map_or(f64::INFINITY, |by| distance(by, row.bound));
    let nearer = |a: &Agreement, b: &Agreement| distance(a).total_cmp(&distance(b));
    let groups = selected.groups(None);
    let rows = |group: &Vec<&Answers>| {
        group.iter().map(row).filter(|row| by(row).is_some()).min_by(nearer)
    };
    let nearest: Option<Vec<Agreement>> = groups.iter().map(rows).collect();
    nearest?.into_iter().max_by(nearer)
}

/// One row of what the techniques say of the cases that come nearest for them. The simulation
/// decides where the analytic model leaves the figure to it.
fn both(figure: &Figure, analytic: Agreement, simulated: Agreement) -> Agreement {
    let is_left = analytic.analytic == Predicted::NeedsSimulation && figure.sort != Sort::Identity;
    let Some(by) = simulated.by_simulation.filter(|_| is_left) else {
        let Agreement { simulated, by_simulation, seeds, .. } = simulated;
        return Agreement { simulated, by_simulation, seeds, ..analytic };
    };
    Agreement {
        analytic: analytic.analytic,
        by_analytic: analytic.by_analytic,
        bound: analytic.bound,
        bound_error_percent: analytic.bound_error_percent,
        measured: analytic.measured,
        measured_of_model_percent: analytic.measured_of_model_percent,
        error_percent: by.error_percent,
        outcome: by.outcome,
        ..simulated
    }
}

/// How far a row is from being met; an open one stands behind all that have a number, the highest
/// bound first.
fn distance(by: Judged, bound: Option<f64>) -> f64 {
    let error = by.error_percent.map_or(0.0, f64::abs);
    match by.outcome {
        Outcome::Met | Outcome::NotRun => error,
        Outcome::Open => 1e6 + 1.0 / bound.unwrap_or(1.0).max(1.0),
        Outcome::Missed => 1e9 + error,
    }
}

fn number(
    figure: &Figure,
    expected: &Expectation,
    record: &Record,
    against: Option<&Record>,
) -> Option<f64> {
    let group = expected.streams.as_deref();
    if expected.metric != "ratio" {
        return metric::of(record, group, expected.metric);
    }
    let of = rule(figure, "metric").and_then(words).unwrap_or("throughput");
    let (group, of) = metric::key(of);
    let below = metric::of(against?, group, of)?;
    (below > 0.0).then_some(metric::of(record, group, of)? / below)
}

type Measured<'a> = (&'a Answers, &'a dyn Fn(&Record, Option<&Record>) -> Option<f64>);

/// The row of one case, by whatever technique.
fn judged(
    selected: &Selected<'_>,
    figure: &Figure,
    expected: &Expectation,
    (answers, value): Measured<'_>,
) -> Agreement {
    let against = selected.against(answers);
    let edges = Edges::of(expected);
    let simulated = over_seeds(answers, against, value);
    let other = against.and_then(|against| against.analytic.as_ref());
    let bound = answers.analytic.as_ref().and_then(|record| value(record, other));
    let reasons = reasons(figure, answers, against);
    let claimed = bound.filter(|_| reasons.is_empty());
    let other = against.and_then(|against| against.measured.as_ref());
    let measured = answers.measured.as_ref().and_then(|record| value(record, other));
    let exact = tolerance(figure, &edges, IDENTITY_TOLERANCE);
    let (by_analytic, above) = match claimed {
        Some(number) => (edges.judge(number, exact), None),
        None => held_from_above(bound, &edges, expected.metric),
    };
    let within = tolerance(figure, &edges, SIMULATED_IDENTITY_TOLERANCE);
    let known = how_well(answers, against);
    let known = if is_of_rates(figure, expected) { known } else { 0.0 };
    let by_simulation = simulated.map(|(median, _)| edges.judge(median, within + known));
    let room = edges.room(claimed.or(simulated.map(|(median, _)| median)));
    let is_told = simulated.is_none() || by_analytic.outcome == Outcome::Missed;
    let notes = [selected.open_levels(answers), room, above.filter(|_| is_told)];
    Agreement {
        needs: if claimed.is_none() { needs(reasons, expected.metric) } else { Vec::new() },
        bound: bound.filter(|_| claimed.is_none()),
        bound_error_percent: bound
            .filter(|_| claimed.is_none())
            .and_then(|bound| Some(edges.error(bound)? * 100.0)),
        analytic: claimed.map_or(Predicted::NeedsSimulation, Predicted::Number),
        by_analytic,
        simulated: simulated.map_or(Predicted::Nothing, |(median, _)| Predicted::Number(median)),
        by_simulation,
        seeds: simulated.and_then(|(_, seeds)| seeds),
        measured: measured.map_or(Predicted::Nothing, Predicted::Number),
        measured_of_model_percent: measured.zip(bound).and_then(off),
        error_percent: by_analytic.error_percent,
        outcome: by_analytic.outcome,
        null: Null {
            capacities_percent: answers.analytic.as_ref().and_then(|one| capacities(one, expected)),
            ..Null::default()
        },
        notes: notes.into_iter().flatten().collect(),
        ..nothing()
    }
}

/// Half the width of the 95 % interval of what is simulated, as a share of it: of a throughput, or
/// of the ratio of two that vary alone. 0 where a simulation does not know it, and no more than it
/// goes to: one that knows little must not hold for that.
pub(super) fn how_well(answers: &Answers, against: Option<&Answers>) -> f64 {
    let of = |answers: &Answers| pooled(&answers.simulated.iter().collect::<Vec<_>>());
    let each = [Some(answers), against].into_iter().flatten().filter_map(of);
    each.map(|half| half.min(SIMULATED_IDENTITY_TOLERANCE).powi(2)).sum::<f64>().sqrt()
}

/// Whether a statement is about a rate of all streams, which simulations know the interval of.
fn is_of_rates(figure: &Figure, expected: &Expectation) -> bool {
    let of = match expected.metric {
        "ratio" => rule(figure, "metric").and_then(words).unwrap_or("throughput"),
        metric => metric,
    };
    expected.streams.is_none() && matches!(of, "throughput" | "operations")
}

/// The median over the seeds of a case, and their spread where there are several. A ratio is taken
/// of records of the same seed.
pub(super) fn over_seeds(
    answers: &Answers,
    against: Option<&Answers>,
    value: &dyn Fn(&Record, Option<&Record>) -> Option<f64>,
) -> Option<(f64, Option<Seeds>)> {
    let others = against.map(|against| against.simulated.as_slice()).unwrap_or_default();
    let one = |(at, record): (usize, &Record)| value(record, others.get(at).or(others.first()));
    let numbers: Vec<f64> = answers.simulated.iter().enumerate().map(one).collect::<Option<_>>()?;
    let least = numbers.iter().copied().reduce(f64::min)?;
    let most = numbers.iter().copied().reduce(f64::max)?;
    let count = numbers.len();
    let seeds = (count > 1).then_some(Seeds { count, min: least, max: most });
    Some((median(numbers)?, seeds))
}

/// How far a measurement lies from a model, in percent of the model.
fn off((measured, model): (f64, f64)) -> Option<f64> {
    (model > 0.0).then_some((measured - model) / model * 100.0)
}

pub(super) fn needs(reasons: Vec<String>, metric: &str) -> Vec<Need> {
    match reasons.is_empty() {
        true => vec![Need::NoBound(metric.to_owned())],
        false => reasons.into_iter().map(Need::Named).collect(),
    }
}

/// What no bound accounts for in any of the two cases, or what the figure itself says it needs.
pub(super) fn reasons(
    figure: &Figure,
    answers: &Answers,
    against: Option<&Answers>,
) -> Vec<String> {
    let mut reasons: Vec<String> =
        rule(figure, "needs").and_then(words).map(str::to_owned).into_iter().collect();
    let records = [Some(answers), against].into_iter().flatten();
    for record in records.filter_map(|answers| answers.analytic.as_ref()) {
        let fair = figure.expects.iter().any(|expected| metric::is_of_shares(expected.metric));
        let told =
            decisive(record).into_iter().chain(if fair { unfair(record) } else { Vec::new() });
        for reason in told {
            if !reasons.iter().any(|known| known == reason) {
                reasons.push(reason.to_owned());
            }
        }
    }
    reasons
}

/// A bound of a rate cannot be below what was measured. The median of several streams has none:
/// where some get less than an equal share, others get more.
fn held_from_above(bound: Option<f64>, edges: &Edges, metric: &str) -> (Judged, Option<Note>) {
    let judged = |outcome| Judged { error_percent: None, outcome };
    let is_rate = matches!(metric::unit(metric), Unit::BytesPerSec | Unit::OperationsPerSec);
    let is_bounded = is_rate && metric != "median";
    let (Some(bound), Some(least), true) = (bound, edges.least.or(edges.most), is_bounded) else {
        return (judged(Outcome::Open), None);
    };
    let over = (bound - least) / least;
    if over < -IDENTITY_TOLERANCE {
        return (judged(Outcome::Missed), Some(Note::BoundBelow(-over * 100.0)));
    }
    (judged(Outcome::Open), Some(Note::BoundAbove(over * 100.0)))
}

/// How far off still holds; an identity must be as `exact` as a technique can be.
fn tolerance(figure: &Figure, edges: &Edges, exact: f64) -> f64 {
    let stated = rule(figure, "tolerance").and_then(metric::number);
    match (figure.sort, edges.is_single()) {
        (Sort::Identity, _) => exact,
        (_, true) => stated.unwrap_or(CHECK_TOLERANCE),
        (_, false) => stated.unwrap_or(IDENTITY_TOLERANCE),
    }
}

/// A row of which nothing is known yet.
pub(super) fn nothing() -> Agreement {
    Agreement {
        experiment: String::new(),
        figure: String::new(),
        status: Status::Check,
        published: Published::Text(String::new()),
        unit: Unit::Words,
        analytic: Predicted::Nothing,
        by_analytic: Judged { error_percent: None, outcome: Outcome::Missed },
        simulated: Predicted::Nothing,
        by_simulation: None,
        seeds: None,
        measured: Predicted::Nothing,
        measured_of_model_percent: None,
        error_percent: None,
        outcome: Outcome::Missed,
        needs: Vec::new(),
        bound: None,
        bound_error_percent: None,
        null: Null::default(),
        notes: Vec::new(),
    }
}

pub(super) fn named(figure: &Figure, metric: &str) -> String {
    if let Some(title) = &figure.title {
        return format!("{title}: {metric}");
    }
    let levels: Vec<String> = figure.chosen.iter().map(chosen).collect();
    match levels.is_empty() {
        true => metric.to_owned(),
        false => format!("{}: {metric}", levels.join(", ")),
    }
}

/// The levels that a figure selects of a factor, as they are written.
fn chosen(choice: &Choice) -> String {
    match (&choice.first, &choice.last) {
        (Some(first), Some(last)) if first == last => first.clone(),
        (first, last) => {
            let end = |end: &Option<String>| end.clone().unwrap_or_default();
            format!("{} .. {}", end(first), end(last))
        }
    }
}

pub(super) fn rule<'a>(figure: &'a Figure, name: &str) -> Option<&'a Value> {
    figure.rules.iter().find(|(rule, _)| *rule == name).map(|(_, value)| &value.value)
}

pub(super) fn words(value: &Value) -> Option<&str> {
    if let Value::Text(text) = value { Some(text) } else { None }
}
