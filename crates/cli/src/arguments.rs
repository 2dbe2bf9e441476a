//! The command line as it is typed. Values stay text here; `flags` gives them a meaning, so that
//! all mistakes can be told at once.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use iopath_analysis::thresholds::trials::RESPONSE_WITHIN;
use iopath_units::{Nanos, System, UnitError};

use crate::ending::Problem;

mod chosen;
mod discover;
mod emulate;
mod import;
mod models;
mod report;
mod serve;
mod verify;
mod watch;

pub(crate) use chosen::StudyOptions;
pub(crate) use discover::Discover;
pub(crate) use emulate::{Emulate, EmulatedLength, Media};
pub(crate) use import::{Import, ImportOptions};
pub(crate) use models::{Predict, Simulate, Validate};
pub(crate) use report::{Report, ReportOption};
pub(crate) use serve::Serve;
pub(crate) use verify::Verify;
pub(crate) use watch::Watch;

/// What stands below the help of the program.
const EXAMPLES: &str = "\
Examples:
  iopath measure                   The storage under this directory, in about a minute
  iopath measure --target /dev/nvme0n1 --pattern random --depth 32
  iopath measure --like oltp       A load by name; `measure --help` lists them
  iopath measure study.kdl         All cases of a study
  iopath discover > here.kdl       The path of this machine, as a study
  iopath predict study.kdl         What its path can carry, and what binds
  iopath watch --record            Any program's load, live, and kept as a run
  iopath watch --run               The run that is under way in another terminal
  iopath compare last~1 last       The run before the last, and the last

Exit codes: 0 done, 1 unexpected, 3 wrong study or arguments, 4 something stands in the way and
nothing was touched, 5 refused because data would be lost, 6 I/O failed or data was wrong,
130 interrupted.";

/// How fast should this I/O path be, how fast is it, and what holds it back?
#[derive(Debug, Parser)]
#[command(name = "iopath", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure real storage: a study, targets, or what is under this directory
    ///
    /// With no arguments: an unnamed scratch file under the current directory, about a minute.
    /// With a study: its experiments. With --like: a load by name, such as postgres-wal. With
    /// --target or another option of a case: one case.
    /// Every pass is stored as soon as it is finished; Ctrl-C ends a run in order.
    ///
    /// Scratch files and files that do not exist are written once in full (without --size a tenth
    /// of the free space, 8 GiB at most). After that each pass of a writer writes as much as it can
    /// in its time, which wears flash: `iopath plan STUDY` says how much, or for how long. Writes
    /// are not flushed unless --sync says so: without it their latency is not that of a commit.
    Measure(Box<Measure>),
    /// Find the path below files and devices, or of this machine, and write it as a study
    ///
    /// File systems, volumes, drives, adapters, links, processors, with rated capacities and who
    /// says so. Root is not needed; what could not be read is said. Touches nothing.
    Discover(Discover),
    /// Find every mistake in a study, and what is unwise about its path; touches nothing
    ///
    /// Draws its path as a tree with rated capacities and who states them, and tells what rules
    /// about paths find, each with its place and its source.
    Check(Check),
    /// Show the cases of a study, how long they take and how much they touch; touches nothing
    ///
    /// It takes what `measure` takes. What is no study file is printed as one, with its cases as
    /// comments: save it, change it, measure it.
    Plan(Box<Plan>),
    /// Say what a study's path can carry, what binds, and what to upgrade next; touches nothing
    ///
    /// No time passes: bounds from rated capacities, volumes and requests in flight. Many cases are
    /// a line each, a single one is told in full.
    Predict(Box<Predict>),
    /// Let a study's cases happen in simulated time, beside what bounds allow; touches nothing
    ///
    /// Request by request: queues, caches, readahead, what waits for what. The same seed gives the
    /// same figures.
    Simulate(Box<Simulate>),
    /// Build a study's path from rate-limited devices on this machine, and measure on it
    ///
    /// Devices of qemu-storage-daemon, one a way to a medium, share one throttle group for each
    /// rate of the path. Without --run or --up it stands until Ctrl-C. Nothing remains afterwards.
    Emulate(Box<Emulate>),
    /// Hold published figures against what the models say of them
    ///
    /// Without a study: those that come with the program. Each figure of a `published` block
    /// becomes a row with the error of each model; what no bound can claim the simulation decides.
    Validate(Box<Validate>),
    /// Watch what this machine's storage does, layer by layer, whoever makes the load
    ///
    /// A live view on a terminal, plain lines elsewhere, or JSON. Without targets the whole
    /// machine. With --record what was seen is stored as a run. With --run a run that goes on
    /// elsewhere is followed. Changes nothing, opens no target.
    Watch(Watch),
    /// List the runs in the store, the newest last
    List(List),
    /// Show a run of the store
    Show(Show),
    /// Check what a killed run with --verify had written: what was flushed must be there
    ///
    /// Reads the targets of the run past the page cache, against the journal that the run kept next
    /// to the store. Writes that no flush covers may be lost, and are counted; a block that a flush
    /// covers and that is not there is damage. Writes nothing.
    Verify(Verify),
    /// Say what holds a run back, how one knows, and what to change
    Explain(Explain),
    /// Write a run as a page for a browser: one file that needs nothing else
    ///
    /// Verdict and evidence, courses over time, fairness, latency, layers: each figure with its
    /// data and how it is read. Works offline and when mailed; prints where the page is.
    Report(Report),
    /// Show the store in a browser on this machine: list, reports, comparisons
    ///
    /// On the loopback only, behind a random token in the address, which is printed; nothing can
    /// be changed over HTTP. Runs under way are followed. Ends with Ctrl-C.
    Serve(Serve),
    /// Compare two runs, with confidence and the difference of their environments
    Compare(Compare),
    /// Write a run of the store to a file that another store can import
    Export(Export),
    /// Put an exported run, or what other tools printed, into the store
    ///
    /// Reads what iostat, fio (JSON), vxstat, vxbench, portperfshow, nmon and iozone leave, told
    /// from one another by their text; several files of one run become one record on one time
    /// axis. What a text does not tell is asked for. Nothing is read but these files.
    Import(Box<Import>),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write the manual pages into a directory
    #[command(hide = true)]
    Manual(Manual),
}

