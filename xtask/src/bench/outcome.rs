//! What benchmarks found, as it is shown and as it goes into the JSON file.

use serde::Serialize;

use super::options::Options;
use super::statistics::{Interval, median, median_interval, ratios};

/// Everything of one call; the format is for people who look at figures again, not promised.
#[derive(Serialize)]
pub(crate) struct Report {
    pub kernel: String,
    pub processors: usize,
    /// Where it is a rival.
    pub fio: Option<String>,
    pub pairs: usize,
    pub seconds: u64,
    pub benchmarks: Vec<Outcome>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Outcome {
    pub name: &'static str,
    pub about: &'static str,
    pub comparisons: Vec<Comparison>,
    pub values: Vec<Value>,
    pub notes: Vec<String>,
}

/// One figure of both tools; values of one index are one pair.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    pub rival: String,
    pub figure: String,
    pub iopath: Vec<f64>,
    pub fio: Vec<f64>,
    pub iopath_median: f64,
    pub fio_median: f64,
    /// The median of iopath / fio over the pairs.
    pub ratio: f64,
    /// Ends of its 95 % interval; none for one pair.
    pub ratio_low: Option<f64>,
    pub ratio_high: Option<f64>,
    pub goal: Option<Goal>,
    pub verdict: Option<Verdict>,
}

/// One figure of iopath alone.
#[derive(Debug, Serialize)]
pub(crate) struct Value {
    pub figure: String,
    pub values: Vec<f64>,
    pub worst: f64,
    pub goal: Option<Goal>,
    pub verdict: Option<Verdict>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Goal {
    AtLeast(f64),
    AtMost(f64),
    Below(f64),
    /// Both ends are allowed.
    Within(f64, f64),
    /// Of a ratio: 1 lies in its interval, and that is narrow enough to say something (chosen: 10 %
    /// to either side).
    NotApart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Met,
    /// The median meets the goal, the interval reaches beyond it.
    MetWithinNoise,
    /// The median misses the goal, the interval reaches it.
    MissedWithinNoise,
    Missed,
}

impl Report {
    pub(crate) fn new(options: &Options, fio: Option<String>) -> Self {
        let system = rustix::system::uname();
        Self {
            kernel: system.release().to_string_lossy().into_owned(),
            processors: std::thread::available_parallelism().map_or(0, usize::from),
            fio,
            pairs: options.pairs,
            seconds: options.length.as_secs(),
            benchmarks: Vec::new(),
        }
    }

    pub(crate) fn heading(&self) -> String {
        let Self { kernel, processors, pairs, seconds, .. } = self;
        let machine = format!("Linux {kernel}, {processors} processors");
        match &self.fio {
            Some(fio) => format!("iopath and {fio}, {machine}: {pairs} pairs of {seconds} s"),
            None => format!("iopath alone, {machine}"),
        }
    }
}

impl Outcome {
    pub(crate) fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about, comparisons: Vec::new(), values: Vec::new(), notes: Vec::new() }
    }
}

impl Comparison {
    /// None without pairs.
    pub(crate) fn new(
        rival: String,
        figure: impl Into<String>,
        iopath: Vec<f64>,
        fio: Vec<f64>,
        goal: Option<Goal>,
    ) -> Option<Self> {
        let ratios = ratios(&iopath, &fio);
        let ratio = median(&ratios)?;
        let interval = median_interval(&ratios);
        Some(Self {
            rival,
            figure: figure.into(),
            iopath_median: median(&iopath)?,
            fio_median: median(&fio)?,
            iopath,
            fio,
            ratio,
            ratio_low: interval.map(|interval| interval.low),
            ratio_high: interval.map(|interval| interval.high),
            goal,
            verdict: goal.map(|goal| goal.judge(ratio, interval)),
        })
    }
}

impl Value {
    /// The least value counts where the goal is to be reached; else the greatest.
    pub(crate) fn new(figure: impl Into<String>, values: Vec<f64>, goal: Option<Goal>) -> Self {
        let each = values.iter().copied();
        let worst = match goal {
            Some(Goal::AtLeast(_)) => each.fold(f64::INFINITY, f64::min),
            _ => each.fold(f64::NEG_INFINITY, f64::max),
        };
        let verdict = goal.map(|goal| goal.judge(worst, None));
        Self { figure: figure.into(), values, worst, goal, verdict }
    }
}

impl Goal {
    fn is_met_by(self, value: f64) -> bool {
        match self {
            Self::AtLeast(goal) => value >= goal,
            Self::AtMost(goal) => value <= goal,
            Self::Below(goal) => value < goal,
            Self::Within(low, high) => (low..=high).contains(&value),
            Self::NotApart => value == 1.0,
        }
    }

    fn judge(self, value: f64, interval: Option<Interval>) -> Verdict {
        let ends = interval.map_or([value, value], |interval| [interval.low, interval.high]);
        if self == Self::NotApart {
            let is_between = ends[0] <= 1.0 && 1.0 <= ends[1];
            let is_narrow = 0.9 <= ends[0] && ends[1] <= 1.1;
            return match (is_between, is_narrow) {
                (true, true) => Verdict::Met,
                (true, false) => Verdict::MetWithinNoise,
                (false, _) => Verdict::Missed,
            };
        }
        match (self.is_met_by(value), ends.map(|end| self.is_met_by(end))) {
            (true, [true, true]) => Verdict::Met,
            (true, _) => Verdict::MetWithinNoise,
            (false, [false, false]) => Verdict::Missed,
            (false, _) => Verdict::MissedWithinNoise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_judged_by_the_median_and_doubted_by_the_interval() {
        let at_least =
            |value, low, high| Goal::AtLeast(1.0).judge(value, Some(Interval { low, high }));
        assert_eq!(at_least(1.2, 1.0, 1.4), Verdict::Met);
        assert_eq!(at_least(1.2, 0.9, 1.4), Verdict::MetWithinNoise);
        assert_eq!(at_least(0.9, 0.8, 1.1), Verdict::MissedWithinNoise);
        assert_eq!(at_least(0.9, 0.8, 0.95), Verdict::Missed);
        assert_eq!(Goal::AtMost(0.7).judge(0.7, None), Verdict::Met);
        assert_eq!(Goal::Below(0.7).judge(0.7, None), Verdict::Missed);
    }

    #[test]
    fn a_comparison_tells_medians_and_the_ratio_of_pairs() {
        let new = |ours, theirs, goal| {
            Comparison::new("fio null".to_owned(), "operations/s", ours, theirs, goal)
        };
        let goal = Some(Goal::AtLeast(2.0));
        let found = new(vec![4.0, 9.0, 8.0], vec![2.0, 3.0, 4.0], goal).unwrap();
        assert_eq!((found.iopath_median, found.fio_median, found.ratio), (8.0, 3.0, 2.0));
        assert_eq!((found.ratio_low, found.ratio_high), (Some(2.0), Some(3.0)));
        assert_eq!(found.verdict, Some(Verdict::Met));
        assert!(new(Vec::new(), Vec::new(), goal).is_none());
    }

    #[test]
    fn alone_the_worst_run_counts() {
        let found = Value::new("bytes", vec![90.0, 110.0, 80.0], Some(Goal::Below(100.0)));
        assert_eq!((found.worst, found.verdict), (110.0, Some(Verdict::Missed)));
        let found = Value::new("events/s", vec![90.0, 110.0, 80.0], Some(Goal::AtLeast(85.0)));
        assert_eq!((found.worst, found.verdict), (80.0, Some(Verdict::Missed)));
    }
}
