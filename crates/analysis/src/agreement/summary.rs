//! Sums over the rows of studies: how many hold, the mean error, and how far figures move with a
//! parameter that no source states.

use iopath_study::Study;
use iopath_study::source::Origin;
use serde::Serialize;

use super::{Agreement, Judged, Outcome, Predicted, Status};
use crate::thresholds::validation::{MOVE_PERCENT, SIMULATED_MOVE_PERCENT};

/// The rows of one study.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StudyAgreement {
    /// Title of the study.
    pub study: String,
    /// Its rows.
    pub rows: Vec<Agreement>,
    /// Who stands behind its parameters.
    pub origins: Origins,
}

/// How many parameters a study has, by who states them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Origins {
    /// All of them.
    pub parameters: usize,
    /// Those that the source of the study states.
    pub given: usize,
    /// Those that the maker states.
    pub rated: usize,
    /// Those that another source states, which they name.
    pub published: usize,
    /// Those that were derived from a published figure by a hypothesis.
    pub inferred: usize,
    /// Those that are assumed.
    pub assumed: usize,
}

impl Origins {
    /// Of the parameters of a study.
    #[must_use]
    pub fn of(study: &Study) -> Self {
        let mut origins = Self::default();
        for parameter in study.parameters() {
            origins.parameters += 1;
            let count = match parameter.origin {
                Origin::Given => &mut origins.given,
                Origin::Rated => &mut origins.rated,
                Origin::Published(_) => &mut origins.published,
                Origin::Inferred(_) => &mut origins.inferred,
                Origin::Unstated | Origin::Assumed => &mut origins.assumed,
            };
            *count += 1;
        }
        origins
    }
}

/// What rows come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// What the analytic model claims, refuted bounds included.
    pub analytic: Counts,
    /// What the simulation says; none where nothing was simulated.
    pub simulated: Option<Counts>,
    /// Figures that only a simulation can claim, and that were not simulated.
    pub open: usize,
    /// Rows that are no `given` and do not hold by what decides them.
    pub missed: usize,
    /// Rows of cases that were not run.
    pub not_run: usize,
    /// What was measured on emulated paths.
    pub emulated: Option<Emulated>,
}

/// How what one technique says holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// Identities, and how many of them hold: of the analytic model exactly.
    pub identities: (usize, usize),
    /// Checks with a number, and how many of them are within tolerance.
    pub checks: (usize, usize),
    /// Shapes that can be judged, and how many of them hold.
    pub shapes: (usize, usize),
    /// Mean of the absolute errors of the checks, in percent; over studies, of their means.
    pub mean_error_percent: Option<f64>,
    /// The check that lies furthest off.
    pub worst: Option<Worst>,
    /// What null models say of these checks.
    pub null: Nulls,
}

/// Mean errors of null models over checks, in percent: each over those that it says something of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Nulls {
    /// The nearest given figure.
    pub nearest_given: Option<NullMean>,
    /// Capacities alone.
    pub capacities: Option<NullMean>,
}

/// The mean error of a null model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NullMean {
    /// Of how many checks.
    pub checks: usize,
    /// Mean of the absolute errors; over studies, of their means.
    pub mean_error_percent: f64,
}

impl Nulls {
    fn of(rows: &[&Agreement]) -> Self {
        let mean = |of: fn(&Agreement) -> Option<f64>| {
            let errors: Vec<f64> = rows.iter().filter_map(|row| of(row).map(f64::abs)).collect();
            let mean_error_percent = crate::statistics::mean(&errors)?;
            Some(NullMean { checks: errors.len(), mean_error_percent })
        };
        Self {
            nearest_given: mean(|row| row.null.nearest_given_percent),
            capacities: mean(|row| row.null.capacities_percent),
        }
    }

    fn over<'a>(all: &(impl Iterator<Item = &'a Self> + Clone)) -> Self {
        let mean = |of: fn(&Self) -> Option<NullMean>| {
            let each: Vec<NullMean> = all.clone().filter_map(of).collect();
            let means: Vec<f64> = each.iter().map(|one| one.mean_error_percent).collect();
            let mean_error_percent = crate::statistics::mean(&means)?;
            let checks = each.iter().map(|one| one.checks).sum();
            Some(NullMean { checks, mean_error_percent })
        };
        Self {
            nearest_given: mean(|one| one.nearest_given),
            capacities: mean(|one| one.capacities),
        }
    }
}