/// Where runs are kept.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct StoreOption {
    /// The store [default: $XDG_DATA_HOME/iopath/runs.db]
    #[arg(long, value_name = "FILE", global = true)]
    pub store: Option<PathBuf>,
}

/// Which files outputs may replace.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DestroyOption {
    /// Permit replacing a file, by the path that the refusal printed; repeatable
    #[arg(long, value_name = "PATH")]
    pub allow_destroy: Vec<String>,
}

/// How results are shown.
#[derive(Clone, Debug, Args)]
pub(crate) struct ShowOptions {
    /// Print JSON on stdout instead of text
    #[arg(long)]
    pub json: bool,
    /// Print sizes and rates in powers of 1024 (MiB/s) instead of 1000 (MB/s)
    #[arg(long)]
    pub binary: bool,
}

impl ShowOptions {
    pub(crate) fn system(&self) -> System {
        if self.binary { System::Binary } else { System::Decimal }
    }
}

/// What a ladder of loads is held against.
#[derive(Clone, Debug, Args)]
pub(crate) struct LadderOption {
    /// Longest mean response that counts in a ladder of loads [default: 30ms]
    #[arg(long, value_name = "TIME")]
    pub within: Option<String>,
}

impl LadderOption {
    pub(crate) fn within(&self) -> Result<Nanos, Problem> {
        let parsed = self.within.as_deref().map(str::parse).transpose();
        let told = |error: UnitError| Problem::mistake(format!("--within: {error}"));
        Ok(parsed.map_err(told)?.unwrap_or(RESPONSE_WITHIN))
    }
}

/// What to measure, and where it goes.
#[derive(Debug, Args)]
pub(crate) struct Measure {
    #[command(flatten)]
    pub study: StudyOptions,
    /// Permit writing to a target that holds data, or replacing a file by the page, by the name
    /// that the refusal printed; repeatable
    #[arg(long, value_name = "NAME")]
    pub allow_destroy: Vec<String>,
    /// Take the path of this study for what the targets lie on [default: what the study
    /// describes, else what is discovered]
    #[arg(long, value_name = "FILE", conflicts_with = "no_path")]
    pub path: Option<PathBuf>,
    /// Discover no path below the targets
    #[arg(long)]
    pub no_path: bool,
    /// Show no progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub ladder: LadderOption,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub report: ReportOption,
    #[command(flatten)]
    pub store: StoreOption,
    // Last, because its heading holds for what follows it.
    #[command(flatten)]
    pub case: CaseOptions,
}

