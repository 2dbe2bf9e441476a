//! Placements of a case, asked one by one: the bounds of each, and its units as they are then.

use std::collections::{BTreeMap, BTreeSet};

use iopath_advice::placement::{
    Assignment, Form, Site, Standing, Unit, changes, changes_of, units,
};
use iopath_analysis::Prediction;
use iopath_analytic::evaluate_rated;
use iopath_path::Network;
use iopath_report::PredictedCase;
use iopath_study::experiment::Experiment;
use iopath_study::{Case, Study};

use crate::exit_status::Problem;
use crate::run::{facts, models};

const NOTHING: &str = "nothing of this study can be placed elsewhere: no equal components in \
    several parents with slots=, no wires in ports of switches, no sides of mirrors, no streams \
    with on= and no volumes with at= that leave a choice (docs/placing.md)";

/// The placements of a case that were asked for.
pub(crate) struct Placements<'a> {
    study: &'a Study,
    /// With nothing left to vary.
    experiment: Experiment,
    units: Vec<Unit>,
    known: BTreeMap<Vec<Assignment>, Option<f64>>,
}

impl<'a> Placements<'a> {
    /// Today's placement of an experiment with one case.
    pub(crate) fn of(study: &'a Study, experiment: &Experiment) -> Result<Self, Problem> {
        let experiment = experiment.settled(&vec![0; experiment.factors.len()]);
        let case = study.case_at(&experiment, &[]).map_err(Problem::mistake)?;
        let units = units(&experiment, &case);
        let placements = Self { study, experiment, units, known: BTreeMap::new() };
        if placements.units.is_empty() {
            return Err(Problem::mistake(NOTHING));
        }
        match placements.predicted(&placements.standing())?.prediction.bounds.is_empty() {
            true => Err(Problem::mistake("the path has no rated component, so there is no bound")),
            false => Ok(placements),
        }
    }

    /// What can be placed, as it is today.
    pub(crate) fn today(&self) -> &[Unit] {
        &self.units
    }

    /// Where everything is today.
    pub(crate) fn standing(&self) -> Standing {
        let today: Vec<Assignment> = self.units.iter().map(Unit::today).collect();
        Standing::of(&self.units, &today)
    }

    /// How many placements were predicted.
    pub(crate) fn predictions(&self) -> usize {
        self.known.len()
    }

    /// A placement with what is predicted of it, or why it cannot be.
    pub(crate) fn predicted(&self, of: &Standing) -> Result<PredictedCase, Problem> {
        let placed = self.experiment.placed(&changes_of(&self.units, of));
        let case = self.study.case_at(&placed, &[]).map_err(Problem::mistake)?;
        let network = Network::build(&case, &BTreeSet::new())
            .map_err(|wrong| Problem::mistake(models::why(wrong)))?;
        let mut record = evaluate_rated(&case, &network);
        facts::add(&case, &network, &mut record.environment);
        Ok(PredictedCase::of(&record, None))
    }

    fn case(&self, of: &[Assignment]) -> Option<Case> {
        let placed = self.experiment.placed(&changes(&self.units, of));
        self.study.case_at(&placed, &[]).ok()
    }

    /// Whether any count is another than today's: then names stand for others than today.
    fn is_recounted(&self, of: &[Assignment]) -> bool {
        let is_count = |unit: &Unit| matches!(unit.form, Form::Counts(_));
        self.units.iter().zip(of).any(|(unit, of)| is_count(unit) && unit.today() != *of)
    }
}

/// What a placement is judged by: bytes, of requests that move none their number.
pub(crate) fn judged(prediction: &Prediction) -> f64 {
    match prediction.throughput_bytes_per_sec {
        bytes if bytes > 0.0 => bytes,
        _ => prediction.operations_per_sec,
    }
}

impl Site for Placements<'_> {
    fn units(&mut self, of: &[Assignment]) -> Vec<Unit> {
        if !self.is_recounted(of) {
            return self.units.clone();
        }
        let placed = self.experiment.placed(&changes(&self.units, of));
        let now = self.case(of).map(|case| units(&placed, &case)).unwrap_or_default();
        let as_now = |today: &Unit| {
            let same = now.iter().find(|unit| are_same(today, unit));
            same.unwrap_or(today).clone()
        };
        self.units.iter().map(as_now).collect()
    }

    fn bound(&mut self, of: &[Assignment]) -> Option<f64> {
        if let Some(known) = self.known.get(of) {
            return *known;
        }
        let standing = Standing::of(&self.units, of);
        let bound = self.predicted(&standing).ok().map(|case| judged(&case.prediction));
        let bound = bound.filter(|bound| *bound > 0.0);
        self.known.insert(of.to_vec(), bound);
        bound
    }
}

/// Whether two units place the same things in the same places.
fn are_same(one: &Unit, other: &Unit) -> bool {
    let same_form = match (&one.form, &other.form) {
        (Form::Counts(one), Form::Counts(other)) => {
            let spots = one.holders.iter().map(|holder| &holder.spot);
            spots.eq(other.holders.iter().map(|holder| &holder.spot))
        }
        (Form::Seats(one), Form::Seats(other)) => {
            let lists = (&one.lists, one.copies, one.occupants.len(), one.groups.len());
            lists == (&other.lists, other.copies, other.occupants.len(), other.groups.len())
        }
        (Form::Counts(_), Form::Seats(_)) | (Form::Seats(_), Form::Counts(_)) => false,
    };
    one.kind == other.kind && same_form
}
