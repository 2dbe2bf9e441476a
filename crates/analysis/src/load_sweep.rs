//! Response time against load: the trials of a run that differ in one factor, which sets the rate
//! of an open loop.
//!
//! Response times are those from the intended start (see [`Findings`]): they contain what a
//! request waited because the storage was behind. The rules for SPC-1 (general knowledge, no
//! audited text) ask for the highest throughput whose mean response is within 30 ms, and for the
//! response at the lightest load. These are the two figures here; they are no such result.
//! It leaves out closed loops, where the load follows the storage.

use std::collections::BTreeMap;

use iopath_record::CaseText;
use iopath_units::Nanos;
use serde::Serialize;

use crate::findings::Findings;

/// Trials along one factor, lightest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadSweep {
    /// Whose trials.
    pub experiment: String,
    /// The factor that sets the rate.
    pub factor: String,
    /// The levels of all other factors.
    pub levels: BTreeMap<String, String>,
    /// What the rates count: `operations` or `bytes`.
    pub measure: &'static str,
    /// The limit of the mean response.
    pub within_ns: u64,
    /// The trials.
    #[serde(rename = "rungs")]
    pub steps: Vec<LoadStep>,
    /// The highest achieved rate whose mean response is within the limit; none where none is.
    pub highest_within_per_sec: Option<f64>,
    /// Mean response at the lightest load.
    pub lightest_response_ns: Option<f64>,
}

/// One trial of a load sweep.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadStep {
    /// Level of the factor.
    pub level: String,
    /// The trial's place in the run.
    pub trial: u32,
    /// What the study asks for.
    pub wanted_per_sec: f64,
    /// What came of it: the headline figure of the trial.
    pub achieved_per_sec: f64,
    /// Mean response from the intended start.
    pub response_ns_mean: Option<f64>,
    /// Half of the requests took no longer.
    pub response_ns_p50: Option<u64>,
    /// 99 % of the requests took no longer.
    pub response_ns_p99: Option<u64>,
    /// Whether the mean is within the limit; none where it is not known.
    pub is_within: Option<bool>,
}

/// Experiment, factor, and the levels of all other factors.
type Along<'a> = (&'a str, &'a str, BTreeMap<&'a str, &'a str>);

/// Every load sweep among the trials of a run.
#[must_use]
pub fn load_sweeps(trials: &[(&CaseText, &Findings)], within: Nanos) -> Vec<LoadSweep> {
    let mut groups: BTreeMap<Along<'_>, Vec<usize>> = BTreeMap::new();
    for (index, (case, _)) in trials.iter().enumerate() {
        for factor in case.levels.keys() {
            let others = case.levels.iter().filter(|(name, _)| *name != factor);
            let others = others.map(|(name, level)| (name.as_str(), level.as_str())).collect();
            groups.entry((&case.experiment, factor, others)).or_default().push(index);
        }
    }
    let load_sweep = |(along, members): (Along<'_>, Vec<usize>)| {
        let members: Vec<_> = members.into_iter().map(|index| trials[index]).collect();
        load_sweep(along, &members, within)
    };
    groups.into_iter().filter_map(load_sweep).collect()
}

fn load_sweep(
    along: Along<'_>,
    members: &[(&CaseText, &Findings)],
    within: Nanos,
) -> Option<LoadSweep> {
    let (experiment, factor, others) = along;
    let (measure, mut steps) = climb(members, factor, within)?;
    steps.sort_by(|one, other| one.wanted_per_sec.total_cmp(&other.wanted_per_sec));
    let rises = steps.windows(2).all(|pair| pair[0].wanted_per_sec < pair[1].wanted_per_sec);
    let fits = steps.iter().filter(|step| step.is_within == Some(true));
    let fits = fits.map(|step| step.achieved_per_sec).reduce(f64::max);
    let owned = |(name, level): (&str, &str)| (name.to_owned(), level.to_owned());
    (steps.len() > 1 && rises).then(|| LoadSweep {
        experiment: experiment.to_owned(),
        factor: factor.to_owned(),
        levels: others.into_iter().map(owned).collect(),
        measure,
        within_ns: within.0,
        highest_within_per_sec: fits,
        lightest_response_ns: steps.first().and_then(|step| step.response_ns_mean),
        steps,
    })
}

