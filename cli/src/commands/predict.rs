//! `iopath predict STUDY`: bounds of every case by the analytic model; touches nothing.

use std::collections::BTreeSet;
use std::time::Instant;

use iopath_analysis::predict;
use iopath_machine::Root;
use iopath_path::{Loss, Network, PathMistake};
use iopath_record::Record;
use iopath_report::{
    Detail, Lost, PredictedCase, Removal, Timing, prediction_json, render_prediction,
};
use iopath_store::{RunId, RunState};
use iopath_study::selector::Selector;
use iopath_study::{Case, PartId, Study, Trial};

use crate::arguments::{Predict, StoreOption};
use crate::ending::{Ending, Problem};
use crate::{facts, filter, output, paths, place, session, studies};

pub(crate) fn run(arguments: &Predict) -> Result<Ending, Problem> {
    let mut timing = Timing::default();
    let planned = timed(&mut timing.parse_ns, || studies::read(&arguments.study, &arguments.set))?;
    let trials = filter::wanted(&planned.plan.trials, &arguments.cases)?;
    let without = Without::of(&arguments.without, &trials)?;
    let built = timed(&mut timing.build_ns, || build(&planned.study, &trials, &without))?;
    let records = timed(&mut timing.evaluate_ns, || evaluate(&built, &without));
    let run = match arguments.keep {
        true => Some(keep(&arguments.store, &planned.text, &records)?),
        false => None,
    };
    let cases: Vec<PredictedCase> = built.iter().zip(&records).map(predicted(&without)).collect();
    show(arguments, &cases, run, timing)?;
    if let Some(run) = run {
        session::tell_where(run);
    }
    Ok(Ending::Done)
}

/// Does something and adds the time it took.
fn timed<T>(ns: &mut u64, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let done = work();
    *ns += u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
    done
}

/// What `--without` names.
struct Without {
    selectors: Vec<(String, Selector)>,
}

impl Without {
    fn of(texts: &[String], trials: &[&Trial]) -> Result<Self, Problem> {
        let mut wrong = Vec::new();
        let mut selectors = Vec::new();
        for text in texts {
            match text.parse::<Selector>() {
                Ok(selector) => {
                    let is_there = |trial: &&Trial| !trial.case.system.select(&selector).is_empty();
                    if !trials.iter().any(is_there) {
                        wrong.push(format!("--without {text}: the study has no such part"));
                    }
                    selectors.push((text.clone(), selector));
                }
                Err(error) => wrong.push(format!("--without {text}: {error}")),
            }
        }
        if wrong.is_empty() {
            Ok(Self { selectors })
        } else {
            Err(Problem::mistake(wrong.join("\n")))
        }
    }

    fn parts(&self, case: &Case) -> BTreeSet<PartId> {
        self.selectors.iter().flat_map(|(_, selector)| case.system.select(selector)).collect()
    }

    fn names(&self) -> Vec<String> {
        self.selectors.iter().map(|(text, _)| text.clone()).collect()
    }
}

/// A case with its network.
struct Built<'a> {
    trial: &'a Trial,
    paths: Paths,
}

/// The network of a case; where something is taken out, also that with everything in place.
enum Paths {
    Whole(Network),
    Without {
        rest: Network,
        whole: Network,
    },
    /// Every stream stops.
    Nothing {
        why: String,
        whole: Network,
    },
}

/// The networks of all cases; mistakes of all of them at once.
fn build<'a>(
    study: &Study,
    trials: &[&'a Trial],
    without: &Without,
) -> Result<Vec<Built<'a>>, Problem> {
    let mut mistakes = paths::Mistakes::default();
    let mut all = Vec::new();
    for &trial in trials {
        let removed = without.parts(&trial.case);
        let nothing = BTreeSet::new();
        let built = Network::build(&trial.case, &removed);
        let whole = (!removed.is_empty()).then(|| Network::build(&trial.case, &nothing));
        let paths = match (built, whole.transpose()) {
            (Ok(whole), Ok(None)) => Paths::Whole(whole),
            (Ok(rest), Ok(Some(whole))) => Paths::Without { rest, whole },
            // What is right with everything in place is no mistake of the study.
            (Err(wrong), Ok(Some(whole))) => Paths::Nothing { why: why(wrong), whole },
            (_, Err(wrong)) | (Err(wrong), Ok(None)) => {
                mistakes.add(wrong);
                continue;
            }
        };
        all.push(Built { trial, paths });
    }
    mistakes.into_result(study)?;
    Ok(all)
}

