//! `iopath validate [STUDY…]`: published figures against what the techniques say; with
//! `--sensitivity`, how far check figures move with assumed parameters.

use std::collections::BTreeSet;

use iopath_analysis::agreement::{
    Agreement, Answers, Move, Sensitivity, StudyAgreement, agree, claimed_throughputs, movable,
    moves,
};
use iopath_analytic::evaluate;
use iopath_path::Network;
use iopath_record::Record;
use iopath_report::{render_sensitivity, render_validation, sensitivity_json, validation_json};
use iopath_study::Parameter;
use iopath_study::experiment::Experiment;
use iopath_study::value::Value;
use iopath_study::{Case, Source, Study};
use iopath_units::{ByteRate, Bytes, Nanos, OperationRate, Ratio};

use crate::arguments::Validate;
use crate::emulated::{self, Kept, Machine, Prepared, Stage, Wanted};
use crate::ending::{Ending, Problem};
use crate::progress::Display;
use crate::{filter, output, paths, session, shipped, studies};

/// How far an assumed parameter is moved: the share that the project set for this question.
const SHARE_PPM: u64 = 200_000;

pub(crate) fn run(arguments: &Validate) -> Result<Ending, Problem> {
    let studies = opened(arguments)?;
    if arguments.emulate {
        return emulated(arguments, &studies);
    }
    if arguments.sensitivity {
        return sensitivity(arguments, &studies);
    }
    let agreement = |opened: &Opened| opened.agreement(&mut |_, _, _| Ok(()));
    let all: Vec<StudyAgreement> = studies.iter().map(agreement).collect::<Result<_, _>>()?;
    show(arguments, &all)
}

fn show(arguments: &Validate, all: &[StudyAgreement]) -> Result<Ending, Problem> {
    if arguments.show.json {
        output::print_json(&validation_json(all))?;
    } else {
        output::print(&render_validation(all, &output::look(arguments.show.system())))?;
    }
    Ok(Ending::Done)
}

/// What is asked of each experiment once the analytic model has answered.
type Besides<'a> = &'a mut dyn FnMut(&Study, &Experiment, &mut [Answers]) -> Result<(), Problem>;

/// The same, with throughputs measured on emulated paths.
fn emulated(arguments: &Validate, studies: &[Opened]) -> Result<Ending, Problem> {
    let length = emulated::length(&arguments.length, 1)?;
    let interrupted = session::watch_signals()?;
    let options = emulated::passing(emulated::directory(None), "validate");
    emulated::clear(&options.directory);
    let mut machine = Machine::new(&options, &interrupted);
    let mut stage = Stage::new(&options, length, &interrupted);
    let mut besides = |study: &Study, experiment: &Experiment, answers: &mut [Answers]| {
        for at in claimed_throughputs(experiment, answers) {
            if stage.is_interrupted() || !filter::means_all(&arguments.cases, &answers[at].case) {
                continue;
            }
            answers[at].measured = measured(study, &answers[at].case, &mut machine, &mut stage)?;
        }
        Ok(())
    };
    let known = |opened: &Opened| {
        let cases = opened.study.cases().map_err(Problem::mistake)?;
        Ok(cases.iter().any(|case| filter::means_all(&arguments.cases, case)))
    };
    let known: Vec<bool> = studies.iter().map(known).collect::<Result<_, Problem>>()?;
    if !known.contains(&true) {
        let names = arguments.cases.join(" and ");
        return Err(Problem::mistake(format!("--case: no case of any study is meant by {names}")));
    }
    let agreement = |opened: &Opened| opened.agreement(&mut besides);
    let all: Result<Vec<StudyAgreement>, Problem> = studies.iter().map(agreement).collect();
    stage.end()?;
    let ending = show(arguments, &all?)?;
    Ok(if stage.is_interrupted() { Ending::Interrupted } else { ending })
}

