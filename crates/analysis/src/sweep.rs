//! Trials of one experiment over its factors: lines along a factor, how they scale, where they
//! bend, and the best case.
//!
//! * Efficiency along a factor that counts things (depth, streams): the rate for each of them over
//!   that at the lowest level (Jain 1991, chapter 3: speedup over the number of processors).
//! * The knee: the lowest level from which on a line carries at least [`KNEE_SHARE`] of its
//!   most. More of the factor costs response time and gives nothing. A line that rises to its last
//!   level has none, as nothing tells what the next level would give.
//!
//! It leaves out factors that have one level only, and whether differences exceed the spread of
//! passes: half widths stand beside the points.

use std::collections::BTreeMap;

use iopath_record::CaseText;
use iopath_units::{ByteRate, Bytes, Nanos, OperationRate};
use serde::Serialize;

use crate::findings::Findings;
use crate::thresholds::trials::KNEE_SHARE;

/// The trials of one experiment that has at least one factor of several levels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sweep {
    /// Whose trials.
    pub experiment: String,
    /// What varies; numbers rise.
    pub factors: Vec<SweptFactor>,
    /// The trials, in the order of the run.
    pub points: Vec<Point>,
    /// Position of the point with the highest throughput, of equal ones the first.
    pub best: usize,
}

/// A factor with the levels that trials have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweptFactor {
    /// Its name.
    pub name: String,
    /// Its levels as written: rising where they are numbers, else as they come.
    pub levels: Vec<String>,
    /// Their values where all are numbers, in base units.
    pub values: Option<Vec<f64>>,
    /// Whether it counts things, so that a rate for each makes sense.
    pub is_count: bool,
}

/// A trial among the levels of the factors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The trial's place in the run.
    pub trial: u32,
    /// Position of its level of each factor.
    pub levels: Vec<usize>,
    /// Bytes a second: the headline figure of the trial.
    pub throughput_bytes_per_sec: f64,
    /// Half of the 95 % interval; none where nothing tells it.
    pub half_width_bytes_per_sec: Option<f64>,
    /// Requests a second, likewise.
    pub operations_per_sec: f64,
    /// Mean latency from issue.
    pub latency_ns_mean: Option<f64>,
    /// The same from the intended start of an open loop.
    pub intended_latency_ns_mean: Option<f64>,
    /// 99 % of the requests took no longer: from the intended start of an open loop, else from
    /// issue.
    pub response_ns_p99: Option<u64>,
}

/// Points along one factor, all other levels equal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SweepLine {
    /// Position of its level of each other factor, by the factor's position.
    pub fixed: BTreeMap<usize, usize>,
    /// Positions of points, rising along the factor.
    pub points: Vec<usize>,
    /// Of a factor that counts things: the rate for each over that at the lowest level.
    pub efficiency: Option<Vec<f64>>,
    /// Position in `points` of the knee.
    pub knee: Option<usize>,
}

/// A sweep for each experiment that has several levels of something.
#[must_use]
pub fn sweeps(trials: &[(&CaseText, &Findings)]) -> Vec<Sweep> {
    let mut experiments: Vec<(&str, Vec<(&CaseText, &Findings)>)> = Vec::new();
    for (case, findings) in trials {
        match experiments.iter_mut().find(|(title, _)| *title == case.experiment) {
            Some((_, of)) => of.push((case, findings)),
            None => experiments.push((&case.experiment, vec![(case, findings)])),
        }
    }
    experiments.into_iter().filter_map(|(title, trials)| sweep(title, &trials)).collect()
}

fn sweep(experiment: &str, trials: &[(&CaseText, &Findings)]) -> Option<Sweep> {
    let factors = factors(trials);
    let points: Vec<Point> =
        trials.iter().map(|(case, findings)| point(case, findings, &factors)).collect();
    let is_whole = points.iter().all(|point| point.levels.len() == factors.len());
    let rate = |at: &usize| points[*at].throughput_bytes_per_sec;
    let best = (0..points.len()).rev().max_by(|a, b| rate(a).total_cmp(&rate(b)))?;
    let experiment = experiment.to_owned();
    (is_whole && !factors.is_empty()).then_some(Sweep { experiment, factors, points, best })
}

fn point(case: &CaseText, findings: &Findings, factors: &[SweptFactor]) -> Point {
    let levels = factors.iter().map(|factor| factor.position(case));
    let throughput = findings.headline.throughput_bytes_per_sec;
    let half_width = |percent: f64| throughput * percent / 100.0;
    Point {
        trial: case.trial,
        levels: levels.collect::<Option<_>>().unwrap_or_default(),
        throughput_bytes_per_sec: throughput,
        half_width_bytes_per_sec: findings
            .confidence
            .map(|found| half_width(found.half_width_percent)),
        operations_per_sec: findings.headline.operations_per_sec,
        latency_ns_mean: findings.latency_ns_mean,
        intended_latency_ns_mean: findings.intended_latency_ns_mean,
        response_ns_p99: findings.intended_latency_ns_p99.or(findings.latency_ns_p99),
    }
}

