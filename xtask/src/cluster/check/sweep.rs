//! A sweep of many short simulations: eight ranks on eight hosts against one process, on the same
//! processors. Where each rank had processors of its own, it would be as many times as fast as this
//! efficiency says.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::super::launcher::Mpi;
use super::super::options::Shape;
use super::row::Row;
use super::stage::{By, Stage};

const HOSTS: u32 = 8;

/// Levels of each of two factors: their square is 10⁴ cases.
const LEVELS: u32 = 100;

/// What ranks may cost: eight are to be seven times as fast as one.
const GOAL: f64 = 7.0 / 8.0;

/// Runs of each, in turn.
const PAIRS: usize = 3;

pub(super) fn run(stage: &Stage<'_>) -> Result<Vec<Row>> {
    let cluster =
        stage.front.cluster(&Shape { hosts: HOSTS, skew_s: 86_400, ..Shape::default() })?;
    let by = By { cluster: &cluster, mpi: Mpi::OpenMpi, ranks: HOSTS };
    let study = stage.study("sweep.kdl", &study())?;
    let words = |threads: &str| -> Vec<String> {
        ["simulate", &study, "--json", "--no-progress", "--no-report", "--threads", threads]
            .map(str::to_owned)
            .to_vec()
    };
    // One process has all processors; of eight ranks each has a thread.
    let processors = std::thread::available_parallelism()?.to_string();
    let mut efficiencies = Vec::new();
    for _ in 0..PAIRS {
        let (alone, alone_took) = timed(|| stage.said_alone(&words(&processors)))?;
        let (spread, spread_took) = timed(|| stage.said_by(by, &words("1")))?;
        ensure!(alone == spread, "what ranks print differs from what one process prints");
        efficiencies.push(alone_took.as_secs_f64() / spread_took.as_secs_f64());
    }
    efficiencies.sort_by(f64::total_cmp);
    let median = efficiencies[PAIRS / 2];
    let (least, most) = (efficiencies[0], efficiencies[PAIRS - 1]);
    let reached = format!("{median:.3} ({least:.3} to {most:.3}, {PAIRS} pairs), output equal");
    let what = "10⁴ simulations, efficiency of 8 ranks";
    Ok(vec![Row::of(what, "≥ 7/8 of one process", reached, median >= GOAL)])
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let begin = Instant::now();
    Ok((work()?, begin.elapsed()))
}

fn study() -> String {
    let mut depths = String::new();
    let mut blocks = String::new();
    for level in 1..=LEVELS {
        let _ = write!(depths, " {level}");
        let _ = write!(blocks, " \"{} KiB\"", 4 * level);
    }
    format!(
        "study \"sweep\"\n\
         path {{ host \"h\" {{ disk \"d\" read=(given)\"200 MB/s\" latency=\"1 ms\" }} }}\n\
         workload time=\"200 ms\" {{\n    \
         streams \"s\" over=\"h.d\" op=\"read\" block=\"4 KiB\"\n}}\n\
         vary {{\n    factor \"depth\" of=\"s.depth\"{depths}\n    \
         factor \"block\" of=\"s.block\"{blocks}\n}}\n"
    )
}
