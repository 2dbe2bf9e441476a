//! The command line as it is typed. Values stay text here; `flags` gives them a meaning, so that
//! all mistakes are reported at once.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use iopath_analysis::thresholds::trials::RESPONSE_WITHIN;
use iopath_units::{Nanos, System, UnitError};

use crate::exit_status::Problem;

mod check;
mod chosen;
mod discover;
mod emulate;
pub(crate) mod find_max;
mod import;
mod layout;
mod list;
mod models;
mod place;
mod profile;
mod report;
mod runbook;
mod serve;
mod size;
mod tune;
mod verify;
mod watch;

pub(crate) use check::Check;
pub(crate) use chosen::StudyOptions;
pub(crate) use discover::Discover;
pub(crate) use emulate::{Emulate, EmulatedLength, Media};
pub(crate) use find_max::FindMaxOption;
pub(crate) use import::{Import, ImportOptions};
pub(crate) use layout::Layout;
pub(crate) use list::List;
pub(crate) use models::{Predict, Simulate, Validate};
pub(crate) use place::Place;
pub(crate) use profile::Profile;
pub(crate) use report::{Report, ReportOption};
pub(crate) use runbook::Runbook;
pub(crate) use serve::Serve;
pub(crate) use size::{Least, Size};
pub(crate) use tune::{Tune, TuneGoal, TuneTechnique};
pub(crate) use verify::Verify;
pub(crate) use watch::Watch;

/// What stands below the help of the program.
const EXAMPLES: &str = "\
Examples:
  iopath measure                   Measure this directory's storage in about a minute
  iopath measure --target /dev/nvme0n1 --pattern random --depth 32
  iopath measure --like oltp       A built-in load; `measure --help` lists them
  iopath measure study.kdl         All cases of a study
  iopath discover > here.kdl       Write this machine's I/O path as a study
  iopath predict study.kdl         Its path's maximum throughput and its bottleneck
  iopath watch --record            Monitor live I/O of any program and store it as a run
  iopath watch --run               Follow the run in another terminal
  iopath compare last~1 last       Compare the last two runs

Exit codes: 0 success, 1 unexpected error, 3 invalid study or arguments, 4 cannot run (nothing
was touched), 5 refused because data would be lost, 6 I/O error or data corruption,
130 interrupted.";

