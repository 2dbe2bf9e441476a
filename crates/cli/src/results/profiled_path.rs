//! The path of a profile as a picture: how full each part is of the large reads of all devices,
//! by the bounds of the path with the capacities that were measured.

use std::collections::BTreeSet;

use iopath_analytic::evaluate_rated;
use iopath_path::Network;
use iopath_report::{Drawn, Profile, RunReport, RunView, day};
use iopath_study::Case;
use iopath_units::Op;

use crate::inputs::studies;
use crate::results::measured_path::MeasuredPath;

/// None where the run is no profile, or reads nothing.
pub(crate) fn drawn(view: &RunView) -> Option<Drawn> {
    let profile = Profile::of(&view.report)?;
    let text = &profile.widest(Op::Read)?.text;
    let began = view.records.first()?.clock.started_unix_ns;
    let case = case(text.clone())?;
    let path = MeasuredPath { text, case: &case, profile: &profile, date: day(began) };
    let measured = self::case(path.capacities_only())?;
    let network = Network::build(&measured, &BTreeSet::new()).ok()?;
    let report = RunReport::from_records(None, &[evaluate_rated(&measured, &network)]).ok()?;
    report.trials.into_iter().next()?.path
}

/// The only case of a study.
fn case(text: String) -> Option<Case> {
    let planned = studies::plan("(measured)", text, &[]).ok()?;
    planned.plan.trials.into_iter().next().map(|trial| trial.case)
}
