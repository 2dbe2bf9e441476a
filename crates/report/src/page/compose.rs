//! From stored runs to a page: which sections there are, and in which order.

use iopath_units::System;
use jiff::Timestamp;

use super::{
    Block, Page, Part, Section, agreement, comparison, damage, environment, fairness, latency,
    path, sweep, tiers, time, verdict,
};
use crate::view::{RunFacts, RunView};

/// What sections are made of.
pub(crate) struct Shown<'a> {
    pub run: &'a RunView,
    pub system: System,
}

/// A section's maker: nothing where a run has nothing of it to show.
type Maker = fn(&Shown<'_>) -> Option<Section>;

/// The sections of a run, in the order of reading.
const SECTIONS: [Maker; 10] = [
    verdict::section,
    damage::section,
    path::section,
    time::section,
    fairness::section,
    latency::section,
    tiers::section,
    sweep::section,
    agreement::section,
    environment::section,
];

/// The page of a run.
#[must_use]
pub fn compose(run: &RunView, system: System) -> Page {
    let sections = sections(run, system);
    Page { title: title(run), about: about(&run.facts), sections, parts: Vec::new() }
}

/// The page of several runs: how they compare, then each of them. One run has its own page.
#[must_use]
pub fn compose_all(runs: &[RunView], system: System) -> Page {
    if let [run] = runs {
        return compose(run, system);
    }
    let names: Vec<_> = runs.iter().map(comparison::name).collect();
    Page {
        title: format!("{} compared", names.join(", ")),
        about: "each run is held against the first".to_owned(),
        sections: vec![comparison::section(runs, system)],
        parts: runs.iter().enumerate().map(|(at, run)| part((at, run), system)).collect(),
    }
}

fn sections(run: &RunView, system: System) -> Vec<Section> {
    let shown = Shown { run, system };
    let mut sections: Vec<Section> = SECTIONS.iter().filter_map(|maker| maker(&shown)).collect();
    say_once(&mut sections);
    sections
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
fn part((at, run): (usize, &RunView), system: System) -> Part {
    let id = format!("part-{}", at + 1);
    let mut sections = sections(run, system);
    let blocks = sections.iter_mut().flat_map(|section| &mut section.blocks);
    blocks.for_each(|block| rename(block, &id));
    Part { title: title(run), about: about(&run.facts), sections, id }
}

/// Figures are called the same in every run.
fn rename(block: &mut Block, id: &str) {
    match block {
        Block::Figure(figure) => figure.id = format!("{id}-{}", figure.id),
        Block::Diagram(diagram) => diagram.id = format!("{id}-{}", diagram.id),
        Block::Fold(_, blocks) => blocks.iter_mut().for_each(|block| rename(block, id)),
        Block::Verdict(_)
        | Block::Text(_)
        | Block::Lines(_)
        | Block::Verbatim(_)
        | Block::Notice(..)
        | Block::Table(_)
        | Block::Advice(_) => {}
    }
}

fn title(run: &RunView) -> String {
    let study = run.report.trials.first().map(|trial| trial.case.study.as_str());
    let study = study.filter(|study| !study.is_empty()).unwrap_or("a run");
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
    let command = Some(format!("`{}`", facts.command)).filter(|_| !facts.command.is_empty());
    let version = format!("iopath {}", facts.version);
    let parts = [facts.state.clone(), Some(when), host, command, Some(version)];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}
