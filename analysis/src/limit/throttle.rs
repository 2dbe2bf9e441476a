//! A limit that somebody set: counted by the kernel, or a token bucket's plateau after a burst.

mod above;
mod group;

use super::{Cause, Evidence, Judgement, Weight, percent};
use crate::observed::Observed;
use crate::statistics::{mean, variation};

/// Share of the time held back that counts: chosen.
const HELD: f64 = 0.01;

/// Spread over mean below which a rate is strikingly constant: chosen. Devices' rates spread by
/// more than 1 % from second to second, token buckets by the rounding of a request.
const CONSTANT: f64 = 0.005;

/// Intervals that a plateau lasts at least, and how far a burst lies above it: chosen.
const PLATEAU: usize = 6;
const BURST: f64 = 1.2;

pub(super) fn judge(observed: &Observed) -> Judgement {
    let mut judgement = Judgement::open(Cause::Throttle);
    for (entity, share) in &observed.throttled {
        judgement.add(held(entity, *share), Weight::of(*share >= HELD));
    }
    for line in observed.devices.iter().flat_map(group::lines) {
        let reached = line.value >= group::REACHED;
        judgement.add(line, Weight::of(reached));
    }
    if let Some(line) = above::line(observed) {
        judgement.add(line, Weight::Proves);
    }
    if let Some(line) = plateau(&observed.device_rates) {
        judgement.add(line, Weight::Proves);
    }
    judgement
}

fn held(entity: &str, share: f64) -> Evidence {
    Evidence {
        entity: entity.to_owned(),
        law: "throttled-time",
        value: share,
        threshold: HELD,
        text: format!("requests were held back {} of the time by a limit", percent(share)),
    }
}

/// Constant to the end of the load after something markedly faster. A constant rate alone proves
/// nothing: that is also what a streaming disk does.
fn plateau(rates: &[f64]) -> Option<Evidence> {
    let Plateau { spread, times, .. } = Plateau::of(rates)?;
    let text = format!(
        "throughput was constant within {} for {PLATEAU} intervals after {times:.1} times as much: \
         a token bucket runs dry like that, and so does a solid-state disk's write cache",
        percent(spread),
    );
    let entity = "all devices".to_owned();
    Some(Evidence { entity, law: "plateau", value: spread, threshold: CONSTANT, text })
}

/// The rate after a burst.
pub(super) fn level(rates: &[f64]) -> Option<f64> {
    Plateau::of(rates).map(|plateau| plateau.level)
}

struct Plateau {
    level: f64,
    spread: f64,
    /// The burst before it over its level.
    times: f64,
}

impl Plateau {
    fn of(rates: &[f64]) -> Option<Self> {
        let loaded = rates.iter().rposition(|rate| *rate > 0.0)?;
        // The load ends within the last interval.
        let full = &rates[..loaded];
        let (before, flat) = full.split_at_checked(full.len().checked_sub(PLATEAU)?)?;
        let level = mean(flat)?;
        let spread = variation(flat)?;
        let times = before.iter().copied().reduce(f64::max)? / level;
        (spread <= CONSTANT && times >= BURST).then_some(Self { level, spread, times })
    }
}
