//! A rate that keeps to a straight line after a faster beginning: a token bucket that ran dry.
//!
//! A bucket of rate r lets through r · t, but for the tokens it holds (Turner, "New directions in
//! communications", IEEE Communications Magazine 24, 1986). Once it is dry and demand never ends,
//! what was let through is a straight line, with steps no larger than what waits at its door: one
//! request for each slot. Errors of reading do not add up either. A device whose rate only varies
//! little wanders away from its line, as the square root of time.
//!
//! It leaves out what made the step. A write cache that is full makes one as well, and a device
//! behind it may be steady for a while: of writes the line proves nothing while a device is busy.

use super::{Evidence, Fact, Plateau, RateOf};
use crate::judges::metrics::{DeviceUse, TrialMetrics};
use crate::statistics::mean;
use crate::thresholds::limits::{
    BURST_RATIO, BUSY_SHARE, CACHED_WRITES_SHARE, PLATEAU_BEND, PLATEAU_INTERVALS,
    PLATEAU_ROUND_SHARE,
};

/// Constant to the end of the load after something markedly faster. A constant rate alone proves
/// nothing: that is also what a streaming disk does.
pub(super) fn line(metrics: &TrialMetrics) -> Option<Evidence> {
    let (measure, plateau) = found(metrics)?;
    let Line { level, bend, allowed, times, intervals } = plateau;
    let may_be_a_full_cache = may_be_a_full_cache(metrics);
    let entity = match metrics.devices.as_slice() {
        [device] => device.name.clone(),
        _ => "all devices".to_owned(),
    };
    let fact = Fact::Plateau(Plateau { level, measure, times, intervals, may_be_a_full_cache });
    Some(Evidence { entity, fact, value: bend, threshold: allowed })
}

/// The rate after a burst over the mean rate of everything.
pub(super) fn over_mean(metrics: &TrialMetrics) -> Option<f64> {
    let (measure, plateau) = found(metrics)?;
    let sum = |of: fn(&DeviceUse) -> Option<f64>| metrics.devices.iter().map(of).sum();
    let all: Option<f64> = match measure {
        RateOf::Bytes => sum(|device| device.usage.transfers.bytes_per_sec),
        RateOf::Requests => sum(|device| device.usage.transfers.operations_per_sec),
    };
    all.filter(|all| *all > 0.0).map(|all| plateau.level / all)
}

/// Writes to a device that hardly rests.
pub(super) fn may_be_a_full_cache(metrics: &TrialMetrics) -> bool {
    let moved = metrics.devices.iter().filter_map(|device| device.bytes);
    let [read, written] = match metrics.is_watched {
        true => moved.fold([0.0; 2], |sum, next| [sum[0] + next[0], sum[1] + next[1]]),
        false => metrics.application_bytes,
    };
    let rests = |device: &DeviceUse| device.usage.utilisation.is_some_and(|busy| busy < BUSY_SHARE);
    written > CACHED_WRITES_SHARE * (read + written) && !metrics.devices.iter().all(rests)
}

/// Of bytes or of requests, whichever keeps closer to its line.
fn found(metrics: &TrialMetrics) -> Option<(RateOf, Line)> {
    // Who only watches does not know how many requests wait: each interval must be fine then.
    let slots = metrics.slots().unwrap_or_default() as f64;
    let grain = slots / metrics.interval_seconds;
    let total = |rates: &[f64]| rates.iter().sum::<f64>();
    let size = total(&metrics.device_rates) / total(&metrics.device_operations).max(1.0);
    let bytes = Line::of(&metrics.device_rates, grain * size);
    let requests = Line::of(&metrics.device_operations, grain);
    let both = [(RateOf::Bytes, bytes), (RateOf::Requests, requests)];
    let known = both.into_iter().filter_map(|(measure, plateau)| Some((measure, plateau?)));
    known.reduce(|one, other| if other.1.bend < one.1.bend { other } else { one })
}

/// The straight line that rates keep to.
#[derive(Clone, Copy, Debug)]
struct Line {
    level: f64,
    /// Furthest from the straight line, at once or by and by, and as far as it may be: parts of an
    /// interval's amount.
    bend: f64,
    allowed: f64,
    /// The burst before it over its level.
    times: f64,
    intervals: usize,
}

impl Line {
    /// The longest; `grain` is what one round of requests adds to an interval's rate.
    fn of(rates: &[f64], grain: f64) -> Option<Self> {
        // The load ends within the last interval.
        let full = &rates[..rates.iter().rposition(|rate| *rate > 0.0)?];
        let last = full.len().checked_sub(PLATEAU_INTERVALS)?;
        (1..=last).find_map(|from| Self::straight(full.split_at(from), grain))
    }

