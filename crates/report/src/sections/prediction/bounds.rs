//! The bounds as a table, and the next upgrades as sentences.

use std::collections::BTreeMap;

use iopath_analysis::prediction::{
    Binding, BoundFinding, LimitClass, LimitFinding, Prediction, RaiseFinding, UpgradeFinding,
};
use iopath_record::Measure;
use iopath_units::System;

use crate::document::{Block, Section, Table};
use crate::numbers::{UNKNOWN, operations, rate};
use crate::words::prediction::{self as words, figure};

/// A row for each limit that binds.
struct Row<'a> {
    bound: &'a BoundFinding,
    /// Whether it is the first of its bound.
    is_first: bool,
    binding: Option<&'a Binding>,
}

pub(super) fn section(prediction: &Prediction, system: System) -> Option<Section> {
    let rows: Vec<Row<'_>> = prediction.bounds.iter().flat_map(rows).collect();
    let once = |row: &Row<'_>, text: String| if row.is_first { text } else { String::new() };
    let unknown = || UNKNOWN.to_owned();
    let kind = |bound: &BoundFinding| {
        let mark = if prediction.decided_by == Some(bound.kind) { ", decides" } else { "" };
        format!("{}{mark}", words::kind(bound.kind))
    };
    let binds = |binding: &Binding| {
        let what = match binding.shortens {
            true if prediction.shares.len() == 1 => {
                format!("{} of a request's time", words::percent(binding.gain))
            }
            true => "not full, makes requests longer".to_owned(),
            false => words::rated(&[&binding.limits.limit], system),
        };
        format!("{}: {what}", words::times(&binding.limits))
    };
    let table = Table::of(&rows)
        .column("bound", |row| once(row, kind(row.bound)))
        .column("throughput", |row| once(row, rate(row.bound.throughput_bytes_per_sec, system)))
        .expendable(1, "requests", |row| {
            once(row, operations(row.bound.operations_per_sec, system))
        })
        .column("+1 % gains", |row| {
            row.binding.map_or_else(unknown, |binding| format!("{:.2} %", binding.gain))
        })
        .column("bottleneck", |row| row.binding.map_or_else(unknown, binds));
    Section::of("bounds", "bounds", Block::table(table.done()).into_iter().collect())
}

fn rows(bound: &BoundFinding) -> Vec<Row<'_>> {
    let row = |(at, binding)| Row { bound, is_first: at == 0, binding: Some(binding) };
    match bound.binding.is_empty() {
        true => vec![Row { bound, is_first: true, binding: None }],
        false => bound.binding.iter().enumerate().map(row).collect(),
    }
}

pub(crate) fn upgrades(prediction: &Prediction, system: System) -> Option<Section> {
    let lines = (1..).zip(upgrade_lines(prediction, system));
    let lines = lines.map(|(number, line)| format!("{number}. {line}")).collect();
    let title = "next upgrades, each on top of those before";
    Section::of("upgrades", title, Block::lines(lines).into_iter().collect())
}

/// The next upgrades as sentences.
pub(crate) fn upgrade_lines(prediction: &Prediction, system: System) -> Vec<String> {
    let mut before = (prediction.throughput_bytes_per_sec, prediction.operations_per_sec);
    if let Some(bound) = prediction
        .decided_by
        .and_then(|kind| prediction.bounds.iter().find(|bound| bound.kind == kind))
    {
        before = (bound.throughput_bytes_per_sec, bound.operations_per_sec);
    }
    let mut raised = Raised::new();
    let line = |step: &UpgradeFinding| {
        let line = upgrade(step, before, &mut raised, system);
        before = (step.then_throughput_bytes_per_sec, step.then_operations_per_sec);
        line
    };
    prediction.upgrades.iter().map(line).collect()
}

/// What steps before have raised limits to: by component, measure, direction and first value.
type Raised = BTreeMap<(String, LimitFinding), u64>;

