//! A sweep of 10⁴ simulations: eight ranks on eight hosts against one process, on the same
//! processors.
//!
//! Where each rank has processors of its own, what ranks cost is the processor time that they take
//! besides, so efficiency is that of one process by that of all ranks. Both are what the machine
//! was busy for, as daemons of an MPI are not children of mpirun; what it does besides counts for
//! both, and differs by a tenth and more from minute to minute: the median of pairs counts, and
//! every other pair begins with the ranks, so that a drift does not favour one side in all of them.
//! It leaves out what rank 0 alone can do: analysing and printing. A debug build takes longer than
//! a part may, so a release build is to be given (`--program`).

use std::fmt::Write as _;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::super::launcher::Mpi;
use super::super::options::Shape;
use super::row::Row;
use super::stage::{By, Stage};

const HOSTS: u32 = 8;

/// Levels of each of two factors: their square is 10⁴ cases.
const LEVELS: u32 = 100;

/// What ranks may cost: eight are to be seven times as fast as one.
const GOAL: f64 = 7.0 / 8.0;

/// Runs of each, in turn. Chosen: seven minutes.
const PAIRS: usize = 3;

/// Of /proc/stat: USER_HZ is 100 on all that Linux runs on today.
const TICK_MS: f64 = 10.0;

pub(super) fn run(stage: &Stage<'_>) -> Result<Vec<Row>> {
    let what = "10⁴ simulations, efficiency of 8 ranks";
    if stage.check.program.is_none() {
        return Ok(vec![Row::figure(
            what,
            "not run: give a release build by --program".to_owned(),
        )]);
    }
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
    let mut pairs = Vec::new();
    for at in 0..PAIRS {
        let alone = || Taken::of(|| stage.said_alone(&words(&processors)));
        let spread = || Taken::of(|| stage.said_by(by, &words("1")));
        let (alone, spread) = if at % 2 == 0 {
            (alone()?, spread()?)
        } else {
            let spread = spread()?;
            (alone()?, spread)
        };
        ensure!(alone.said == spread.said, "what ranks print differs from what one process prints");
        pairs.push(Pair { alone, spread });
    }
    pairs.sort_by(|one, other| one.efficiency().total_cmp(&other.efficiency()));
    let all: Vec<String> = pairs.iter().map(|pair| format!("{:.3}", pair.efficiency())).collect();
    let median = &pairs[PAIRS / 2];
    let each_ms = (median.spread.busy - median.alone.busy) * TICK_MS / f64::from(LEVELS * LEVELS);
    let reached = format!(
        "median of {}, {each_ms:.2} ms a simulation; {:.0} s and {:.0} s, output equal",
        all.join(", "),
        median.alone.seconds,
        median.spread.seconds
    );
    Ok(vec![Row::of(what, "≥ 7/8 of one process", reached, median.efficiency() >= GOAL)])
}

/// One process and eight ranks, one right after the other.
struct Pair {
    alone: Taken,
    spread: Taken,
}

impl Pair {
    fn efficiency(&self) -> f64 {
        self.alone.busy / self.spread.busy
    }
}

/// What a command took.
struct Taken {
    said: String,
    seconds: f64,
    /// Of all processors, in ticks.
    busy: f64,
}

impl Taken {
    fn of(work: impl FnOnce() -> Result<String>) -> Result<Self> {
        let (begin, before) = (Instant::now(), busy_ticks()?);
        let said = work()?;
        let busy = busy_ticks()?.saturating_sub(before) as f64;
        Ok(Self { said, seconds: begin.elapsed().as_secs_f64(), busy })
    }
}

/// User, nice and system time of all processors (proc(5), /proc/stat).
fn busy_ticks() -> Result<u64> {
    let text = std::fs::read_to_string("/proc/stat")?;
    let line = text.lines().next().context("/proc/stat is empty")?;
    line.split_whitespace().skip(1).take(3).map(|ticks| Ok(ticks.parse::<u64>()?)).sum()
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
         path {{ host \"h\" {{ disk \"d\" read=(given)\"2 GB/s\" latency=\"1 ms\" }} }}\n\
         workload time=\"1 s\" {{\n    \
         streams \"s\" over=\"h.d\" op=\"read\" block=\"4 KiB\"\n}}\n\
         vary {{\n    factor \"depth\" of=\"s.depth\"{depths}\n    \
         factor \"block\" of=\"s.block\"{blocks}\n}}\n"
    )
}
