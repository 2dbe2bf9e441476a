//! Which sections make a document, and in which order.

use iopath_analysis::Comparison;
use iopath_units::System;
use jiff::Timestamp;

use crate::document::{Block, Document, Part, Section};
use crate::look::Detail;
use crate::sections::runbook::section as runbook_section;
use crate::sections::{
    Shown, advice, agreement, comparison, damage, depths, environment, failures, fairness,
    find_max as find_max_section, hosts, intensity, latency, layers, limit, load_sweep, path,
    sweep, time, verdict, warnings,
};
use crate::view::compared::ComparedRun;
use crate::view::fastest;
use crate::view::prediction::PredictedCase;
use crate::view::profile::Profile;
use crate::view::run::TrialReport;
use crate::view::{RunFacts, RunView};
use crate::words::profile::sentence as profiled;
use crate::words::verdict::verdict as sentence;

pub use crate::sections::agreement::document as validation;
pub use crate::sections::builds::document as builds;
pub use crate::sections::check::document as check;
pub use crate::sections::crash::document as crash;
pub use crate::sections::emulation::document as emulation;
pub use crate::sections::field::document as field;
pub use crate::sections::find_max::document as find_max;
pub use crate::sections::import::document as import;
pub use crate::sections::layout::document as layout;
pub use crate::sections::list::document as list;
pub use crate::sections::machine_placing::document as machine_placing;
pub use crate::sections::placing::document as placing;
pub use crate::sections::prediction::document as prediction;
pub use crate::sections::probe::document as probe;
pub use crate::sections::profile::document as profile;
use crate::sections::profile::path as measured_path;
pub use crate::sections::runbook::{document as runbook, plan as runbook_plan};
pub use crate::sections::sensitivity::document as sensitivity;
pub use crate::sections::simulation::document as simulation;
pub use crate::sections::sizing::document as sizing;
pub use crate::sections::tuning::document as tuning;