/// How fast should this I/O path be, how fast is it, and what limits it?
#[derive(Debug, Parser)]
#[command(name = "iopath", version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure real storage: a study, targets, or the current directory
    ///
    /// Without arguments, use an unnamed scratch file in the current directory for about a minute.
    /// With a study, run its experiments; with --like, a built-in load such as postgres-wal; with
    /// --target or another case option, a single case.
    /// Each pass is stored as soon as it completes; Ctrl-C stops a run cleanly.
    ///
    /// Scratch files and missing files are first written in full (without --size, 10 % of the free
    /// space, up to 8 GiB). After that, each pass of a writer writes as much as it can in its time,
    /// which wears flash: `iopath plan STUDY` estimates how much, or for how long. Writes are not
    /// flushed unless --sync is given: without it, write latency is not commit latency.
    ///
    /// Under mpirun or srun, several hosts measure one study together: the streams are dealt over
    /// the ranks (needs a build with `--features mpi`).
    Measure(Box<Measure>),
    /// Discover the I/O path of files, devices or this machine, and write it as a study
    ///
    /// Lists file systems, volumes, drives, adapters, links and processors with their rated
    /// capacities and the source of each. Does not need root; reports what it could not read.
    /// Read-only.
    Discover(Discover),
    /// Measure what each component of a path carries, and write the path with these capacities
    ///
    /// Measures each device alone, all devices behind each component, and everything, with large
    /// and small requests, and concludes which component was full when. Prints what each carries,
    /// how each level scales and what a request costs; -o writes the path as a study for `predict`.
    /// Only reads, except that it writes a scratch file and whatever --allow-destroy names.
    Profile(Box<Profile>),
    /// Measure storage step by step, from the device to many readers, each step with what to expect
    ///
    /// A runbook is a procedure: raw devices before files, direct before buffered, one reader
    /// before many. Each step is compared with what its path can carry, or with the step before it,
    /// and what cannot be run here is listed with what it needs. `iopath runbook --plan` shows the
    /// steps; veritas-cfs and p690 are the procedures of two published studies; a study whose
    /// experiments have a `step` is one too. Reads only, except for scratch files and what
    /// --allow-destroy names.
    Runbook(Box<Runbook>),
    /// Check a study for errors and its path for poor configuration (no I/O)
    ///
    /// Draws the path as a tree with rated capacities and their sources, and lists the findings of
    /// the path rules, each with its location and source.
    Check(Check),
    /// Show the cases of a study, their run time and the bytes they read and write (no I/O)
    ///
    /// Takes the same arguments as `measure`. Without a study file, prints one for the given
    /// options, with its cases as comments: save it, edit it, measure it.
    Plan(Box<Plan>),
    /// Predict a path's maximum throughput, its bottleneck and the next upgrades (no I/O)
    ///
    /// Computes analytic bounds from rated capacities, volumes and requests in flight. Prints one
    /// line per case, or full details for a single case.
    Predict(Box<Predict>),
    /// Simulate a study request by request and compare with its analytic bounds (no I/O)
    ///
    /// Models queues, caches, readahead and synchronisation. The same seed yields the same figures.
    Simulate(Box<Simulate>),
    /// Find the cheapest build of a path that carries what is needed (no I/O)
    ///
    /// The factors of the study are what can be chosen: counts such as "1 .. 16", alternatives.
    /// Prices, rack units and watts of its components say what is cheapest. Proves by bounds that
    /// nothing cheaper carries it, simulates what is found, and says why each count is what it is.
    Size(Box<Size>),
    /// Find the best setting of a study's factors, or for targets, with few trials
    ///
    /// The factors of the study are what can be set: stripe unit, readahead, depth, streams. For
    /// targets they are block size, depth, streams and, as root, the kernel's settings; targets are
    /// only read unless --op says otherwise. Tries a few combinations, by simulation or by real
    /// I/O, and goes where most is to be gained; of settings that are as good, the one wins that
    /// changes or takes least. Prints the steps from today's setting to the best, each with gain,
    /// risk, restart and undo.
    Tune(Box<Tune>),
    /// Find where adapters, cables, loads and interrupts should be, and the moves from today's
    ///
    /// Of a study without adding anything: adapters to slots, cables to switch ports, volumes to
    /// controllers and nodes, mirror sides to volumes, streams to sockets; shows the placement
    /// whose bounds are highest, and each move to it with its gain. Of this machine, or of what
    /// targets are on: which processors serve the interrupts of storage, NUMA nodes, queues, ports;
    /// says what should be elsewhere, and prints the commands. Touches nothing.
    Place(Box<Place>),
    /// Print the commands that build a study's volumes and file systems (no I/O)
    ///
    /// Translates the layout for a volume manager: a script for sh with what must be empty, the
    /// commands in order of dependency, and their undo. Where the manager cannot build what is
    /// stated it says so, with the manual page. Runs nothing; the script refuses devices that hold
    /// data.
    Layout(Box<Layout>),
    /// Emulate a study's path with rate-limited devices on this machine
    ///
    /// Uses qemu-storage-daemon: one device per path to a medium, and one shared throttle group per
    /// rate limit of the path. Without --run or --up, keeps the devices until Ctrl-C, then removes
    /// them all.
    Emulate(Box<Emulate>),
    /// Compare model predictions with published measurements
    ///
    /// Without a study, uses the bundled ones. Each figure of a `published` block becomes a row
    /// with the error of each model; figures that bounds cannot predict are simulated.
    Validate(Box<Validate>),
    /// Monitor this machine's storage I/O by layer, for any load
    ///
    /// Shows a live view on a terminal, plain lines elsewhere, or JSON. Without targets, monitors
    /// the whole machine. With --record, stores the samples as a run. With --run, follows a run in
    /// progress. Changes nothing and opens no target.
    Watch(Watch),
    /// List stored runs, newest last
    List(List),
    /// Show a stored run
    Show(Show),
    /// After a crash, check that flushed writes of a measure --verify run are still there
    ///
    /// Reads the run's targets, bypassing the page cache, and compares them with the journal next
    /// to the store. Writes not covered by a flush may be lost, and are counted; a missing block
    /// that a flush covered is data loss. Read-only.
    Verify(Verify),
    /// Explain what limits a run, with evidence and tuning advice
    Explain(Explain),
    /// Write an HTML report of a run as one self-contained file
    ///
    /// Contains the verdict and its evidence, time series, fairness, latency and layers; each chart
    /// has its data and an explanation. Works offline; prints the path of the page.
    Report(Report),
    /// Browse stored runs in a local web browser: list, reports, comparisons
    ///
    /// Listens on the loopback interface only and prints an address with a random token; read-only.
    /// Follows runs in progress. Stop with Ctrl-C.
    Serve(Serve),
    /// Compare two runs, with confidence intervals and environment differences
    Compare(Compare),
    /// Export a run to a file that another store can import
    Export(Export),
    /// Import an exported run, or the output of other tools
    ///
    /// Reads output of iostat, fio (JSON), vxstat, vxbench, portperfshow, nmon and iozone and
    /// detects the format; several files of one run become one record on a common time axis. If
    /// information is missing, names the option that supplies it.
    Import(Box<Import>),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write the manual pages into a directory
    #[command(hide = true)]
    Manual(Manual),
}

