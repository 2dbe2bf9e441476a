//! The arguments of `watch`.

use std::path::PathBuf;

use clap::Args;

use super::{ShowOptions, StoreOption};

/// What to watch, how often, and where it goes.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Files, directories or devices to monitor [default: the whole machine]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Follow a run in progress until it ends: its number or last [default: last]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "last")]
    #[arg(conflicts_with_all = ["targets", "interval", "time", "record", "root"])]
    pub run: Option<String>,
    /// Look inside the live emulation that is up; name its study where several are up
    #[arg(long, value_name = "STUDY", num_args = 0..=1)]
    #[arg(conflicts_with_all = ["targets", "run", "root"])]
    pub live: Option<Option<PathBuf>>,
    /// Its parent directory, as given to emulate
    #[arg(long, value_name = "DIR", requires = "live")]
    pub directory: Option<PathBuf>,
    /// Sampling interval
    #[arg(long, value_name = "TIME", default_value = "1 s")]
    pub interval: String,
    /// Stop after N intervals, or N updates of a run
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Stop after this time
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Store the samples as a run
    #[arg(long)]
    pub record: bool,
    /// Print plain lines, even on a terminal
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
    /// Show idle devices, too
    #[arg(long, conflicts_with = "run")]
    pub full: bool,
    /// Read /proc and /sys below this directory instead
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}
