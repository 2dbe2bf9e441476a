//! The arguments of `iopath size`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use iopath_advice::Measure;

use super::{DestroyOption, ShowOptions, StoreOption};

/// What to build, for what.
#[derive(Debug, Args)]
pub(crate) struct Size {
    /// Study file whose factors are what can be chosen: counts, alternatives
    pub study: PathBuf,
    /// What is needed: read=18GB/s, write=, throughput=, iops=150k, iops=150k@30ms (mean response),
    /// iops=150k@p95=30ms, streams=64x25MB/s, capacity=100TB, run=12 (the load of a stored run),
    /// run=2x12@5ms (twice that, within 5 ms), several with commas [default: the rates that the
    /// streams state]
    #[arg(long, value_name = "NEED")]
    pub need: Option<String>,
    /// Bytes that are added each month to the capacity that is needed: says when a build is full
    #[arg(long, value_name = "SIZE")]
    pub growth: Option<String>,
    /// So much more than that
    #[arg(long, value_name = "SHARE", default_value = "0 %")]
    pub headroom: String,
    /// Carry the load (without the headroom) also with any N of a kind or selector gone:
    /// "1 switch", "2 box.drive"; repeatable, one at a time
    #[arg(long, value_name = "N PART")]
    pub survive: Vec<String>,
    /// What shall be least [default: price where any is stated, else rack-units, watts, parts]
    #[arg(long = "for", value_name = "MEASURE", value_enum)]
    pub least: Option<Least>,
    /// Number of builds to show
    #[arg(long, value_name = "N", default_value = "3")]
    #[arg(value_parser = super::count::<NonZeroUsize>)]
    pub builds: NonZeroUsize,
    /// Choose an experiment, or allow only these levels of a factor: "drive=fast"; repeatable
    #[arg(long = "case", value_name = "NAME")]
    pub cases: Vec<String>,
    /// Set a property of the study: server.slot.read="8 GB/s"; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Use analytic bounds only, do not simulate the builds
    #[arg(long, conflicts_with = "by_simulation")]
    pub without_simulation: bool,
    /// Judge every build by a simulation, not by bounds: for paths whose caches serve or gather
    /// requests, which bounds leave out
    #[arg(long)]
    pub by_simulation: bool,
    /// Maximum number of builds to predict
    #[arg(long, value_name = "N", default_value = "20000")]
    #[arg(value_parser = super::count::<NonZeroUsize>)]
    pub most: NonZeroUsize,
    /// Write the best build as a study
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub destroy: DestroyOption,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

/// What shall be least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Least {
    Price,
    RackUnits,
    Watts,
    Parts,
}

impl Least {
    pub(crate) fn measure(self) -> Measure {
        match self {
            Self::Price => Measure::Price,
            Self::RackUnits => Measure::RackUnits,
            Self::Watts => Measure::Watts,
            Self::Parts => Measure::Parts,
        }
    }
}
