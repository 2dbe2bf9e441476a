//! `iopath validate --sensitivity`: each assumed parameter a fifth lower and higher, and the check
//! figures that move: those that bounds claim, with `--simulated` those that need simulation, too.
//!
//! A simulated figure moves by chance as well, so a small move of it is none; the same seeds are
//! taken each time.

use std::num::{NonZeroU32, NonZeroUsize};

use iopath_analysis::agreement::{
    Agreement, Answers, Move, Sensitivity, left, movable, moves, needing,
};
use iopath_report::{Detail, compose, sensitivity_json};
use iopath_study::experiment::Experiment;
use iopath_study::value::Value;
use iopath_study::{Parameter, Study};
use iopath_units::{ByteRate, Bytes, Nanos, OperationRate, Ratio};

use super::asked::{Asked, Simulating};
use super::{Opened, progress};
use crate::arguments::Validate;
use crate::ending::{Ending, Problem};
use crate::inputs::studies;
use crate::output;
use crate::run::parallel;
use crate::run::progress::{Display, Wanted};

/// How far an assumed parameter is moved: the share that the project set for this question.
const SHARE_PPM: u64 = 200_000;

pub(super) fn run(arguments: &Validate, studies: &[Opened]) -> Result<Ending, Problem> {
    let all = studies.iter().map(|opened| of_study(arguments, opened));
    let all = all.collect::<Result<Vec<Sensitivity>, Problem>>()?;
    if arguments.show.json {
        output::print_json(&sensitivity_json(&all))?;
    } else {
        output::print_document(
            &compose::sensitivity(&all),
            Detail::Brief,
            arguments.show.system(),
        )?;
    }
    Ok(Ending::Done)
}

fn of_study(arguments: &Validate, opened: &Opened) -> Result<Sensitivity, Problem> {
    let threads = parallel::threads(arguments.threads.threads);
    let seeds = arguments.simulated.then(|| arguments.seeds.map_or(1, NonZeroU32::get));
    let base = rows(&opened.study, threads, seeds, None)?;
    let assumed = opened.study.parameters();
    let can_move = |one: &&Parameter| [false, true].iter().all(|up| scaled(one, *up).is_some());
    let assumed: Vec<&Parameter> =
        assumed.iter().filter(|one| one.is_assumed()).filter(can_move).collect();
    let jobs: Vec<(&Parameter, bool)> =
        assumed.iter().flat_map(|one| [(*one, false), (*one, true)]).collect();
    let moved = |(parameter, up): &(&Parameter, bool)| -> Result<Vec<Agreement>, Problem> {
        let value = scaled(parameter, *up).into_iter();
        let mut sets = arguments.set.clone();
        sets.extend(value.map(|value| format!("{}={value}", parameter.path)));
        let study = studies::understand(&opened.source, &sets)?;
        rows(&study, NonZeroUsize::MIN, seeds, parameter.experiment.as_deref())
    };
    let mut display = Display::counting(jobs.len(), progress(arguments));
    let moved = parallel::in_order(threads, &jobs, moved, &mut |done| display.done(done));
    display.end();
    let moved = moved.into_iter().collect::<Result<Vec<_>, Problem>>()?;
    let mut found: Vec<Move> = Vec::new();
    for (parameter, both) in assumed.iter().zip(moved.chunks_exact(2)) {
        let own =
            |row: &Move| parameter.experiment.as_ref().is_none_or(|own| *own == row.experiment);
        let moved = moves(&parameter.path, &base, &both[0], &both[1]);
        found.extend(moved.into_iter().filter(own));
    }
    found.sort_by(|a, b| b.largest().total_cmp(&a.largest()));
    Ok(Sensitivity {
        study: opened.study.title.clone(),
        checks: movable(&base),
        left: left(&base),
        parameters: assumed.len(),
        moves: found,
    })
}

/// The rows of a study; with so many seeds of each case that some check needs simulated, those of
/// one experiment only, where a parameter is its own.
fn rows(
    study: &Study,
    threads: NonZeroUsize,
    seeds: Option<u32>,
    only: Option<&str>,
) -> Result<Vec<Agreement>, Problem> {
    let mut asked = Asked::of(study, threads)?;
    if seeds.is_some() {
        let which = |experiment: &Experiment, answers: &[Answers]| match only
            .is_none_or(|title| experiment.title == title)
        {
            true => needing(experiment, answers),
            false => Vec::new(),
        };
        let simulating = Simulating { threads, seeds, progress: Wanted::No, which: &which };
        simulating.simulate(std::slice::from_mut(&mut asked));
    }
    Ok(asked.rows())
}

/// The value of a parameter, a fifth less or more; `None` where it is no quantity.
fn scaled(parameter: &Parameter, up: bool) -> Option<Value> {
    let factor = if up { 1_000_000 + SHARE_PPM } else { 1_000_000 - SHARE_PPM };
    let times = |number: u64| {
        let scaled = u128::from(number) * u128::from(factor) / 1_000_000;
        u64::try_from(scaled).ok().filter(|scaled| *scaled > 0)
    };
    use iopath_study::case::Rate;
    Some(match parameter.value {
        Value::Count(count) => Value::Count(times(count)?),
        Value::Size(size) => Value::Size(Bytes(times(size.0)?)),
        Value::Time(time) => Value::Time(Nanos(times(time.0)?)),
        Value::Rate(Rate::Bytes(rate)) => Value::Rate(Rate::Bytes(ByteRate(times(rate.0)?))),
        Value::Rate(Rate::Operations(rate)) => {
            Value::Rate(Rate::Operations(OperationRate(times(rate.0)?)))
        }
        Value::Share(share) => Value::Share(Ratio(times(share.0)?.min(Ratio::ONE.0))),
        Value::Number(number) => Value::Number(Ratio(times(number.0)?)),
        _ => return None,
    })
}
