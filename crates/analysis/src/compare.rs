//! One run against another: trial by trial, with confidence, and what changed around them.
//!
//! Trials are the same when experiment and levels are: see `pairing`. For each measure the passes
//! of both sides are two samples; the 95 % interval of the ratio of their geometric means is
//! Welch's on logarithms, so that no interval goes below -100 %. Percentiles are known to a bucket
//! of the histogram, by which their intervals are wider. Passes that ended early are no full
//! passes and are left out. With fewer than three passes on a side there is "no confidence" and no
//! verdict. An interval that contains 0 says "the same" only where it is narrow, else it cannot
//! tell. What gives the same again whenever it is repeated needs one pass only, and so do the rates
//! of a simulation, which knows its own interval (not that of other seeds).
//! It leaves out corrections for many comparisons: of twenty equal pairs one will differ.

use std::collections::BTreeMap;

use iopath_record::Record;
use serde::Serialize;

use crate::findings::Findings;
use crate::findings::analyse::NoFindings;
use crate::findings::analyse::analyse;
use crate::statistics::{Difference, Estimate, mean, welch};
use crate::usage::pass::{is_full, pooled};

mod environment;
mod measures;
mod pairing;

use crate::thresholds::trials::{LEAST_PASSES, SAME_WITHIN_PERCENT};
use measures::Measure;

pub use environment::{Change, EnvironmentChanges};
pub use measures::Figure;
pub use pairing::pairing;

/// What differs between two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Which technique made the first.
    pub technique_a: &'static str,
    /// Which technique made the second.
    pub technique_b: &'static str,
    /// Trials that both have.
    pub trials: Vec<TrialComparison>,
    /// Trials that only the first has.
    pub only_in_a: Vec<TrialName>,
    /// Trials that only the second has.
    pub only_in_b: Vec<TrialName>,
    /// What changed around the runs.
    pub environment: EnvironmentChanges,
}

/// What tells a trial from the others of its run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TrialName {
    /// Title of the experiment.
    pub experiment: String,
    /// The level of every factor.
    pub levels: BTreeMap<String, String>,
}

/// One trial that both runs have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialComparison {
    /// Which, as the first run calls it.
    pub trial: TrialName,
    /// Whether both studies ask for the same, whatever their seeds.
    pub is_same_case: bool,
    /// Passes of the first.
    pub passes_a: usize,
    /// Passes of the second.
    pub passes_b: usize,
    /// Figure by figure.
    pub measures: Vec<MeasureComparison>,
}

/// One figure of one trial on both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasureComparison {
    /// Which figure.
    pub measure: Figure,
    /// Mean over the first run's passes.
    pub a: f64,
    /// Mean over the second run's passes.
    pub b: f64,
    /// How far the second lies above the first, in percent of the first; none of nothing.
    pub difference_percent: Option<f64>,
    /// Lower end of the 95 % interval, of the ratio of geometric means; none without confidence.
    pub low_percent: Option<f64>,
    /// Upper end of it.
    pub high_percent: Option<f64>,
    /// What that says about the second run.
    pub verdict: Verdict,
    /// The share in percent within which both are the same; none where that is not known.
    pub same_within_percent: Option<f64>,
}

/// The second run against the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The interval lies on the good side of 0.
    Faster,
    /// The interval lies on the bad side of 0.
    Slower,
    /// The interval contains 0 and lies within one of [`SAME_WITHIN_PERCENT`]: any difference is
    /// smaller than that.
    Same,
    /// The interval contains 0 and reaches further: there may be a difference, either way.
    CannotTell,
    /// Fewer than three passes on a side.
    NoConfidence,
}

/// Compares run `b` with run `a`; each slice holds the records of all trials of its run.
///
/// # Errors
/// Where a side has no record.
pub fn compare(a: &[Record], b: &[Record]) -> Result<Comparison, NoFindings> {
    let (Some(first_a), Some(first_b)) = (a.first(), b.first()) else {
        return Err(NoFindings::NoPass);
    };
    let (of_a, of_b) = (by_trial(a), by_trial(b));
    let mut trials = Vec::new();
    for (paired, passes) in &of_a {
        if let Some(others) = of_b.get(paired) {
            trials.push(trial(passes, others)?);
        }
    }
    let only = |left: &Trials<'_>, right: &Trials<'_>| {
        let alone = left.iter().filter(|(paired, _)| !right.contains_key(*paired));
        alone.map(|(_, passes)| name(passes)).collect()
    };
    Ok(Comparison {
        technique_a: first_a.technique.name(),
        technique_b: first_b.technique.name(),
        trials,
        only_in_a: only(&of_a, &of_b),
        only_in_b: only(&of_b, &of_a),
        environment: environment::compare(a, b),
    })
}