/// One case, made from options instead of a study.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "One case without a study")]
pub(crate) struct CaseOptions {
    /// File, block device, or directory for a scratch file; repeatable
    #[arg(long, value_name = "PATH")]
    pub target: Vec<PathBuf>,
    /// read, write, mix=70 (percent of reads), or trim (discard) [default: read]
    #[arg(long)]
    pub op: Option<String>,
    /// Instead of reads and writes, what is done to small files, in turn: create,stat,open,unlink;
    /// they are made in a fresh directory below --target, and removed at the end
    #[arg(long, value_name = "WHAT")]
    pub metadata: Option<String>,
    /// Files of --metadata, all streams together [default: 10000]
    #[arg(long, value_name = "N")]
    pub files: Option<String>,
    /// Directories that the files are spread over [default: 1]
    #[arg(long, value_name = "N")]
    pub directories: Option<String>,
    /// Bytes of each file: written by create, read by open [default: 0]
    #[arg(long, value_name = "SIZE")]
    pub file_size: Option<String>,
    /// Order of offsets, with its properties: random, or strided,stride=1MiB [default: sequential]
    #[arg(long)]
    pub pattern: Option<String>,
    /// Part of the target: own (cut into one a stream) or shared [default: own]
    #[arg(long)]
    pub region: Option<String>,
    /// Bytes of one request [default: 1 MiB sequential, 4 KiB otherwise]
    #[arg(long, value_name = "SIZE")]
    pub block: Option<String>,
    /// Requests in flight in each stream [default: 8 sequential, 32 otherwise]
    #[arg(long, value_name = "N")]
    pub depth: Option<String>,
    /// Streams in all, dealt over the targets [default: one a target]
    #[arg(long, value_name = "N")]
    pub streams: Option<String>,
    /// Bytes of each target that are used [default: all]
    #[arg(long)]
    pub size: Option<String>,
    /// Length of a pass without its warm-up [default: 10 s]
    #[arg(long)]
    pub time: Option<String>,
    /// Time before each pass that is not counted [default: 2 s]
    #[arg(long, value_name = "TIME")]
    pub warm_up: Option<String>,
    /// How often to repeat [default: 3]
    #[arg(long, value_name = "N")]
    pub passes: Option<String>,
    /// Repeat until the 95 % confidence half-width of throughput is this share of it: 2%
    #[arg(long, value_name = "SHARE")]
    pub until_ci: Option<String>,
    /// direct, buffered, or drop (empty the page cache of the targets before each pass)
    #[arg(long)]
    pub cache: Option<String>,
    /// auto, uring, calls, threads, mmap, or null (no I/O: the tool's own ceiling) [default: auto]
    #[arg(long)]
    pub engine: Option<String>,
    /// heap, shared, huge, or huge-required [default: heap]
    #[arg(long)]
    pub buffers: Option<String>,
    /// Requests or bytes per second in all: 20000/s, 100MB/s; makes an open loop
    #[arg(long)]
    pub rate: Option<String>,
    /// Times of an open loop: constant or poisson [default: constant]
    #[arg(long)]
    pub arrivals: Option<String>,
    /// How writes reach stable storage: dsync or sync (each write), fsync=N or fdatasync=N (a flush
    /// after every N writes), end (one fsync when a stream ends), or none [default: none]
    #[arg(long, value_name = "HOW")]
    pub sync: Option<String>,
    /// Stamp what is written and check what is read
    #[arg(long)]
    pub verify: bool,
    /// Root of all randomness [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct StudyFile {
    /// A study file
    pub study: PathBuf,
    /// Set a property of the study; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Print JSON on stdout instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub study: StudyFile,
    /// Tell details too: limits that can never bind
    #[arg(long)]
    pub full: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    pub study: StudyOptions,
    /// Print JSON on stdout instead of text
    #[arg(long)]
    pub json: bool,
    /// Print sizes in powers of 1024 instead of 1000
    #[arg(long)]
    pub binary: bool,
    // Last, because its heading holds for what follows it.
    #[command(flatten)]
    pub case: CaseOptions,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only runs with all these words in study, command or name of the machine
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    /// Show so many of the newest
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub last: u64,
    /// Show all, however many there are
    #[arg(long, conflicts_with = "last")]
    pub all: bool,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// A run: its number, last, or last~1
    pub run: String,
    /// Show everything: each stream, every layer, the environment, the study
    #[arg(long, conflicts_with = "json")]
    pub full: bool,
    #[command(flatten)]
    pub ladder: LadderOption,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// A run: its number, last, or last~1
    #[arg(default_value = "last")]
    pub run: String,
    /// Find out which targets of the run share a limit, by short experiments that only read
    #[arg(long)]
    pub probe: bool,
    /// Length of an experiment, without 300 ms of warm-up
    #[arg(long, value_name = "TIME", default_value = "2 s", requires = "probe")]
    pub time: String,
    /// Show no progress
    #[arg(long, requires = "probe")]
    pub no_progress: bool,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The run before
    pub a: String,
    /// The run after
    pub b: String,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// A run: its number, last, or last~1
    pub run: String,
    /// Where to; - or nothing for stdout. An existing file is not overwritten
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub destroy: DestroyOption,
    #[command(flatten)]
    pub store: StoreOption,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    pub shell: Shell,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Elvish,
    Fish,
    Zsh,
}

#[derive(Debug, Args)]
pub(crate) struct Manual {
    /// Where to
    pub directory: PathBuf,
    #[command(flatten)]
    pub destroy: DestroyOption,
}
