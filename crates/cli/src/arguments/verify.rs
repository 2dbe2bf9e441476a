//! Arguments of `verify`.

use clap::Args;

use super::{ShowOptions, StoreOption};

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// A run: its number, last, or last~1
    #[arg(default_value = "last")]
    pub run: String,
    /// Check nothing, and remove the journals of the run
    #[arg(long)]
    pub forget: bool,
    /// Show no progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}
