//! What held a trial back, with evidence. Causes are tried from the one that needs least belief
//! to the one that needs most: the rate that was asked for, the generator, a rated component that
//! carries the devices, what an emulated path fills, a throttle, the page cache, the processors,
//! flushes, too few requests in flight, the device, any other component with a rating. The
//! first that its counters prove is the answer; when none is proved the answer is `unknown`, with
//! what was ruled out. Never a guess.
//!
//! A model's record has no kernel and no generator, and everything on its path is described and
//! counted. There the causes are: the rate that was asked for, a component that is full, threads
//! that never rest, parts that wait for one another, flushes, and, with nothing full and all slots
//! taken, the time of a request.
//!
//! Of a live emulation, whose requests are real and whose path is a simulation, the causes are
//! those of a model, behind what the load's own generator shows.
//!
//! It leaves out what a record cannot show: which part of a device, or what lies behind it.

use crate::judges::metrics::TrialMetrics;
use crate::statistics::variation;
use crate::thresholds::limits::SLOTS_TAKEN_SHARE;

mod capacity;
pub(crate) mod component;
mod device;
mod emulated;
mod flush;
mod generator;
mod in_flight;
mod latency;
mod page_cache;
mod plateau;
mod processor;
pub(crate) mod rate;
mod synchronisation;
mod throttle;

pub use crate::judges::evidence::{
    Capacity, CapacityUse, Cause, DepthChange, Evidence, EvidenceLaw, Fact, Flushed, LatencyUse,
    Limiting, MemberFact, MemberRates, MemberTimes, Nothing, Plateau, Range, RateOf,
};

/// What one cause's rules say.
struct Judgement {
    cause: Cause,
    /// The entity, when the cause is proved.
    proved: Option<String>,
    evidence: Vec<Evidence>,
}

impl Judgement {
    fn open(cause: Cause) -> Self {
        Self { cause, proved: None, evidence: Vec::new() }
    }

    /// Adds a line, and names its entity as the limit when it `proves` the cause.
    fn add(&mut self, line: Evidence, weight: Weight) {
        if weight == Weight::Proves && self.proved.is_none() {
            self.proved = Some(line.entity.clone());
        }
        self.evidence.push(line);
    }
}

/// What a line of evidence is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    Proves,
    Tells,
}

impl Weight {
    fn of(proves: bool) -> Self {
        if proves { Self::Proves } else { Self::Tells }
    }
}

/// Judges the facts of a trial.
pub(crate) fn judge(metrics: &TrialMetrics) -> Limiting {
    if metrics.is_watched {
        return judge_watched(metrics);
    }
    // A tool that does not tell requests tells bytes.
    if metrics.operations_per_sec <= 0.0 && metrics.application_bytes.iter().sum::<f64>() <= 0.0 {
        return nothing(Nothing::Completed);
    }
    let judges: &[fn(&TrialMetrics) -> Judgement] = match (metrics.is_model, metrics.is_live) {
        (true, _) => &[
            rate::judge,
            component::judge,
            processor::judge_threads,
            synchronisation::judge,
            flush::judge,
            latency::judge,
        ],
        // Behind the load's own generator there is a model.
        (false, true) => &[
            rate::judge,
            generator::judge,
            component::judge,
            synchronisation::judge,
            flush::judge,
            latency::judge,
        ],
        (false, false) => &[
            rate::judge,
            generator::judge,
            component::judge_carriers,
            emulated::judge,
            throttle::judge,
            page_cache::judge,
            processor::judge,
            flush::judge,
            in_flight::judge,
            device::judge,
            component::judge,
        ],
    };
    decide(metrics, judges)
}

/// Without streams nobody knows what was asked for, nor what a cache gave.
fn judge_watched(metrics: &TrialMetrics) -> Limiting {
    let moved = metrics
        .devices
        .iter()
        .filter_map(|device| device.usage.transfers.bytes_per_sec)
        .sum::<f64>();
    if metrics.operations_per_sec <= 0.0 && moved <= 0.0 {
        return nothing(Nothing::Moved);
    }
    let judges: &[fn(&TrialMetrics) -> Judgement] = match metrics.is_live {
        // No kernel is inside it.
        true => &[component::judge, device::judge],
        false => &[
            component::judge_carriers,
            throttle::judge,
            processor::judge,
            device::judge,
            component::judge,
        ],
    };
    decide(metrics, judges)
}

fn decide(metrics: &TrialMetrics, judges: &[fn(&TrialMetrics) -> Judgement]) -> Limiting {
    let judgements: Vec<Judgement> = judges.iter().map(|judge| judge(metrics)).collect();
    match judgements.iter().position(|judgement| judgement.proved.is_some()) {
        Some(at) => found(metrics, judgements, at),
        None => {
            let mut evidence: Vec<Evidence> = Vec::new();
            // Two causes may look at the same line.
            for line in judgements.into_iter().flat_map(|judgement| judgement.evidence) {
                if !evidence.contains(&line) {
                    evidence.push(line);
                }
            }
            Limiting { cause: Cause::Unknown, entity: None, capacity: None, evidence }
        }
    }
}

/// The proved cause with its evidence. What comes out of memory costs processor time, so the
/// processors' lines go along with the page cache's.
fn found(metrics: &TrialMetrics, judgements: Vec<Judgement>, at: usize) -> Limiting {
    let cause = judgements[at].cause;
    let goes_along = |index: usize, judgement: &Judgement| {
        index == at || cause == Cause::PageCache && judgement.cause == Cause::Cpu
    };
    let entity = judgements[at].proved.clone();
    let kept = judgements.into_iter().enumerate().filter(|(index, j)| goes_along(*index, j));
    let capacity = entity.as_ref().and_then(|entity| capacity::of(metrics, cause, entity));
    Limiting { cause, entity, capacity, evidence: kept.flat_map(|(_, j)| j.evidence).collect() }
}

fn nothing(of: Nothing) -> Limiting {
    let line = Evidence {
        entity: "all streams".to_owned(),
        fact: Fact::Completions(of),
        value: 0.0,
        threshold: 0.0,
    };
    Limiting { cause: Cause::Unknown, entity: None, capacity: None, evidence: vec![line] }
}

/// The slots, where all of them are taken.
fn taken(metrics: &TrialMetrics) -> Option<u64> {
    let slots = metrics.slots().filter(|slots| *slots > 0)?;
    (metrics.in_flight() >= SLOTS_TAKEN_SHARE * slots as f64).then_some(slots)
}

/// Spread over mean of the rates of whole intervals; none of fewer than two. Load begins in the
/// first interval and ends in the last.
fn spread(rates: &[f64]) -> Option<f64> {
    let last = rates.iter().rposition(|rate| *rate > 0.0)?;
    variation(rates.get(1..last)?)
}

#[cfg(test)]
mod carrier_tests;
#[cfg(test)]
mod member_tests;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests;