/// A count of at least one.
fn count<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "write a whole number, at least 1".to_owned())
}

/// Where runs are stored.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct StoreOption {
    /// Run database [default: $XDG_DATA_HOME/iopath/runs.db]
    #[arg(long, value_name = "FILE", global = true)]
    pub store: Option<PathBuf>,
}

/// Which files outputs may replace.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DestroyOption {
    /// Allow overwriting this file, by the path printed in the refusal; repeatable
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

/// What a load sweep is compared with.
#[derive(Clone, Debug, Args)]
pub(crate) struct LoadSweepOption {
    /// Maximum mean response time in a load sweep [default: 30ms]
    #[arg(long, value_name = "TIME")]
    pub within: Option<String>,
}

impl LoadSweepOption {
    pub(crate) fn within(&self) -> Result<Nanos, Problem> {
        let parsed = self.within.as_deref().map(str::parse).transpose();
        let wrong = |error: UnitError| Problem::mistake(format!("--within: {error}"));
        Ok(parsed.map_err(wrong)?.unwrap_or(RESPONSE_WITHIN))
    }
}

/// What to measure, and where it goes.
#[derive(Debug, Args)]
pub(crate) struct Measure {
    #[command(flatten)]
    pub study: StudyOptions,
    /// Allow writing to a target that holds data, or overwriting a file with the page, by the name
    /// printed in the refusal; repeatable
    #[arg(long, value_name = "NAME")]
    pub allow_destroy: Vec<String>,
    /// Use the path described in this study for the targets [default: the study's own path, else
    /// the discovered one]
    #[arg(long, value_name = "FILE", conflicts_with = "no_path")]
    pub path: Option<PathBuf>,
    /// Do not discover the path below the targets
    #[arg(long)]
    pub no_path: bool,
    /// Wait for the end of the input, then restore the kernel settings of dead runs
    #[arg(long, hide = true)]
    pub restore_settings_at_end: bool,
    /// Resume an interrupted run of the same trials: keep its finished ones, measure the rest, all
    /// in a new run
    #[arg(long, value_name = "RUN", conflicts_with = "find_max")]
    pub resume: Option<String>,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub find_max: FindMaxOption,
    #[command(flatten)]
    pub load_sweep: LoadSweepOption,
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
    #[arg(long, value_name = "PATH", alias = "filename")]
    pub target: Vec<PathBuf>,
    /// I/O operation: read, write, mix=70 (percent reads), or trim (discard) [default: read]
    #[arg(long)]
    pub op: Option<String>,
    /// Metadata operations on small files, in this order: create,stat,open,unlink; uses a new
    /// directory below --target and removes it at the end
    #[arg(long, value_name = "WHAT")]
    pub metadata: Option<String>,
    /// Number of files for --metadata, over all streams [default: 10000]
    #[arg(long, value_name = "N")]
    pub files: Option<String>,
    /// Number of directories for --metadata [default: 1]
    #[arg(long, value_name = "N")]
    pub directories: Option<String>,
    /// Size of each file, written by create and read by open [default: 0]
    #[arg(long, value_name = "SIZE")]
    pub file_size: Option<String>,
    /// Access pattern with its properties: random, or strided,stride=1MiB [default: sequential]
    #[arg(long)]
    pub pattern: Option<String>,
    /// Region of the target per stream: own (split evenly) or shared [default: own]
    #[arg(long)]
    pub region: Option<String>,
    /// Block size per request [default: 1 MiB sequential, 4 KiB otherwise]
    #[arg(long, value_name = "SIZE", alias = "bs")]
    pub block: Option<String>,
    /// Queue depth per stream [default: 8 sequential, 32 otherwise]
    #[arg(long, value_name = "N", alias = "iodepth")]
    pub depth: Option<String>,
    /// Total number of streams, spread over the targets [default: one per target]
    #[arg(long, value_name = "N")]
    pub streams: Option<String>,
    /// Bytes to use of each target [default: all]
    #[arg(long)]
    pub size: Option<String>,
    /// Run time of a pass, excluding warm-up [default: 10 s]
    #[arg(long, alias = "runtime")]
    pub time: Option<String>,
    /// Warm-up time before each pass, not counted [default: 2 s]
    #[arg(long, value_name = "TIME")]
    pub warm_up: Option<String>,
    /// Number of passes [default: 3]
    #[arg(long, value_name = "N")]
    pub passes: Option<String>,
    /// Repeat until the 95 % confidence interval of throughput is within ± this share: 2%
    #[arg(long, value_name = "SHARE")]
    pub until_ci: Option<String>,
    /// Cache mode: direct, buffered, or drop (drop the targets' page cache before each pass)
    #[arg(long)]
    pub cache: Option<String>,
    /// I/O engine: auto, uring, calls, threads, mmap, or null (no I/O: generator only)
    /// [default: auto]
    #[arg(long)]
    pub engine: Option<String>,
    /// Buffer memory: heap, shared, huge, or huge-required [default: heap]
    #[arg(long)]
    pub buffers: Option<String>,
    /// Open loop: total rate of all streams in requests or bytes per second: 20000/s, 100MB/s
    #[arg(long)]
    pub rate: Option<String>,
    /// Arrival process of an open loop: constant or poisson [default: constant]
    #[arg(long)]
    pub arrivals: Option<String>,
    /// How writes are flushed: dsync or sync (each write), fsync=N or fdatasync=N (a flush after
    /// every N writes), end (one fsync at the end of a stream), or none [default: none]
    #[arg(long, value_name = "HOW")]
    pub sync: Option<String>,
    /// Verify data: stamp writes and check reads
    #[arg(long)]
    pub verify: bool,
    /// Random seed [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<String>,
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
pub(crate) struct Show {
    /// Run: its number, last, or last~1
    pub run: String,
    /// Show all details: streams, layers, environment, study
    #[arg(long, conflicts_with = "json")]
    pub full: bool,
    #[command(flatten)]
    pub load_sweep: LoadSweepOption,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// Run: its number, last, or last~1
    #[arg(default_value = "last")]
    pub run: String,
    /// Find targets that share a limit, by short read-only experiments
    #[arg(long)]
    pub probe: bool,
    /// Run time of an experiment, excluding 300 ms of warm-up
    #[arg(long, value_name = "TIME", default_value = "2 s", requires = "probe")]
    pub time: String,
    /// Do not show progress
    #[arg(long, requires = "probe")]
    pub no_progress: bool,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// Baseline run
    pub a: String,
    /// Run to compare with the baseline
    pub b: String,
    #[command(flatten)]
    pub show: ShowOptions,
    #[command(flatten)]
    pub store: StoreOption,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// Run: its number, last, or last~1
    pub run: String,
    /// Output file, - for stdout [default: stdout]; overwrites none without --allow-destroy
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
    /// Output directory
    pub directory: PathBuf,
    #[command(flatten)]
    pub destroy: DestroyOption,
}