    fn straight((before, flat): (&[f64], &[f64]), grain: f64) -> Option<Self> {
        let level = mean(flat).filter(|level| *level > 0.0)?;
        let (mut at, mut low, mut high) = (0.0f64, 0.0f64, 0.0f64);
        for rate in flat {
            at += rate / level - 1.0;
            (low, high) = (low.min(at), high.max(at));
        }
        let coarse = grain / level;
        // Nor may one interval be far off, or few that turn back would pass for a line.
        let furthest = flat.iter().map(|rate| (rate / level - 1.0).abs()).fold(0.0, f64::max);
        let (bend, allowed) = (furthest.max((high - low) / 2.0), PLATEAU_BEND + coarse);
        let times = before.iter().copied().reduce(f64::max)? / level;
        let is_one = coarse <= PLATEAU_ROUND_SHARE && bend <= allowed && times >= BURST_RATIO;
        is_one.then_some(Self { level, bend, allowed, times, intervals: flat.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cause, Limiting, judge};
    use super::*;
    use crate::sample::Sample;
    use crate::usage::pass::Pass;

    /// Of requests of 128 KiB, with 8 slots, in intervals of a second.
    fn limit(sample: &Sample, requests: &[f64]) -> Limiting {
        let record = sample.record();
        let mut metrics = TrialMetrics::of(&[Pass::of(&record)]);
        metrics.device_operations = requests.to_vec();
        metrics.device_rates = requests.iter().map(|one| one * 131_072.0).collect();
        judge(&metrics)
    }

    fn plateau(found: &Limiting) -> Plateau {
        let of = |line: &Evidence| match line.fact {
            Fact::Plateau(plateau) => Some(plateau),
            _ => None,
        };
        found.evidence.iter().find_map(of).unwrap()
    }

    fn reads(requests: &[f64]) -> Limiting {
        limit(&Sample::new(), requests)
    }

    #[test]
    fn a_straight_line_after_a_burst_is_a_throttle_and_its_level_the_capacity() {
        let burst = [3e3, 2.8e3, 1e3, 1.004e3, 1e3, 0.998e3, 1e3, 1e3, 1e3, 0.4e3];
        let found = reads(&burst);
        assert_eq!((found.cause, found.entity.as_deref()), (Cause::Throttle, Some("vda")));
        let capacity = found.capacity.unwrap();
        let [bytes, requests] = [capacity.bytes_per_sec, capacity.operations_per_sec];
        assert!((requests.unwrap() / 1000.3 - 1.0).abs() < 1e-3, "{capacity:?}");
        assert!((bytes.unwrap() / (1000.3 * 131_072.0) - 1.0).abs() < 1e-3, "{capacity:?}");
        let Plateau { times, intervals, .. } = plateau(&found);
        assert!((times - 3.0).abs() < 1e-3 && intervals == 7, "{found:?}");
    }

    #[test]
    fn rounds_of_requests_that_fall_into_one_interval_or_the_next_bend_no_line() {
        // What a bucket of 8 MB/s gave with 4 requests of 64 KiB: 124 and 120 by turns.
        let turns = [536.0, 488.0, 316.0, 124.0, 120.0, 124.0, 120.0, 124.0, 120.0, 124.0, 126.0];
        assert_eq!(reads(&turns).cause, Cause::Throttle);
        // The same steps to one side add up: the rate changes.
        let slope = [536.0, 488.0, 316.0, 140.0, 134.0, 128.0, 122.0, 116.0, 110.0, 104.0, 126.0];
        assert_eq!(reads(&slope).cause, Cause::Unknown);
    }

    #[test]
    fn what_is_no_plateau() {
        let unknown = |requests: &[f64]| assert_eq!(reads(requests).cause, Cause::Unknown);
        unknown(&[1e3; 12]);
        unknown(&[3e3, 1e3, 1e3, 1e3, 1e3, 1e3, 0.4e3]);
        unknown(&[1e3, 2e3]);
        // A round of all slots is most of an interval: nothing can be seen.
        unknown(&[80.0, 40.0, 20.0, 20.0, 20.0, 20.0, 20.0, 20.0, 20.0]);
        // Slow after a good begin, and slower at the end.
        unknown(&[3e3, 1e3, 1e3, 1e3, 1e3, 0.8e3, 1e3, 1e3, 1e3, 0.4e3]);
    }

    /// Rates of a device whose write cache is full: 3 % up or down from second to second.
    fn cliff(seed: u64) -> Vec<f64> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut noise = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let before = [9e3, 9e3, 9e3];
        let after = (0..12).map(|_| 3e3 * (1.0 + 0.03 * noise()));
        before.into_iter().chain(after).collect()
    }

    #[test]
    fn a_device_whose_rate_varies_by_itself_wanders_away_from_the_line() {
        let found = (1..=200).filter(|seed| reads(&cliff(*seed)).cause == Cause::Throttle);
        let seeds: Vec<u64> = found.collect();
        assert!(seeds.len() <= 4, "{seeds:?}");
    }

    #[test]
    fn writes_that_a_busy_device_takes_evenly_may_be_a_full_cache() {
        let burst = [3e3, 2.8e3, 1e3, 1e3, 1e3, 1e3, 1e3, 1e3, 1e3, 0.4e3];
        let writes = Sample { write_percent: 100, ..Sample::new() };
        let busy = Sample { device_busy: 0.99, device_in_flight: 7.5, ..writes.clone() };
        let found = limit(&busy, &burst);
        assert_eq!(found.cause, Cause::Device);
        assert!(plateau(&found).may_be_a_full_cache, "{found:?}");
        // What lasts is its capacity all the same.
        let capacity = found.capacity.and_then(|one| one.operations_per_sec).unwrap();
        assert!((capacity - 1e3).abs() < 1.0, "{capacity}");
        // A device that rests did not take long for them.
        assert_eq!(limit(&writes, &burst).cause, Cause::Throttle);
    }
}
