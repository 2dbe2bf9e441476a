//! Layers and the balance of their members, as text.

use iopath_analysis::balance::{Balance, Evenness};
use iopath_analysis::layers::{Because, Step, Tier};
use iopath_record::Kind;
use iopath_units::System;

use crate::look::Look;
use crate::numbers::{UNKNOWN, maybe_time, operations, rate, size};
use crate::run::{RunReport, TrialReport};
use crate::table::{Column, render};
use crate::words::{self, evidence};
use crate::wrap::wrap;

/// Names that are told one by one before the rest is only counted: chosen.
const NAMES: usize = 6;

/// The layers of each trial that has several, or that was only watched.
pub(crate) fn text(run: &RunReport, look: &Look) -> String {
    let worth = |trial: &&TrialReport| trial.is_watched() || !trial.layers.steps.is_empty();
    let of = |trial: &TrialReport| format!("\n{}\n", of_trial(trial, look));
    run.trials.iter().filter(worth).map(of).collect()
}

/// The layers of one trial: a table, why bytes differ from layer to layer, how even members are.
pub(crate) fn of_trial(trial: &TrialReport, look: &Look) -> String {
    let mut parts =
        vec![format!("layers of {}, {}\n{}", trial.label(), trial.part(), table(trial, look))];
    let steps = trial.layers.steps.iter();
    parts.extend(steps.map(|step| wrap(&compared(step, look.system), 2, look.width)));
    parts.extend(trial.balance.iter().map(|one| wrap(&shared(one, look.system), 2, look.width)));
    parts.join("\n")
}

/// Headings of the table of layers.
const HEAD: [&str; 6] = ["what", "throughput", "requests", "mean size", "mean time", "in flight"];

fn table(trial: &TrialReport, look: &Look) -> String {
    let (_, rows) = cells(trial, look.system);
    let column = |(at, title): (usize, &'static str)| {
        Column::needed(title, rows.iter().map(|row| row[at].clone()).collect())
    };
    render(HEAD.into_iter().enumerate().map(column).collect(), look.width)
}

/// Headings and rows of the table of layers; those that moved nothing are left out.
pub(crate) fn cells(trial: &TrialReport, system: System) -> (Vec<String>, Vec<Vec<String>>) {
    let known = |value: Option<f64>, of: &dyn Fn(f64) -> String| {
        value.map_or_else(|| UNKNOWN.to_owned(), of)
    };
    let row = |tier: &Tier| {
        vec![
            several(&tier.members, &tier.kind),
            known(tier.bytes_per_sec, &|bytes| rate(bytes, system)),
            known(tier.operations_per_sec, &|done| operations(done, system)),
            known(tier.request_bytes_mean, &|bytes| size(bytes.round() as u64, system)),
            maybe_time(tier.service_ns_mean, system),
            known(tier.in_flight_mean, &|held| format!("{held:.1}")),
        ]
    };
    (HEAD.map(str::to_owned).to_vec(), shown(trial).map(row).collect())
}

/// The layers that have a row.
pub(crate) fn shown(trial: &TrialReport) -> impl Iterator<Item = &Tier> {
    trial.layers.tiers.iter().filter(|tier| tier.bytes_per_sec != Some(0.0))
}

/// `48 disk`, or the name of a single one.
pub(crate) fn several(names: &[String], kind: &Kind) -> String {
    match names {
        [one] => format!("{kind} {one}"),
        many => format!("{} × {kind}", many.len()),
    }
}

fn named(names: &[String]) -> String {
    let shown = names.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
    let rest = names.len().saturating_sub(NAMES);
    if rest == 0 { shown } else { format!("{shown} and {rest} more") }
}

/// What two layers moved, and why they differ.
pub(crate) fn compared(step: &Step, system: System) -> String {
    let copies = match (step.copies - 1.0).abs() < 1e-6 {
        true => String::new(),
        false => format!(" ({:.3} copies)", step.copies),
    };
    let mut text = format!(
        "{} to {}: {} above{copies}, {} below, ratio {:.4}",
        named(&step.upper),
        named(&step.lower),
        rate(step.upper_bytes_per_sec, system),
        rate(step.lower_bytes_per_sec, system),
        step.ratio
    );
    let reasons = step.explanations.iter().map(|one| {
        let text = words::layers::sentence(one, system);
        match one.because() {
            Because::Equal
            | Because::InFlight
            | Because::ServedAbove
            | Because::ReadMore
            | Because::WrittenMore => text,
            Because::Framing | Because::UnitSlip | Because::SlipAndFraming | Because::Copies => {
                format!("{text} explains {:.4} of it, {:.4} remains", one.factor, one.rest)
            }
        }
    });
    text.push_str(&format!(": {}", reasons.collect::<Vec<_>>().join("; or ")));
    if let Some(ratio) = step.request_ratio.filter(|ratio| *ratio > 0.0) {
        match ratio {
            1.1.. => text.push_str(&format!("; each request becomes {ratio:.2} below")),
            ..0.9 => text.push_str(&format!("; {:.2} requests become one below", 1.0 / ratio)),
            _ => {}
        }
    }
    text
}

/// How evenly members share a load.
pub(crate) fn shared(one: &Balance, system: System) -> String {
    let evidence: Vec<String> =
        one.evidence.iter().map(|line| evidence::sentence(line, system)).collect();
    let found = match one.verdict {
        Evenness::Balanced => "balanced".to_owned(),
        Evenness::SlowMembers => format!("slow members with equal rates: {}", named(&one.slow)),
        Evenness::UnevenAndSlow => format!("uneven, slow members: {}", named(&one.slow)),
        Evenness::UnevenRate => "uneven rates".to_owned(),
        Evenness::Unlike => "their requests are not alike".to_owned(),
    };
    format!("below {}: {found}: {}", one.of, evidence.join("; "))
}

/// What a trial that was only watched says in a sentence.
pub(crate) fn watched(trial: &TrialReport, system: System) -> String {
    let counted = trial.layers.tiers.iter().filter(|tier| tier.bytes_per_sec > Some(0.0));
    let told = counted.map(|tier| {
        let bytes = tier.bytes_per_sec.unwrap_or_default();
        format!("{} {}", several(&tier.members, &tier.kind), rate(bytes, system))
    });
    let told: Vec<String> = told.collect();
    let figures = if told.is_empty() { "counters only".to_owned() } else { told.join(", ") };
    format!("watched: {figures}{}", slow(trial))
}

/// That members are slow and get as much as the others; nothing where none are.
pub(crate) fn slow(trial: &TrialReport) -> String {
    let slow = trial.balance.iter().find(|one| one.verdict == Evenness::SlowMembers);
    slow.map_or(String::new(), |one| {
        let all = one.members.len();
        format!("; {} of {all} members are slow though all get as much", one.slow.len())
    })
}