/// A case measured on its emulated path; one that cannot be emulated is told and left out.
fn measured(
    study: &Study,
    case: &Case,
    machine: &mut Machine<'_>,
    stage: &mut Stage<'_>,
) -> Result<Option<Record>, Problem> {
    let name = session::name_of(case);
    let prepared = match Prepared::of(study, case, Wanted::Least, machine) {
        Ok(prepared) => prepared,
        Err(problem) => {
            output::tell(&format!("not emulated: {problem}"));
            return Ok(None);
        }
    };
    output::tell(&format!("{}: {name}", study.title));
    let mut display = Display::hidden();
    let mut kept = Kept { keep: &|_| Ok(()), display: &mut display };
    match stage.measure((0, &prepared), &mut kept) {
        Ok((records, Ending::Done)) => Ok(records.into_iter().next_back()),
        // A pass that was cut short says less than it looks.
        Ok(_) => Ok(None),
        Err(problem) => {
            output::tell(&format!("not emulated: {name}: {problem}"));
            Ok(None)
        }
    }
}

/// A study and the text that it is read from, again for each change of a parameter.
struct Opened {
    source: Source,
    study: Study,
}

fn opened(arguments: &Validate) -> Result<Vec<Opened>, Problem> {
    let sources: Vec<Source> = match (arguments.studies.is_empty(), arguments.emulate) {
        (true, true) => shipped::of_throughput().collect(),
        (true, false) => shipped::all().collect(),
        (false, _) => {
            arguments.studies.iter().map(|path| studies::source(path)).collect::<Result<_, _>>()?
        }
    };
    let open = |source: Source| {
        let study = studies::understand(&source, &arguments.set)?;
        Ok(Opened { source, study })
    };
    sources.into_iter().map(open).collect()
}

impl Opened {
    fn agreement(&self, besides: Besides<'_>) -> Result<StudyAgreement, Problem> {
        let study = &self.study;
        let parameters = study.parameters();
        Ok(StudyAgreement {
            study: study.title.clone(),
            rows: rows(study, besides)?,
            assumed: parameters.iter().filter(|parameter| parameter.is_assumed()).count(),
            parameters: parameters.len(),
        })
    }
}

/// The rows of all experiments, their cases answered one after the other.
fn rows(study: &Study, besides: Besides<'_>) -> Result<Vec<Agreement>, Problem> {
    let mut cases = study.cases().map_err(Problem::mistake)?.into_iter();
    let mut rows = Vec::new();
    for experiment in &study.experiments {
        let own = cases.by_ref().take(experiment.case_count());
        let mut answers: Vec<Answers> =
            own.map(|case| answer(study, case)).collect::<Result<_, _>>()?;
        besides(study, experiment, &mut answers)?;
        rows.extend(agree(experiment, &answers));
    }
    Ok(rows)
}

fn answer(study: &Study, case: Case) -> Result<Answers, Problem> {
    let network = Network::build(&case, &BTreeSet::new());
    match network {
        Ok(network) => {
            let analytic = Some(evaluate(&case, &network));
            Ok(Answers { case, analytic, simulated: Vec::new(), measured: None })
        }
        Err(wrong) => {
            let mut mistakes = paths::Mistakes::default();
            mistakes.add(wrong);
            mistakes.into_result(study)?;
            Ok(Answers { case, analytic: None, simulated: Vec::new(), measured: None })
        }
    }
}

fn sensitivity(arguments: &Validate, studies: &[Opened]) -> Result<Ending, Problem> {
    let mut all: Vec<Sensitivity> = Vec::new();
    for opened in studies {
        let nothing: Besides<'_> = &mut |_, _, _| Ok(());
        let base = rows(&opened.study, nothing)?;
        let (mut found, mut parameters) = (Vec::new(), 0);
        for parameter in opened.study.parameters().iter().filter(|one| one.is_assumed()) {
            let moved = |up: bool| -> Result<Option<Vec<Agreement>>, Problem> {
                let Some(value) = scaled(parameter, up) else { return Ok(None) };
                let mut sets = arguments.set.clone();
                sets.push(format!("{}={value}", parameter.path));
                let moved = studies::understand(&opened.source, &sets)?;
                rows(&moved, &mut |_, _, _| Ok(())).map(Some)
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
        all.push(Sensitivity { study, checks: movable(&base), parameters, moves: found });
    }
    if arguments.show.json {
        output::print_json(&sensitivity_json(&all))?;
    } else {
        output::print(&render_sensitivity(&all, &output::look(arguments.show.system())))?;
    }
    Ok(Ending::Done)
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
