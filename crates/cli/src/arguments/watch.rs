//! The arguments of `watch`.

use std::path::PathBuf;

use clap::Args;

use super::{ShowOptions, StoreOption};

/// What to watch, how often, and what becomes of it.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Files, directories or devices: only what lies below them [default: the whole machine]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Follow a run of the store that is under way elsewhere, until it ends: its number or last
    /// [default: last]
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "last")]
    #[arg(conflicts_with_all = ["targets", "interval", "time", "record", "root"])]
    pub run: Option<String>,
    /// Time between two samples
    #[arg(long, value_name = "TIME", default_value = "1 s")]
    pub interval: String,
    /// End after so many intervals, or pictures of a run
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// End after this time
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Store what is seen as a run
    #[arg(long)]
    pub record: bool,
    /// Plain lines, also on a terminal
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
    /// Look at the /proc and /sys of another tree
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}
