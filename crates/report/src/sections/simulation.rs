//! Simulated cases: what came out with how much confidence, what limited it, beside what bounds
//! allow; of a single case also how its streams share and how full its path is.

use iopath_analysis::FlushFindings;
use iopath_units::System;

use super::prediction::{components, losses, shares};
use super::{Shown, failures, intensity, limit, load_sweep, verdict, warnings};
use crate::document::{Block, Document, Section, Table};
use crate::look::Detail;
use crate::numbers::{UNKNOWN, between, maybe_ns, maybe_time, operations, plus_minus, rate, time};
use crate::view::run::label;
use crate::view::simulation::{Seed, SimulatedCase, Simulation};
use crate::words::prediction::sentence;
use crate::words::{evidence, removal};

/// What came out of every case; of a single one, or where it is asked for, everything.
#[must_use]
pub fn document(simulation: &Simulation<'_>, detail: Detail, system: System) -> Document {
    let Simulation { view, cases } = simulation;
    let shown = Shown { run: view, trials: &view.report.trials, system };
    let mut sections: Vec<Section> = vec![verdicts(&shown, cases)];
    sections.extend(warnings::broken_laws(&shown));
    let experiments = cases.chunk_by(|a, b| a.trial.case.experiment == b.trial.case.experiment);
    sections.extend(experiments.map(|cases| Section {
        id: "experiment",
        title: cases[0].trial.case.experiment.clone(),
        blocks: vec![Block::Table(table(cases, system))],
    }));
    let results =
        [failures::section(&shown), load_sweep::section(&shown), intensity::section(&shown)];
    sections.extend(results.into_iter().flatten());
    if cases.len() == 1 || detail == Detail::Full {
        sections.extend(cases.iter().flat_map(|case| in_full(case, detail, system)));
    }
    let last = [
        limit::section(&shown),
        warnings::section(&shown),
        warnings::exceeded_ratings(&shown),
        Section::of("cost", "", vec![Block::Text(cost(cases))]),
    ];
    sections.extend(last.into_iter().flatten());
    let title = cases.first().map_or_else(String::new, |case| case.trial.case.study.clone());
    Document { title, sections, ..Document::default() }
}

/// What each case came to, and what is left where parts were taken out.
fn verdicts(shown: &Shown<'_>, cases: &[SimulatedCase<'_>]) -> Section {
    let mut blocks = verdict::sentences(shown);
    let left = cases.iter().filter_map(|case| {
        let lost = case.removal.as_ref()?;
        let left = removal::sentence(lost, case.left(), "throughput", shown.system);
        Some(format!("{}: {left}", case.trial.label()))
    });
    let mut lines: Vec<String> = left.collect();
    lines.extend(by_seeds(cases, shown.system));
    blocks.extend(Block::lines(lines));
    Section { id: "verdict", title: "verdict".to_owned(), blocks }
}