type Trials<'a> = BTreeMap<TrialName, Vec<&'a Record>>;

fn by_trial(records: &[Record]) -> Trials<'_> {
    let mut trials = Trials::new();
    for record in records {
        trials.entry(pairing(&record.case)).or_default().push(record);
    }
    trials
}

/// What the passes of a trial call it.
fn name(passes: &[&Record]) -> TrialName {
    passes.first().map_or_else(TrialName::default, |pass| TrialName {
        experiment: pass.case.experiment.clone(),
        levels: pass.case.levels.clone(),
    })
}

fn trial(a: &[&Record], b: &[&Record]) -> Result<TrialComparison, NoFindings> {
    let each = |passes: &[&Record]| -> Result<Vec<Findings>, NoFindings> {
        passes.iter().map(|pass| analyse(std::slice::from_ref(*pass))).collect()
    };
    let (trial, is_same_case) = (name(a), texts(a) == texts(b));
    let (a, b) = (full(a), full(b));
    let (in_a, in_b) = (each(&a)?, each(&b)?);
    let measures = measures::all();
    let measures = measures.iter().filter_map(|measure| {
        figure(measure, &Side::of(measure, &in_a, &a), &Side::of(measure, &in_b, &b))
    });
    Ok(TrialComparison {
        trial,
        is_same_case,
        passes_a: a.len(),
        passes_b: b.len(),
        measures: measures.collect(),
    })
}

/// What one run says of a figure.
struct Side {
    /// Of each pass.
    values: Vec<f64>,
    /// Half of the 95 % interval of their mean as a share of it, where the technique tells it:
    /// nothing where repeating would give the same again.
    half_width: Option<f64>,
}

impl Side {
    fn of(measure: &Measure, findings: &[Findings], passes: &[&Record]) -> Self {
        let values = findings.iter().filter_map(|found| (measure.of)(found)).collect();
        let is_exact = passes.iter().all(|pass| pass.technique.is_exact());
        let half_width = match (is_exact, measure.is_rate) {
            (true, _) => Some(0.0),
            (false, true) => pooled(passes),
            (false, false) => None,
        };
        Self { values, half_width }
    }

    /// Whether there are passes enough for a verdict, or the technique tells how far it is off.
    fn suffices(&self) -> bool {
        self.values.len() >= LEAST_PASSES || self.half_width.is_some()
    }

    /// Of the logarithm: by the spread of passes, by what the technique tells where they are few.
    fn estimate(&self) -> Option<Estimate> {
        let logarithms: Vec<f64> = self.values.iter().map(|value| value.ln()).collect();
        if self.values.len() >= LEAST_PASSES {
            return Estimate::of(&logarithms);
        }
        Some(Estimate::known(mean(&logarithms)?, self.half_width?))
    }
}

/// Those that did not end early.
fn full<'a>(passes: &[&'a Record]) -> Vec<&'a Record> {
    passes.iter().copied().filter(|record| is_full(record)).collect()
}

/// What the passes were to do, without the seed and the title of the study.
fn texts(passes: &[&Record]) -> std::collections::BTreeSet<String> {
    let text = |record: &&Record| {
        let lines = record.case.text.lines().filter(|line| !line.starts_with("study "));
        let words = lines.flat_map(str::split_whitespace).filter(|word| !word.starts_with("seed="));
        words.collect::<Vec<_>>().join(" ")
    };
    passes.iter().map(text).collect()
}

/// The logarithm of b / a, wider by what each value may be off. None where one is not above 0, or
/// too little is known of a side.
fn ratio(a: &Side, b: &Side, error: f64) -> Option<Difference> {
    if a.values.iter().chain(&b.values).any(|value| *value <= 0.0) {
        return None;
    }
    let found = welch(a.estimate()?, b.estimate()?);
    let wider = ((1.0 + error) / (1.0 - error)).ln();
    Some(Difference { low: found.low - wider, high: found.high + wider, ..found })
}

