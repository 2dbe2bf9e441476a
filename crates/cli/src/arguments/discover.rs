//! The arguments of `discover`.

use std::path::PathBuf;

use clap::Args;

use super::{DestroyOption, StoreOption};

/// What to discover the path of, and how it is shown.
#[derive(Debug, Args)]
pub(crate) struct Discover {
    /// Files, directories or block devices [default: the whole machine]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// Read a copy of /proc, /sys and /dev below this directory instead
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Draw the path as a tree instead of writing it as a study
    #[arg(long, conflicts_with = "json")]
    pub tree: bool,
    /// Output file, - for stdout; overwrites none without --allow-destroy
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub destroy: DestroyOption,
    /// Print JSON on stdout instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub store: StoreOption,
}
