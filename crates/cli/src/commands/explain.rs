//! `iopath explain [RUN]`: what holds a stored run back, and how one knows; with `--probe` which of
//! its targets share a limit.
//!
//! The path that a trial's case describes is predicted anew from the text in its record, so that an
//! old run is held against today's model.

use std::collections::BTreeSet;

use iopath_analysis::{Prediction, alike, predict};
use iopath_path::{Class, ComponentId, Network};
use iopath_record::{CaseText, Record, Technique};
use iopath_report::{
    Explained, Probed, RunReport, TrialReport, explanation_json, probe_json, render_explanation,
    render_probe,
};
use iopath_study::{Case, Source};
use iopath_units::{Nanos, UnitError};

use crate::arguments::Explain;
use crate::ending::{Ending, Problem};
use crate::probing::Probing;
use crate::progress::{Display, Wanted};
use crate::{output, place};

pub(crate) fn run(arguments: &Explain) -> Result<Ending, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let id = store.resolve(&arguments.run).map_err(Problem::mistake)?;
    let records = store.records(id).map_err(Problem::unexpected)?;
    if arguments.probe {
        return probe(arguments, &records);
    }
    let report = RunReport::from_records(Some(id.to_string()), &records);
    let report = report.map_err(Problem::unexpected)?;
    if let Some(probed) = Probed::of(&report) {
        show(arguments, &probed)?;
        return Ok(Ending::Done);
    }
    let explained: Vec<Explained> =
        report.trials.into_iter().map(|trial| beside_its_path(trial, &records)).collect();
    if arguments.show.json {
        output::print_json(&explanation_json(&id.to_string(), &explained))?;
    } else {
        let look = output::look(arguments.show.system());
        output::print(&render_explanation(&id.to_string(), &explained, &look))?;
    }
    Ok(Ending::Done)
}

/// Short experiments on the targets of a run, kept as a run of their own.
fn probe(arguments: &Explain, records: &[Record]) -> Result<Ending, Problem> {
    let wrong = |error: UnitError| Problem::mistake(format!("--time: {error}"));
    let time: Nanos = arguments.time.parse().map_err(wrong)?;
    if time < SHORTEST {
        return Err(Problem::mistake(format!("--time: {time} is too short, at least {SHORTEST}")));
    }
    let probing = Probing::of(records, time)?;
    // It was opened for reading until now.
    let store = place::store(&arguments.store)?;
    probing.announce();
    let wanted = if arguments.no_progress { Wanted::No } else { Wanted::Yes };
    let display = Display::lasting(0, wanted, arguments.show.system());
    let (probed, ending) = probing.run(&store, display)?;
    if ending == Ending::Interrupted {
        let kept = output::count(probed.experiments.len(), "experiment");
        output::tell(&format!("interrupted: {kept} kept in run {}", probed.run));
    }
    show(arguments, &probed)?;
    if !arguments.show.json {
        let explain = place::command(&arguments.store, &format!("explain {}", probed.run));
        output::tell(&format!("stored as run {}: {explain}", probed.run));
    }
    Ok(ending)
}

/// The shortest experiment whose rates mean something: chosen.
const SHORTEST: Nanos = Nanos(100_000_000);

fn show(arguments: &Explain, probed: &Probed) -> Result<(), Problem> {
    let look = output::look(arguments.show.system());
    match arguments.show.json {
        true => output::print_json(&probe_json(probed, &look)),
        false => output::print(&render_probe(probed, &look)),
    }
}

/// A trial beside its path; a model's own record needs no second model.
pub(crate) fn beside_its_path(trial: TrialReport, records: &[Record]) -> Explained {
    let is_real = match trial.technique {
        Technique::Measurement { .. } => true,
        Technique::Analytic | Technique::Simulation { .. } | Technique::Observation => false,
    };
    let case = described(&trial.case).filter(|_| is_real);
    let (expected, unrated) = match &case {
        Some((case, network)) => (carried(case, network), unrated(network)),
        None => (None, Vec::new()),
    };
    let is_its = |record: &&Record| record.case.trial == trial.case.trial;
    let passes: Vec<Record> = records.iter().filter(is_its).cloned().collect();
    let alike = alike(&passes, &trial.findings.limit);
    Explained { trial, expected, unrated, alike }
}

/// What the bounds say of the path in a case's text; none where it describes none.
pub(crate) fn expected(case: &CaseText) -> Option<Prediction> {
    described(case).and_then(|(case, network)| carried(&case, &network))
}

/// The case of a record's text, and its network.
pub(crate) fn described(case: &CaseText) -> Option<(Case, Network)> {
    let source = Source { name: "the record".to_owned(), text: case.text.clone() };
    let study = iopath_study::parse(&source, &[]).ok()?;
    let case = study.cases().ok()?.into_iter().next()?;
    let network = Network::build(&case, &Default::default()).ok()?;
    Some((case, network))
}

/// Media that requests end at and of which nobody says what they can do; none of a case without
/// anything around them, which describes no path.
fn unrated(network: &Network) -> Vec<String> {
    let ends: BTreeSet<ComponentId> = network.legs.iter().map(|leg| leg.to).collect();
    let media = ends.into_iter().map(|id| network.component(id)).filter(|component| {
        let is_medium = Class::of(component.kind) == Class::Medium;
        is_medium && component.parent.is_some() && component.rows.is_empty()
    });
    media.map(|component| component.name.clone()).collect()
}

fn carried(case: &Case, network: &Network) -> Option<Prediction> {
    let prediction = predict(&iopath_analytic::evaluate(case, network));
    (prediction.throughput_bytes_per_sec > 0.0 && !prediction.bounds.is_empty())
        .then_some(prediction)
}
