//! Devices or targets of one run whose rates look like shares of one limit: equal, or steady only
//! together, where no rating explains it. A passive run cannot tell such a limit from limits of
//! their own; [`crate::probe`] can.
//!
//! It leaves out models, whose limits are all described, and runs that something else held back.

use iopath_record::{Counter, EntityId, Record, Technique};
use serde::Serialize;

use crate::judges::evidence::{Cause, EvidenceLaw, Limiting};
use crate::judges::metrics::{TrialMetrics, devices, targets};
use crate::statistics::variation;
use crate::thresholds::groups::{EQUAL_RATES_RATIO, SPREAD_INTERVALS, STEADIER_RATIO};
use crate::usage::counters::Counters;
use crate::usage::pass::{Part, Pass, bytes, phases};

/// Members whose limits one run cannot tell apart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharedLimitHint {
    /// What they have in common.
    pub how: RatePattern,
    /// Each with its rate.
    pub members: Vec<SharedLimitMember>,
    /// All together.
    pub bytes_per_sec: f64,
}

/// What rates have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RatePattern {
    /// Each is about as high as the others.
    EqualRates,
    /// Each varies from interval to interval, their sum hardly does.
    SteadySum,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharedLimitMember {
    /// Its name in the record.
    pub name: String,
    /// Its rate, both ways.
    pub bytes_per_sec: f64,
}

/// The members of a trial whose limits cannot be told apart; none where there is one member only,
/// their rates have nothing in common, or the limit is known.
#[must_use]
pub fn shared_limit(passes: &[Record], limit: &Limiting) -> Option<SharedLimitHint> {
    let first = passes.first()?;
    let is_measured = matches!(first.technique, Technique::Measurement { .. });
    let is_rated = limit
        .evidence
        .iter()
        .any(|line| line.law() == EvidenceLaw::Rating && line.value >= line.threshold);
    let is_open = matches!(limit.cause, Cause::Device | Cause::Unknown) && !is_rated;
    if !is_measured || !is_open || first.streams.is_empty() {
        return None;
    }
    let read: Vec<Pass<'_>> = passes.iter().map(Pass::of).collect();
    let devices = of_devices(&read);
    let (members, sums) = if devices.0.len() > 1 { devices } else { (of_targets(&read[0]), None) };
    let how = rate_pattern(&members, sums.as_deref())?;
    let bytes_per_sec = members.iter().map(|member| member.bytes_per_sec).sum();
    Some(SharedLimitHint { how, members, bytes_per_sec })
}

fn rate_pattern(members: &[SharedLimitMember], each: Option<&[Vec<f64>]>) -> Option<RatePattern> {
    let rates = members.iter().map(|member| member.bytes_per_sec);
    let [least, most] = [rates.clone().reduce(f64::min)?, rates.reduce(f64::max)?];
    if members.len() < 2 || least <= 0.0 {
        return None;
    }
    if most <= EQUAL_RATES_RATIO * least {
        return Some(RatePattern::EqualRates);
    }
    is_steady_together(each?).then_some(RatePattern::SteadySum)
}

/// Whether the sum varies less than any of the rates that vary.
fn is_steady_together(each: &[Vec<f64>]) -> bool {
    let intervals = each.iter().map(Vec::len).min().unwrap_or(0);
    // Load begins in the first interval and ends in the last.
    if intervals < SPREAD_INTERVALS + 2 {
        return false;
    }
    let within = |rates: &Vec<f64>| rates[1..intervals - 1].to_vec();
    let each: Vec<Vec<f64>> = each.iter().map(within).collect();
    let sum: Vec<f64> =
        (0..intervals - 2).map(|at| each.iter().map(|rates| rates[at]).sum()).collect();
    let steadiest = each.iter().filter_map(|rates| variation(rates)).reduce(f64::min);
    let together = variation(&sum);
    steadiest.zip(together).is_some_and(|(each, sum)| each > 0.0 && sum * STEADIER_RATIO <= each)
}

/// Devices that targets lie on and that were counted, with their rates by interval in the first
/// pass.
fn of_devices(passes: &[Pass<'_>]) -> (Vec<SharedLimitMember>, Option<Vec<Vec<f64>>>) {
    let known =
        |name: String, rate: Option<f64>| Some(SharedLimitMember { name, bytes_per_sec: rate? });
    let all = TrialMetrics::of(passes).devices.into_iter();
    let members = all.filter_map(|device| known(device.name, device.usage.transfers.bytes_per_sec));
    let counters = &passes[0].counters;
    let series = devices(&passes[0]).into_iter().map(|(id, _)| both_ways(counters, id));
    (members.collect(), Some(series.collect()))
}

fn both_ways(counters: &Counters, id: EntityId) -> Vec<f64> {
    let [read, written] =
        [Counter::ReadBytes, Counter::WriteBytes].map(|counter| counters.rates(id, counter));
    let longest = read.len().max(written.len());
    let at = |rates: &[f64], at: usize| rates.get(at).copied().unwrap_or_default();
    (0..longest).map(|index| at(&read, index) + at(&written, index)).collect()
}

/// What streams stand on, with what they moved.
fn of_targets(pass: &Pass<'_>) -> Vec<SharedLimitMember> {
    let seconds = pass.measured.length_ns().max(1) as f64 / 1e9;
    let relations = &pass.record.relations;
    let moved = |id: EntityId| -> u64 {
        let is_on = |stream: EntityId| {
            relations.iter().any(|one| one.upper == stream && one.lower.contains(&id))
        };
        let streams = pass.record.streams.iter().filter(|stream| is_on(stream.entity));
        streams.flat_map(|stream| phases(stream, Part::Counted)).map(bytes).sum()
    };
    let each = targets(pass).into_iter().map(|(id, entity)| SharedLimitMember {
        name: entity.name.clone(),
        bytes_per_sec: moved(id) as f64 / seconds,
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(rates: &[f64]) -> Vec<SharedLimitMember> {
        let each = rates.iter().enumerate();
        each.map(|(at, rate)| SharedLimitMember { name: format!("sd{at}"), bytes_per_sec: *rate })
            .collect()
    }

    #[test]
    fn equal_rates_hint_at_a_shared_limit_and_others_do_not() {
        assert_eq!(
            rate_pattern(&members(&[100.0, 104.0, 98.0]), None),
            Some(RatePattern::EqualRates)
        );
        assert_eq!(rate_pattern(&members(&[100.0, 150.0]), None), None);
        assert_eq!(rate_pattern(&members(&[100.0]), None), None);
        assert_eq!(rate_pattern(&members(&[0.0, 0.0]), None), None);
    }

    #[test]
    fn rates_that_vary_but_not_together_may_be_of_one_limit() {
        let first = vec![0.0, 10.0, 40.0, 20.0, 35.0, 15.0, 0.0];
        let second: Vec<f64> = first.iter().map(|rate| 90.0 - rate).collect();
        let each = [first.clone(), second];
        assert_eq!(
            rate_pattern(&members(&[24.0, 66.0]), Some(&each)),
            Some(RatePattern::SteadySum)
        );
        let each = [first.clone(), first];
        assert_eq!(rate_pattern(&members(&[24.0, 66.0]), Some(&each)), None);
    }
}
