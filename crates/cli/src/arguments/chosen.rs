//! The arguments by which `measure` and `plan` choose what they are about.

use std::path::PathBuf;

use clap::Args;

use crate::loads;

/// A study or a load; without either one case made from options, or the quick study.
#[derive(Debug, Args)]
pub(crate) struct StudyOptions {
    /// Study file
    pub study: Option<PathBuf>,
    /// Use a built-in load instead of a study: postgres-wal, oltp, … (--help lists them)
    #[arg(long, value_name = "NAME", conflicts_with = "study", long_help = loads::help())]
    pub like: Option<String>,
    /// Set a property of the study: reader.block="64 KiB"; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Select cases of the study by experiment or level: "op=read"; repeatable, all must match
    #[arg(long = "case", value_name = "NAME", requires = "study")]
    pub cases: Vec<String>,
}
