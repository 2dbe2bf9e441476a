//! The arguments of `iopath tune`.

mod load;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use iopath_advice::tuning::{Aim, Goal};
use iopath_analysis::find_max::{LatencyLimit, Metric, NoLatency};
use iopath_units::{Ratio, UnitError};

use super::models::ThreadsOption;
use super::{ReportOption, ShowOptions, StoreOption};
use crate::exit_status::Problem;

pub(crate) use load::TunedLoad;

/// What to tune, for what.
#[derive(Debug, Args)]
pub(crate) struct Tune {
    /// A study (.kdl) whose factors are what can be set; or block devices, files, or directories
    /// for a scratch file, for which block size, depth, streams and kernel settings are chosen
    #[arg(value_name = "STUDY|TARGET", required = true)]
    pub words: Vec<PathBuf>,
    /// What shall be best
    #[arg(long = "for", value_name = "GOAL", value_enum, default_value = "throughput")]
    pub goal: TuneGoal,
    /// Least fairness (Jain's index) among the streams of each declaration; 0 for no limit
    #[arg(long, value_name = "INDEX", default_value = "0.95")]
    pub fairness: String,
    /// Limit of response time: mean=30ms, or p50, p90, p95, p99, p99.9, max; a time alone is that
    /// of p99
    #[arg(long, value_name = "LIMIT")]
    pub latency: Option<String>,
    /// How settings are tried: simulate touches nothing, measure does real I/O, emulate does it on
    /// the study's path as rate-limited devices of this machine [default: simulate for a study,
    /// measure for targets]
    #[arg(long, value_enum)]
    pub technique: Option<TuneTechnique>,
    /// A setting this much worse than the best still counts as good: it wins where it spares
    /// something
    #[arg(long, value_name = "SHARE", default_value = "1%")]
    pub margin: String,
    /// Maximum number of settings to try [default: a quarter of all, at least the factors + 6, at
    /// most 64]
    #[arg(long, value_name = "N", value_parser = super::count::<NonZeroUsize>)]
    pub trials: Option<NonZeroUsize>,
    /// Maximum number of passes of the best and of today's setting to tell them apart
    #[arg(long, value_name = "N", default_value = "6")]
    #[arg(value_parser = clap::value_parser!(u16).range(3..=100))]
    pub passes: u16,
    /// With --technique measure or emulate: do not simulate beforehand to know where to begin
    #[arg(long)]
    pub without_simulation: bool,
    /// With --technique measure: leave the kernel settings of the best setting in place, if it is
    /// better than today's
    #[arg(long)]
    pub apply: bool,
    /// Choose an experiment, or allow only these levels of a factor: "width=512 KiB"; repeatable
    #[arg(long = "case", value_name = "NAME")]
    pub cases: Vec<String>,
    /// Set a property of the study: app.depth=8; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Store the simulations as a run; measurements always are
    #[arg(long)]
    pub keep: bool,
    /// Write the best setting as a study
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub threads: ThreadsOption,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub report: ReportOption,
    /// Allow writing to a target that holds data, or overwriting a file, by the name printed in the
    /// refusal; repeatable
    #[arg(long, value_name = "NAME")]
    pub allow_destroy: Vec<String>,
    #[command(flatten)]
    pub store: StoreOption,
    // Last, because its heading holds for what follows it.
    #[command(flatten)]
    pub load: TunedLoad,
}

/// What shall be best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TuneGoal {
    /// The highest rate of bytes
    Throughput,
    /// The highest rate of requests
    Iops,
    /// The lowest response time: p99, or the figure of --latency
    Latency,
}

/// How settings are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TuneTechnique {
    Simulate,
    Measure,
    Emulate,
}

/// A setting may be worse by less than this: chosen.
const MOST_MARGIN: f64 = 0.5;

impl Tune {
    /// What shall be best, within which limits.
    pub(crate) fn aim(&self) -> Result<Aim, Problem> {
        let wrong = |error: NoLatency| Problem::mistake(format!("--latency: {error}"));
        let latency: Option<LatencyLimit> =
            self.latency.as_deref().map(str::parse).transpose().map_err(wrong)?;
        let goal = match self.goal {
            TuneGoal::Throughput => Goal::Throughput,
            TuneGoal::Iops => Goal::Iops,
            TuneGoal::Latency => Goal::Latency,
        };
        let metric = latency.map_or(Metric::P99, |limit| limit.metric);
        Ok(Aim { goal, metric, latency, fairness: self.fairness()? })
    }

    fn fairness(&self) -> Result<Option<f64>, Problem> {
        let index: Option<f64> = self.fairness.parse().ok();
        let index = index.filter(|index| (0.0..=1.0).contains(index)).ok_or_else(|| {
            let given = &self.fairness;
            Problem::mistake(format!("--fairness is Jain's index, 0 to 1, not {given}"))
        })?;
        Ok(Some(index).filter(|index| *index > 0.0))
    }

    pub(crate) fn margin(&self) -> Result<f64, Problem> {
        let wrong = |error: UnitError| Problem::mistake(format!("--margin: {error}"));
        let share = self.margin.parse::<Ratio>().map_err(wrong)?.as_f64();
        if (0.0..=MOST_MARGIN).contains(&share) {
            return Ok(share);
        }
        Err(Problem::mistake(format!("--margin is 0% to 50%, not {}", self.margin)))
    }
}
