//! The arguments of `iopath place`.

use std::path::PathBuf;

use clap::Args;

use super::{DestroyOption, ShowOptions, StoreOption};

/// What to place.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// Study file that describes today's placement
    pub study: PathBuf,
    /// Choose an experiment or a level: "op=read"; repeatable, until one case is left
    #[arg(long = "case", value_name = "NAME")]
    pub cases: Vec<String>,
    /// Set a property of the study: server.bridge.hba.count=2; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Search from N random placements, too
    #[arg(long, value_name = "N", default_value = "10")]
    pub starts: usize,
    /// Seed of the random placements
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
    /// Write the best placement as a study
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub destroy: DestroyOption,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}
