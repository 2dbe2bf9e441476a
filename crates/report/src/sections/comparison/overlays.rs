//! Runs over one another: percentiles and throughput over time of each trial that all have.
//!
//! It leaves out what trials of a sweep come to together: see [`super::swept`].

use iopath_analysis::compare::pairing;
use iopath_analysis::distribution::distributions;
use iopath_record::Record;
use iopath_units::System;

use super::lettered;
use crate::document::{Axis, Block, Chart, Column, Figure, Mark, Trace};
use crate::sections::latency::percentiles;
use crate::sections::over_time::{Line, sum, timeline_of_streams};
use crate::view::RunView;
use crate::view::run::TrialReport;

/// Trials up to which all are open: chosen.
const OPEN: usize = 2;

const GUIDE: &str = "Bytes a second of all streams together, each line a run from its own go, the \
    first pass. Lines that have the same mean and another shape are two different loads on the \
    storage: bursts, a cache that fills, throttling.";

/// A trial in one of the runs.
struct TrialOfRun<'a> {
    run: String,
    trial: &'a TrialReport,
    /// In the order of the passes.
    records: Vec<&'a Record>,
}

/// The figures of each trial; of many they are opened one by one.
pub(super) fn blocks(runs: &[RunView], system: System) -> Vec<Block> {
    let Some(first) = runs.first() else { return Vec::new() };
    let shared = first.report.trials.iter().filter_map(|trial| {
        let each = runs.iter().enumerate();
        let told = each.map(|(at, run)| told(at, run, trial)).collect::<Option<Vec<_>>>();
        Some((trial.label(), told?))
    });
    let made = shared.enumerate().map(|(at, (label, told))| {
        let figures = [latencies(at, &label, &told), throughput(at, &label, &told, system)];
        (label, figures.into_iter().flatten().map(Block::Figure).collect::<Vec<_>>())
    });
    let made: Vec<(String, Vec<Block>)> = made.filter(|(_, all)| !all.is_empty()).collect();
    match made.len() {
        ..=OPEN => made.into_iter().flat_map(|(_, blocks)| blocks).collect(),
        _ => made.into_iter().map(|(label, blocks)| Block::Fold(label, blocks)).collect(),
    }
}

/// What a run has of a trial of the first one.
fn told<'a>(at: usize, run: &'a RunView, first: &TrialReport) -> Option<TrialOfRun<'a>> {
    let paired = pairing(&first.case);
    let trial = run.report.trials.iter().find(|trial| pairing(&trial.case) == paired)?;
    let records = run.records.iter().filter(|one| one.case.trial == trial.case.trial);
    let mut records: Vec<&Record> = records.collect();
    records.sort_by_key(|record| record.case.pass);
    Some(TrialOfRun { run: lettered(at, &run.into()), trial, records })
}

fn latencies(at: usize, label: &str, told: &[TrialOfRun<'_>]) -> Option<Figure> {
    let of = |one: &TrialOfRun<'_>| distributions(&one.records, one.trial.findings.latency_of);
    let runs: Vec<_> = told.iter().map(|one| (one.run.clone(), of(one))).collect();
    let title = format!("Latency by percentile: {label}");
    percentiles::overlaid(title, format!("comparison-percentiles-{at}"), &runs)
}

fn throughput(at: usize, label: &str, told: &[TrialOfRun<'_>], system: System) -> Option<Figure> {
    let of = |one: &TrialOfRun<'_>| {
        let timeline = timeline_of_streams(one.records.first()?);
        let lines: Vec<Line> = timeline.streams().into_iter().map(Line::from).collect();
        let seconds: Vec<Option<f64>> = timeline.seconds().into_iter().map(Some).collect();
        (seconds.len() > 1 && !lines.is_empty()).then(|| (one.run.clone(), seconds, sum(&lines)))
    };
    let known = told.iter().map(of).collect::<Option<Vec<_>>>()?;
    let rows = known.iter().map(|(_, seconds, _)| seconds.len()).max()?;
    let (mut columns, mut rates, mut traces) = (Vec::new(), Vec::new(), Vec::new());
    for (run, mut seconds, mut rate) in known {
        // Runs were not sampled at the same instants.
        seconds.resize(rows, None);
        rate.resize(rows, None);
        let x = columns.len();
        traces.push(Trace::plain(&run, Mark::Line, x, x + 1));
        columns.push(Column::maybe(format!("{run}_time_s"), seconds));
        columns.push(Column::maybe(format!("{run}_throughput_bytes_per_sec"), rate));
        rates.push(columns[x + 1].clone());
    }
    let y = Axis::bytes_per_sec("throughput", &rates, system);
    Some(Figure {
        id: format!("comparison-time-{at}"),
        title: format!("Throughput over time: {label}"),
        guide: GUIDE.to_owned(),
        columns,
        chart: Chart { x: Axis::seconds("time since go"), y, traces, shades: Vec::new() },
    })
}