fn figure(measure: &Measure, a: &Side, b: &Side) -> Option<MeasureComparison> {
    let (mean_a, mean_b) = (mean(&a.values)?, mean(&b.values)?);
    let interval = ratio(a, b, measure.error);
    let same_within_percent = interval.and_then(same_within_percent);
    let verdict = match interval {
        // A pass in which nothing was done has no logarithm.
        None if a.suffices() && b.suffices() => Verdict::CannotTell,
        None => Verdict::NoConfidence,
        Some(found) if found.low > 0.0 && measure.is_better_high => Verdict::Faster,
        Some(found) if found.high < 0.0 && !measure.is_better_high => Verdict::Faster,
        Some(found) if found.low > 0.0 || found.high < 0.0 => Verdict::Slower,
        Some(_) if same_within_percent.is_some() => Verdict::Same,
        Some(_) => Verdict::CannotTell,
    };
    Some(MeasureComparison {
        measure: measure.figure,
        a: mean_a,
        b: mean_b,
        difference_percent: (mean_a > 0.0).then(|| 100.0 * (mean_b - mean_a) / mean_a),
        low_percent: interval.map(|found| 100.0 * found.low.exp_m1()),
        high_percent: interval.map(|found| 100.0 * found.high.exp_m1()),
        same_within_percent: same_within_percent.filter(|_| verdict == Verdict::Same),
        verdict,
    })
}

/// The least share that holds the whole interval.
fn same_within_percent(found: Difference) -> Option<f64> {
    let furthest = 100.0 * found.low.exp_m1().abs().max(found.high.exp_m1().abs());
    SAME_WITHIN_PERCENT.into_iter().find(|percent| furthest <= *percent)
}

#[cfg(test)]
mod tests {
    use iopath_units::Action;

    use super::*;
    use crate::sample::Sample;

    fn run(speeds: &[u64]) -> Vec<Record> {
        let pass =
            |(pass, speed): (u32, &u64)| Sample { pass, speed: *speed, ..Sample::new() }.record();
        (0..).zip(speeds).map(pass).collect()
    }

    fn verdicts(a: &[u64], b: &[u64]) -> Vec<Verdict> {
        let compared = compare(&run(a), &run(b)).unwrap();
        compared.trials[0].measures.iter().map(|measure| measure.verdict).collect()
    }

    fn side(values: &[f64]) -> Side {
        Side { values: values.to_vec(), half_width: None }
    }

    #[test]
    fn a_faster_run_is_faster_in_every_measure() {
        assert_eq!(verdicts(&[10, 10, 10], &[20, 20, 20]), [Verdict::Faster; 4]);
        assert_eq!(verdicts(&[20, 20, 20], &[10, 10, 10]), [Verdict::Slower; 4]);
        let compared = compare(&run(&[10, 10, 10]), &run(&[20, 20, 20])).unwrap();
        let measures = &compared.trials[0].measures;
        assert!((measures[0].difference_percent.unwrap() - 100.0).abs() < 1e-6);
        assert!((measures[2].difference_percent.unwrap() + 50.0).abs() < 1e-6);
        assert!(measures[0].low_percent.unwrap() > 99.0);
    }

    #[test]
    fn spread_hides_a_small_difference() {
        assert_eq!(verdicts(&[9, 10, 11], &[9, 11, 10]), [Verdict::CannotTell; 4]);
        assert_eq!(verdicts(&[8, 10, 12], &[9, 11, 13]), [Verdict::CannotTell; 4]);
    }

    #[test]
    fn only_a_narrow_interval_says_that_two_runs_are_the_same() {
        let throughput = |a: [f64; 3], b: [f64; 3]| {
            let found = figure(&measures::all()[0], &side(&a), &side(&b)).unwrap();
            (found.verdict, found.same_within_percent)
        };
        let near = |mean: f64, by: f64| [mean * (1.0 - by), mean, mean * (1.0 + by)];
        let same = throughput(near(100.0, 0.001), near(100.1, 0.001));
        assert_eq!(same, (Verdict::Same, Some(1.0)));
        let same = throughput(near(100.0, 0.01), near(101.0, 0.01));
        assert_eq!(same, (Verdict::Same, Some(5.0)));
        let wide = throughput([50.0, 100.0, 220.0], [90.0, 150.0, 270.0]);
        assert_eq!(wide, (Verdict::CannotTell, None));
        assert_eq!(throughput(near(100.0, 0.0), near(100.1, 0.0)), (Verdict::Faster, None));
        assert_eq!(throughput(near(100.0, 0.0), near(100.0, 0.0)), (Verdict::Same, Some(1.0)));
    }