/// Why a case cannot go on, each reason once.
fn why(wrong: Vec<PathMistake>) -> String {
    let texts: BTreeSet<String> = wrong.into_iter().map(|mistake| mistake.text).collect();
    texts.into_iter().collect::<Vec<_>>().join("; ")
}

/// The record of each case, and of each with everything in place.
fn evaluate(built: &[Built<'_>], without: &Without) -> Vec<(Record, Option<Record>)> {
    let record = |built: &Built<'_>, network: &Network| {
        let mut record = iopath_analytic::evaluate(&built.trial.case, network);
        facts::add(&built.trial.case, &mut record.environment);
        record.case.trial = u32::try_from(built.trial.index).unwrap_or(u32::MAX);
        record
    };
    let both = |built: &Built<'_>| {
        let (mut rest, whole) = match &built.paths {
            Paths::Whole(whole) => return (record(built, whole), None),
            Paths::Without { rest, whole } => (record(built, rest), record(built, whole)),
            Paths::Nothing { why, whole } => {
                let whole = record(built, whole);
                (stopped(&whole, why), whole)
            }
        };
        rest.environment.insert("path.without".to_owned(), without.names().join(", "));
        (rest, Some(whole))
    };
    built.iter().map(both).collect()
}

/// The record of a case of which every stream has stopped.
fn stopped(whole: &Record, why: &str) -> Record {
    let mut record = whole.clone();
    record.environment.insert("path.nothing_left".to_owned(), why.to_owned());
    for stream in &mut record.streams {
        stream.phases.clear();
    }
    record.series.clear();
    record.bounds.clear();
    record.curve.clear();
    record.warnings.clear();
    record
}

fn predicted(
    without: &Without,
) -> impl Fn((&Built<'_>, &(Record, Option<Record>))) -> PredictedCase {
    |(built, (record, whole))| {
        let removal = whole.as_ref().map(|whole| Removal {
            removed: without.names(),
            before: predict(whole),
            lost: match &built.paths {
                Paths::Without { rest, .. } => lost(&built.trial.case, rest),
                Paths::Whole(_) | Paths::Nothing { .. } => Vec::new(),
            },
        });
        PredictedCase::of(record, removal)
    }
}

/// What became of volumes and streams, by name.
fn lost(case: &Case, network: &Network) -> Vec<Lost> {
    let volume = |kind, id, text: &str| {
        let name = network.component(id).name.clone();
        Lost { kind, name, text: text.to_owned() }
    };
    let told = |loss: &Loss| match loss {
        Loss::Moved { volume: id, to } => {
            volume("moved", *id, &format!("{} owns it now", network.component(*to).name))
        }
        Loss::Reserve { volume: id, text } => volume("reserve", *id, text),
        Loss::Degraded { volume: id, text } => volume("degraded", *id, text),
        Loss::Gone { volume: id, text } => volume("gone", *id, text),
        Loss::Stopped { stream, text } => {
            Lost { kind: "stopped", name: case.streams[*stream].name.clone(), text: text.clone() }
        }
    };
    network.losses.iter().map(told).collect()
}

/// Puts the records into the store as a run.
fn keep(
    option: &StoreOption,
    study: &str,
    records: &[(Record, Option<Record>)],
) -> Result<RunId, Problem> {
    let store = place::store(option)?;
    let begin = session::begin(&Root::live(), study);
    let run = store.begin_run(&begin).map_err(Problem::unexpected)?;
    for (record, _) in records {
        let mut record = record.clone();
        record.clock.started_unix_ns = begin.started_unix_ns;
        store.append(run, &record).map_err(Problem::unexpected)?;
    }
    let ended = session::unix_ns();
    store.end_run(run, &RunState::Finished, ended).map_err(Problem::unexpected)?;
    Ok(run)
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
    let detail = if arguments.full { Detail::Full } else { Detail::Fitting };
    output::print(&render_prediction(cases, detail, &output::look(arguments.show.system())))
}
