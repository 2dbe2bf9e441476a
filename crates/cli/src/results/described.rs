//! The path that the case of a record describes, evaluated anew from the text in the record, so
//! that an old run is compared with today's model, and a case that `--set` changed with itself.

use std::collections::BTreeSet;

use iopath_analysis::predict;
use iopath_path::{ComponentId, Network};
use iopath_record::{CaseText, Record};
use iopath_report::DescribedPath;
use iopath_study::{Case, Class, Source};

/// A path as described.
pub(crate) struct Described {
    /// Its bounds.
    pub bounds: Record,
    unrated: Vec<String>,
}

impl Described {
    /// The path in a case's text; none where it describes none.
    pub(crate) fn of(case: &CaseText) -> Option<Self> {
        let source = Source { name: "the record".to_owned(), text: case.text.clone() };
        let study = iopath_study::parse(&source, &[]).ok()?;
        Self::of_case(&study.cases().ok()?.into_iter().next()?)
    }

    /// The path of a case.
    pub(crate) fn of_case(case: &Case) -> Option<Self> {
        let network = Network::build(case, &Default::default()).ok()?;
        let bounds = iopath_analytic::evaluate(case, &network);
        Some(Self { bounds, unrated: unrated(&network) })
    }

    /// What a view says of it.
    pub(crate) fn path(&self) -> DescribedPath {
        let expected = predict(&self.bounds);
        let is_bounded = expected.throughput_bytes_per_sec > 0.0 && !expected.bounds.is_empty();
        DescribedPath { expected: is_bounded.then_some(expected), unrated: self.unrated.clone() }
    }
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