    #[test]
    fn one_bucket_of_the_histogram_is_no_difference() {
        // The first two buckets of an octave, whose middles lie furthest apart.
        let p99 = &measures::all()[3];
        let figure = |a, b| figure(p99, &side(&[a; 3]), &side(&[b; 3])).unwrap();
        assert_eq!(figure(129.0, 131.0).verdict, Verdict::Same);
        assert_eq!(figure(129.0, 135.0).verdict, Verdict::Slower);
    }

    #[test]
    fn no_interval_goes_below_nothing() {
        let wild =
            figure(&measures::all()[0], &side(&[1.0, 50.0, 100.0]), &side(&[1.0, 2.0, 300.0]));
        let wild = wild.unwrap();
        assert!(wild.low_percent.unwrap() > -100.0);
        let still = figure(&measures::all()[0], &side(&[0.0; 3]), &side(&[1.0; 3])).unwrap();
        assert_eq!(still.verdict, Verdict::CannotTell);
        let few = figure(&measures::all()[0], &side(&[0.0; 2]), &side(&[1.0; 2])).unwrap();
        assert_eq!(few.verdict, Verdict::NoConfidence);
    }

    #[test]
    fn what_moves_no_data_has_no_throughput_and_beside_others_rows_of_its_own() {
        let trim = |stream: &mut iopath_record::StreamTotals| {
            stream.action = Action::Trim;
            for phase in &mut stream.phases {
                phase.trim_bytes = std::mem::take(&mut phase.read_bytes);
            }
        };
        let trims = |streams: &[usize]| {
            let mut records = run(&[10, 11, 12]);
            for record in &mut records {
                for stream in streams.iter().copied() {
                    trim(&mut record.streams[stream]);
                }
            }
            records
        };
        let names = |streams: &[usize]| {
            let compared = compare(&trims(streams), &trims(streams)).unwrap();
            let measures = compared.trials[0].measures.iter();
            measures.map(|one| one.measure.to_string()).collect::<Vec<_>>()
        };
        let all = ["operations_per_sec", "latency_ns_mean", "latency_ns_p99"];
        assert_eq!(names(&[0, 1]), all);
        let beside = names(&[1]);
        assert_eq!(beside[0], "throughput_bytes_per_sec");
        assert_eq!(beside[1..4], all);
        assert_eq!(beside[4..], ["trim_operations_per_sec", "trim_latency_ns_p99"]);
    }

    #[test]
    fn passes_that_ended_early_are_left_out() {
        let mut b = run(&[20, 20, 20, 1]);
        let (kind, text) = ("interrupted".to_owned(), String::new());
        b[3].warnings.push(iopath_record::Warning { kind, text });
        let compared = compare(&run(&[10, 10, 10]), &b).unwrap();
        assert_eq!(compared.trials[0].passes_b, 3);
        assert_eq!(compared.trials[0].measures[0].verdict, Verdict::Faster);
        assert_eq!(analyse(&b).unwrap().confidence.unwrap().passes, 3);
    }

    #[test]
    fn cases_that_differ_by_more_than_the_seed_are_told() {
        let with = |text: &str| {
            let mut records = run(&[1]);
            records[0].case.text = text.to_owned();
            records
        };
        let same = |a: &str, b: &str| compare(&with(a), &with(b)).unwrap().trials[0].is_same_case;
        assert!(same("block=1 seed=1", "block=1  seed=2"));
        assert!(!same("block=1 seed=1", "block=2 seed=1"));
    }

    #[test]
    fn two_passes_give_no_confidence() {
        assert_eq!(verdicts(&[10, 10, 10], &[20, 20]), [Verdict::NoConfidence; 4]);
        assert_eq!(verdicts(&[10], &[20, 20, 20]), [Verdict::NoConfidence; 4]);
    }