/// A section's maker: nothing where a run has nothing of it to show.
type Maker = fn(&Shown<'_>) -> Option<Section>;

/// What came out, in the order of reading.
const RESULTS: [Maker; 6] = [
    verdict::section,
    warnings::broken_laws,
    failures::section,
    damage::section,
    find_max_section::section,
    load_sweep::section,
];

/// Tables behind the curves of a sweep.
const COMPARED: [Maker; 2] = [depths::section, intensity::section];

/// What most people want to know besides.
const CAUSES: [Maker; 5] = [
    limit::section,
    hosts::section,
    advice::section,
    warnings::section,
    warnings::exceeded_ratings,
];

/// What stands behind it.
const DETAILS: [Maker; 7] = [
    path::section,
    time::section,
    latency::section,
    fairness::section,
    layers::section,
    agreement::section,
    environment::section,
];

/// What holds a trial back, and how one knows.
const EXPLANATION: [Maker; 10] = [
    verdict::section,
    warnings::broken_laws,
    limit::section,
    hosts::section,
    layers::section,
    fairness::section,
    advice::section,
    warnings::section,
    warnings::exceeded_ratings,
    warnings::kept_laws,
];

/// What a measurement prints.
#[must_use]
pub fn summary(run: &RunView, system: System) -> Document {
    let sections = match run.report.trials.is_empty() {
        true => vec![nothing("no pass completed, so nothing was measured".to_owned())],
        false => {
            let results = [&RESULTS[..], &COMPARED, &CAUSES].concat();
            steps(run, system).into_iter().chain(sections(&results, &shown(run, system))).collect()
        }
    };
    Document { title: title(run), about: about(&run.facts), sections, parts: Vec::new() }
}

/// Everything about a run.
#[must_use]
pub fn whole(run: &RunView, system: System) -> Document {
    let sections = whole_sections(run, system);
    Document { title: title(run), about: about(&run.facts), sections, parts: Vec::new() }
}

/// What a run comes to, in a line: its first sentence, and how many more there are.
#[must_use]
pub fn headline(run: &RunView, system: System) -> String {
    if let Some(found) = Profile::of(&run.report) {
        return profiled(&found, system);
    }
    let trials = &run.report.trials;
    let said: Vec<String> = match predictions(run) {
        Some(_) => trials.iter().map(|trial| sentence(trial, system)).collect(),
        None => verdict::sentences(&shown(run, system)).into_iter().filter_map(spoken).collect(),
    };
    match &said[..] {
        [] => String::new(),
        [one] => one.clone(),
        [first, _] => format!("{first}; and 1 more sentence"),
        [first, more @ ..] => format!("{first}; and {} more sentences", more.len()),
    }
}

/// Of the fastest trial of a run, in bytes a second; none where no pass completed.
#[must_use]
pub fn throughput(run: &RunView) -> Option<f64> {
    let trials = &run.report.trials;
    fastest::ends(trials).map(|ends| fastest::speed(&trials[ends.fastest]))
}

fn spoken(block: Block) -> Option<String> {
    match block {
        Block::Verdict(text) => Some(text),
        _ => None,
    }
}

/// What holds each trial of a run back.
#[must_use]
pub fn explanation(run: &RunView, system: System) -> Document {
    let trials = &run.report.trials;
    if trials.is_empty() {
        let why = "no pass completed, so there is nothing to explain";
        let sections = vec![nothing(format!("run {}: {why}", run.name()))];
        return Document { title: title(run), sections, ..Document::default() };
    }
    let part = |(at, trial): (usize, &TrialReport)| Part {
        id: format!("trial-{}", at + 1),
        sections: sections(
            &EXPLANATION,
            &Shown { trials: std::slice::from_ref(trial), run, system },
        ),
        ..Part::default()
    };
    let parts = trials.iter().enumerate().map(part).collect();
    let all = shown(run, system);
    // Where there is a single trial its own verdict says it.
    let found = find_max_section::answer(&all).filter(|_| trials.len() > 1);
    let sections = found.into_iter().chain(depths::alone(&all)).collect();
    Document { title: title(run), sections, parts, ..Document::default() }
}

/// Several runs: how they compare, then each of them. One run has its own page.
#[must_use]
pub fn several(runs: &[RunView], system: System) -> Document {
    if let [run] = runs {
        return whole(run, system);
    }
    let names: Vec<_> = runs.iter().map(|run| comparison::name(&run.into())).collect();
    Document {
        title: format!("{} compared", names.join(", ")),
        about: "each run is compared with the first".to_owned(),
        sections: vec![comparison::section(runs, system)],
        parts: runs.iter().enumerate().map(|(at, run)| part(at, run, system)).collect(),
    }
}

/// Two runs: B, the second, compared with A.
#[must_use]
pub fn comparison(of: &Comparison, runs: &[ComparedRun<'_>; 2], system: System) -> Document {
    Document::of_blocks("Comparison".to_owned(), comparison::of_two(runs, of, system))
}

fn shown(run: &RunView, system: System) -> Shown<'_> {
    Shown { run, trials: &run.report.trials, system }
}

fn nothing(text: String) -> Section {
    Section { id: "verdict", title: "verdict".to_owned(), blocks: vec![Block::Text(text)] }
}

fn whole_sections(run: &RunView, system: System) -> Vec<Section> {
    let Some(found) = Profile::of(&run.report) else { return trial_sections(run, system) };
    let mut all = profile(&found, system).sections;
    // After the verdict.
    let path = run.measured_path.as_ref().and_then(|drawn| measured_path(drawn, &found, system));
    all.splice(1..1, path);
    let each = trial_sections(run, system).into_iter().flat_map(|section| section.blocks);
    let each = vec![Block::Fold("every experiment".to_owned(), each.collect())];
    all.extend(Section::of("experiments", "experiments", each));
    all
}

/// The steps of a runbook come before what each did.
fn steps(run: &RunView, system: System) -> Option<Section> {
    run.runbook.as_ref().map(|runbook| runbook_section(runbook, None, system))
}

fn trial_sections(run: &RunView, system: System) -> Vec<Section> {
    let shown = shown(run, system);
    let none: &[Maker] = &[];
    let (mut all, [compared, causes]) = match predictions(run) {
        Some(cases) => (prediction(&cases, Detail::Brief, system).sections, [none, none]),
        None if run.report.trials.is_empty() => {
            let why = "no pass completed, so nothing was measured";
            (vec![nothing(why.to_owned())], [none, none])
        }
        None => (sections(&RESULTS, &shown), [&COMPARED[..], &CAUSES[..]]),
    };
    all.splice(0..0, steps(run, system));
    all.extend(sweep::section(&shown));
    all.extend(sections(&[compared, causes].concat(), &shown));
    all.extend(sections(&DETAILS, &shown));
    say_once(&mut all);
    all
}

fn sections(makers: &[Maker], shown: &Shown<'_>) -> Vec<Section> {
    makers.iter().filter_map(|maker| maker(shown)).collect()
}

/// The trials as predictions, where all of them hold bounds.
fn predictions(run: &RunView) -> Option<Vec<PredictedCase>> {
    let case = |trial: &TrialReport| {
        Some(PredictedCase {
            case: trial.case.clone(),
            technique: trial.technique.clone(),
            prediction: trial.prediction.clone()?,
            removal: None,
        })
    };
    let cases = run.report.trials.iter().map(case).collect::<Option<Vec<_>>>();
    cases.filter(|cases| !cases.is_empty())
}

/// Several sections may end with the same sentence about what is left out; the first one says it.
fn say_once(sections: &mut [Section]) {
    let mut said: Vec<String> = Vec::new();
    for section in sections {
        section.blocks.retain(|block| {
            let Block::Text(text) = block else { return true };
            let is_new = !said.contains(text);
            said.extend(is_new.then(|| text.clone()));
            is_new
        });
    }
}

/// A run among others. The position is in its anchor, as a run may be there twice.
fn part(at: usize, run: &RunView, system: System) -> Part {
    let id = format!("part-{}", at + 1);
    let mut sections = whole_sections(run, system);
    let blocks = sections.iter_mut().flat_map(|section| &mut section.blocks);
    blocks.for_each(|block| rename(block, &id));
    let title = format!("{} · {}", comparison::letter(at), title(run));
    Part { title, about: about(&run.facts), sections, id }
}

/// Figures are called the same in every run.
fn rename(block: &mut Block, id: &str) {
    match block {
        Block::Figure(figure) => figure.id = format!("{id}-{}", figure.id),
        Block::Diagram(diagram) => diagram.id = format!("{id}-{}", diagram.id),
        Block::Fold(_, blocks) => blocks.iter_mut().for_each(|block| rename(block, id)),
        Block::Cases(cases) => {
            let blocks = cases.iter_mut().flat_map(|case| &mut case.blocks);
            blocks.for_each(|block| rename(block, id));
        }
        _ => {}
    }
}

fn title(run: &RunView) -> String {
    let study = Some(run.study()).filter(|study| !study.is_empty()).unwrap_or("a run");
    match &run.facts.id {
        Some(id) => format!("{study} · run {id}"),
        None => study.to_owned(),
    }
}

fn about(facts: &RunFacts) -> String {
    let ns = i128::from(facts.started_unix_ns);
    let when = Timestamp::from_nanosecond(ns).map(|at| at.strftime("%Y-%m-%d %H:%M UTC"));
    let when = when.map(|at| at.to_string()).unwrap_or_default();
    let host = Some(&facts.host).filter(|host| !host.is_empty()).map(|host| format!("on {host}"));
    let command = Some(typed(&facts.command)).filter(|command| !command.is_empty());
    let version = format!("iopath {}", facts.version);
    let parts = [facts.state.clone(), Some(when), host, command, Some(version)];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// The day of a time, for what is written down: `2026-11-25`.
#[must_use]
pub fn day(unix_ns: u64) -> String {
    let at = Timestamp::from_nanosecond(i128::from(unix_ns));
    at.map(|at| at.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}

/// A command without the directories of the program.
fn typed(command: &str) -> String {
    let (program, rest) = command.split_once(' ').unwrap_or((command, ""));
    let program = program.rsplit('/').next().unwrap_or(program);
    format!("{program} {rest}").trim_end().to_owned()
}
