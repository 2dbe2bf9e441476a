//! From one statement to one row.

use iopath_record::Record;
use iopath_study::published::{Choice, Expectation, Figure, Sort};
use iopath_study::value::Value;

use super::bottleneck::{binding, means};
use super::selected::{Selected, decisive, unfair};
use super::{Agreement, Answers, Outcome, Said, Status, Unit, metric};

/// A check is met within this share where it states no tolerance: the goal that the project set
/// itself.
const TOLERANCE: f64 = 0.05;

/// An identity is exact: what rounding to whole bytes per second leaves.
const EXACT: f64 = 1e-8;

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
    let nearer = |a: &Agreement, b: &Agreement| distance(a).total_cmp(&distance(b));
    let groups = selected.groups(None);
    let best = groups.iter().filter_map(|group| group.iter().map(row).min_by(nearer));
    let row = best.max_by(nearer).unwrap_or_else(|| nothing("no case has these levels"));
    Agreement {
        figure: named(figure, &key),
        status: figure.sort.into(),
        published: expected.text.value.clone(),
        unit,
        ..row
    }
}

/// How far a row is from being met; an open one stands behind all that have a number, the highest
/// bound first.
fn distance(row: &Agreement) -> f64 {
    match row.outcome {
        Outcome::Met => row.error_percent.map_or(0.0, f64::abs),
        Outcome::Open => 1e6 + 1.0 / row.bound.unwrap_or(1.0).max(1.0),
        Outcome::Missed => 1e9 + row.error_percent.map_or(0.0, f64::abs),
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

/// The row of one case.
fn judged(
    selected: &Selected<'_>,
    figure: &Figure,
    expected: &Expectation,
    (answers, value): Measured<'_>,
) -> Agreement {
    let against = selected.against(answers);
    let edges = Edges::of(expected);
    let mut notes = vec![selected.open_levels(answers)];
    let simulated = answers
        .simulated
        .as_ref()
        .and_then(|record| value(record, against.and_then(|against| against.simulated.as_ref())));
    let other = against.and_then(|against| against.analytic.as_ref());
    let bound = answers.analytic.as_ref().and_then(|record| value(record, other));
    let reasons = reasons(figure, answers, against);
    let analytic = match (bound, reasons.is_empty()) {
        (_, false) | (None, true) => Said::NeedsSimulation,
        (Some(bound), true) => Said::Number(bound),
    };
    let other = against.and_then(|against| against.measured.as_ref());
    let measured = answers.measured.as_ref().and_then(|record| value(record, other));
    let number = simulated.or(bound.filter(|_| reasons.is_empty()));
    let error = number.and_then(|number| edges.error(number));
    let outcome = match (error, simulated.is_some() || reasons.is_empty()) {
        (Some(error), true) => {
            notes.extend(edges.room(number));
            let is_met = error.abs() <= tolerance(figure, &edges) && !edges.excludes(number);
            if is_met { Outcome::Met } else { Outcome::Missed }
        }
        _ => {
            let (outcome, note) = held_from_above(bound, &edges, expected.metric);
            notes.extend(note);
            outcome
        }
    };
    let open = matches!(analytic, Said::NeedsSimulation);
    Agreement {
        needs: if open { needs(reasons, expected.metric) } else { Vec::new() },
        bound: bound.filter(|_| open),
        analytic,
        simulated: simulated.map_or(Said::Nothing, Said::Number),
        measured: measured.map_or(Said::Nothing, Said::Number),
        measured_of_model_percent: measured.zip(bound).and_then(off),
        error_percent: error.map(|error| error * 100.0),
        outcome,
        note: joined(&notes),
        ..nothing("")
    }
}

/// How far a measurement lies from a model, in percent of the model.
fn off((measured, model): (f64, f64)) -> Option<f64> {
    (model > 0.0).then_some((measured - model) / model * 100.0)
}

fn needs(reasons: Vec<String>, metric: &str) -> Vec<String> {
    if reasons.is_empty() { vec![format!("a bound has no {metric}")] } else { reasons }
}

/// What no bound accounts for in any of the two cases, or what the figure itself says it needs.
fn reasons(figure: &Figure, answers: &Answers, against: Option<&Answers>) -> Vec<String> {
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
fn held_from_above(bound: Option<f64>, edges: &Edges, metric: &str) -> (Outcome, Option<String>) {
    let is_rate = matches!(metric::unit(metric), Unit::BytesPerSec | Unit::OperationsPerSec);
    let is_bounded = is_rate && metric != "median";
    let (Some(bound), Some(least), true) = (bound, edges.least.or(edges.most), is_bounded) else {
        return (Outcome::Open, None);
    };
    let over = (bound - least) / least;
    if over < -EXACT {
        let note = format!("the bound lies {:.1} % below, so the model is wrong", -over * 100.0);
        return (Outcome::Missed, Some(note));
    }
    (Outcome::Open, Some(format!("the bound lies {:.1} % above", over * 100.0)))
}

fn tolerance(figure: &Figure, edges: &Edges) -> f64 {
    let stated = rule(figure, "tolerance").and_then(metric::number);
    match (figure.sort, edges.is_single()) {
        (Sort::Identity, _) => EXACT,
        (_, true) => stated.unwrap_or(TOLERANCE),
        (_, false) => stated.unwrap_or(EXACT),
    }
}

/// The ends of what is published.
struct Edges {
    least: Option<f64>,
    most: Option<f64>,
    /// `>` and `<`: the edge itself is not meant.
    is_strict: bool,
}

impl Edges {
    fn of(expected: &Expectation) -> Self {
        let end = |value: &Option<Value>| value.as_ref().and_then(metric::number);
        let text = expected.text.value.trim();
        let is_strict = text.starts_with(['<', '>']) && text.as_bytes().get(1) != Some(&b'=');
        Self { least: end(&expected.least), most: end(&expected.most), is_strict }
    }

    /// Whether a number lies on an edge that is not meant, but for rounding.
    fn excludes(&self, number: Option<f64>) -> bool {
        let on = |edge: Option<f64>| {
            let distance = |(number, edge): (f64, f64)| (number - edge).abs() <= edge.abs() * EXACT;
            number.zip(edge).is_some_and(distance)
        };
        self.is_strict && (on(self.least) || on(self.most))
    }

    fn is_single(&self) -> bool {
        self.least.is_some() && self.least == self.most
    }

    /// The distance to the nearer edge, relative to it; 0 inside.
    fn error(&self, number: f64) -> Option<f64> {
        let relative = |edge: f64| match edge == 0.0 {
            true => number - edge,
            false => (number - edge) / edge,
        };
        match (self.least, self.most) {
            (Some(least), _) if number < least => Some(relative(least)),
            (_, Some(most)) if number > most => Some(relative(most)),
            (None, None) => None,
            _ => Some(0.0),
        }
    }

    /// By how much the edges of a range are kept.
    fn room(&self, number: Option<f64>) -> Option<String> {
        let number = number?;
        let inside = |edge: f64| 100.0 * (number - edge).abs() / edge.abs().max(f64::MIN_POSITIVE);
        match (self.least, self.most) {
            _ if self.is_single() || self.error(number)? != 0.0 => None,
            (Some(least), None) => Some(format!("{:.1} % above the edge", inside(least))),
            (None, Some(most)) => Some(format!("{:.1} % below the edge", inside(most))),
            (Some(least), Some(most)) => {
                let room = inside(least).min(inside(most));
                Some(format!("inside, {room:.1} % from the nearer edge"))
            }
            (None, None) => None,
        }
    }
}

/// The rows of the rules that are met or missed.
pub(super) fn rules(selected: &Selected<'_>, figure: &Figure) -> Vec<Agreement> {
    let mut rows = Vec::new();
    if let Some(Value::Selector(wanted)) = rule(figure, "bottleneck") {
        let found = |answers: &&&Answers| {
            let names = answers.analytic.as_ref().map(|record| binding(record));
            names.is_some_and(|names| names.iter().any(|name| means(wanted, name)))
        };
        let groups = selected.groups(None);
        // Each group must have a case where it binds; the first that has none is told.
        let missed = groups.iter().find(|group| !group.iter().any(|answers| found(&answers)));
        let told = missed.or(groups.first()).and_then(|group| {
            group.iter().find(found).or(group.first()).and_then(|answers| answers.analytic.as_ref())
        });
        let names = told.map(|record| binding(record).join(", ")).unwrap_or_default();
        let said = if names.is_empty() { "nothing that is described".to_owned() } else { names };
        let is_met = missed.is_none() && told.is_some();
        rows.push(course(figure, "bottleneck", wanted.to_string(), (said, is_met)));
    }
    for (name, judge) in [("best", best as Judge), ("rises", rises)] {
        let Some(metric) = rule(figure, name).and_then(words) else { continue };
        let Some(factor) = rule(figure, "along").and_then(words) else { continue };
        let published = format!("{metric} along {factor}");
        let groups = selected.groups(Some(factor));
        let firsts = groups.iter().filter_map(|group| group.first());
        let judged: Option<Vec<_>> =
            firsts.map(|answers| judge(selected, answers, figure, (metric, factor))).collect();
        // The first group that misses it is told, else the first.
        let said = judged
            .and_then(|judged| judged.iter().find(|(_, met)| !met).or(judged.first()).cloned());
        rows.push(match said {
            Some(said) => course(figure, name, published, said),
            None => open(figure, name, published, selected),
        });
    }
    rows
}

type Judge = fn(&Selected<'_>, &Answers, &Figure, (&str, &str)) -> Option<(String, bool)>;

/// Whether the level that is chosen has the greatest value, within the tolerance.
fn best(
    selected: &Selected<'_>,
    answers: &Answers,
    figure: &Figure,
    (metric, factor): (&str, &str),
) -> Option<(String, bool)> {
    let all = values(selected.along(answers, factor, true), figure, metric)?;
    let own = values(vec![answers], figure, metric)?;
    let (most, at) = all.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let share = own.first()?.0 / most;
    let slack = rule(figure, "tolerance").and_then(metric::number).unwrap_or(EXACT);
    let level = level(at, factor);
    Some((format!("{:.1} % of the best, {level}", share * 100.0), share >= 1.0 - slack))
}

/// Whether no value falls below the one before, within the tolerance, and the last lies above the
/// first.
fn rises(
    selected: &Selected<'_>,
    answers: &Answers,
    figure: &Figure,
    (metric, factor): (&str, &str),
) -> Option<(String, bool)> {
    let all = values(selected.along(answers, factor, false), figure, metric)?;
    let slack = rule(figure, "tolerance").and_then(metric::number).unwrap_or(EXACT);
    let fall = all.windows(2).find(|pair| pair[1].0 < pair[0].0 * (1.0 - slack));
    let is_flat = all.last()?.0 <= all.first()?.0 * (1.0 + EXACT);
    Some(match fall {
        Some(pair) => (format!("falls at {}", level(pair[1].1, factor)), false),
        None if is_flat => (format!("is flat over {} levels", all.len()), false),
        None => (format!("never falls over {} levels", all.len()), true),
    })
}

fn level(answers: &Answers, factor: &str) -> String {
    let levels = answers.case.levels.iter();
    levels.filter(|level| level.factor == factor).map(|level| level.level.clone()).collect()
}

/// The values of cases, simulated where there is one; none where any needs simulation.
fn values<'a>(
    cases: Vec<&'a Answers>,
    figure: &Figure,
    metric: &str,
) -> Option<Vec<(f64, &'a Answers)>> {
    let (group, metric) = metric::key(metric);
    let one = |answers: &'a Answers| {
        let simulated = answers.simulated.as_ref();
        let analytic =
            answers.analytic.as_ref().filter(|_| reasons(figure, answers, None).is_empty());
        Some((metric::of(simulated.or(analytic)?, group, metric)?, answers))
    };
    cases.into_iter().map(one).collect()
}

fn course(
    figure: &Figure,
    rule: &str,
    published: String,
    (said, met): (String, bool),
) -> Agreement {
    Agreement {
        figure: named(figure, rule),
        status: Status::Shape,
        published,
        analytic: Said::Words(said),
        outcome: if met { Outcome::Met } else { Outcome::Missed },
        ..nothing("")
    }
}

fn open(figure: &Figure, rule: &str, published: String, selected: &Selected<'_>) -> Agreement {
    let reasons = selected.cases.first().map(|answers| reasons(figure, answers, None));
    Agreement {
        figure: named(figure, rule),
        status: Status::Shape,
        published,
        analytic: Said::NeedsSimulation,
        outcome: Outcome::Open,
        needs: needs(reasons.unwrap_or_default(), rule),
        ..nothing("")
    }
}

fn nothing(note: &str) -> Agreement {
    Agreement {
        experiment: String::new(),
        figure: String::new(),
        status: Status::Check,
        published: String::new(),
        unit: Unit::Words,
        analytic: Said::Nothing,
        simulated: Said::Nothing,
        measured: Said::Nothing,
        measured_of_model_percent: None,
        error_percent: None,
        outcome: Outcome::Missed,
        needs: Vec::new(),
        bound: None,
        note: note.to_owned(),
    }
}

fn named(figure: &Figure, metric: &str) -> String {
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

fn rule<'a>(figure: &'a Figure, name: &str) -> Option<&'a Value> {
    figure.rules.iter().find(|(rule, _)| *rule == name).map(|(_, value)| &value.value)
}

fn words(value: &Value) -> Option<&str> {
    if let Value::Text(text) = value { Some(text) } else { None }
}

fn joined(notes: &[String]) -> String {
    let told: Vec<&str> = notes.iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
    told.join("; ")
}
