//! `iopath explain [RUN]`: what holds a stored run back, and how one knows.
//!
//! The path that a trial's case describes is predicted anew from the text in its record, so that an
//! old run is held against today's model.

use std::collections::BTreeSet;

use iopath_analysis::{Prediction, predict};
use iopath_path::{Class, ComponentId, Network};
use iopath_record::{CaseText, Technique};
use iopath_report::{Explained, RunReport, TrialReport, explanation_json, render_explanation};
use iopath_study::{Case, Source};

use crate::arguments::Explain;
use crate::ending::{Ending, Problem};
use crate::{output, place};

pub(crate) fn run(arguments: &Explain) -> Result<Ending, Problem> {
    let store = place::existing_store(&arguments.store)?;
    let id = store.resolve(&arguments.run).map_err(Problem::mistake)?;
    let records = store.records(id).map_err(Problem::unexpected)?;
    let report = RunReport::from_records(Some(id.to_string()), &records);
    let trials = report.map_err(Problem::unexpected)?.trials;
    let explained: Vec<Explained> = trials.into_iter().map(beside_its_path).collect();
    if arguments.show.json {
        output::print_json(&explanation_json(&id.to_string(), &explained))?;
    } else {
        let look = output::look(arguments.show.system());
        output::print(&render_explanation(&explained, &look))?;
    }
    Ok(Ending::Done)
}

/// A model's own record needs no second model.
pub(crate) fn beside_its_path(trial: TrialReport) -> Explained {
    let is_real = match trial.technique {
        Technique::Measurement { .. } => true,
        Technique::Analytic | Technique::Simulation { .. } | Technique::Observation => false,
    };
    let case = described(&trial.case).filter(|_| is_real);
    let (expected, unrated) = match &case {
        Some((case, network)) => (carried(case, network), unrated(network)),
        None => (None, Vec::new()),
    };
    Explained { trial, expected, unrated }
}

/// What the bounds say of the path in a case's text; none where it describes none.
pub(crate) fn expected(case: &CaseText) -> Option<Prediction> {
    described(case).and_then(|(case, network)| carried(&case, &network))
}

/// The case of a record's text, and its network.
fn described(case: &CaseText) -> Option<(Case, Network)> {
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
