//! Laws of sampled counters: time and counts only grow, nobody is busier than time passes, and
//! nothing exceeds its rating.
//!
//! Linux counts a device's busy time in whole clock ticks of up to 10 ms, rounded up at the end
//! of a request (`update_io_ticks` in block/blk-core.c), so busy time may exceed the time in
//! flight by a tick for each request. Where two processors send the first requests to an idle
//! device at once, one sees the other's in flight and counts the idle time before them as busy
//! (the same function, since Linux 6.10; sysstat issue 412 is a `%util` above 100 by it).

use iopath_record::{Counter, Direction, Entity, EntityId, Limit, Measure};

use super::{Ceiling, Law, LawCheck, Most, Rated, name_of};
use crate::thresholds::audit::{CLOCK_TICK_NS, READINGS_NS, SAMPLING_TOLERANCE};
use crate::thresholds::limits::RATING_EXCEEDED_RATIO;
use crate::usage::pass::Pass;

pub(super) fn check(pass: &Pass<'_>) -> Vec<LawCheck> {
    let mut checks = vec![instants(pass)];
    checks.extend(falling(pass));
    for (index, entity) in (0u32..).zip(&pass.record.entities) {
        checks.extend(busy(pass, EntityId(index), entity));
        checks.extend(in_flight(pass, EntityId(index), entity));
        // What a study asks of streams is held against their totals, which tell of every instant.
        if !pass.record.streams.iter().any(|stream| stream.entity.0 == index) {
            checks.extend(ratings(pass, EntityId(index), entity));
        }
    }
    checks
}

fn instants(pass: &Pass<'_>) -> LawCheck {
    let pairs = pass.record.instants_ns.windows(2);
    let value = pairs.filter(|pair| pair[1] <= pair[0]).count() as f64;
    Most { law: Law::Instants, value, most: 0.0 }.check("clock")
}

/// One check for all counters that behave, and one for each that does not.
fn falling(pass: &Pass<'_>) -> Vec<LawCheck> {
    let counted = pass.record.series.iter().filter(|series| !series.counter.is_gauge());
    let fell = counted.filter_map(|series| {
        let steps = series.steps.iter().filter(|step| **step < 0).count();
        let law = Law::Counters(Some(series.counter));
        let law = Most { law, value: steps as f64, most: 0.0 };
        (steps > 0).then(|| law.check(name_of(pass.record, series.entity)))
    });
    let fell: Vec<_> = fell.collect();
    if !fell.is_empty() || pass.record.series.is_empty() {
        return fell;
    }
    let law = Most { law: Law::Counters(None), value: 0.0, most: 0.0 };
    vec![law.check("all counters")]
}

fn busy(pass: &Pass<'_>, id: EntityId, entity: &Entity) -> Option<LawCheck> {
    let value = busy_ns(pass, id, entity)?;
    let elapsed = pass.counters.sampled().length_ns() as f64 * f64::from(entity.count);
    let late = pass.record.clock.error_ns as f64 * f64::from(entity.count);
    let allowed = (elapsed * SAMPLING_TOLERANCE).max(READINGS_NS).max(late);
    let law = Most { law: Law::Utilisation, value, most: elapsed + allowed };
    Some(law.check(&entity.name))
}

/// Busy time without what exceeds the first interval in which it grew: there Linux may have counted
/// of the idle time before the first sample.
fn busy_ns(pass: &Pass<'_>, id: EntityId, entity: &Entity) -> Option<f64> {
    let counted = pass.counters.whole(id, Counter::BusyNs)? as f64;
    let values = pass.counters.values(id, Counter::BusyNs)?;
    let mut steps = values.windows(2).zip(pass.record.instants_ns.windows(2));
    let began = steps.find(|(values, _)| values[1] > values[0]);
    let Some((values, instants)) = began.filter(|_| !pass.record.technique.is_model()) else {
        return Some(counted);
    };
    let length = instants[1].saturating_sub(instants[0]) as f64 * f64::from(entity.count);
    let idle = (values[1] - values[0]) as f64 - length;
    Some(counted - idle.max(0.0))
}

/// Not where tokens are held: in flight is then who holds one, and what a cache sends on in the
/// background holds none.
fn in_flight(pass: &Pass<'_>, id: EntityId, entity: &Entity) -> Option<LawCheck> {
    if entity.limits.iter().any(|limit| limit.tokens.is_some()) {
        return None;
    }
    let busy = busy_ns(pass, id, entity)?;
    let integral = pass.counters.whole(id, Counter::InFlightNs)? as f64;
    let requests = [
        Counter::ReadOperations,
        Counter::WriteOperations,
        Counter::FlushOperations,
        Counter::DiscardOperations,
    ];
    let requests: u64 = requests.iter().filter_map(|one| pass.counters.whole(id, *one)).sum();
    let ticks = (requests as f64 + 2.0) * CLOCK_TICK_NS;
    let law = Most {
        law: Law::InFlight,
        value: busy,
        most: integral * (1.0 + SAMPLING_TOLERANCE) + ticks,
    };
    Some(law.check(&entity.name))
}

