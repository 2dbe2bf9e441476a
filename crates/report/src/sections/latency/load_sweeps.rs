//! Response time against throughput of several load sweeps of one experiment: their means as lines,
//! so that what else varies is seen at once.

use iopath_analysis::load_sweep::{LoadStep, LoadSweep};
use iopath_units::System;

use crate::document::{Axis, Chart, Column, Figure, Mark, Trace};
use crate::numbers::time;
use crate::view::run::label;

const GUIDE: &str = "Each line is one load sweep, each dot one of its trials, from the lightest \
    load at the left to the heaviest: the mean response, which counts from the \
    intended start. A line that bends farther to the right carries more; where \
    two coincide, the difference between them gains nothing. The rate that \
    counts is the highest one below the dashed limit. Percentiles of each one \
    are below.";

/// Load sweeps of one experiment and factor; `at` is the first one's place among those of the run.
pub(crate) fn load_sweeps(at: usize, all: &[LoadSweep], system: System) -> Option<Figure> {
    let first = all.first()?;
    let rows = all.iter().map(|load_sweep| load_sweep.steps.len()).max()?;
    let column = |load_sweep: &LoadSweep, name: &str, of: fn(&LoadStep) -> Option<f64>| {
        let mut values: Vec<Option<f64>> = load_sweep.steps.iter().map(of).collect();
        values.resize(rows, None);
        Column::maybe(format!("{}_{name}", label("", &load_sweep.levels)), values)
    };
    let unit = if first.measure == "operations" { "operations_per_sec" } else { "bytes_per_sec" };
    let (mut columns, mut traces) = (Vec::new(), Vec::new());
    let (mut rates, mut times) = (Vec::new(), Vec::new());
    for load_sweep in all {
        let x = columns.len();
        let name = label("", &load_sweep.levels);
        traces.push(Trace::plain(&name, Mark::LineDots, x, x + 1));
        rates.push(column(load_sweep, &format!("achieved_{unit}"), |one| {
            Some(one.achieved_per_sec)
        }));
        times.push(column(load_sweep, "mean_response_ns", |one| one.response_ns_mean));
        columns.extend(rates.last().cloned().into_iter().chain(times.last().cloned()));
    }
    let fastest = (0..all.len()).max_by(|a, b| {
        let most = |at: usize| rates[at].greatest().unwrap_or_default();
        most(*a).total_cmp(&most(*b))
    })?;
    let limit = Column::numbers("limit_ns", vec![first.within_ns as f64; rows]);
    let name = format!("limit of the mean: {}", time(first.within_ns as f64, system));
    traces.push(Trace::plain(&name, Mark::Guide, 2 * fastest, columns.len()));
    times.push(limit.clone());
    columns.push(limit);
    let x = match first.measure {
        "operations" => Axis::operations_per_sec("achieved requests", &rates),
        _ => Axis::bytes_per_sec("achieved throughput", &rates, system),
    };
    let y = Axis::ns("mean response", &times).in_factors(&times);
    Some(Figure {
        id: format!("latency-ladders-{at}"),
        title: format!("Response against throughput: {} by {}", first.experiment, first.factor),
        guide: GUIDE.to_owned(),
        columns,
        chart: Chart { x, y, traces, shades: Vec::new() },
    })
}
