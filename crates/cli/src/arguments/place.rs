//! The arguments of `iopath place`.

use std::path::PathBuf;

use clap::Args;

use super::{DestroyOption, ShowOptions, StoreOption};
use crate::exit_status::Problem;

/// What to place.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// A study (.kdl) that describes today's placement; or files, directories or block devices of
    /// this machine [default: the whole machine]
    #[arg(value_name = "STUDY|TARGET")]
    pub words: Vec<PathBuf>,
    /// Without a study: read a copy of /proc, /sys and /dev below this directory instead
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub search: PlacementSearch,
    #[command(flatten)]
    pub destroy: DestroyOption,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

/// What is asked of a study.
#[derive(Debug, PartialEq, Args)]
pub(crate) struct PlacementSearch {
    /// Choose an experiment or a level of the study: "op=read"; repeatable, until one case is left
    #[arg(long = "case", value_name = "NAME")]
    pub cases: Vec<String>,
    /// Set a property of the study: server.bridge.hba.count=2; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Search from N random placements of the study, too [default: 10]
    #[arg(long, value_name = "N")]
    pub starts: Option<usize>,
    /// Seed of the random placements [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Write the best placement as a study
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl PlacementSearch {
    /// Refuses what only a study can be asked.
    pub(crate) fn assure_none(&self) -> Result<(), Problem> {
        let Self { cases, set, starts, seed, output } = self;
        let given = [
            ("--case", !cases.is_empty()),
            ("--set", !set.is_empty()),
            ("--starts", starts.is_some()),
            ("--seed", seed.is_some()),
            ("--output", output.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Problem::mistake(format!(
                "{option} is for the placement of a study: name one, an existing file that ends in \
                 .kdl"
            ))),
            None => Ok(()),
        }
    }
}
