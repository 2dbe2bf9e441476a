//! The arguments of commands that ask models: predict, simulate, validate.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::Args;

use super::{DestroyOption, EmulatedLength, LadderOption, ReportOption, ShowOptions, StoreOption};

/// Which cases of which study a model is asked for, and without what.
#[derive(Debug, Args)]
pub(crate) struct AskedCases {
    /// A study file
    pub study: PathBuf,
    /// Set a property of the study: server.slot.read="8 GB/s"; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Only cases of this experiment, or with this level: "op=read"; repeatable, all must hold
    #[arg(long = "case", value_name = "NAME")]
    pub cases: Vec<String>,
    // No doc comment: rustdoc takes the indexes of the example for links.
    #[arg(
        long,
        value_name = "SELECTOR",
        help = "Take parts out, and say what that costs: fastt[0].controller[1]; repeatable"
    )]
    pub without: Vec<String>,
}

/// What to predict, and where it goes.
#[derive(Debug, Args)]
pub(crate) struct Predict {
    #[command(flatten)]
    pub asked: AskedCases,
    /// Put the predictions into the store as a run
    #[arg(long)]
    pub keep: bool,
    /// Tell everything of every case, idle components and every limit included
    #[arg(long)]
    pub full: bool,
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
    /// Simulate each case with so many seeds: the study's own and those that follow it
    #[arg(long, value_name = "N", default_value = "1")]
    pub seeds: NonZeroU32,
    /// Keep so many samples of the counters at most: more make charts over time finer
    #[arg(long, value_name = "N", default_value = "32")]
    #[arg(value_parser = clap::value_parser!(u16).range(2..=4096))]
    pub samples: u16,
    /// Put the simulations into the store as a run; a seed is a pass
    #[arg(long)]
    pub keep: bool,
    /// Tell the shares of the streams and the whole path of every case
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub threads: ThreadsOption,
    /// Show no progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub ladder: LadderOption,
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
    /// Simulate so many cases side by side; changes no figure [default: as many as processors]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
}

/// Which figures to hold against the models.
#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Study files with published figures [default: the studies that come with the program]
    #[arg(value_name = "STUDY")]
    pub studies: Vec<PathBuf>,
    /// Set a property of every study: p690.drawer.planar.read="1400 MB/s"; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Show how far check figures move when an assumed parameter moves by 20 %
    #[arg(long)]
    pub sensitivity: bool,
    /// Let --sensitivity move figures that need simulation, too: simulates the cases of each of
    /// them twice for every assumed parameter
    #[arg(long, requires = "sensitivity", conflicts_with = "without_simulation")]
    pub simulated: bool,
    /// Do not simulate: bounds alone
    #[arg(long)]
    pub without_simulation: bool,
    /// Simulate each case with so many seeds [default: 20 where a race may decide, else 1; 1 for
    /// --sensitivity]
    #[arg(long, value_name = "N")]
    pub seeds: Option<NonZeroU32>,
    #[command(flatten)]
    pub threads: ThreadsOption,
    /// Show no progress
    #[arg(long)]
    pub no_progress: bool,
    /// Measure throughputs on emulated paths, too [default studies: p690, jfs2, gpfs, veritas-cfs]
    #[arg(long, conflicts_with = "sensitivity")]
    pub emulate: bool,
    /// Only cases of this experiment, or with this level, are emulated; repeatable, all must hold
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
