//! The arguments of `runbook`.

use std::path::PathBuf;

use clap::Args;

use super::{ReportOption, ShowOptions, StoreOption};

/// Which procedure, on what.
#[derive(Debug, Args)]
pub(crate) struct Runbook {
    /// First, if wanted, a runbook: general, veritas-cfs, p690 or a study with steps (.kdl); then
    /// block devices, files, directories for scratch files, or the study of a path [default:
    /// general, on the drives that can be read and the current directory]
    #[arg(value_name = "NAME|FILE|TARGET")]
    pub words: Vec<PathBuf>,
    /// Show the steps with their time and what is expected, and stop
    #[arg(long)]
    pub plan: bool,
    /// Run only this step, by its title; repeatable
    #[arg(long, value_name = "TITLE")]
    pub step: Vec<String>,
    /// Compare each step with an earlier run of the runbook
    #[arg(long, value_name = "RUN")]
    pub compare: Option<String>,
    /// Allow writing to a target that holds data, by the name printed in the refusal; repeatable
    #[arg(long, value_name = "NAME")]
    pub allow_destroy: Vec<String>,
    /// Set a property of the path; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Write the steps with these targets as a study, to be run again, - for stdout
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