fn ratings<'a>(
    pass: &'a Pass<'_>,
    id: EntityId,
    entity: &'a Entity,
) -> impl Iterator<Item = LawCheck> + 'a {
    // A control group's limit holds over slices of time, not at each sample. What is only assumed
    // of a carrier is no fact that counters could break.
    let is_carried = pass.counters.carriers.contains(&id);
    // A model keeps to what it was given: there the law is broken by the model.
    let is_counted = !pass.record.technique.is_model();
    let is_rating = move |limit: &&Limit| {
        let is_assumed = is_carried && limit.origin.is_hypothetical();
        limit.tokens.is_none() && !limit.origin.is_control_group() && !is_assumed
    };
    let rated = entity.limits.iter().filter(is_rating);
    rated.filter_map(move |limit| {
        let seconds = pass.counters.sampled().length_ns() as f64 / 1e9;
        let value = moved(pass, id, limit)? / seconds;
        let most = if is_carried { RATING_EXCEEDED_RATIO } else { 1.0 + SAMPLING_TOLERANCE };
        let most = limit.per_sec as f64 * f64::from(entity.count) * most;
        let rated = Rated { limit: limit.clone(), is_carried };
        let law = match is_counted && !limit.origin.is_measured() {
            true => Law::Rating(rated),
            false => Law::Capacity(Ceiling::Rated(rated)),
        };
        (seconds > 0.0).then(|| Most { law, value, most }.check(&entity.name))
    })
}

/// What a limit counts, over all samples.
pub(crate) fn moved(pass: &Pass<'_>, id: EntityId, limit: &Limit) -> Option<f64> {
    let pair = match limit.measure {
        Measure::Bytes => [Counter::ReadBytes, Counter::WriteBytes],
        Measure::Operations => [Counter::ReadOperations, Counter::WriteOperations],
        Measure::BusyNs | Measure::FlushNs | Measure::Requests => return None,
    };
    let wanted: &[Counter] = match limit.direction {
        Direction::Read => &pair[..1],
        Direction::Write => &pair[1..],
        Direction::Both => &pair,
    };
    let known = wanted.iter().filter_map(|counter| pass.counters.whole(id, *counter));
    known.map(|value| value as f64).reduce(|left, right| left + right)
}

#[cfg(test)]
mod tests {
    use crate::judges::audit::broken;
    use iopath_record::{Counter, Direction, Kind, Limit, Measure, Record, Technique};

    fn steps(record: &mut Record, counter: Counter) -> &mut Vec<i64> {
        let of = |s: &&mut iopath_record::Series| s.counter == counter;
        &mut record.series.iter_mut().find(of).unwrap().steps
    }

    #[test]
    fn each_false_counter_breaks_its_law() {
        assert_eq!(broken(|r| r.instants_ns[3] = r.instants_ns[2]), ["instants"]);
        assert_eq!(broken(|r| steps(r, Counter::Merged)[0] = -1), ["counters"]);
        let too_busy = |r: &mut Record| {
            steps(r, Counter::BusyNs)[1] = 60_000_000_000;
            steps(r, Counter::InFlightNs)[1] = 60_000_000_000;
        };
        assert_eq!(broken(too_busy), ["utilisation"]);
        // Whoever read the counters had to wait for a processor.
        let late = |r: &mut Record| {
            too_busy(r);
            r.clock.error_ns = 60_000_000_000;
        };
        assert!(broken(late).is_empty());
    }

    #[test]
    fn idle_time_before_the_first_sample_may_be_counted_as_busy() {
        let first = |r: &mut Record| {
            steps(r, Counter::BusyNs)[0] = 60_000_000_000;
            steps(r, Counter::InFlightNs)[0] = 60_000_000_000;
        };
        assert!(broken(first).is_empty());
        // Only once: what is busy in the first interval was idle before no later one.
        let both = |r: &mut Record| {
            first(r);
            steps(r, Counter::BusyNs)[1] = 60_000_000_000;
        };
        assert_eq!(broken(both), ["utilisation"]);
        let model = |r: &mut Record| {
            first(r);
            r.technique = Technique::Simulation { events: 1 };
        };
        assert_eq!(broken(model), ["utilisation"]);
    }

    #[test]
    fn busy_with_nothing_in_flight_breaks_a_law() {
        let idle = |r: &mut Record| {
            for counter in [Counter::InFlightNs, Counter::ReadOperations] {
                steps(r, counter).fill(0);
            }
        };
        assert_eq!(broken(idle), ["in-flight"]);
    }

    #[test]
    fn more_than_the_rating_breaks_the_capacity() {
        let rate = |per_sec, origin: &'static str| {
            move |record: &mut Record| {
                let disk = record.entities.iter_mut().find(|e| e.kind == Kind::Disk).unwrap();
                let (measure, direction) = (Measure::Bytes, Direction::Read);
                let origin = origin.into();
                disk.limits.push(Limit { measure, direction, per_sec, origin, tokens: None });
            }
        };
        assert_eq!(broken(rate(1_000, "measured")), ["capacity"]);
        // A rating that was not measured is wrong sooner than a counter.
        assert_eq!(broken(rate(1_000, "rated")), ["rating"]);
        assert!(broken(rate(1_000_000_000_000, "rated")).is_empty());
    }
}
