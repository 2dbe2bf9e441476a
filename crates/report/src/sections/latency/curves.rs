//! Response time against throughput: of load sweeps, and of the path that a study describes.

use iopath_analysis::curve::{Bend, bend};
use iopath_analysis::load_sweep::{LoadStep, LoadSweep};
use iopath_analysis::prediction::LoadPoint;
use iopath_units::System;

use crate::document::{Axis, Chart, Column, Figure, Mark, Trace};
use crate::sections::Shown;
use crate::sections::chosen::ChosenTrial;
use crate::view::run::label;

const LOAD_SWEEP: &str = "Each dot is one trial, from the lightest load at the left to the \
    heaviest. Response counts from the intended start, so it includes waiting before issue. \
    Where the flat line bends upwards is the highest sensible load. Beyond the bend lines may \
    turn back to the left: more is asked, less is done. Use the highest rate below the dashed \
    limit, not the rightmost dot. The vertical axis is logarithmic: a straight climb is \
    exponential.";

const CURVE: &str = "Predicted for the described path: mean response time against load. The \
    horizontal dashed line is a request without queues, the vertical one is saturation. The knee \
    has the maximum throughput over response time: beyond it load costs more response than it \
    gains throughput. A dot of this trial above the line waits for something that is not \
    described, or has more requests in flight; it belongs to the load of the study, not to each \
    point of the line.";

/// Response against throughput along a load sweep, with the limit of its `limited` figure.
pub(crate) fn load_sweep(
    at: usize,
    load_sweep: &LoadSweep,
    limited: &str,
    system: System,
) -> Figure {
    let steps = || load_sweep.steps.iter();
    let ns =
        |of: fn(&LoadStep) -> Option<u64>| steps().map(|one| of(one).map(|ns| ns as f64)).collect();
    let unit =
        if load_sweep.measure == "operations" { "operations_per_sec" } else { "bytes_per_sec" };
    let level = |step: &LoadStep| format!("{} = {}", load_sweep.factor, step.level);
    let columns = vec![
        Column::texts("level", steps().map(level).collect()),
        Column::numbers(format!("wanted_{unit}"), steps().map(|one| one.wanted_per_sec).collect()),
        Column::numbers(
            format!("achieved_{unit}"),
            steps().map(|one| one.achieved_per_sec).collect(),
        ),
        Column::maybe("mean_response_ns", steps().map(|one| one.response_ns_mean).collect()),
        Column::maybe("p50_response_ns", ns(|step| step.response_ns_p50)),
        Column::maybe("p99_response_ns", ns(|step| step.response_ns_p99)),
        Column::numbers("limit_ns", steps().map(|_| load_sweep.within_ns as f64).collect()),
    ];
    let x = match load_sweep.measure {
        "operations" => Axis::operations_per_sec("achieved requests", &columns[2..3]),
        _ => Axis::bytes_per_sec("achieved throughput", &columns[2..3], system),
    };
    let line = |name: &str, y| Trace { text: Some(0), ..Trace::plain(name, Mark::LineDots, 2, y) };
    let limit = crate::numbers::time(load_sweep.within_ns as f64, system);
    let traces = vec![
        line("mean", 3),
        line("p50", 4),
        line("p99", 5),
        Trace::plain(&format!("limit of the {limited}: {limit}"), Mark::Guide, 2, 6),
    ];
    let y = Axis::ns("response", &columns[3..7]).in_factors(&columns[3..7]);
    Figure {
        id: format!("latency-ladder-{at}"),
        title: format!(
            "Response against throughput: {} by {}",
            label(&load_sweep.experiment, &load_sweep.levels),
            load_sweep.factor
        ),
        guide: LOAD_SWEEP.to_owned(),
        columns,
        chart: Chart { x, y, traces, shades: Vec::new() },
    }
}

/// The curve of a trial's path: its own where a model made it, else what is predicted for it.
pub(super) fn curve(told: &ChosenTrial<'_>, shown: &Shown<'_>) -> Option<Figure> {
    let mut paths = shown.paths();
    let (_, path) = paths.find(|(trial, _)| trial.case.trial == told.number())?;
    let expected = path.expected.as_ref();
    let prediction = told.trial.prediction.as_ref().or(expected)?;
    let bend = bend(&prediction.curve)?;
    let columns = columns(told, &prediction.curve, &bend);
    let x = Axis::operations_per_sec("requests", &columns[1..2]);
    let y = Axis::ns("mean response", &columns[3..4]).in_factors(&columns[3..4]);
    let mut traces = vec![
        Trace::plain("described path", Mark::LineDots, 1, 3),
        Trace::plain("without queues", Mark::Guide, 1, 4),
        Trace::plain("saturation", Mark::Guide, 5, 3),
        Trace::plain("knee", Mark::Dots, 1, 6),
    ];
    if expected.is_some() && told.trial.findings.latency_ns_mean.is_some() {
        traces.push(Trace::plain("this trial", Mark::Dots, 7, 8));
    }
    Some(Figure {
        id: format!("latency-curve-{}", told.number()),
        title: told.title("Response against load of the path"),
        guide: CURVE.to_owned(),
        columns,
        chart: Chart { x, y, traces, shades: Vec::new() },
    })
}

fn columns(told: &ChosenTrial<'_>, curve: &[LoadPoint], bend: &Bend) -> Vec<Column> {
    let of = |value: fn(&LoadPoint) -> f64| curve.iter().map(value).collect::<Vec<f64>>();
    let all = |value: f64| vec![value; curve.len()];
    let only = |at: usize, value: Option<f64>| {
        (0..curve.len()).map(|place| value.filter(|_| place == at)).collect::<Vec<_>>()
    };
    let findings = &told.trial.findings;
    vec![
        Column::numbers("load_share", of(|point| point.load)),
        Column::numbers("operations_per_sec", of(|point| point.operations_per_sec)),
        Column::numbers("throughput_bytes_per_sec", of(|point| point.throughput_bytes_per_sec)),
        Column::numbers("response_ns", of(|point| point.response_ns)),
        Column::numbers("unloaded_response_ns", all(bend.unloaded_response_ns)),
        Column::numbers("saturated_operations_per_sec", all(bend.saturated_operations_per_sec)),
        Column::maybe("knee_response_ns", only(bend.knee, Some(curve[bend.knee].response_ns))),
        Column::maybe(
            "trial_operations_per_sec",
            only(0, Some(findings.headline.operations_per_sec)),
        ),
        Column::maybe("trial_response_ns", only(0, findings.latency_ns_mean)),
    ]
}
