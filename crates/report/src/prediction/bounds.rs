//! The bounds as a table, and the ladder of upgrades as sentences.

use std::collections::BTreeMap;

use iopath_analysis::prediction::{
    BoundFinding, LimitClass, LimitFinding, Prediction, UpgradeFinding,
};
use iopath_record::Origin;
use iopath_units::System;

use super::words::{self, figure};
use crate::look::Look;
use crate::numbers::{operations, rate};
use crate::table::{Column, render};
use crate::wrap::wrap;

/// A line for each limit that binds.
struct Row {
    bound: String,
    throughput: String,
    requests: String,
    binds: String,
    gain: String,
}

pub(super) fn section(prediction: &Prediction, look: &Look) -> String {
    let bounds = prediction.bounds.iter();
    let rows: Vec<Row> = bounds.flat_map(|bound| rows(prediction, bound, look.system)).collect();
    if rows.is_empty() {
        return String::new();
    }
    let cells = |of: &dyn Fn(&Row) -> &String| rows.iter().map(|row| of(row).clone()).collect();
    let columns = vec![
        Column::needed("bound", cells(&|row| &row.bound)),
        Column::needed("throughput", cells(&|row| &row.throughput)),
        Column { title: "requests", cells: cells(&|row| &row.requests), expendable: 1 },
        Column::needed("+1 % gives", cells(&|row| &row.gain)),
        Column::needed("what binds", cells(&|row| &row.binds)),
    ];
    format!("bounds\n{}", render(columns, look.width))
}

fn rows(prediction: &Prediction, bound: &BoundFinding, system: System) -> Vec<Row> {
    let decides = prediction.decided_by == Some(bound.kind);
    let mark = if decides { ", decides" } else { "" };
    let mut rows: Vec<Row> = bound
        .binding
        .iter()
        .map(|binding| Row {
            bound: String::new(),
            throughput: String::new(),
            requests: String::new(),
            binds: format!(
                "{}: {}",
                words::times(&binding.limits),
                words::rated(&[&binding.limits.limit], system)
            ),
            gain: format!("{:.2} %", binding.gain),
        })
        .collect();
    if rows.is_empty() {
        let nothing = || crate::numbers::UNKNOWN.to_owned();
        rows.push(Row {
            bound: String::new(),
            throughput: String::new(),
            requests: String::new(),
            binds: nothing(),
            gain: nothing(),
        });
    }
    let first = &mut rows[0];
    first.bound = format!("{}{mark}", words::kind(bound.kind));
    first.throughput = rate(bound.throughput_bytes_per_sec, system);
    first.requests = operations(bound.operations_per_sec, system);
    rows
}

pub(super) fn upgrades(prediction: &Prediction, look: &Look) -> String {
    let mut before = (prediction.throughput_bytes_per_sec, prediction.operations_per_sec);
    if let Some(bound) = prediction
        .decided_by
        .and_then(|kind| prediction.bounds.iter().find(|bound| bound.kind == kind))
    {
        before = (bound.throughput_bytes_per_sec, bound.operations_per_sec);
    }
    let mut lines = Vec::new();
    let mut raised = Raised::new();
    for (number, step) in (1..).zip(&prediction.upgrades) {
        let text = format!("{number}. {}", upgrade(step, before, &mut raised, look.system));
        lines.push(wrap(&text, 2, look.width));
        before = (step.then_throughput_bytes_per_sec, step.then_operations_per_sec);
    }
    super::section("next upgrades, each on top of those before", &lines)
}

/// What steps before have raised limits to: by component, measure, direction and first value.
type Raised = BTreeMap<(String, LimitFinding), u64>;

fn upgrade(
    step: &UpgradeFinding,
    before: (f64, f64),
    raised: &mut Raised,
    system: System,
) -> String {
    let raise: Vec<String> = step
        .raise
        .iter()
        .map(|raise| {
            let class = &raise.limits;
            let (limit, to) = (&class.limit, raise.to_per_sec);
            let to = match limit.tokens {
                Some(_) => words::amount(limit, to as f64, system),
                None => words::allowed(limit, to, system),
            };
            let last = raised.insert((class.name.clone(), limit.clone()), raise.to_per_sec);
            let from = last.map_or_else(|| now(limit), |last| last as f64);
            let from = words::amount(limit, from, system);
            format!("{} from {from} to {to}", words::members(class))
        })
        .collect();
    let after = (step.then_throughput_bytes_per_sec, step.then_operations_per_sec);
    let (from, to) = (figure(before.0, before.1, system), figure(after.0, after.1, system));
    let binds: Vec<String> = binders(&step.then_binds);
    let one = matches!(&step.then_binds[..], [class] if class.count == 1);
    let then = match (binds.is_empty(), one) {
        (true, _) => "then nothing that is described binds".to_owned(),
        (false, true) => format!("then {} binds", words::list(&binds)),
        (false, false) => format!("then {} bind", words::list(&binds)),
    };
    format!("raise {}: {from} -> {to}, {then}", words::list(&raise))
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
    match (class.limit.tokens, &class.limit.origin) {
        (Some(_), Origin::Study) => format!("requests in flight of {members}"),
        _ => members,
    }
}

fn now(limit: &LimitFinding) -> f64 {
    limit.tokens.map_or(limit.per_sec as f64, |tokens| tokens as f64)
}
