//! Whether the sub-streams of a load kept their intensities: the share of the load's requests that
//! each is to have.
//!
//! The rules are those told of SPC-1: what was measured is within 5 % of what is wanted, and its
//! coefficient of variation over intervals is 0.2 at most. A Poisson process of n requests has a
//! standard deviation of √n by itself, so nothing is said of few requests, and intervals are put
//! together until each wants enough of them.
//! It leaves out latencies: requests are not told apart by sub-stream there.

use iopath_record::{Counter, Entity, Fact, Kind, Measure};
use serde::Serialize;

use crate::thresholds::trials::{
    INTENSITY_DIFFERENCE, INTENSITY_FEW_ERRORS, INTENSITY_INTERVALS, INTENSITY_MANY_ERRORS,
    INTENSITY_REQUESTS, INTENSITY_VARIATION,
};
use crate::usage::counters::Span;
use crate::usage::pass::Pass;

/// One sub-stream of a load over all passes of a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Intensity {
    /// Load and sub-stream: `spc/ASU1-1`.
    pub stream: String,
    /// Requests a second that it is to have: its share of the rate, or, in a closed loop, of what
    /// was measured.
    pub wanted_per_sec: f64,
    /// Requests a second that completed in the window.
    pub measured_per_sec: f64,
    /// Measured over wanted; null where nothing is wanted.
    pub ratio: Option<f64>,
    /// Standard deviation over mean of the intervals; null where there are too few.
    pub coefficient_of_variation: Option<f64>,
    /// How many intervals that is of.
    pub intervals: usize,
    /// Whether both rules hold; null where there are too few requests to say.
    pub kept: Option<bool>,
}

/// A sub-stream as the first record has it.
struct Wanted<'a> {
    entity: &'a Entity,
    load: &'a str,
    share: f64,
}