/// How far the seeds of a case are apart: of several cases those that are furthest.
fn by_seeds(cases: &[SimulatedCase<'_>], system: System) -> Option<String> {
    let ends = cases.iter().filter_map(|case| Some((case, case.seed_ends()?)));
    let apart = |(least, most): (f64, f64)| if least > 0.0 { most / least - 1.0 } else { 0.0 };
    let (case, ends) = ends.max_by(|a, b| apart(a.1).total_cmp(&apart(b.1)))?;
    let percent = percent(apart(ends));
    let count = case.seeds.len();
    Some(match cases {
        [_] => {
            let [least, most] = [ends.0, ends.1].map(|end| rate(end, system));
            format!("{count} seeds: from {least} to {most}, {percent} apart")
        }
        _ => format!("{count} seeds a case: up to {percent} apart ({})", case.trial.label()),
    })
}

fn table(cases: &[SimulatedCase<'_>], system: System) -> Table {
    let has_seeds = cases.iter().any(|case| case.seeds.len() > 1);
    let has_streams = cases.iter().any(|case| case.trial.findings.streams.len() > 1);
    let mut table = Table::of(cases)
        .column("case", levels)
        .column("throughput", |case| rate(case.found().throughput_bytes_per_sec, system))
        .bars(|case| case.found().throughput_bytes_per_sec)
        .expendable(2, "95 %", half_width)
        .column_if(has_seeds, "by seed", |case| {
            let ends = case.seed_ends().map(|(least, most)| [least, most]);
            ends.map_or_else(unknown, |ends| {
                let [least, most] = ends.map(|end| rate(end, system));
                between(&least, &most)
            })
        })
        .expendable(4, "requests", |case| operations(case.found().operations_per_sec, system))
        .column("response", |case| maybe_time(response(case).0, system))
        .expendable(5, "p50", |case| maybe_ns(response(case).1, system))
        .expendable(3, "p99", |case| maybe_ns(response(case).2, system));
    let commits = |case: &SimulatedCase<'_>| {
        case.trial.findings.flush.as_ref().and_then(FlushFindings::commits)
    };
    if cases.iter().any(|case| commits(case).is_some()) {
        let of = |case: &SimulatedCase<'_>| commits(case).map(|one| (one.mean, one.p99));
        table = table
            .column("commit", |case| maybe_time(of(case).and_then(|one| one.0), system))
            .expendable(3, "commit p99", |case| maybe_ns(of(case).and_then(|one| one.1), system));
    }
    if has_streams {
        table = table.expendable(2, "Jain", jain);
    }
    table
        .column("of bound", |case| case.of_bound().map_or_else(unknown, percent))
        .expendable(1, "limited by", |case| evidence::cause(&case.trial.findings.limit))
        .done()
}

/// What tells a case from the others of its experiment.
fn levels(case: &SimulatedCase<'_>) -> String {
    match case.trial.case.levels.is_empty() {
        true => case.trial.label(),
        false => label("", &case.trial.case.levels),
    }
}

fn unknown() -> String {
    UNKNOWN.to_owned()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn half_width(case: &SimulatedCase<'_>) -> String {
    let known = case.trial.findings.confidence;
    known.map_or_else(unknown, |known| plus_minus(known.half_width_percent))
}

/// Mean, p50 and p99, from the intended start where there is one; none where nothing takes time.
fn response(case: &SimulatedCase<'_>) -> (Option<f64>, Option<u64>, Option<u64>) {
    let findings = &case.trial.findings;
    if case.trial.is_instant() {
        return (None, None, None);
    }
    match findings.intended_latency_ns_mean {
        Some(mean) => {
            (Some(mean), findings.intended_latency_ns_p50, findings.intended_latency_ns_p99)
        }
        None => (findings.latency_ns_mean, findings.latency_ns_p50, findings.latency_ns_p99),
    }
}

/// Over all seeds; of several also the spread.
fn jain(case: &SimulatedCase<'_>) -> String {
    let all = || case.seeds.iter().filter_map(|seed| seed.jain);
    match (all().reduce(f64::min), all().reduce(f64::max)) {
        (Some(least), Some(most)) if most - least >= 0.0005 => format!("{least:.3} .. {most:.3}"),
        (Some(least), _) => format!("{least:.3}"),
        (None, _) => unknown(),
    }
}

/// What is too long for many cases.
fn in_full(case: &SimulatedCase<'_>, detail: Detail, system: System) -> Vec<Section> {
    let bounds = format!("bounds: {}", sentence(&case.bound, system));
    let sections = [
        Section::of("case", case.trial.label(), vec![Block::Lines(vec![bounds])]),
        case.removal.as_ref().and_then(|of| losses(of, system)),
        seeds(case, system),
        shares::section(&case.path, system),
        components::section(&case.path, detail, system),
    ];
    sections.into_iter().flatten().collect()
}

/// A row a seed, where there are several.
fn seeds(case: &SimulatedCase<'_>, system: System) -> Option<Section> {
    let jain = |seed: &Seed| seed.jain.map_or_else(unknown, |jain| format!("{jain:.3}"));
    let table = Table::of(&case.seeds)
        .column("seed", |seed| seed.seed.to_string())
        .column("throughput", |seed| rate(seed.carried.throughput_bytes_per_sec, system))
        .column("response", |seed| maybe_time(seed.carried.response_ns, system))
        .column("Jain", jain)
        .expendable(1, "events", |seed| seed.events.to_string());
    let blocks = if case.seeds.len() < 2 { Vec::new() } else { vec![Block::Table(table.done())] };
    Section::of("seeds", "seeds", blocks)
}

/// What it took: events of all seeds, and the time that was counted.
fn cost(cases: &[SimulatedCase<'_>]) -> String {
    let events: u64 = cases.iter().flat_map(|case| &case.seeds).map(|seed| seed.events).sum();
    let nanos: u64 = cases.iter().map(|case| case.trial.findings.window_ns).sum();
    let passed = time(nanos as f64, System::Decimal);
    format!("{events} events; {passed} of simulated time were counted")
}
