//! `iopath emulate`, and how long emulated cases are measured.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ShowOptions, StoreOption};

/// How an emulated case is measured, whatever its study says.
#[derive(Clone, Debug, Args)]
pub(crate) struct EmulatedLength {
    /// Run time of a pass on an emulated path, excluding warm-up
    #[arg(long, value_name = "TIME", default_value = Self::TIME)]
    pub time: String,
    /// Warm-up time, not counted: throttle groups start with burst credit
    #[arg(long, value_name = "TIME", default_value = Self::WARM_UP)]
    pub warm_up: String,
}

impl EmulatedLength {
    const TIME: &str = "10 s";
    const WARM_UP: &str = "2 s";

    /// As it was asked for, else as usual.
    pub(crate) fn of(time: Option<&str>, warm_up: Option<&str>) -> Self {
        let time = time.unwrap_or(Self::TIME).to_owned();
        Self { time, warm_up: warm_up.unwrap_or(Self::WARM_UP).to_owned() }
    }
}

/// What to emulate, at which scale, and what to do with it.
#[derive(Debug, Args)]
pub(crate) struct Emulate {
    /// Study file
    #[arg(required_unless_present_any = ["down", "fail", "sweep_at_end", "serve"])]
    pub study: Option<PathBuf>,
    /// Set a property of the study; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Select cases by experiment or level: "op=read"; repeatable, all must match
    #[arg(long = "case", value_name = "NAME")]
    pub cases: Vec<String>,
    /// Divide rates and sizes by a power of two [default: the smallest this machine sustains]
    #[arg(long, value_name = "1:N")]
    pub scale: Option<String>,
    /// Also divide rates and multiply times by N [default: 1 with --scale, else the smallest that
    /// this machine sustains]
    #[arg(long, value_name = "N")]
    pub stretch: Option<u64>,
    /// Answer each request when the simulation of the path says it is done, by a file for each
    /// target: with its caches, disks, RAID, flushes and failures
    #[arg(long, conflicts_with_all = ["calibrate", "down"])]
    pub live: bool,
    /// Have a part of a live path fail: a selector, as in `fail of=` of a study; repeatable.
    /// Without --live it fails in the live path that is up already
    #[arg(long, value_name = "PART", conflicts_with = "down")]
    pub fail: Vec<String>,
    /// When it fails, from the first request of a measurement on, or from when the path is up
    /// [default: 10 s]; in a path that is up already from now on [default: 0 s]
    #[arg(long, value_name = "TIME", requires = "fail")]
    pub at: Option<String>,
    /// How long it is gone [default: for good]
    #[arg(long = "for", value_name = "TIME", requires = "fail")]
    pub lasts: Option<String>,
    /// Record the requests that a live path answers in a new file, for `simulate --arrivals`
    #[arg(long, value_name = "FILE", requires = "live")]
    pub arrivals: Option<PathBuf>,
    /// Measure the cases on the emulated path, then remove it
    #[arg(long, conflicts_with_all = ["up", "down"])]
    pub run: bool,
    /// Keep the emulated path for other tools, until --down
    #[arg(long, conflicts_with = "down")]
    pub up: bool,
    /// Remove an emulated path left by --up or a crash
    #[arg(long, conflicts_with_all = ["study", "set", "cases", "scale", "stretch"])]
    pub down: bool,
    /// Wait for the end of the input, then remove what dead runs left, with the directory or not
    #[arg(long, hide = true, conflicts_with = "study")]
    pub sweep_at_end: Option<bool>,
    /// Answer as a system that a file describes; write the number of the process to another
    #[arg(long, hide = true, num_args = 2, value_names = ["SETUP", "PID"])]
    pub serve: Vec<PathBuf>,
    /// Backing of devices: null stores no data (fastest), files stores it in sparse files
    #[arg(long, value_enum, default_value_t = Media::Null)]
    pub media: Media,
    /// Add loop devices, so that diskstats counts each device; needs root
    #[arg(long)]
    pub loops: bool,
    /// First measure each device alone and compare with its rate
    #[arg(long, requires = "run")]
    pub calibrate: bool,
    #[command(flatten)]
    pub length: EmulatedLength,
    /// Number of passes [default: 1]
    #[arg(long, value_name = "N")]
    pub passes: Option<u32>,
    /// Parent of run directories [default: $XDG_RUNTIME_DIR/iopath, else under /tmp]
    #[arg(long, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Media {
    /// Store no data: reads return noise or zeros
    Null,
    /// Sparse files in the run directory
    Files,
}
