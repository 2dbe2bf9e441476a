//! Sums over the rows of studies: how many hold, the mean error, and how far figures move when an
//! assumed parameter does.

use serde::Serialize;

use super::{Agreement, Outcome, Said, Status};

/// The rows of one study.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StudyAgreement {
    /// Title of the study.
    pub study: String,
    /// Its rows.
    pub rows: Vec<Agreement>,
    /// How many of its parameters are assumed.
    pub assumed: usize,
    /// How many parameters it has.
    pub parameters: usize,
}

/// What rows come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Identities, and how many of them are exact.
    pub identities: (usize, usize),
    /// Checks with a number, and how many of them are within tolerance.
    pub checks: (usize, usize),
    /// Shapes that can be judged, and how many of them hold.
    pub shapes: (usize, usize),
    /// Figures that only a simulation can claim.
    pub open: usize,
    /// Rows that are no `given` and do not hold, refuted bounds included.
    pub missed: usize,
    /// Mean of the absolute errors of the checks, in percent; over studies, of their means.
    pub mean_error_percent: Option<f64>,
    /// What was measured on emulated paths.
    pub emulated: Option<Emulated>,
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
        let mut summary = Summary::default();
        let mut errors = Vec::new();
        for row in self.rows.iter().filter(|row| row.status != Status::Given) {
            let met = usize::from(row.outcome == Outcome::Met);
            summary.missed += usize::from(row.outcome == Outcome::Missed);
            if row.outcome == Outcome::Open {
                summary.open += 1;
                continue;
            }
            let pair = match row.status {
                Status::Identity => &mut summary.identities,
                Status::Check => &mut summary.checks,
                Status::Given | Status::Shape => &mut summary.shapes,
            };
            *pair = (pair.0 + 1, pair.1 + met);
            if row.status == Status::Check {
                errors.extend(row.error_percent.map(f64::abs));
            }
        }
        summary.mean_error_percent = crate::statistics::mean(&errors);
        summary.emulated = Emulated::of(self.rows.iter());
        summary
    }
}

/// Over studies: counts add, the mean is that of the studies' means.
#[must_use]
pub fn summary(studies: &[StudyAgreement]) -> Summary {
    let all: Vec<Summary> = studies.iter().map(StudyAgreement::summary).collect();
    let add = |a: (usize, usize), b: (usize, usize)| (a.0 + b.0, a.1 + b.1);
    let mut total = all.iter().fold(Summary::default(), |total, one| Summary {
        identities: add(total.identities, one.identities),
        checks: add(total.checks, one.checks),
        shapes: add(total.shapes, one.shapes),
        open: total.open + one.open,
        missed: total.missed + one.missed,
        mean_error_percent: None,
        emulated: None,
    });
    total.emulated = Emulated::of(studies.iter().flat_map(|study| &study.rows));
    let means: Vec<f64> = all.iter().filter_map(|one| one.mean_error_percent).collect();
    total.mean_error_percent = crate::statistics::mean(&means);
    total
}

/// How check figures of one study move with its assumed parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sensitivity {
    /// Title of the study.
    pub study: String,
    /// Check figures that have a number, so that they can move.
    pub checks: usize,
    /// Assumed parameters that were moved.
    pub parameters: usize,
    /// What moved, the largest move first.
    pub moves: Vec<Move>,
}

/// How many check figures have a number.
#[must_use]
pub fn movable(rows: &[Agreement]) -> usize {
    rows.iter().filter(|row| row.status == Status::Check && number(row).is_some()).count()
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
    /// Change of the figure when the parameter is 20 % lower, in percent.
    pub lower_percent: f64,
    /// Change of the figure when the parameter is 20 % higher, in percent.
    pub higher_percent: f64,
}

/// Changes below this, in percent, are no move: chosen.
const LEAST_PERCENT: f64 = 0.05;

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
                lower_percent: change(number(lower)?),
                higher_percent: change(number(higher)?),
            })
        })
        .filter(|one| one.largest() >= LEAST_PERCENT)
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
}

fn number(row: &Agreement) -> Option<f64> {
    match (&row.simulated, &row.analytic) {
        (Said::Number(number), _) | (_, Said::Number(number)) if *number != 0.0 => Some(*number),
        _ => None,
    }
}
