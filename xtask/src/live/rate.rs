//! `rate`: how late answers are at 20,000 requests a second.

use anyhow::Result;

use super::due::delay;
use super::fio::{self, Time};
use super::stage::Stage;
use super::stream::Stream;
use super::system::{Study, System};
use super::{Tally, verdict};

const PER_SEC: f64 = 20_000.0;
const SERVICE_US: u64 = 200;
/// In flight at most; four are on average.
const DEPTH: u64 = 32;
/// Microseconds within which 99 % of the answers must follow their due time.
const LATE_US: f64 = 200.0;
/// Percent of the rate that fio must have reached for the figure to say something.
const REACHED: f64 = 98.0;
const TIME: Time = Time { warm_up: 1, counted: 8 };

const HEAD: &str = "\
| wanted | reached | mean response | late at the median | at p99 | in time | met |
|---|---|---|---|---|---|---|";

pub(crate) fn play(stage: &Stage) -> Result<Tally> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("rate.kdl");
    std::fs::write(&file, delay(SERVICE_US))?;
    let system = System::up(stage, &Study::of(&file), &[])?;
    system.restart()?;
    let stream = Stream {
        op: "randread".to_owned(),
        reads_percent: 100,
        block: 4096,
        depth: DEPTH,
        count: 1,
        is_shared: false,
        rate: Some(PER_SEC),
        is_poisson: false,
    };
    let figures = fio::run(stage, &system, &stream, TIME, "rate")?;
    let lateness = system.report()?.lateness;
    let reached = figures.bytes_per_sec / stream.block as f64;
    let (p50, p99) = (lateness.micros(0.5), lateness.micros(0.99));
    let mut missed = Vec::new();
    if reached < PER_SEC * REACHED / 100.0 {
        missed.push("the rate was not reached".to_owned());
    }
    if p99 > LATE_US {
        missed.push(format!("later than {LATE_US} µs at p99"));
    }
    println!(
        "{HEAD}\n| {PER_SEC:.0}/s | {reached:.0}/s | {:.0} µs | \
         {p50:.0} µs | {p99:.0} µs | {:.2} % | {} |",
        figures.mean_ns / 1e3,
        lateness.in_time_percent(),
        verdict(&missed)
    );
    let mut tally = Tally::default();
    tally.add(missed.is_empty());
    Ok(tally)
}
