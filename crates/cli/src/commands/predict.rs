//! `iopath predict STUDY`: bounds of every case by the analytic model; touches nothing.

mod find_max;

mod compared;

use std::time::Instant;

use iopath_analysis::predict;
use iopath_record::Record;
use iopath_report::{Carried, Detail, PredictedCase, Timing, compose, prediction_json};
use iopath_store::RunId;

use crate::arguments::Predict;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies;
use crate::output;
use crate::run::kept::Stored;
use crate::run::models::{self, Built, Without};
use crate::run::parallel;
use crate::run::session;

pub(crate) fn run(arguments: &Predict) -> Result<ExitStatus, Problem> {
    if arguments.compare {
        return compared::run(arguments);
    }
    let mut timing = Timing::default();
    let planned = timed(&mut timing.parse_ns, || {
        studies::read_for(&arguments.asked.study, &arguments.asked.set, &arguments.asked.cases)
    })?;
    let trials = planned.trials();
    let without = Without::of(&arguments.asked.without, &trials)?;
    if let Some(sought) = arguments.find_max.sought()? {
        let search = find_max::Job { arguments, planned: &planned, without };
        return search.run(&trials, sought);
    }
    let built = timed(&mut timing.build_ns, || models::build(&planned.study, &trials, &without))?;
    let bounds = |built: &Built<'_>| built.records(&without, &iopath_analytic::evaluate_rated);
    let threads = parallel::threads(None);
    let evaluate = || parallel::in_order(threads, &built, bounds, &mut |_| ());
    let records = timed(&mut timing.evaluate_ns, evaluate);
    let kept = || records.iter().map(|(record, _)| record.clone());
    let Stored { run, status } = match arguments.keep {
        true => models::keep(&arguments.store, &planned.text, kept())?,
        false => Stored { run: None, status: ExitStatus::Done },
    };
    let cases: Vec<PredictedCase> = built.iter().zip(&records).map(predicted(&without)).collect();
    show(arguments, &cases, run, timing)?;
    if let Some(run) = run {
        session::tell_where(&arguments.store, run);
    }
    Ok(status)
}

/// Does something and adds the time it took.
fn timed<T>(ns: &mut u64, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let done = work();
    *ns += u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
    done
}

fn predicted(
    without: &Without,
) -> impl Fn((&Built<'_>, &(Record, Option<Record>))) -> PredictedCase {
    |(built, (record, whole))| {
        let before = whole.as_ref().map(|whole| Carried::predicted(&predict(whole)));
        PredictedCase::of(record, before.map(|before| built.removal(without, before)))
    }
}

fn show(
    arguments: &Predict,
    cases: &[PredictedCase],
    run: Option<RunId>,
    timing: Timing,
) -> Result<(), Problem> {
    if arguments.show.json {
        let run = run.map(|run| run.to_string());
        return output::print_json(&prediction_json(run.as_deref(), cases, timing));
    }
    let detail = if arguments.full { Detail::Full } else { Detail::Brief };
    let system = arguments.show.system();
    output::print_document(&compose::prediction(cases, detail, system), detail, system)
}