/// The check that lies furthest off.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// Its error, signed.
    pub error_percent: f64,
    /// Which figure it is of.
    pub figure: String,
}

impl Counts {
    /// Of the rows of one study, by one technique.
    fn of(rows: &[Agreement], by: fn(&Agreement) -> Option<Judged>) -> Self {
        let mut counts = Self::default();
        let (mut errors, mut checked) = (Vec::new(), Vec::new());
        for row in rows.iter().filter(|row| row.status != Status::Given) {
            let is_judged = |by: &Judged| matches!(by.outcome, Outcome::Met | Outcome::Missed);
            let Some(judged) = by(row).filter(is_judged) else { continue };
            let pair = match row.status {
                Status::Identity => &mut counts.identities,
                Status::Check => &mut counts.checks,
                Status::Given | Status::Shape => &mut counts.shapes,
            };
            *pair = (pair.0 + 1, pair.1 + usize::from(judged.outcome == Outcome::Met));
            let error = judged.error_percent.filter(|_| row.status == Status::Check);
            errors.extend(error.map(f64::abs));
            checked.extend(error.map(|_| row));
            let figure = || row.figure.clone();
            let worst = error.map(|error_percent| Worst { error_percent, figure: figure() });
            counts.worst = Worst::of(counts.worst, worst);
        }
        counts.mean_error_percent = crate::statistics::mean(&errors);
        counts.null = Nulls::of(&checked);
        counts
    }

    /// Over studies: counts add, the mean is that of the studies' means.
    fn over<'a>(all: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let add = |a: (usize, usize), b: (usize, usize)| (a.0 + b.0, a.1 + b.1);
        let mut total = all.clone().fold(Self::default(), |total, one| Self {
            identities: add(total.identities, one.identities),
            checks: add(total.checks, one.checks),
            shapes: add(total.shapes, one.shapes),
            worst: Worst::of(total.worst, one.worst.clone()),
            ..Self::default()
        });
        let means: Vec<f64> = all.clone().filter_map(|one| one.mean_error_percent).collect();
        total.mean_error_percent = crate::statistics::mean(&means);
        total.null = Nulls::over(&all.map(|one| &one.null));
        total
    }
}

impl Worst {
    /// The worse of two.
    fn of(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let size = |worst: &Self| worst.error_percent.abs();
        one.into_iter().chain(other).max_by(|a, b| size(a).total_cmp(&size(b)))
    }
}

/// How measurements on emulated paths lie from the analytic model, bounds included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Emulated {
    /// Rows that were measured.
    pub rows: usize,
    /// Mean of the absolute differences, in percent of the model.
    pub mean_percent: f64,
    /// The largest difference, with its sign.
    pub worst_percent: f64,
}

impl Emulated {
    fn of<'a>(rows: impl Iterator<Item = &'a Agreement>) -> Option<Self> {
        let off: Vec<f64> = rows.filter_map(|row| row.measured_of_model_percent).collect();
        let absolute: Vec<f64> = off.iter().map(|percent| percent.abs()).collect();
        let worst = off.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
        let mean_percent = crate::statistics::mean(&absolute)?;
        Some(Self { rows: off.len(), mean_percent, worst_percent: worst })
    }
}

impl StudyAgreement {
    /// What its rows come to.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let decided = |outcome: Outcome| {
            let rows = self.rows.iter().filter(|row| row.status != Status::Given);
            rows.filter(|row| row.outcome == outcome).count()
        };
        let is_simulated = self.rows.iter().any(|row| row.by_simulation.is_some());
        Summary {
            analytic: Counts::of(&self.rows, |row| Some(row.by_analytic)),
            simulated: is_simulated.then(|| Counts::of(&self.rows, |row| row.by_simulation)),
            open: decided(Outcome::Open),
            missed: decided(Outcome::Missed),
            not_run: decided(Outcome::NotRun),
            emulated: Emulated::of(self.rows.iter()),
        }
    }
}

