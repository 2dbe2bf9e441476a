//! The arguments of `profile`.

use std::path::PathBuf;

use clap::Args;

use super::{ReportOption, ShowOptions, StoreOption};

/// What to profile, how long, and where the path with its capacities goes.
#[derive(Debug, Args)]
pub(crate) struct Profile {
    /// Block devices, files, a directory for a scratch file, or one study (.kdl) [default: all
    /// drives of this machine, or the current directory where they cannot be read]
    #[arg(value_name = "TARGET|STUDY")]
    pub targets: Vec<PathBuf>,
    /// About two minutes: fewer loads and passes, no steps between one device and all
    #[arg(long, conflicts_with = "thorough")]
    pub quick: bool,
    /// Five passes of 5 s each instead of three of 2 s
    #[arg(long)]
    pub thorough: bool,
    /// Run time of a pass, excluding warm-up [default: 2 s; quick: at most 1 s, thorough: 5 s]
    #[arg(long)]
    pub time: Option<String>,
    /// Show the experiments, their time and what stands in their way, and stop
    #[arg(long)]
    pub plan: bool,
    /// Repeat all experiments instead of continuing a profile that was stopped within the last hour
    #[arg(long)]
    pub fresh: bool,
    /// Also write to this file or device, which loses its data: by the name printed in the refusal,
    /// with --plan also by its path; repeatable
    #[arg(long, value_name = "NAME")]
    pub allow_destroy: Vec<String>,
    /// Set a property of the study; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Write the path with measured capacities as a study, - for stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub report: ReportOption,
    #[command(flatten)]
    pub store: StoreOption,
}
