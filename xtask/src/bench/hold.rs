//! How many events a second the queue of the simulation takes, by the example program of its
//! crate. That program reads no clock, so its processor time is seen from outside.

use anyhow::Result;

use super::alone::RUNS;
use super::outcome::{Goal, Outcome, Value};
use super::place::{Place, Where};
use super::programs;
use super::stage::Stage;

/// The hold model: what is taken comes again.
#[derive(Clone, Copy)]
pub(crate) struct Hold {
    /// Events at any time.
    pub pending: u32,
    /// Millions a second, on one core.
    pub least: f64,
}

/// So many that the steps of 10 ms in which time is told are below 1 %.
const EVENTS: u32 = 100_000_000;

pub(crate) fn measure(hold: Hold, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let program = programs::build(&["-p", "iopath-simulation", "--example", "hold"])?;
    let place = Place::empty(&stage.folder(Where::Memory))?;
    let words = [program.display().to_string(), hold.pending.to_string(), EVENTS.to_string()];
    let mut millions = Vec::new();
    for _ in 0..RUNS {
        let (_, cost) = stage.output(&words, &place)?;
        millions.push(f64::from(EVENTS) * 1e-6 / (cost.user_sec + cost.system_sec));
    }
    let goal = Some(Goal::AtLeast(hold.least));
    outcome.values.push(Value::new("million events/s", millions, goal));
    Ok(())
}