/// The factors that have several levels.
fn factors(trials: &[(&CaseText, &Findings)]) -> Vec<SweptFactor> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, level) in trials.iter().flat_map(|(case, _)| &case.levels) {
        let levels = all.entry(name).or_default();
        if !levels.contains(&level.as_str()) {
            levels.push(level);
        }
    }
    let several = all.into_iter().filter(|(_, levels)| levels.len() > 1);
    several.map(|(name, levels)| SweptFactor::of(name, &levels)).collect()
}

impl SweptFactor {
    fn of(name: &str, levels: &[&str]) -> Self {
        let numbers = NUMBERS.iter().find_map(|parse| {
            levels.iter().map(|level| parse(level)).collect::<Option<Vec<f64>>>()
        });
        let mut order: Vec<usize> = (0..levels.len()).collect();
        if let Some(numbers) = &numbers {
            order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
        }
        Self {
            name: name.to_owned(),
            levels: order.iter().map(|at| levels[*at].to_owned()).collect(),
            is_count: levels.iter().all(|level| level.parse::<u64>().is_ok_and(|count| count > 0)),
            values: numbers.map(|numbers| order.iter().map(|at| numbers[*at]).collect()),
        }
    }

    fn position(&self, case: &CaseText) -> Option<usize> {
        let level = case.levels.get(&self.name)?;
        self.levels.iter().position(|known| known == level)
    }
}

/// What a level may be a number of: all levels of a factor are of one kind.
const NUMBERS: [fn(&str) -> Option<f64>; 5] = [
    |text| text.parse::<f64>().ok().filter(|number| number.is_finite()),
    |text| text.parse::<Bytes>().ok().map(|bytes| bytes.0 as f64),
    |text| text.parse::<ByteRate>().ok().map(|rate| rate.0 as f64),
    |text| text.parse::<OperationRate>().ok().map(|rate| rate.0 as f64 / 1e3),
    |text| text.parse::<Nanos>().ok().map(|time| time.0 as f64),
];

impl Sweep {
    /// The factor to draw along: of numbers that with the most levels, else any with the most.
    #[must_use]
    pub fn axis(&self) -> usize {
        let rank = |at: &usize| {
            let factor = &self.factors[*at];
            (factor.values.is_some(), factor.levels.len())
        };
        (0..self.factors.len()).rev().max_by_key(rank).unwrap_or_default()
    }

    /// The lines along a factor, each with at least two points.
    #[must_use]
    pub fn lines(&self, along: usize) -> Vec<SweepLine> {
        let mut lines: BTreeMap<BTreeMap<usize, usize>, Vec<usize>> = BTreeMap::new();
        for (at, point) in self.points.iter().enumerate() {
            let levels = point.levels.iter().copied().enumerate();
            let fixed = levels.filter(|(factor, _)| *factor != along).collect();
            lines.entry(fixed).or_default().push(at);
        }
        let long = lines.into_iter().filter(|(_, points)| points.len() > 1);
        long.map(|(fixed, points)| self.line(along, fixed, points)).collect()
    }

    fn line(
        &self,
        along: usize,
        fixed: BTreeMap<usize, usize>,
        mut points: Vec<usize>,
    ) -> SweepLine {
        points.sort_by_key(|at| self.points[*at].levels[along]);
        let rates: Vec<f64> =
            points.iter().map(|at| self.points[*at].throughput_bytes_per_sec).collect();
        let factor = &self.factors[along];
        let counts = factor.values.as_ref().filter(|_| factor.is_count);
        let efficiency = counts.and_then(|values| {
            let each = points.iter().zip(&rates);
            let each: Vec<f64> =
                each.map(|(at, rate)| rate / values[self.points[*at].levels[along]]).collect();
            let first = each.first().copied().filter(|first| *first > 0.0)?;
            Some(each.iter().map(|one| one / first).collect())
        });
        let knee = factor.values.as_ref().and_then(|_| knee(&rates));
        SweepLine { fixed, points, efficiency, knee }
    }
}

