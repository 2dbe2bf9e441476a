//! The arguments of `iopath report`.

use std::path::PathBuf;

use clap::Args;

use super::{DestroyOption, LoadSweepOption, StoreOption};

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Run: its number, `last`, or `last~1` for the one before; several runs are compared first
    #[arg(value_name = "RUN", default_value = "last")]
    pub runs: Vec<String>,
    /// Output file, - for stdout [default: reports/run-N.html next to the store]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub destroy: DestroyOption,
    /// Show sizes and rates in powers of 1024 (MiB/s) instead of 1000 (MB/s)
    #[arg(long)]
    pub binary: bool,
    #[command(flatten)]
    pub load_sweep: LoadSweepOption,
    #[command(flatten)]
    pub store: StoreOption,
}

/// Where the page of a command goes.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReportOption {
    /// Output file of the HTML report, - for stdout (then without the text report) [default: in
    /// reports, next to the store]
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Do not write an HTML report
    #[arg(long, conflicts_with = "report")]
    pub no_report: bool,
}
