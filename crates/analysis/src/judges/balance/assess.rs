//! Rates, times and sizes of members, assessed.

use crate::judges::evidence::{Evidence, Fact, MemberRates, MemberTimes, Range, RateOf};
use crate::statistics::mean;
use crate::usage::Usage;

use super::BalanceVerdict;
use crate::thresholds::groups::{
    CHANCE_ERRORS, EVEN_RATIO, IDLE_SHARE, QUEUED_RATIO, SIMILAR_SIZE_RATIO, SLOW_RATIO,
};
use crate::thresholds::limits::FULL_SHARE;

/// Members by what they are called, with what they did.
pub(crate) type Members<N> = Vec<(N, Usage)>;

/// What was found of active members, which are called by an `N`.
pub(crate) struct Assessment<N> {
    pub verdict: BalanceVerdict,
    pub slow: Vec<N>,
    /// Whether those that are active carry the same.
    pub is_even: bool,
    pub rate_ratio: f64,
    pub service_ratio: Option<f64>,
    /// From which ratio members are slow.
    slow_from: f64,
    rates: Range,
    /// What they count.
    measure: RateOf,
    /// Mean times of fast and slow members' requests, in ns.
    times: Option<(f64, f64)>,
    /// Mean in flight of a fast and a slow member.
    in_flight: Option<(f64, f64)>,
    members: usize,
    idle: usize,
}

/// Active members, and names of idle ones.
pub(crate) fn divided<N>(all: Members<N>) -> (Members<N>, Vec<N>) {
    let amount = |(_, usage): &(N, Usage)| {
        let done = usage.transfers;
        done.operations_per_sec.or(done.bytes_per_sec).unwrap_or_default()
    };
    let mut amounts: Vec<f64> = all.iter().map(amount).filter(|amount| *amount > 0.0).collect();
    amounts.sort_by(f64::total_cmp);
    let median = amounts.get(amounts.len() / 2).copied().unwrap_or_default();
    let (active, idle): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|one| amount(one) > 0.0 && amount(one) >= IDLE_SHARE * median);
    (active, idle.into_iter().map(|(name, _)| name).collect())
}

/// None where fewer than two did anything that was counted.
pub(crate) fn assess<N: Clone>(
    active: &[(N, Usage)],
    idle: &[N],
    span_ns: u64,
) -> Option<Assessment<N>> {
    if active.len() + idle.len() < 2 || active.is_empty() {
        return None;
    }
    let done = || active.iter().map(|(_, usage)| usage.transfers);
    let has_requests = done().all(|one| one.operations_per_sec.is_some());
    let rates = done().map(|one| match has_requests {
        true => one.operations_per_sec,
        false => one.bytes_per_sec,
    });
    let (least, most) = extremes(&rates.collect::<Option<Vec<f64>>>()?)?;
    let rate_ratio = most / least;
    let seconds = span_ns as f64 / 1e9;
    // Few requests differ by chance.
    let by_chance = has_requests
        && (most - least) * seconds <= CHANCE_ERRORS * ((most + least) * seconds).sqrt();
    let is_even = rate_ratio <= EVEN_RATIO || by_chance;
    let is_balanced = is_even && idle.is_empty();
    let mut assessment = Assessment {
        verdict: if is_balanced { BalanceVerdict::Balanced } else { BalanceVerdict::UnevenRate },
        slow: Vec::new(),
        is_even,
        rate_ratio,
        service_ratio: None,
        slow_from: SLOW_RATIO,
        rates: Range { least, most },
        measure: if has_requests { RateOf::Requests } else { RateOf::Bytes },
        times: None,
        in_flight: None,
        members: active.len(),
        idle: idle.len(),
    };
    if has_requests && active.len() > 1 {
        assessment.compare_times(active, seconds);
    }
    Some(assessment)
}