    #[test]
    fn what_is_exact_needs_no_second_pass() {
        let exact = |speed| {
            let mut records = run(&[speed]);
            records[0].technique = iopath_record::Technique::Analytic;
            records
        };
        let verdicts = |a: &[Record], b: &[Record]| {
            let compared = compare(a, b).unwrap();
            compared.trials[0].measures.iter().map(|m| m.verdict).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(&exact(20), &run(&[9, 10, 11])), [Verdict::Slower; 4]);
        assert_eq!(verdicts(&exact(10), &run(&[9, 10, 11])), [Verdict::CannotTell; 4]);
        assert_eq!(verdicts(&exact(10), &run(&[9, 10])), [Verdict::NoConfidence; 4]);
        assert_eq!(verdicts(&exact(10), &exact(11))[0], Verdict::Faster);
        let compared = compare(&exact(10), &run(&[1])).unwrap();
        assert_eq!((compared.technique_a, compared.technique_b), ("analytic", "measurement"));
    }

    #[test]
    fn a_simulation_knows_the_interval_of_its_rates_from_one_seed() {
        let simulated = |speed, half_width: &str| {
            let mut records = run(&[speed]);
            records[0].technique = iopath_record::Technique::Simulation { events: 1 };
            let fact = ("simulation.half_width".to_owned(), half_width.to_owned());
            records[0].environment.extend([fact]);
            records
        };
        let verdicts = |a: &[Record], b: &[Record]| {
            let compared = compare(a, b).unwrap();
            compared.trials[0].measures.iter().map(|m| m.verdict).collect::<Vec<_>>()
        };
        let told = verdicts(&simulated(100, "0.01"), &simulated(102, "0.01"));
        let unknown = Verdict::NoConfidence;
        assert_eq!(told, [Verdict::Faster, Verdict::Faster, unknown, unknown]);
        let told = verdicts(&simulated(100, "0.02"), &simulated(102, "0.02"));
        assert_eq!(told[0], Verdict::Same, "2 % apart, known to 2.8 %");
        assert_eq!(verdicts(&simulated(20, "0.01"), &run(&[9, 10, 11]))[0], Verdict::Slower);
        let one = analyse(&simulated(20, "0.01")).unwrap().confidence.unwrap();
        assert_eq!((one.half_width_percent, one.passes), (1.0, 1));
    }

    #[test]
    fn trials_are_matched_by_experiment_and_levels() {
        let mut a = run(&[1]);
        let mut b = run(&[1, 1]);
        b[0].case.trial = 9;
        b[1].case.levels.insert("block".to_owned(), "4 KiB".to_owned());
        let compared = compare(&a, &b).unwrap();
        assert_eq!((compared.trials.len(), compared.only_in_a.len()), (1, 0));
        assert_eq!(compared.only_in_b[0].levels["block"], "4 KiB");
        a[0].case.experiment = "other".to_owned();
        let compared = compare(&a, &b).unwrap();
        assert_eq!((compared.trials.len(), compared.only_in_a.len()), (0, 1));
        assert_eq!(compare(&a, &[]), Err(NoFindings::NoPass));
    }

    #[test]
    fn a_stored_run_with_the_title_of_old_pairs_with_one_that_says_what_was_measured() {
        let titled = |title: &str, workload: &str| {
            let mut run = run(&[1, 1, 1]);
            for record in &mut run {
                title.clone_into(&mut record.case.study);
                title.clone_into(&mut record.case.experiment);
                record.case.text = format!("study {title:?}\n{workload}\n");
            }
            run
        };
        let old = titled("measured from options", "workload passes=3 seed=1 { }");
        let new = titled("random read 4 KiB, depth 8, on data", "workload passes=3 seed=2 { }");
        for (a, b) in [(&old, &new), (&new, &old)] {
            let compared = compare(a, b).unwrap();
            assert_eq!((compared.only_in_a.len(), compared.only_in_b.len()), (0, 0));
            let [trial] = &compared.trials[..] else { panic!("{:?}", compared.trials) };
            assert!(trial.is_same_case);
            assert_eq!(trial.trial.experiment, a[0].case.experiment);
        }
        let deeper = titled("random read 4 KiB, depth 9, on data", "workload passes=9 { }");
        assert!(!compare(&old, &deeper).unwrap().trials[0].is_same_case);
    }
}
