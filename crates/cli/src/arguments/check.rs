//! The arguments of `iopath check`.

use std::path::PathBuf;

use clap::Args;

/// What is checked.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Study file
    pub study: PathBuf,
    /// Set a property of the study; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Select cases by experiment or level: "op=read"; repeatable, all must match
    #[arg(long = "case", value_name = "NAME")]
    pub cases: Vec<String>,
    /// Print JSON on stdout instead of text
    #[arg(long)]
    pub json: bool,
    /// Show details, including limits that can never be reached
    #[arg(long)]
    pub full: bool,
}