/// Over studies.
#[must_use]
pub fn summary(studies: &[StudyAgreement]) -> Summary {
    let all: Vec<Summary> = studies.iter().map(StudyAgreement::summary).collect();
    let is_simulated = all.iter().any(|one| one.simulated.is_some());
    let simulated = all.iter().filter_map(|one| one.simulated.as_ref());
    Summary {
        analytic: Counts::over(all.iter().map(|one| &one.analytic)),
        simulated: is_simulated.then(|| Counts::over(simulated)),
        open: all.iter().map(|one| one.open).sum(),
        missed: all.iter().map(|one| one.missed).sum(),
        not_run: all.iter().map(|one| one.not_run).sum(),
        emulated: Emulated::of(studies.iter().flat_map(|study| &study.rows)),
    }
}

/// How check figures of one study move with parameters that no source states.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sensitivity {
    /// Title of the study.
    pub study: String,
    /// Check figures that have a number, so that they can move.
    pub checks: usize,
    /// Check figures that only a simulation can claim, where it was not asked.
    pub left: usize,
    /// Parameters that were moved.
    pub parameters: usize,
    /// Parameters that were not: the study refuses the values.
    pub refused: Vec<String>,
    /// What moved, the largest move first.
    pub moves: Vec<Move>,
}

/// How many check figures have a number.
#[must_use]
pub fn movable(rows: &[Agreement]) -> usize {
    rows.iter().filter(|row| row.status == Status::Check && number(row).is_some()).count()
}

/// How many check figures only a simulation can claim that was not asked.
#[must_use]
pub fn left(rows: &[Agreement]) -> usize {
    let is_left =
        |row: &&Agreement| row.analytic == Predicted::NeedsSimulation && number(row).is_none();
    rows.iter().filter(|row| row.status == Status::Check).filter(is_left).count()
}

/// How far one figure moves with one parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Move {
    /// Title of the experiment.
    pub experiment: String,
    /// The figure and its metric.
    pub figure: String,
    /// The parameter, as `--set` names it.
    pub parameter: String,
    /// Whether the simulation says so, which alone can claim the figure.
    pub is_simulated: bool,
    /// Change of the figure when the parameter is 20 % lower, in percent.
    pub lower_percent: f64,
    /// Change of the figure when the parameter is 20 % higher, in percent.
    pub higher_percent: f64,
}

/// The check figures that move when a parameter goes down and up, the largest move first.
#[must_use]
pub fn moves(
    parameter: &str,
    base: &[Agreement],
    lower: &[Agreement],
    higher: &[Agreement],
) -> Vec<Move> {
    let rows = base.iter().zip(lower.iter().zip(higher));
    let checks = rows.filter(|(row, _)| row.status == Status::Check);
    let mut moves: Vec<Move> = checks
        .filter_map(|(row, (lower, higher))| {
            let at = number(row)?;
            let change = |other: f64| (other - at) / at * 100.0;
            Some(Move {
                experiment: row.experiment.clone(),
                figure: row.figure.clone(),
                parameter: parameter.to_owned(),
                is_simulated: is_simulated(row),
                lower_percent: change(number(lower)?),
                higher_percent: change(number(higher)?),
            })
        })
        .filter(|one| one.largest() >= one.least())
        .collect();
    moves.sort_by(|a, b| b.largest().total_cmp(&a.largest()));
    moves
}

impl Move {
    /// The greater of the two changes, without its sign.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.lower_percent.abs().max(self.higher_percent.abs())
    }

    /// From where on it is no chance and no rounding.
    fn least(&self) -> f64 {
        if self.is_simulated { SIMULATED_MOVE_PERCENT } else { MOVE_PERCENT }
    }
}

fn is_simulated(row: &Agreement) -> bool {
    row.analytic == Predicted::NeedsSimulation
}

/// What decides a row says.
fn number(row: &Agreement) -> Option<f64> {
    let said = if is_simulated(row) { &row.simulated } else { &row.analytic };
    match said {
        Predicted::Number(number) if *number != 0.0 => Some(*number),
        Predicted::Number(_)
        | Predicted::Components(_)
        | Predicted::OfBest { .. }
        | Predicted::Falls { .. }
        | Predicted::Flat { .. }
        | Predicted::Rises { .. }
        | Predicted::NeedsSimulation
        | Predicted::Nothing => None,
    }
}
