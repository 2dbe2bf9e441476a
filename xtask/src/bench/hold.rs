//! How many events a second the queue of the simulation takes, by the example program of its
//! crate. That program reads no clock, so its processor time is seen from outside.

use std::path::PathBuf;

use anyhow::Result;

use super::outcome::{Goal, Outcome, Value};
use super::place::{Place, Where};
use super::stage::Stage;

/// The hold model: what is taken comes again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    /// Events at any time.
    pub pending: u32,
    /// Millions a second, on one core.
    pub least: f64,
}

/// So many that the steps of 10 ms in which time is told are below 1 %.
const EVENTS: u32 = 100_000_000;

pub(crate) fn measure(hold: Hold, stage: &Stage, outcome: &mut Outcome) -> Result<()> {
    let queue = Queue::build(hold.pending, stage)?;
    let place = Place::empty(&stage.folder(Where::Memory))?;
    let millions = (0..stage.runs()).map(|_| queue.millions_per_sec(stage, &place));
    let goal = Some(Goal::AtLeast(hold.least));
    let millions = millions.collect::<Result<_>>()?;
    outcome.values.push(Value::new("million events/s", millions, goal));
    Ok(())
}

/// The example program with so many events pending.
pub(super) struct Queue {
    program: PathBuf,
    pending: u32,
}

impl Queue {
    pub(super) fn build(pending: u32, stage: &Stage) -> Result<Self> {
        let program = stage.source.example("hold")?;
        Ok(Self { program, pending })
    }

    /// On one core.
    pub(super) fn millions_per_sec(&self, stage: &Stage, place: &Place) -> Result<f64> {
        let (program, pending) = (self.program.display(), self.pending);
        let words = [program.to_string(), pending.to_string(), EVENTS.to_string()];
        let (_, cost) = stage.output(&words, place)?;
        Ok(f64::from(EVENTS) * 1e-6 / (cost.user_sec + cost.system_sec))
    }
}