/// Every sub-stream of every load, in the order of the record.
pub(crate) fn of(passes: &[Pass<'_>]) -> Vec<Intensity> {
    let Some(first) = passes.first() else { return Vec::new() };
    let all: Vec<Wanted<'_>> =
        first.record.entities.iter().filter_map(|e| wanted(first, e)).collect();
    all.iter().map(|one| intensity(passes, one, &all)).collect()
}

/// What the record says of a sub-stream; none of other entities.
fn wanted<'a>(pass: &Pass<'a>, entity: &'a Entity) -> Option<Wanted<'a>> {
    let (load, name) = entity.name.rsplit_once('/').filter(|_| entity.kind == Kind::SubStream)?;
    let shares = pass.fact(Fact::Shares(load))?;
    let mut words = shares.split_whitespace();
    words.find(|word| *word == name)?;
    let share = words.next()?.parse::<u64>().ok()? as f64 / 1e6;
    Some(Wanted { entity, load, share })
}

fn intensity(passes: &[Pass<'_>], one: &Wanted<'_>, all: &[Wanted<'_>]) -> Intensity {
    let seconds: f64 = passes.iter().map(|pass| pass.best().length_ns() as f64 / 1e9).sum();
    let count = |entity: &Entity| passes.iter().map(|pass| completed(pass, entity)).sum::<f64>();
    let per_sec = |amount: f64| if seconds > 0.0 { amount / seconds } else { 0.0 };
    let measured_per_sec = per_sec(count(one.entity));
    let total = rate(&passes[0], one.load).unwrap_or_else(|| {
        let of_load = all.iter().filter(|other| other.load == one.load);
        per_sec(of_load.map(|other| count(other.entity)).sum())
    });
    let wanted_per_sec = total * one.share;
    let rates: Vec<f64> =
        passes.iter().flat_map(|pass| rates(pass, one.entity, wanted_per_sec)).collect();
    let ratio = (wanted_per_sec > 0.0).then(|| measured_per_sec / wanted_per_sec);
    let coefficient_of_variation = variation(&rates);
    Intensity {
        stream: one.entity.name.clone(),
        wanted_per_sec,
        measured_per_sec,
        ratio,
        coefficient_of_variation,
        intervals: rates.len(),
        kept: kept((ratio, wanted_per_sec * seconds), coefficient_of_variation),
    }
}

/// Whether the rules hold for so many requests.
fn kept((ratio, requests): (Option<f64>, f64), variation: Option<f64>) -> Option<bool> {
    let off = (ratio? - 1.0).abs();
    let deviation = requests.sqrt().recip();
    let is_few = INTENSITY_MANY_ERRORS * deviation > INTENSITY_DIFFERENCE;
    // Of many requests the rule holds as it is; of few, only what chance cannot explain counts.
    let most = if is_few {
        INTENSITY_DIFFERENCE + INTENSITY_FEW_ERRORS * deviation
    } else {
        INTENSITY_DIFFERENCE
    };
    if off > most || variation.is_some_and(|variation| variation > INTENSITY_VARIATION) {
        return Some(false);
    }
    (!is_few && variation.is_some()).then_some(true)
}

const BOTH: [Counter; 2] = [Counter::ReadOperations, Counter::WriteOperations];

fn completed(pass: &Pass<'_>, entity: &Entity) -> f64 {
    let Some(id) = pass.find(entity) else { return 0.0 };
    BOTH.iter().filter_map(|counter| pass.counters.over(id, *counter, pass.best())).sum()
}

/// The rate of a load: what its streams are to do together. None for a closed loop, and for a rate
/// in bytes.
fn rate(pass: &Pass<'_>, load: &str) -> Option<f64> {
    let is_of = |entity: &&Entity| {
        let rest = entity.name.strip_prefix(load).filter(|_| entity.kind == Kind::Stream);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    };
    let limits = pass.record.entities.iter().filter(is_of).flat_map(|entity| &entity.limits);
    let rates =
        limits.filter(|limit| limit.tokens.is_none() && limit.measure == Measure::Operations);
    let sum: u64 = rates.map(|limit| limit.per_sec).sum();
    (sum > 0).then_some(sum as f64)
}

/// Requests a second in intervals that want enough of them and lie within the span.
fn rates(pass: &Pass<'_>, entity: &Entity, wanted_per_sec: f64) -> Vec<f64> {
    let Some(id) = pass.find(entity) else { return Vec::new() };
    let within = pass.best();
    let instants = &pass.record.instants_ns;
    let inside = instants.iter().filter(|at| within.contains(**at));
    let mut rates = Vec::new();
    let mut from_ns = None;
    for &to_ns in inside {
        let begun = *from_ns.get_or_insert(to_ns);
        let length = Span { from_ns: begun, to_ns };
        let seconds = length.length_ns() as f64 / 1e9;
        if seconds > 0.0 && seconds * wanted_per_sec >= INTENSITY_REQUESTS {
            let counts = BOTH.iter().filter_map(|c| pass.counters.over(id, *c, &length.into()));
            rates.push(counts.sum::<f64>() / seconds);
            from_ns = Some(to_ns);
        }
    }
    rates
}

/// Standard deviation of a sample over its mean.
fn variation(rates: &[f64]) -> Option<f64> {
    let count = rates.len() as f64;
    let mean = rates.iter().sum::<f64>() / count;
    if rates.len() < INTENSITY_INTERVALS || mean <= 0.0 {
        return None;
    }
    let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    Some((squares / (count - 1.0)).sqrt() / mean)
}

#[cfg(test)]
mod tests {
    use iopath_record::{EntityId, Layer, Record, Series};

    use super::*;
    use crate::findings::analyse::analyse;
    use crate::sample::Sample;

    /// A load of two sub-streams, 30 % and 70 % of 2,000 requests a second. The first has this many
    /// requests in each second.
    fn record(first: impl Fn(u64) -> u64, is_open: bool) -> Record {
        let wanted_per_sec = is_open.then_some(1000);
        let mut record = Sample { wanted_per_sec, ..Sample::new() }.record();
        let shares = "A 300000 B 700000".to_owned();
        record.environment.insert("intensity.reader.shares_ppm".to_owned(), shares);
        let mut counts = [0, 0];
        let mut values = [vec![0], vec![0]];
        for second in 1..14 {
            // The last sample is half a second after the end.
            let more = if second < 13 { [first(second), 1400] } else { [0, 0] };
            for (sub, more) in more.into_iter().enumerate() {
                counts[sub] += more;
                values[sub].push(counts[sub]);
            }
        }
        for (name, values) in ["reader/A", "reader/B"].into_iter().zip(values) {
            let id = EntityId(record.entities.len() as u32);
            let mut entity = record.entities[0].clone();
            (entity.name, entity.kind) = (name.to_owned(), Kind::SubStream);
            entity.layer = Layer::Application;
            record.entities.push(entity);
            record.series.push(Series::from_values(id, Counter::ReadOperations, &values));
        }
        assert_eq!(record.validate(), Vec::new());
        record
    }

    fn first_of(record: Record) -> Intensity {
        analyse(&[record]).unwrap().intensities.swap_remove(0)
    }

    #[test]
    fn a_steady_load_keeps_its_intensities() {
        let record = record(|_| 600, true);
        let findings = analyse(&[record.clone(), record]).unwrap();
        let names: Vec<_> = findings.intensities.iter().map(|i| i.stream.as_str()).collect();
        assert_eq!(names, ["reader/A", "reader/B"]);
        for one in &findings.intensities {
            assert_eq!((one.kept, one.intervals), (Some(true), 20), "{one:?}");
            assert!((one.ratio.unwrap() - 1.0).abs() < 1e-9, "{one:?}");
            assert_eq!(one.coefficient_of_variation, Some(0.0));
        }
        assert!(findings.warnings.iter().all(|warning| warning.kind() != "intensity-missed"));
    }

    #[test]
    fn less_than_wanted_or_unsteady_is_not_kept_and_warned_of() {
        let slow = first_of(record(|_| 500, true));
        assert_eq!(slow.kept, Some(false));
        assert!((slow.ratio.unwrap() - 500.0 / 600.0).abs() < 1e-9);
        // 300 and 900 in turn: the mean is right, the deviation half of it.
        let unsteady = record(|second| if second % 2 == 0 { 300 } else { 900 }, true);
        let findings = analyse(&[unsteady]).unwrap();
        assert_eq!(findings.intensities[0].kept, Some(false));
        assert!(findings.intensities[0].coefficient_of_variation.unwrap() > 0.5);
        let missed = findings.warnings.iter().find_map(|warning| {
            if let crate::Warning::IntensityMissed { missed, .. } = warning {
                Some(missed)
            } else {
                None
            }
        });
        assert_eq!(missed.unwrap()[0].stream, "reader/A");
    }

    #[test]
    fn a_closed_loop_is_held_to_shares_of_what_it_did() {
        let one = first_of(record(|_| 600, false));
        assert!((one.wanted_per_sec - 600.0).abs() < 1e-9, "{one:?}");
        assert_eq!(first_of(record(|_| 500, false)).kept, Some(false), "26 % of 1,900");
    }

    #[test]
    fn other_records_have_none() {
        let findings = analyse(&[Sample::new().record()]).unwrap();
        assert_eq!(findings.intensities, []);
    }

    #[test]
    fn few_requests_say_nothing_but_what_chance_cannot_explain() {
        let steady = Some(0.1);
        let table = [
            (1.0, 10_000.0, steady, Some(true)),
            (0.96, 10_000.0, steady, Some(true)),
            (0.94, 10_000.0, steady, Some(false)),
            (1.06, 10_000.0, steady, Some(false)),
            (1.0, 10_000.0, Some(0.3), Some(false)),
            (1.0, 10_000.0, None, None),
            (0.94, 10_000.0, None, Some(false)),
            // √400 is 5 % of it: five times that is chance.
            (0.75, 400.0, steady, None),
            (0.65, 400.0, steady, Some(false)),
            (1.0, 400.0, None, None),
        ];
        for (ratio, requests, variation, expected) in table {
            let found = kept((Some(ratio), requests), variation);
            assert_eq!(found, expected, "{ratio} of {requests}, {variation:?}");
        }
        assert_eq!(kept((None, 0.0), None), None);
    }

    #[test]
    fn the_variation_of_a_sample() {
        assert_eq!(variation(&[10.0; 5]), Some(0.0));
        assert_eq!(variation(&[10.0; 4]), None, "too few");
        let found = variation(&[8.0, 12.0, 8.0, 12.0, 10.0]).unwrap();
        assert!((found - 0.2).abs() < 1e-12, "{found}");
    }
}
