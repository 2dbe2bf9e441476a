//! Arguments of `verify`.

use clap::Args;

use super::{ShowOptions, StoreOption};

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// Run: its number, last, or last~1
    #[arg(default_value = "last")]
    pub run: String,
    /// Remove the journals of the run without verifying
    #[arg(long)]
    pub forget: bool,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}
