//! `iopath emulate`, and how long emulated cases are measured.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ShowOptions, StoreOption};

/// How an emulated case is measured, whatever its study says.
#[derive(Clone, Debug, Args)]
pub(crate) struct EmulatedLength {
    /// Length of a pass on an emulated path
    #[arg(long, value_name = "TIME", default_value = "10 s")]
    pub time: String,
    /// Time before it that is not counted: groups start with some credit
    #[arg(long, value_name = "TIME", default_value = "2 s")]
    pub warm_up: String,
}

/// What to emulate, at which scale, and what to do with it.
#[derive(Debug, Args)]
pub(crate) struct Emulate {
    /// A study file
    #[arg(required_unless_present_any = ["down", "sweep_at_end"])]
    pub study: Option<PathBuf>,
    /// Set a property of the study; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Only cases of this experiment, or with this level: "op=read"; repeatable, all must hold
    #[arg(long = "case", value_name = "NAME")]
    pub cases: Vec<String>,
    /// Divide rates and sizes by a power of two [default: the least that this machine carries]
    #[arg(long, value_name = "1:N")]
    pub scale: Option<String>,
    /// Divide rates by this besides, and multiply times [default: with --scale 1, else the least]
    #[arg(long, value_name = "N")]
    pub stretch: Option<u64>,
    /// Measure the cases on it and take it away
    #[arg(long, conflicts_with_all = ["up", "down"])]
    pub run: bool,
    /// Keep it for other tools, until --down
    #[arg(long, conflicts_with = "down")]
    pub up: bool,
    /// Take away what --up or a crash left
    #[arg(long, conflicts_with_all = ["study", "set", "cases", "scale", "stretch"])]
    pub down: bool,
    /// Wait for the end of the input, then remove what dead runs left, with the directory or not
    #[arg(long, hide = true, conflicts_with = "study")]
    pub sweep_at_end: Option<bool>,
    /// What devices keep: nothing (the fastest), or data in sparse files
    #[arg(long, value_enum, default_value_t = Media::Null)]
    pub media: Media,
    /// Loop devices on top, so that the kernel counts each device (diskstats); needs root
    #[arg(long)]
    pub loops: bool,
    /// Measure each device alone before the cases, against its own rate
    #[arg(long, requires = "run")]
    pub calibrate: bool,
    #[command(flatten)]
    pub length: EmulatedLength,
    /// How often to repeat [default: 1]
    #[arg(long, value_name = "N")]
    pub passes: Option<u32>,
    /// Where run directories are made [default: $XDG_RUNTIME_DIR/iopath, else under /tmp]
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Show no progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Media {
    /// Nothing is kept: reads give noise or zeros
    Null,
    /// Sparse files in the run directory
    Files,
}
