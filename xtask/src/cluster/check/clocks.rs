//! Clocks of hosts that are a known time apart: errors, and whether the stated bound is true.
//!
//! The test program of `iopath-mpi` compares clocks a hundred times and knows the truth: the clock
//! of rank r is 1000 r seconds ahead. It fails where an error is above its bound.

use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::super::delay::Delay;
use super::super::job::Job;
use super::super::launcher::Mpi;
use super::super::options::Shape;
use super::row::Row;
use super::stage::Stage;

/// What the test program assumes.
const SKEW_S: u32 = 1_000;
const HOSTS: u32 = 3;
const MOST: Duration = Duration::from_secs(90);

pub(super) fn run(stage: &Stage<'_>) -> Result<Vec<Row>> {
    let delay = Delay::parse("1ms±0.5ms")?;
    let near = compared(stage, None)?.row("clock error, at once", 50.0);
    let far = compared(stage, Some(delay))?.row("clock error, 1 ± 0.5 ms each way", 300.0);
    Ok(vec![near, far])
}

struct Compared {
    error_us_p99: f64,
    bound_us_p99: f64,
}

impl Compared {
    fn row(&self, what: &str, most_us: f64) -> Row {
        let reached =
            format!("{:.1} µs (bound {:.1} µs, true)", self.error_us_p99, self.bound_us_p99);
        let goal = format!("p99 ≤ {most_us} µs");
        Row::of(what, &goal, reached, self.error_us_p99 <= most_us)
    }
}

fn compared(stage: &Stage<'_>, delay: Option<Delay>) -> Result<Compared> {
    let shape = Shape { hosts: HOSTS, delay, skew_s: SKEW_S, ..Shape::default() };
    let cluster = stage.front.cluster(&shape)?;
    for host in &cluster.hosts {
        let ahead = i64::from(host.number) * i64::from(SKEW_S) * 1_000_000_000;
        ensure!(host.ahead_ns()? == ahead, "{} is not {ahead} ns ahead", host.name());
    }
    let mut command = cluster.mpirun(Mpi::OpenMpi, HOSTS);
    command.arg(stage.front.programs.world()?).arg("namespaces");
    let ended = Job::start(command, &stage.front.asked)?.finish(MOST)?;
    ensure!(ended.status.success(), "a bound is not true: {}{}", ended.stdout, ended.stderr);
    let said = ended.stdout.lines().find(|line| line.starts_with("error "));
    let said = said.context("no errors are said")?;
    let (error, bound) = said.split_once("bound").context("no bound is said")?;
    Ok(Compared { error_us_p99: p99(error)?, bound_us_p99: p99(bound)? })
}

fn p99(said: &str) -> Result<f64> {
    let mut words = said.split_whitespace().skip_while(|word| *word != "p99").skip(1);
    words.next().and_then(|word| word.parse().ok()).with_context(|| format!("no p99: {said}"))
}
