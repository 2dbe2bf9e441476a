//! How far emulated paths are off the model, and what could not be emulated.

use std::collections::BTreeMap;

use iopath_units::System;

use crate::numbers::time;
use crate::view::emulation::{Alone, EmulatedCase, Lateness};

pub(crate) fn sentence(cases: &[EmulatedCase]) -> Option<String> {
    let off: Vec<f64> = cases.iter().filter_map(EmulatedCase::off_percent).collect();
    let worst = off.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    let mean = off.iter().map(|percent| percent.abs()).sum::<f64>() / off.len() as f64;
    Some(match off.len() {
        1 => format!("The emulated path lay {worst:+.2} % off the model."),
        cases => format!(
            "In {cases} cases the emulated path lay {mean:.2} % off the model in the mean, \
             {worst:+.2} % at worst."
        ),
    })
}

/// How late answers were.
pub(crate) fn lateness(cases: &[EmulatedCase]) -> impl Iterator<Item = String> {
    cases.iter().filter_map(|case| Some(format!("{}: {}", case.name, late(&case.lateness?))))
}

/// How late the answers of one live system were.
#[must_use]
pub fn late(lateness: &Lateness) -> String {
    let Lateness { answers, in_time_share, .. } = lateness;
    let [p50, p99, max] = [lateness.late_ns_p50, lateness.late_ns_p99, lateness.late_ns_max]
        .map(|late| time(late as f64, System::Decimal));
    format!(
        "{:.1} % of {answers} answers came within 2 % of their response time, or 100 µs, of when \
         they were due; they were late by {p50} at the median, {p99} at p99, {max} at most",
        in_time_share * 100.0
    )
}

/// What devices carried one after the other.
pub(crate) fn alone(cases: &[EmulatedCase]) -> impl Iterator<Item = String> {
    cases.iter().filter_map(|case| {
        let Alone { devices, least, most, least_device } = case.alone.as_ref()?;
        let (least, most) = (least * 100.0, most * 100.0);
        Some(format!(
            "{}: {devices} devices, each alone, carried {least:.1} to {most:.1} % of their own \
             rates; {least_device} the lowest",
            case.name
        ))
    })
}

/// What could not be emulated, each once, with the number of cases.
pub(crate) fn not_emulated(cases: &[EmulatedCase]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in cases.iter().flat_map(|case| &case.not_emulated) {
        *counts.entry(text).or_default() += 1;
    }
    let told = |(text, count): (&str, usize)| match count == cases.len() {
        true => format!("not emulated: {text}"),
        false => format!("not emulated in {count} of {} cases: {text}", cases.len()),
    };
    counts.into_iter().map(told).collect()
}