fn upgrade(
    step: &UpgradeFinding,
    before: (f64, f64),
    raised: &mut Raised,
    system: System,
) -> String {
    // Several limits of one component are said together, where it is clear that they are of one.
    let mut raise: Vec<(&LimitClass, FromTo)> = Vec::new();
    for one in &step.raise {
        let class = &one.limits;
        let key = (class.name.clone(), class.limit.clone());
        let last = raised.insert(key, one.to_per_sec);
        let is_same = |known: &LimitClass| {
            let is_all = known.count == known.of && class.count == class.of;
            known.name == class.name && is_all && !is_time(&known.limit) && !is_time(&class.limit)
        };
        let at = raise.iter().position(|(known, _)| is_same(known)).unwrap_or_else(|| {
            raise.push((class, FromTo::default()));
            raise.len() - 1
        });
        raise[at].1.add(one, last, system);
    }
    let after = (step.then_throughput_bytes_per_sec, step.then_operations_per_sec);
    let (from, to) = (figure(before.0, before.1, system), figure(after.0, after.1, system));
    let binds: Vec<String> = binders(&step.then_binds);
    let one = matches!(&step.then_binds[..], [class] if class.count == 1);
    let then = match (binds.is_empty(), one) {
        // Raised by a factor that is chosen: the next limit is too far away for a step.
        (true, _) => {
            let stays = match &raise[..] {
                [(class, _)] if class.count == 1 => "it stays",
                _ => "they stay",
            };
            format!("{stays} the bottleneck, no other described component is near")
        }
        (false, true) => format!("then {} is the bottleneck", words::list(&binds)),
        (false, false) => format!("then {} are the bottleneck", words::list(&binds)),
    };
    let raise = raise.iter().map(|(class, all)| format!("{}{}", words::members(class), all.text()));
    let raise: Vec<String> = raise.collect();
    format!("raise {}: {from} -> {to}, {then}", words::list(&raise))
}

/// Whether a limit is time of processors or arms.
fn is_time(limit: &LimitFinding) -> bool {
    limit.measure == Measure::BusyNs && limit.tokens.is_none()
}

/// From what to what limits of one component are raised; of processors and arms how many times
/// faster than now.
#[derive(Default)]
struct FromTo {
    from: Vec<String>,
    to: Vec<String>,
}

impl FromTo {
    fn add(&mut self, raise: &RaiseFinding, last: Option<u64>, system: System) {
        let (limit, to) = (&raise.limits.limit, raise.to_per_sec);
        if is_time(limit) {
            let times = |per_sec: u64| format!("{:.2}", per_sec as f64 / now(limit));
            self.from.extend(last.map(times));
            self.to.push(format!("{} times their speed", times(to)));
            return;
        }
        let from = last.map_or_else(|| now(limit), |last| last as f64);
        self.from.push(words::amount(limit, from, system));
        self.to.push(match limit.tokens {
            Some(_) => words::amount(limit, to as f64, system),
            None => words::allowed(limit, to, system),
        });
    }

    fn text(&self) -> String {
        let from = match &self.from[..] {
            [] => String::new(),
            from => format!(" from {}", words::list(from)),
        };
        format!("{from} to {}", words::list(&self.to))
    }
}

/// What binds next; several limits of one component by what tells them apart.
fn binders(classes: &[LimitClass]) -> Vec<String> {
    let by = |limit: &LimitFinding| -> [String; 3] {
        let LimitFinding { direction, measure, .. } = limit;
        [String::new(), format!(" ({direction})"), format!(" ({direction}, {measure})")]
    };
    let named = |at: usize| move |class: &LimitClass| binder(class) + &by(&class.limit)[at];
    let told = |class: &LimitClass| {
        let is_only = |at: &usize| {
            let own = named(*at)(class);
            classes.iter().filter(|other| named(*at)(other) == own).count() == 1
        };
        named((0..2).find(is_only).unwrap_or(2))(class)
    };
    classes.iter().map(told).collect()
}

/// What binds next: a component, or what streams keep in flight.
fn binder(class: &LimitClass) -> String {
    let members = words::binder(class);
    match words::is_depth(&class.limit) {
        true => format!("requests in flight of {members}"),
        false => members,
    }
}

fn now(limit: &LimitFinding) -> f64 {
    limit.tokens.map_or(limit.per_sec as f64, |tokens| tokens as f64)
}
