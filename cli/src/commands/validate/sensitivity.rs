//! `iopath validate --sensitivity`: each assumed parameter a fifth lower and higher, and the check
//! figures that move. Bounds only: what needs simulation is left out.

use std::num::NonZeroUsize;

use iopath_analysis::agreement::{Agreement, Move, Sensitivity, left, movable, moves};
use iopath_report::{render_sensitivity, sensitivity_json};
use iopath_study::value::Value;
use iopath_study::{Parameter, Study};
use iopath_units::{ByteRate, Bytes, Nanos, OperationRate, Ratio};

use super::Opened;
use super::asked::Asked;
use crate::arguments::Validate;
use crate::ending::{Ending, Problem};
use crate::{output, parallel, studies};

/// How far an assumed parameter is moved: the share that the project set for this question.
const SHARE_PPM: u64 = 200_000;

pub(super) fn run(arguments: &Validate, studies: &[Opened]) -> Result<Ending, Problem> {
    let threads = parallel::threads(arguments.threads.threads);
    let mut all: Vec<Sensitivity> = Vec::new();
    for opened in studies {
        let base = rows(&opened.study, threads)?;
        let (mut found, mut parameters) = (Vec::new(), 0);
        for parameter in opened.study.parameters().iter().filter(|one| one.is_assumed()) {
            let moved = |up: bool| -> Result<Option<Vec<Agreement>>, Problem> {
                let Some(value) = scaled(parameter, up) else { return Ok(None) };
                let mut sets = arguments.set.clone();
                sets.push(format!("{}={value}", parameter.path));
                let moved = studies::understand(&opened.source, &sets)?;
                rows(&moved, threads).map(Some)
            };
            if let (Some(lower), Some(higher)) = (moved(false)?, moved(true)?) {
                let own = |row: &Move| {
                    parameter.experiment.as_ref().is_none_or(|own| *own == row.experiment)
                };
                let moved = moves(&parameter.path, &base, &lower, &higher);
                found.extend(moved.into_iter().filter(own));
                parameters += 1;
            }
        }
        found.sort_by(|a, b| b.largest().total_cmp(&a.largest()));
        let study = opened.study.title.clone();
        let (checks, left) = (movable(&base), left(&base));
        all.push(Sensitivity { study, checks, left, parameters, moves: found });
    }
    if arguments.show.json {
        output::print_json(&sensitivity_json(&all))?;
    } else {
        output::print(&render_sensitivity(&all, &output::look(arguments.show.system())))?;
    }
    Ok(Ending::Done)
}

fn rows(study: &Study, threads: NonZeroUsize) -> Result<Vec<Agreement>, Problem> {
    Ok(Asked::of(study, threads)?.rows())
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
