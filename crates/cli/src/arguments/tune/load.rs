//! The options of `iopath tune` that say what the load on targets is like. What one of them fixes
//! is nothing to choose any more.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::CaseOptions;

/// The load on targets, which a study says itself.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Load on targets, without a study")]
pub(crate) struct TunedLoad {
    /// I/O operation: read, write, or mix=70 (percent reads) [default: read]
    #[arg(long)]
    pub op: Option<String>,
    /// Access pattern with its properties: random, or strided,stride=1MiB [default: sequential for
    /// throughput, else random]
    #[arg(long)]
    pub pattern: Option<String>,
    /// Region of the target per stream: own (split evenly) or shared [default: own]
    #[arg(long)]
    pub region: Option<String>,
    /// Block size per request [default: chosen for sequential throughput, else 4 KiB]
    #[arg(long, value_name = "SIZE")]
    pub block: Option<String>,
    /// Queue depth per stream [default: chosen; for latency and through the page cache 1]
    #[arg(long, value_name = "N")]
    pub depth: Option<String>,
    /// Total number of streams, a multiple of the targets [default: chosen; for latency one per
    /// target]
    #[arg(long, value_name = "N")]
    pub streams: Option<String>,
    /// Bytes to use of each target [default: all]
    #[arg(long)]
    pub size: Option<String>,
    /// Run time of a pass, excluding warm-up [default: 2 s; with --technique emulate 10 s]
    #[arg(long)]
    pub time: Option<String>,
    /// Warm-up time before each pass, not counted [default: 500 ms; with --technique emulate 2 s]
    #[arg(long, value_name = "TIME")]
    pub warm_up: Option<String>,
    /// Cache mode: direct, or through the page cache, with its readahead as a choice: buffered, or
    /// drop (drop the targets' page cache before each pass) [default: direct]
    #[arg(long)]
    pub cache: Option<String>,
    /// I/O engine: auto, uring, calls, threads or mmap [default: auto; chosen for latency]
    #[arg(long)]
    pub engine: Option<String>,
    /// Open loop: total rate of all streams in requests or bytes per second: 20000/s, 100MB/s
    #[arg(long)]
    pub rate: Option<String>,
    /// Arrival process of an open loop: constant or poisson [default: constant]
    #[arg(long)]
    pub arrivals: Option<String>,
    /// How writes are flushed: dsync, sync, fsync=N, fdatasync=N, end, or none [default: none]
    #[arg(long, value_name = "HOW")]
    pub sync: Option<String>,
    /// Random seed [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<String>,
}

impl TunedLoad {
    /// The same as options of a case on these targets.
    pub(crate) fn on(&self, targets: &[PathBuf]) -> CaseOptions {
        let Self { op, pattern, region, block, depth, streams, size, .. } = self.clone();
        let Self { time, warm_up, cache, engine, rate, arrivals, sync, seed, .. } = self.clone();
        CaseOptions {
            target: targets.to_vec(),
            op,
            pattern,
            region,
            block,
            depth,
            streams,
            size,
            time,
            warm_up,
            cache,
            engine,
            rate,
            arrivals,
            sync,
            seed,
            ..CaseOptions::default()
        }
    }
}