impl<N: Clone> Assessment<N> {
    fn compare_times(&mut self, active: &[(N, Usage)], seconds: f64) {
        let times = active.iter().map(|(_, usage)| usage.transfers.ns_mean);
        let Some(times) = times.collect::<Option<Vec<f64>>>() else { return };
        let Some((at, fast, slow)) = two_groups(&times) else { return };
        let ratio = slow / fast;
        self.service_ratio = Some(ratio);
        self.times = Some((fast, slow));
        let group = |is_slow: bool| {
            let some = active.iter().zip(&times).filter(move |(_, time)| (**time > at) == is_slow);
            some.map(|(one, _)| one)
        };
        let mean_of = |is_slow, of: fn(&Usage) -> Option<f64>| {
            mean(&group(is_slow).map(|(_, one)| of(one)).collect::<Option<Vec<_>>>()?)
        };
        let rate = |slow| group(slow).filter_map(|(_, one)| one.transfers.operations_per_sec);
        let requests = |slow| rate(slow).sum::<f64>() * seconds;
        let error = (1.0 / requests(true) + 1.0 / requests(false)).sqrt();
        if self.is_even && all_full(active) {
            self.slow_from = QUEUED_RATIO;
        }
        if ratio < self.slow_from || ratio.ln() <= CHANCE_ERRORS * error {
            return;
        }
        // Where all are equally fast, a request takes longer by no more than it is larger.
        let size = |is_slow| mean_of(is_slow, |one| one.transfers.bytes_mean());
        let sizes = size(true).zip(size(false));
        let larger = sizes.map_or(1.0, |(slow, fast)| slow / fast);
        if larger > SIMILAR_SIZE_RATIO && ratio < SLOW_RATIO * larger {
            self.verdict = BalanceVerdict::Unlike;
            return;
        }
        self.slow = group(true).map(|(name, _)| name.clone()).collect();
        let held = |is_slow| mean_of(is_slow, |one| one.in_flight_mean);
        self.in_flight = held(false).zip(held(true));
        self.verdict =
            if self.is_even { BalanceVerdict::SlowMembers } else { BalanceVerdict::UnevenAndSlow };
    }

    /// The lines that prove it.
    pub(super) fn evidence(&self, of: &str) -> Vec<Evidence> {
        let line =
            |fact, value, threshold| Evidence { entity: of.to_owned(), fact, value, threshold };
        let Self { rates, measure, members, idle, rate_ratio, .. } = *self;
        let rate = Fact::Rate(MemberRates { rates, measure, members, idle });
        let mut lines = vec![line(rate, rate_ratio, EVEN_RATIO)];
        let slow = self.slow.len();
        if let (Some((fast_ns, slow_ns)), Some(ratio)) = (self.times, self.service_ratio) {
            let times = MemberTimes { fast_ns, slow_ns, slow, others: members - slow };
            lines.push(line(Fact::Service(times), ratio, self.slow_from));
        }
        if let Some((fast, slow)) = self.in_flight {
            let ratio = slow / fast.max(f64::MIN_POSITIVE);
            lines.push(line(Fact::InFlight { fast, slow }, ratio, self.slow_from));
        }
        if self.verdict == BalanceVerdict::SlowMembers {
            lines.push(line(Fact::Policy, rate_ratio, EVEN_RATIO));
        }
        lines
    }
}

/// Whether each is always busy. Then a time is mostly that of a queue, and a closed loop leaves its
/// queue at any of equal members.
fn all_full<N>(active: &[(N, Usage)]) -> bool {
    active.iter().all(|(_, usage)| usage.utilisation.is_some_and(|busy| busy >= FULL_SHARE))
}

fn extremes(all: &[f64]) -> Option<(f64, f64)> {
    let least = all.iter().copied().reduce(f64::min)?;
    let most = all.iter().copied().reduce(f64::max)?;
    (least > 0.0).then_some((least, most))
}

/// The division of times into two groups that leaves least variance of their logarithms within
/// (Fisher's natural breaks): a time between them, and the geometric mean of each.
fn two_groups(times: &[f64]) -> Option<(f64, f64, f64)> {
    let mut logs: Vec<f64> = times.iter().filter(|time| **time > 0.0).map(|t| t.ln()).collect();
    if logs.len() != times.len() || logs.len() < 2 {
        return None;
    }
    logs.sort_by(f64::total_cmp);
    let total: f64 = logs.iter().sum();
    let mut below = 0.0;
    let mut best: Option<(f64, usize, f64)> = None;
    for (index, log) in logs.iter().enumerate().take(logs.len() - 1) {
        below += log;
        let (low, high) = ((index + 1) as f64, (logs.len() - index - 1) as f64);
        // Least within is greatest between.
        let between = below * below / low + (total - below) * (total - below) / high;
        if best.is_none_or(|(most, ..)| between > most) {
            best = Some((between, index, below));
        }
    }
    let (_, index, below) = best?;
    let (low, high) = ((index + 1) as f64, (logs.len() - index - 1) as f64);
    // Between the groups, where rounding does no harm.
    let at = f64::midpoint(logs[index], logs[index + 1]).exp();
    Some((at, (below / low).exp(), ((total - below) / high).exp()))
}