/// The trials as steps; none where one has no rate, or another measure.
fn climb(
    members: &[(&CaseText, &Findings)],
    factor: &str,
    within: Nanos,
) -> Option<(&'static str, Vec<LoadStep>)> {
    let first = members.first()?.1;
    let measure = match first.wanted_operations_per_sec {
        Some(_) => "operations",
        None => "bytes",
    };
    let figures = |findings: &Findings| match measure {
        "operations" => (findings.wanted_operations_per_sec, findings.headline.operations_per_sec),
        _ => (findings.wanted_bytes_per_sec, findings.headline.throughput_bytes_per_sec),
    };
    let step = |(case, findings): &(&CaseText, &Findings)| {
        let (wanted, achieved) = figures(findings);
        let response_ns_mean = findings.intended_latency_ns_mean;
        Some(LoadStep {
            level: case.levels.get(factor)?.clone(),
            trial: case.trial,
            wanted_per_sec: wanted?,
            achieved_per_sec: achieved,
            response_ns_mean,
            response_ns_p50: findings.intended_latency_ns_p50,
            response_ns_p99: findings.intended_latency_ns_p99,
            is_within: response_ns_mean.map(|mean| mean <= within.0 as f64),
        })
    };
    Some((measure, members.iter().map(step).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::analyse::analyse;
    use crate::sample::Sample;
    use crate::thresholds::trials::RESPONSE_WITHIN;

    /// Rates of 500 to 4,000 a second; each slot more in flight takes 1 ms longer.
    fn trials(rates: &[u64]) -> Vec<(CaseText, Findings)> {
        let trial = |(trial, rate): (u32, &u64)| {
            let sample = Sample { trial, streams: 1, depth: *rate / 100, ..Sample::new() };
            let mut record = Sample { wanted_per_sec: Some(*rate), ..sample }.record();
            record.case.levels.insert("load".to_owned(), rate.to_string());
            (record.case.clone(), analyse(&[record]).unwrap())
        };
        (0..).zip(rates).map(trial).collect()
    }

    fn of(trials: &[(CaseText, Findings)], within: Nanos) -> Vec<LoadSweep> {
        let pairs: Vec<_> = trials.iter().map(|(case, findings)| (case, findings)).collect();
        load_sweeps(&pairs, within)
    }

    #[test]
    fn the_highest_rate_within_the_limit_and_the_lightest_response() {
        let all = trials(&[4000, 500, 2000, 1000]);
        let [load_sweep] = of(&all, Nanos(21_500_000)).try_into().unwrap();
        let wanted: Vec<f64> = load_sweep.steps.iter().map(|step| step.wanted_per_sec).collect();
        assert_eq!((load_sweep.factor.as_str(), wanted), ("load", vec![500.0, 1e3, 2e3, 4e3]));
        let within: Vec<_> = load_sweep.steps.iter().map(|step| step.is_within).collect();
        assert_eq!(within, [Some(true), Some(true), Some(true), Some(false)]);
        assert_eq!(
            load_sweep.highest_within_per_sec,
            Some(1000.0),
            "what was achieved, not wanted"
        );
        assert_eq!(load_sweep.lightest_response_ns, Some(6e6));
        assert_eq!(of(&all, Nanos(1)).first().unwrap().highest_within_per_sec, None);
    }

    #[test]
    fn what_is_no_load_sweep() {
        assert_eq!(of(&trials(&[1000]), RESPONSE_WITHIN), [], "one trial");
        assert_eq!(of(&trials(&[1000, 1000]), RESPONSE_WITHIN), [], "one rate");
        let mut closed = trials(&[1000, 2000]);
        closed[0].1.wanted_operations_per_sec = None;
        assert_eq!(of(&closed, RESPONSE_WITHIN), [], "a closed loop");
        let mut others = trials(&[1000, 2000, 1500, 3000]);
        for (index, (case, _)) in others.iter_mut().enumerate() {
            case.levels.insert("target".to_owned(), ["a", "b"][index / 2].to_owned());
        }
        let each = of(&others, RESPONSE_WITHIN);
        assert_eq!(each.len(), 2, "one for each target: {each:#?}");
        assert_eq!(each[1].levels["target"], "b");
    }
}
