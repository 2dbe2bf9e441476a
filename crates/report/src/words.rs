//! Findings as sentences: a file for each subject, from a closed enum with numbers and a system of
//! units to words. JSON has the same sentences in decimal units.

use iopath_analysis::limit::Range;
use iopath_units::System;

use crate::numbers::rate;

pub(crate) mod actions;
pub(crate) mod advice;
pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod comparison;
mod crash;
pub(crate) mod emulation;
pub(crate) mod evidence;
pub(crate) mod find_max;
mod following;
pub(crate) mod hosts;
pub(crate) mod layers;
pub(crate) mod layout;
pub(crate) mod machine_placing;
pub(crate) mod path;
pub(crate) mod placing;
pub(crate) mod prediction;
pub(crate) mod probe;
pub(crate) mod profile;
pub(crate) mod removal;
pub(crate) mod runbook;
pub(crate) mod sizing;
pub(crate) mod tuning;
pub(crate) mod validation;
pub(crate) mod verdict;
pub(crate) mod warnings;

/// A share, with a decimal unless it is all.
pub(crate) fn percent(share: f64) -> String {
    let decimals = usize::from(share < 0.9995);
    format!("{:.decimals$} %", share * 100.0)
}

/// `1 device`, `3 devices`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn ms(ns: f64) -> f64 {
    ns / 1e6
}

/// Least and most; one where they read the same.
fn between(range: Range, text: impl Fn(f64) -> String) -> String {
    let (least, most) = (text(range.least), text(range.most));
    if least == most { least } else { format!("{least} to {most}") }
}

/// Amounts of one measure a second. Decimal ones are plain numbers whose unit follows the last,
/// binary ones of bytes have a unit each.
struct PerSecond {
    system: System,
    /// What follows the last amount.
    unit: String,
}

impl PerSecond {
    fn of(measure: &impl ToString, system: System) -> Self {
        let unit = match (measure.to_string().as_str(), system) {
            ("bytes", System::Binary) => String::new(),
            (measure, _) => format!(" {measure} a second"),
        };
        Self { system, unit }
    }

    fn amount(&self, per_sec: f64) -> String {
        if self.is_binary() { rate(per_sec, self.system) } else { format!("{per_sec:.0}") }
    }

    fn is_binary(&self) -> bool {
        self.unit.is_empty()
    }
}
