//! No simulation carries more than the bounds of its case: one of the two is wrong then.
//!
//! Who runs both writes what the analytic model allows into the simulation's record
//! ([`note_bound`]). Bounds share by max–min fairness, and a simulation need not: one group of
//! streams may get more where another gets less, but not all of them at once, as max–min fair
//! shares leave nothing over. So the least share of its bound that any group carries is judged.
//!
//! It leaves out cases in which streams of one group are bounded differently (some of them may
//! have what the others leave), cases whose writes are overwritten in a cache, and simulations that
//! ended before they were steady: while its caches fill, a path carries more than it lastingly can.

use std::collections::BTreeMap;

use iopath_record::{Fact, PhaseTotals, Record, Technique};
use iopath_study::unindexed;

use super::{Law, LawCheck, Most};
use crate::thresholds::audit::{
    BOUND_HALF_WIDTHS, BOUND_JUDGED_HALF_WIDTH, BOUND_TOLERANCE, EQUAL_STREAM_BOUNDS,
};
use crate::usage::pass::{Pass, half_width, own_window};

/// How bounds say that not all that is written goes to the media.
const OVERWRITTEN: &str = "overwritten:";

/// Writes what the bounds of a case allow into the record of its simulation.
pub fn note_bound(record: &mut Record, bound: &Record) {
    let rates = rates(&Pass::of(bound));
    let are_equal = |rates: &Vec<f64>| {
        let [least, most] = [fold(rates, f64::min), fold(rates, f64::max)];
        least > 0.0 && most <= least * (1.0 + EQUAL_STREAM_BOUNDS)
    };
    let mut left_out = bound.bounds.iter().flat_map(|bound| &bound.leaves_out);
    let is_overwritten = left_out.any(|text| text.starts_with(OVERWRITTEN));
    if bound.bounds.is_empty() || is_overwritten || !rates.values().all(are_equal) {
        return;
    }
    let facts = rates.iter().map(|(group, rates)| {
        Fact::StreamBound(group).is(format!("{:.3}", rates.iter().sum::<f64>()))
    });
    record.environment.extend(facts);
}

fn fold(rates: &[f64], of: impl Fn(f64, f64) -> f64) -> f64 {
    rates.iter().copied().reduce(of).unwrap_or_default()
}

/// Requests a second of every stream in its own window, by group.
fn rates(pass: &Pass<'_>) -> BTreeMap<String, Vec<f64>> {
    let mut rates: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for stream in &pass.record.streams {
        let Some(window) = own_window(stream) else { continue };
        let phases = crate::usage::pass::phases(stream, crate::usage::pass::Part::Window);
        // What waits longer and longer counts by its time, too, but was not carried.
        let carried =
            |phase: &PhaseTotals| (phase.operations_ppm as f64 / 1e6).min(phase.completed as f64);
        let operations: f64 = phases.map(carried).sum();
        let rate = operations / (window.length_ns() as f64 / 1e9);
        rates.entry(unindexed(pass.name(stream))).or_default().push(rate);
    }
    rates
}

pub(super) fn check(pass: &Pass<'_>) -> Option<LawCheck> {
    let Technique::Simulation { .. } = pass.record.technique else { return None };
    let half_width = half_width(pass.record).filter(|half| *half <= BOUND_JUDGED_HALF_WIDTH)?;
    let above = BOUND_TOLERANCE.max(BOUND_HALF_WIDTHS * half_width);
    let mut least: Option<(f64, String)> = None;
    for (group, rates) in rates(pass) {
        let bound: f64 = pass.fact(Fact::StreamBound(&group))?.parse().ok()?;
        let share = rates.iter().sum::<f64>() / bound;
        if least.as_ref().is_none_or(|(known, _)| share < *known) {
            least = Some((share, group));
        }
    }
    let (value, group) = least?;
    let law = Most { law: Law::Bound, value, most: 1.0 + above };
    Some(law.check(&group))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judges::audit::audit;
    use crate::sample::Sample;

    /// Whether the law holds of a simulation whose bound is so many times what it carries.
    fn holds(times: f64, half_width: Option<&str>) -> Option<bool> {
        let mut record = Sample::new().record();
        record.technique = Technique::Simulation { events: 1 };
        let each = rates(&Pass::of(&record));
        let facts: Vec<(String, String)> = each
            .iter()
            .map(|(group, rates)| {
                Fact::StreamBound(group).is((times * rates.iter().sum::<f64>()).to_string())
            })
            .collect();
        record.environment.extend(facts);
        let known = half_width.map(|half| ("simulation.half_width".to_owned(), half.to_owned()));
        record.environment.extend(known);
        let checks = audit(&record);
        checks.iter().find(|check| check.law == Law::Bound).map(|check| check.holds)
    }

    #[test]
    fn a_simulation_above_its_bound_beyond_its_interval_breaks_the_law() {
        assert_eq!(holds(1.0, Some("0.001")), Some(true));
        assert_eq!(holds(0.99, Some("0.001")), Some(false));
        assert_eq!(holds(0.99, Some("0.01")), Some(true), "the interval allows it");
        assert_eq!(holds(0.5, None), None, "its precision is not known");
        assert_eq!(holds(0.5, Some("0.101")), None, "it was not steady");
    }

    #[test]
    fn one_group_may_have_what_another_leaves() {
        let mut record = Sample::new().record();
        record.technique = Technique::Simulation { events: 1 };
        record.environment.insert("simulation.half_width".to_owned(), "0.001".to_owned());
        let streams = record.streams.len();
        assert!(streams > 1);
        for (at, stream) in record.streams.iter().enumerate() {
            record.entities[stream.entity.0 as usize].name = format!("group-{at}");
        }
        let each = rates(&Pass::of(&record));
        let facts: Vec<(String, String)> = each
            .iter()
            .enumerate()
            .map(|(at, (group, rates))| {
                let times = if at == 0 { 2.0 } else { 0.5 };
                Fact::StreamBound(group).is((times * rates[0]).to_string())
            })
            .collect();
        record.environment.extend(facts);
        let checks = audit(&record);
        assert!(checks.iter().any(|check| check.law == Law::Bound && check.holds), "{checks:?}");
    }

    #[test]
    fn bounds_of_streams_that_are_not_alike_are_no_law() {
        let mut record = Sample::new().record();
        let mut bound = record.clone();
        for phase in &mut bound.streams[0].phases {
            phase.operations_ppm /= 2;
        }
        note_bound(&mut record, &bound);
        assert!(record.environment.keys().all(|key| !key.starts_with("bound.")));
    }
}