/// Where a line first carries what it never falls below again; not at its ends, behind which
/// nothing is known.
fn knee(rates: &[f64]) -> Option<usize> {
    let most = rates.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let below = rates.iter().rposition(|rate| *rate < KNEE_SHARE * most);
    let knee = below.map_or(0, |below| below + 1);
    (knee > 0 && knee + 1 < rates.len()).then_some(knee)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Headline;

    /// Levels of a trial, and its rate.
    type Rated<'a> = (&'a [(&'a str, &'a str)], f64);

    fn trials(rates: &[Rated<'_>]) -> Vec<(CaseText, Findings)> {
        let record = crate::sample::Sample::new().record();
        let findings = crate::findings::analyse::analyse(std::slice::from_ref(&record)).unwrap();
        let one = |(index, (levels, rate)): (usize, &Rated<'_>)| {
            let levels = levels.iter().map(|(name, level)| (name.to_string(), level.to_string()));
            let levels = levels.collect();
            let case = CaseText { levels, trial: index as u32, ..record.case.clone() };
            let headline = Headline { throughput_bytes_per_sec: *rate, ..findings.headline };
            (case, Findings { headline, ..findings.clone() })
        };
        rates.iter().enumerate().map(one).collect()
    }

    fn swept(rates: &[Rated<'_>]) -> Vec<Sweep> {
        let trials = trials(rates);
        sweeps(&trials.iter().map(|(case, findings)| (case, findings)).collect::<Vec<_>>())
    }

    #[test]
    fn levels_with_units_rise_by_value_and_not_by_spelling() {
        let sweep = &swept(&[
            (&[("block", "1 MiB")], 3.0),
            (&[("block", "4 KiB")], 1.0),
            (&[("block", "64 KiB")], 2.0),
        ])[0];
        assert_eq!(sweep.factors[0].levels, ["4 KiB", "64 KiB", "1 MiB"]);
        assert_eq!(sweep.lines(0)[0].points, [1, 2, 0]);
        assert_eq!((sweep.best, sweep.lines(0)[0].efficiency.clone()), (0, None));
    }

    #[test]
    fn efficiency_and_knee_of_a_line_that_bends() {
        let depth = |level: &'static str| -> &'static [(&'static str, &'static str)] {
            match level {
                "1" => &[("depth", "1")],
                "2" => &[("depth", "2")],
                "4" => &[("depth", "4")],
                _ => &[("depth", "8")],
            }
        };
        let sweep = &swept(&[
            (depth("1"), 10.0),
            (depth("2"), 20.0),
            (depth("4"), 30.0),
            (depth("8"), 30.4),
        ])[0];
        let line = &sweep.lines(0)[0];
        assert_eq!(line.efficiency, Some(vec![1.0, 1.0, 0.75, 0.38]));
        assert_eq!((line.knee, sweep.best), (Some(2), 3));
    }

    #[test]
    fn a_line_that_rises_to_its_end_or_is_flat_has_no_knee() {
        assert_eq!(knee(&[1.0, 2.0, 3.0]), None);
        assert_eq!(knee(&[1.0, 3.0, 3.0]), Some(1));
        assert_eq!(knee(&[3.0, 3.0, 2.99]), None);
        assert_eq!(knee(&[1.0, 3.0, 1.0]), None);
        assert_eq!(knee(&[0.0, 0.0]), None);
    }

    #[test]
    fn of_equal_trials_the_first_is_the_best_and_figures_are_the_headlines() {
        let all: [Rated<'_>; 3] =
            [(&[("depth", "1")], 1.0), (&[("depth", "2")], 2.0), (&[("depth", "4")], 2.0)];
        assert_eq!(swept(&all)[0].best, 1);
        let mut trials = trials(&all);
        for (_, findings) in &mut trials {
            findings.operations_per_sec = 1.0;
            findings.deskewed_operations_per_sec = Some(2.0);
            findings.headline.operations_per_sec = 3.0;
        }
        let sweep = &sweeps(&trials.iter().map(|(case, of)| (case, of)).collect::<Vec<_>>())[0];
        assert!(sweep.points.iter().all(|point| point.operations_per_sec == 3.0));
    }

    #[test]
    fn several_factors_give_a_line_for_each_combination_of_the_others() {
        let all: [(&[(&str, &str)], f64); 4] = [
            (&[("how", "read"), ("depth", "1")], 1.0),
            (&[("how", "read"), ("depth", "2")], 2.0),
            (&[("how", "write"), ("depth", "1")], 4.0),
            (&[("how", "write"), ("depth", "2")], 3.0),
        ];
        let sweep = &swept(&all)[0];
        let axis = sweep.axis();
        assert_eq!(sweep.factors[axis].name, "depth");
        let lines = sweep.lines(axis);
        assert_eq!(
            lines.iter().map(|line| line.points.clone()).collect::<Vec<_>>(),
            [vec![0, 1], vec![2, 3]]
        );
        assert_eq!(sweep.best, 2);
        assert!(swept(&all[..1]).is_empty());
    }
}
