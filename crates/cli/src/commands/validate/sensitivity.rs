//! `iopath validate --sensitivity`: each parameter that no source states a fifth lower and higher,
//! and the check figures that move: those that bounds claim, with `--simulated` those that need
//! simulation, too; then also what the simulation itself assumes of how streams start.
//!
//! A simulated figure moves by chance as well, so a small move of it is none; the same seeds are
//! taken each time.

use std::num::{NonZeroU32, NonZeroUsize};

use iopath_analysis::agreement::{
    Agreement, Answers, Move, Sensitivity, left, movable, moves, needing,
};
use iopath_report::{Detail, compose, sensitivity_json};
use iopath_simulation::Settings;
use iopath_study::experiment::Experiment;
use iopath_study::value::Value;
use iopath_study::{Parameter, Study};
use iopath_units::{ByteRate, Bytes, Nanos, OperationRate, Ratio};

use super::asked::{Asked, By, Simulating};
use super::{Opened, progress};
use crate::arguments::Validate;
use crate::exit_status::{ExitStatus, Problem};
use crate::inputs::studies;
use crate::output;
use crate::run::crew::{Crew, Simulator};
use crate::run::progress::{Display, Wanted};

/// How far a parameter is moved: the share that the project set for this question.
const SHARE_PPM: u64 = 200_000;

pub(super) fn run(
    arguments: &Validate,
    crew: Crew<'_>,
    studies: &[Opened],
) -> Result<ExitStatus, Problem> {
    let all = studies.iter().map(|opened| of_study(arguments, crew, opened));
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
    Ok(ExitStatus::Done)
}

fn of_study(arguments: &Validate, crew: Crew<'_>, opened: &Opened) -> Result<Sensitivity, Problem> {
    let seeds = arguments.simulated.then(|| arguments.seeds.map_or(1, NonZeroU32::get));
    let as_stated = Settings::default();
    let base = rows(&opened.study, By::All(crew), seeds, as_stated, None)?;
    let parameters = opened.study.parameters();
    let levers = levers(&parameters, arguments.simulated);
    let jobs: Vec<(&Lever<'_>, bool)> =
        levers.iter().flat_map(|one| [(one, false), (one, true)]).collect();
    type Moved = Result<Option<Vec<Agreement>>, Problem>;
    let moved = |simulator: &Simulator, (lever, up): &(&Lever<'_>, bool)| -> Moved {
        let (mut sets, mut settings) = (arguments.set.clone(), as_stated);
        match lever {
            Lever::Stagger => settings.stagger = Nanos(times(settings.stagger.0, *up)),
            Lever::Stated(one) => {
                let value = scaled(one, *up).into_iter();
                sets.extend(value.map(|value| format!("{}={value}", one.path)));
            }
        }
        // What a value must fit decides whether it can move at all: a record its block, say.
        let Ok(study) = studies::understand(&opened.source, &sets) else { return Ok(None) };
        rows(&study, By::One(simulator), seeds, settings, lever.experiment()).map(Some)
    };
    let mut display = Display::counting(jobs.len(), progress(arguments));
    let moved = crew.in_order(&jobs, moved, &mut |done| display.done(done));
    display.end();
    let moved = moved.into_iter().collect::<Result<Vec<_>, Problem>>()?;
    let mut found: Vec<Move> = Vec::new();
    let mut refused = Vec::new();
    for (lever, both) in levers.iter().zip(moved.chunks_exact(2)) {
        let [Some(lower), Some(higher)] = both else {
            refused.push(lever.name().to_owned());
            continue;
        };
        let own = |row: &Move| lever.experiment().is_none_or(|own| *own == row.experiment);
        found.extend(moves(lever.name(), &base, lower, higher).into_iter().filter(own));
    }
    found.sort_by(|a, b| b.largest().total_cmp(&a.largest()));
    Ok(Sensitivity {
        study: opened.study.title.clone(),
        checks: movable(&base),
        left: left(&base),
        parameters: levers.len() - refused.len(),
        refused,
        moves: found,
    })
}

/// What is moved.
enum Lever<'a> {
    Stated(&'a Parameter),
    /// [`Settings::stagger`], which no study states.
    Stagger,
}

impl Lever<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Stated(parameter) => &parameter.path,
            Self::Stagger => "time between the starts of streams",
        }
    }

    /// The only experiment that has it.
    fn experiment(&self) -> Option<&str> {
        match self {
            Self::Stated(parameter) => parameter.experiment.as_deref(),
            Self::Stagger => None,
        }
    }
}

fn levers(parameters: &[Parameter], simulated: bool) -> Vec<Lever<'_>> {
    let can_move = |one: &&Parameter| [false, true].iter().all(|up| scaled(one, *up).is_some());
    let unsettled = parameters.iter().filter(|one| one.is_assumed() || one.is_inferred());
    let stated = unsettled.filter(can_move).map(Lever::Stated);
    stated.chain(simulated.then_some(Lever::Stagger)).collect()
}

/// The rows of a study; with so many seeds of each case that some check needs simulated, those of
/// one experiment only, where a parameter is its own.
fn rows(
    study: &Study,
    by: By<'_>,
    seeds: Option<u32>,
    settings: Settings,
    only: Option<&str>,
) -> Result<Vec<Agreement>, Problem> {
    let threads = match by {
        By::All(crew) => crew.threads(),
        By::One(_) => NonZeroUsize::MIN,
    };
    let mut asked = Asked::of(study, threads)?;
    if seeds.is_some() {
        let which = |experiment: &Experiment, answers: &[Answers]| match only
            .is_none_or(|title| experiment.title == title)
        {
            true => needing(experiment, answers),
            false => Vec::new(),
        };
        let simulating = Simulating { seeds, progress: Wanted::No, settings, which: &which };
        simulating.simulate(by, std::slice::from_mut(&mut asked));
    }
    Ok(asked.rows())
}

/// The value of a parameter, a fifth less or more; `None` where it is no quantity.
fn scaled(parameter: &Parameter, up: bool) -> Option<Value> {
    use iopath_study::case::Rate;
    let moved = |number: u64| Some(times(number, up)).filter(|moved| *moved > 0);
    Some(match parameter.value {
        Value::Count(count) => Value::Count(moved(count)?),
        Value::Size(size) => Value::Size(Bytes(whole(moved(size.0)?))),
        Value::Time(time) => Value::Time(Nanos(moved(time.0)?)),
        Value::Rate(Rate::Bytes(rate)) => Value::Rate(Rate::Bytes(ByteRate(moved(rate.0)?))),
        Value::Rate(Rate::Operations(rate)) => {
            Value::Rate(Rate::Operations(OperationRate(moved(rate.0)?)))
        }
        Value::Share(share) => Value::Share(Ratio(moved(share.0)?.min(Ratio::ONE.0))),
        Value::Number(number) => Value::Number(Ratio(moved(number.0)?)),
        _ => return None,
    })
}

fn times(number: u64, up: bool) -> u64 {
    let factor = if up { 1_000_000 + SHARE_PPM } else { 1_000_000 - SHARE_PPM };
    u64::try_from(u128::from(number) * u128::from(factor) / 1_000_000).unwrap_or(u64::MAX)
}

/// A size that requests can have: a multiple of 1 MiB, of less than 16 of them of 4 KiB.
fn whole(bytes: u64) -> u64 {
    let step = if bytes < 16 << 20 { 4 << 10 } else { 1 << 20 };
    ((bytes + step / 2) / step).max(1) * step
}
