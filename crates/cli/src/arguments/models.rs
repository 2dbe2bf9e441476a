//! The arguments of commands that ask models: predict, simulate, validate.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::Args;

use super::{
    DestroyOption, EmulatedLength, FindMaxOption, LoadSweepOption, ReportOption, ShowOptions,
    StoreOption,
};

/// Which cases of which study a model is asked for, and without what.
#[derive(Debug, Args)]
pub(crate) struct AskedCases {
    /// Study file
    pub study: PathBuf,
    /// Set a property of the study: server.slot.read="8 GB/s"; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Select cases by experiment or level: "op=read"; repeatable, all must match
    #[arg(long = "case", value_name = "NAME")]
    pub cases: Vec<String>,
    // No doc comment: rustdoc takes the indexes of the example for links.
    #[arg(
        long,
        value_name = "SELECTOR",
        help = "Remove components and show the effect: fastt[0].controller[1]; repeatable"
    )]
    pub without: Vec<String>,
}

/// What to predict, and where it goes.
#[derive(Debug, Args)]
pub(crate) struct Predict {
    #[command(flatten)]
    pub asked: AskedCases,
    /// More study files, for --compare
    #[arg(value_name = "STUDY", requires = "compare")]
    pub others: Vec<PathBuf>,
    /// Compare builds: what each case carries and costs, its bottleneck, what one failure costs,
    /// the next upgrade
    #[arg(long, conflicts_with_all = ["keep", "full", "find_max"])]
    pub compare: bool,
    /// Store the predictions as a run
    #[arg(long)]
    pub keep: bool,
    /// Show full details of every case, including idle components and all limits
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub find_max: FindMaxOption,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

/// What to simulate, how often, and where it goes.
#[derive(Debug, Args)]
pub(crate) struct Simulate {
    #[command(flatten)]
    pub asked: AskedCases,
    /// Have the requests arrive that `emulate --live --arrivals` recorded, at their times, in place
    /// of the study's streams
    #[arg(long, value_name = "FILE", conflicts_with_all = ["without", "seeds", "find_max"])]
    pub arrivals: Option<PathBuf>,
    /// Number of seeds per case, starting with the study's own
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::count::<NonZeroU32>)]
    pub seeds: NonZeroU32,
    /// Maximum number of counter samples; more give finer time series
    #[arg(long, value_name = "N", default_value = "32")]
    #[arg(value_parser = clap::value_parser!(u16).range(2..=4096))]
    pub samples: u16,
    /// Store the simulations as a run; each seed is a pass
    #[arg(long)]
    pub keep: bool,
    /// Show the throughput share of each stream and the full path of every case
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub find_max: FindMaxOption,
    #[command(flatten)]
    pub threads: ThreadsOption,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub load_sweep: LoadSweepOption,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub report: ReportOption,
    #[command(flatten)]
    pub destroy: DestroyOption,
    #[command(flatten)]
    pub store: StoreOption,
}

/// How many processors are used.
#[derive(Clone, Debug, Args)]
pub(crate) struct ThreadsOption {
    /// Number of cases to simulate in parallel; does not change results [default: all CPUs]
    #[arg(long, value_name = "N", value_parser = super::count::<NonZeroUsize>)]
    pub threads: Option<NonZeroUsize>,
}

/// Which figures to compare with the models.
#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Study files with published figures [default: the bundled studies]
    #[arg(value_name = "STUDY")]
    pub studies: Vec<PathBuf>,
    /// Set a property of every study: p690.drawer.planar.read="1400 MB/s"; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Show how figures of status "check" change when an assumed or inferred parameter changes by
    /// 20 %
    #[arg(long)]
    pub sensitivity: bool,
    /// Include figures that need simulation in --sensitivity: simulates their cases twice for
    /// each such parameter
    #[arg(long, requires = "sensitivity", conflicts_with = "without_simulation")]
    pub simulated: bool,
    /// Use analytic bounds only, do not simulate
    #[arg(long)]
    pub without_simulation: bool,
    /// Compare bounds from ratings alone, and calibrated, with published measurements of systems
    /// that the models were not made for [default studies: those of studies/field]
    #[arg(long, conflicts_with_all = ["sensitivity", "emulate", "seeds"])]
    pub field: bool,
    /// Number of seeds per case [default: 20 where the result depends on chance, else 1; 1 for
    /// --sensitivity]
    #[arg(long, value_name = "N", value_parser = super::count::<NonZeroU32>)]
    pub seeds: Option<NonZeroU32>,
    #[command(flatten)]
    pub threads: ThreadsOption,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
    /// Also measure on emulated paths [default studies: p690, jfs2, gpfs, veritas-cfs]
    #[arg(long, conflicts_with = "sensitivity")]
    pub emulate: bool,
    /// Select cases to emulate by experiment or level; repeatable, all must match
    #[arg(long = "case", value_name = "NAME", requires = "emulate")]
    pub cases: Vec<String>,
    #[command(flatten)]
    pub length: EmulatedLength,
    #[command(flatten)]
    pub report: ReportOption,
    #[command(flatten)]
    pub destroy: DestroyOption,
    #[command(flatten)]
    pub show: ShowOptions,
}
