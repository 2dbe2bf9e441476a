//! Facts of a record's environment: the key of each, once, for who writes and who reads it.
//!
//! It leaves out what is only passed on: the kernel's facts have the names that `machine` gives
//! them, options of other tools those of the tool.

mod restated;

use std::collections::BTreeMap;

pub use restated::restated;

/// Facts about machine, targets and settings, by key.
pub type Environment = BTreeMap<String, String>;

/// What a fact is about. It prints as its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Fact<'a> {
    /// Requests a second that a stream is bound to, by its group.
    #[strum(to_string = "bound.operations_per_sec.{0}")]
    StreamBound(&'a str),
    /// Bytes of all buffers.
    #[strum(to_string = "buffers.bytes")]
    BufferBytes,
    /// Bytes of buffers that lie on huge pages.
    #[strum(to_string = "buffers.huge_bytes")]
    HugeBytes,
    /// What buffers lie on.
    #[strum(to_string = "buffers.kind")]
    BufferKind,
    /// Bytes of media whose size is stated.
    #[strum(to_string = "capacity.raw_bytes")]
    RawBytes,
    /// Bytes that volumes of a path have for data.
    #[strum(to_string = "capacity.usable_bytes")]
    UsableBytes,
    /// Media that do not state their size.
    #[strum(to_string = "capacity.media_without_size")]
    MediaWithoutSize,
    /// Sum of the prices of a path's parts.
    #[strum(to_string = "capacity.price")]
    Price,
    /// Rack units that a path takes.
    #[strum(to_string = "capacity.rack_units")]
    RackUnits,
    /// A setting of a block device, by the kernel's names.
    #[strum(to_string = "device.{0}.{1}")]
    Device(&'a str, &'a str),
    /// Devices of an emulated path.
    #[strum(to_string = "emulation.devices")]
    EmulatedDevices,
    /// Its groups of tokens.
    #[strum(to_string = "emulation.groups")]
    EmulatedGroups,
    /// Requests that a live system answered.
    #[strum(to_string = "emulation.answers")]
    Answers,
    /// Those of them that were in time, in millionths.
    #[strum(to_string = "emulation.answers.in_time_ppm")]
    AnswersInTime,
    /// How late an answer was, by quantile: `p50`, `p99`, `max`.
    #[strum(to_string = "emulation.answers.late_{0}_ns")]
    AnswersLate(&'a str),
    /// The scale of a live system of which only its own counters were watched: `1:10`.
    #[strum(to_string = "emulation.inside")]
    Inside,
    /// Recorded requests that arrived once more.
    #[strum(to_string = "replay.requests")]
    Replayed,
    /// Those of them that were answered as recorded, in millionths.
    #[strum(to_string = "replay.as_recorded_ppm")]
    ReplayedAsRecorded,
    /// How fast an emulated path was predicted to be.
    #[strum(to_string = "emulation.full.at_bytes_per_sec")]
    FullAtBytesPerSec,
    /// What limits it then.
    #[strum(to_string = "emulation.full.limit")]
    FullLimit,
    /// What is full then.
    #[strum(to_string = "emulation.full.name")]
    FullName,
    /// The engine that was asked for.
    #[strum(to_string = "engine.asked")]
    EngineAsked,
    /// The engine of an action that the one used does not do.
    #[strum(to_string = "engine.{0}")]
    EngineOf(&'a str),
    /// The engine that was really used.
    #[strum(to_string = "engine.used")]
    EngineUsed,
    /// The limit of response time that the highest load is searched for: "p99=2 ms".
    #[strum(to_string = "find_max.latency")]
    FindMaxLatency,
    /// How far apart the highest load within and the lowest beyond may be, in millionths.
    #[strum(to_string = "find_max.precision_ppm")]
    FindMaxPrecision,
    /// Requests a second that use the system up, as far as it was known before the search.
    #[strum(to_string = "find_max.saturated_operations_per_sec")]
    FindMaxSaturated,
    /// Requests a second without storage.
    #[strum(to_string = "generator.ceiling_operations_per_sec")]
    Ceiling,
    /// When the machine was started, as an identifier.
    #[strum(to_string = "host.boot_id")]
    HostBoot,
    /// The machine's name.
    #[strum(to_string = "host.name")]
    HostName,
    /// How long the machine had been up.
    #[strum(to_string = "host.uptime_seconds")]
    HostUptime,
    /// What `k`, `m` and `g` of portperfshow count.
    #[strum(to_string = "import.portperfshow.prefix")]
    PortPrefix,
    /// What KB of vxbench are.
    #[strum(to_string = "import.vxbench.kb_bytes")]
    VxbenchKb,
    /// What a block of vxstat is.
    #[strum(to_string = "import.vxstat.block_bytes")]
    VxstatBlock,
    /// Shares of the sub-streams of a load, by its group.
    #[strum(to_string = "intensity.{0}.shares_ppm")]
    Shares(&'a str),
    /// The version of the program.
    #[strum(to_string = "iopath.version")]
    Version,
    /// The kernel's version.
    #[strum(to_string = "kernel.release")]
    KernelRelease,
    /// Processors of the machine.
    #[strum(to_string = "machine.cpus")]
    Cpus,
    /// Its main memory.
    #[strum(to_string = "machine.memory_bytes")]
    MemoryBytes,
    /// The bound that the figures of a model are of.
    #[strum(to_string = "model.bound")]
    ModelBound,
    /// Whether its response curve rests on stated variabilities.
    #[strum(to_string = "model.variability")]
    ModelVariability,
    /// How many parts of a kind a path has.
    #[strum(to_string = "parts.{0}")]
    Parts(&'a str),
    /// Processor times of requests that nobody stated, by `cost`.
    #[strum(to_string = "path.assumed_costs")]
    AssumedCosts,
    /// Where the path of a measured case is from.
    #[strum(to_string = "path.from")]
    PathFrom,
    /// Why nothing moves without what was removed.
    #[strum(to_string = "path.nothing_left")]
    NothingLeft,
    /// Declarations of streams which nothing limits, so that no bound has them.
    #[strum(to_string = "path.unrated")]
    Unrated,
    /// What was removed.
    #[strum(to_string = "path.without")]
    Without,
    /// How many ranks measured together.
    #[strum(to_string = "ranks.count")]
    RankCount,
    /// The hosts that they were on, by name, in the order of their nodes.
    #[strum(to_string = "ranks.hosts")]
    RankHosts,
    /// How far the clocks of two of them may be apart.
    #[strum(to_string = "ranks.clock_bound_ns")]
    ClockBound,
    /// How long after the agreed instant the last rank let its streams go.
    #[strum(to_string = "ranks.start_skew_ns")]
    StartSkew,
    /// How long the root took to make one record of those of all ranks.
    #[strum(to_string = "ranks.merge_ns")]
    MergeTime,
    /// Why clocks are known less well than they could be.
    #[strum(to_string = "ranks.clocks")]
    Clocks,
    /// The name of a node's host.
    #[strum(to_string = "ranks.{0}.host")]
    NodeHost(&'a str),
    /// Names of the streams that ran on a node.
    #[strum(to_string = "ranks.{0}.streams")]
    NodeStreams(&'a str),
    /// Names of the devices that are one, each as another kernel counts it, by their identity.
    #[strum(to_string = "shared.{0}.devices")]
    SharedDevices(&'a str),
    /// The command as it was typed.
    #[strum(to_string = "run.command")]
    Command,
    /// Properties that vary in its study.
    #[strum(to_string = "run.varied")]
    Varied,
    /// A setting of the machine as the run found it, by its file.
    #[strum(to_string = "setting.{0}.before")]
    SettingBefore(&'a str),
    /// The same during the run.
    #[strum(to_string = "setting.{0}.during")]
    SettingDuring(&'a str),
    /// Events of a simulation.
    #[strum(to_string = "simulation.events")]
    SimulatedEvents,
    /// Half-width of its throughput.
    #[strum(to_string = "simulation.half_width")]
    HalfWidth,
    /// A hash over the order of its events.
    #[strum(to_string = "simulation.order_hash")]
    OrderHash,
    /// Its seed.
    #[strum(to_string = "simulation.seed")]
    SimulatedSeed,
    /// Components that its requests passed.
    #[strum(to_string = "simulation.stages")]
    Stages,
    /// Why it ended.
    #[strum(to_string = "simulation.stopped_by")]
    StoppedBy,
    /// Threads of a stream, by its group.
    #[strum(to_string = "simulation.threads.{0}")]
    Threads(&'a str),
    /// How long its window was.
    #[strum(to_string = "simulation.window_s")]
    Window,
    /// Something about a target, by its name in the study.
    #[strum(to_string = "target.{0}.{1}")]
    Target(&'a str, TargetFact),
    /// Block size of all streams.
    #[strum(to_string = "workload.block")]
    Block,
    /// Queue depth of all streams.
    #[strum(to_string = "workload.depth")]
    Depth,
    /// What all streams tell the kernel of their order.
    #[strum(to_string = "workload.advice")]
    Advice,
    /// How the requests of all streams follow one another.
    #[strum(to_string = "workload.pacing")]
    Pacing,
    /// Share of reads of all streams.
    #[strum(to_string = "workload.reads")]
    Reads,
    /// How many streams there are.
    #[strum(to_string = "workload.streams")]
    Streams,
    /// Order of offsets of all streams.
    #[strum(to_string = "workload.pattern")]
    Pattern,
    /// Whether streams share their region.
    #[strum(to_string = "workload.region")]
    Region,
    /// Root of all randomness.
    #[strum(to_string = "workload.seed")]
    Seed,
    /// All ways in which writes are synced.
    #[strum(to_string = "workload.sync")]
    Sync,
    /// Half-width that was asked for, in percent.
    #[strum(to_string = "workload.until_ci_percent")]
    UntilCi,
    /// How much is verified.
    #[strum(to_string = "workload.verify")]
    Verify,
}

/// What is known of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum TargetFact {
    /// Its size.
    Bytes,
    /// How requests pass the page cache.
    Cache,
    /// Block devices below.
    Devices,
    /// Alignment for direct I/O.
    DirectIo,
    /// Directories of a tree.
    Directories,
    /// Bytes in each of its files.
    FileBytes,
    /// The file system that it lies on.
    FileSystem,
    /// Files of a tree.
    Files,
    /// Whether it lies in memory.
    InMemory,
    /// File, directory, device or volume.
    Kind,
    /// Bytes of it that were in the page cache before the pass.
    LeftCachedBytes,
    /// Of how many files or devices a volume is made.
    Members,
    /// The real file or device.
    Path,
    /// Seed of its stamps.
    StampSeed,
}

impl Fact<'_> {
    /// The fact with a value, as an environment has it.
    #[must_use]
    pub fn is(self, value: impl Into<String>) -> (String, String) {
        (self.to_string(), value.into())
    }

    /// The value that an environment has; none where it does not know.
    #[must_use]
    pub fn of(self, environment: &Environment) -> Option<&str> {
        environment.get(&self.to_string()).map(String::as_str)
    }
}

impl From<Fact<'_>> for String {
    fn from(fact: Fact<'_>) -> Self {
        fact.to_string()
    }
}

impl TargetFact {
    /// The value of `cache` where direct I/O was asked for and the file system refused it.
    pub const DIRECT_REFUSED: &str = "buffered (direct refused)";

    /// This fact of every target of an environment, by the name of the target.
    pub fn of_each(self, environment: &Environment) -> impl Iterator<Item = (&str, &str)> {
        environment.iter().filter_map(move |(key, value)| Some((self.target(key)?, value.as_str())))
    }

    /// The target that a key says this of; none where it is the key of another fact.
    #[must_use]
    pub fn target(self, key: &str) -> Option<&str> {
        key.strip_prefix("target.")?.strip_suffix(self.to_string().as_str())?.strip_suffix('.')
    }

    /// The keys of this fact of all targets, as a pattern.
    #[must_use]
    pub fn pattern(self) -> String {
        format!("target.*.{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_read_by_the_key_that_it_is_written_with() {
        let device = Fact::Device("sda", "read_ahead_kb");
        let cache = Fact::Target("data.0", TargetFact::Cache);
        let facts = [device.is("128"), cache.is("direct"), Fact::MemoryBytes.is("1")];
        let environment = Environment::from(facts);
        let keys: Vec<&str> = environment.keys().map(String::as_str).collect();
        let wanted = ["device.sda.read_ahead_kb", "machine.memory_bytes", "target.data.0.cache"];
        assert_eq!(keys, wanted);
        assert_eq!(device.of(&environment), Some("128"));
        assert_eq!(Fact::Device("sdb", "read_ahead_kb").of(&environment), None);
        let caches: Vec<_> = TargetFact::Cache.of_each(&environment).collect();
        assert_eq!(caches, [("data.0", "direct")]);
        assert_eq!(TargetFact::Cache.target("target.data.0.cache"), Some("data.0"));
        assert_eq!(TargetFact::Cache.target("target.data.0.page_cache"), None);
        assert_eq!(TargetFact::Cache.pattern(), "target.*.cache");
    }
}
