//! The kernel beside the six that it replaces: equal but for what is listed, with the reason.

use iopath_record::{Counter, EntityId, Record, Series, from_json};
use proptest::prelude::*;

use super::Usage;
use crate::pass::Pass;
use crate::watched;

/// What one of the six says: its name, that of the figure, its value and ours.
type Said = (&'static str, &'static str, Option<f64>, Option<f64>);

fn all(pass: &Pass<'_>, id: EntityId) -> Vec<Said> {
    of_watched(pass, id)
}

fn of_watched(pass: &Pass<'_>, id: EntityId) -> Vec<Said> {
    let is_alone = matches!(&watched::bottoms(pass.record)[..], [(only, _)] if *only == id);
    if !is_alone {
        return Vec::new();
    }
    let passes = std::slice::from_ref(pass);
    let moved = |counters| watched::Moved::of(passes, counters);
    let old = moved(watched::READ).plus(moved(watched::WRITE));
    let new = Usage::of_entity(pass, id, &pass.measured);
    let seconds = pass.measured.length_ns() as f64 / 1e9;
    let rate = |amount: f64| Some(amount / seconds).filter(|_| seconds > 0.0);
    let known = |rate: Option<f64>| rate.or(Some(0.0)).filter(|_| seconds > 0.0);
    let name = "watched";
    vec![
        (name, "bytes", rate(old.bytes), known(new.transfers.bytes_per_sec)),
        (name, "operations", rate(old.operations), known(new.transfers.operations_per_sec)),
        (name, "time", old.ns_mean(), new.transfers.ns_mean),
    ]
}

/// What a record has of an entity.
struct Has<'a> {
    pass: &'a Pass<'a>,
    id: EntityId,
}

impl Has<'_> {
    fn grown(&self, counter: Counter) -> Option<f64> {
        self.pass.counters.over(self.id, counter, &self.pass.counters.sampled().into())
    }

    fn any(&self, counters: &[Counter]) -> bool {
        counters.iter().any(|counter| self.grown(*counter).is_some())
    }

    fn count(&self) -> u32 {
        self.pass.record.entities[self.id.0 as usize].count
    }
}

const WAYS: [Counter; 2] = [Counter::ReadBytes, Counter::WriteBytes];
const OPERATIONS: [Counter; 2] = [Counter::ReadOperations, Counter::WriteOperations];
const SPENT: [Counter; 2] = [Counter::ReadNs, Counter::WriteNs];
const OTHERS: [Counter; 4] =
    [Counter::DiscardOperations, Counter::FlushOperations, Counter::DiscardNs, Counter::FlushNs];

/// Why one of the six says something else; none where it must not.
fn reason(has: &Has<'_>, (kernel, figure, old, new): Said) -> Option<&'static str> {
    use Counter::{Completed, InFlightNs, MovedBytes, UserNs};
    let partly = |all: [Counter; 2]| has.any(&all[..1]) != has.any(&all[1..]);
    let untimed = || {
        let mut timed = OPERATIONS.into_iter().zip(SPENT);
        timed.any(|(op, ns)| has.any(&[op]) != has.any(&[ns]))
    };
    let is = |is: bool, why| is.then_some(why);
    match (kernel, figure) {
        ("traffic" | "observed", "bytes") if has.any(&WAYS) && has.any(&[MovedBytes]) => {
            Some("moved bytes are for where nothing tells which way")
        }
        ("traffic", "size") if has.any(&WAYS) && has.any(&[MovedBytes]) => Some("as its bytes"),
        ("observed", "one-way") => is(old.is_none(), "bytes need no operations to be known"),
        ("observed" | "watched", "bytes") => {
            is(old.is_none() || has.any(&[MovedBytes]), "bytes of one way, or moved, are known")
        }
        ("observed" | "classes" | "watched", "operations") => {
            is(partly(OPERATIONS) || has.any(&[Completed]), "completed requests are operations")
        }
        ("observed" | "traffic", "busy") => is(
            has.count() > 1 || old > Some(1.0),
            "the share of the time is of each, and 1 is all there is",
        ),
        ("observed", "processor") => is(new.is_none(), "shares need the time at rest"),
        ("picture", "busy") => is(
            !has.any(&[UserNs, Counter::SystemNs]),
            "what was stolen from a processor alone says nothing",
        ),
        ("observed", "in-flight") => {
            is(old.is_none() && !has.any(&[InFlightNs]), "by the times where nothing else is known")
        }
        ("traffic", "in-flight") => is(
            has.any(&OTHERS) || has.any(&[InFlightNs]) || untimed(),
            "in flight are requests of every kind",
        ),
        ("picture", "in-flight") => is(has.any(&OTHERS) || untimed(), "likewise by the times"),
        ("picture", "time") => is(
            has.any(&[InFlightNs]) || untimed() || new == Some(0.0),
            "the time in queue is of discards and flushes, too",
        ),
        ("traffic", "time") => is(untimed() || has.any(&OTHERS), "times of some are not of all"),
        ("watched", "time") => is(
            untimed() || !has.any(&SPENT) || new == Some(0.0) || has.any(&[Completed]),
            "times of some are not of all; by time in flight where those are not known",
        ),
        ("picture-stream", "operations") => is(new == Some(0.0), "nothing was done, and counted"),
        _ => None,
    }
}

fn check(record: &Record) -> Result<(), String> {
    let pass = Pass::of(record);
    for at in 0..record.entities.len() {
        let has = Has { pass: &pass, id: EntityId(at as u32) };
        for said in all(&pass, has.id) {
            let (kernel, figure, old, new) = said;
            let is_equal = match old.zip(new) {
                Some((old, new)) => (old - new).abs() <= 1e-9 * old.abs().max(new.abs()),
                None => old == new,
            };
            if !is_equal && reason(&has, said).is_none() {
                let name = &record.entities[at].name;
                return Err(format!("{name}: {kernel} {figure}: {old:?}, not {new:?}"));
            }
        }
    }
    Ok(())
}

#[test]
fn stored_records() {
    for text in [
        include_str!("../../../record/tests/fixtures/v1/analytic.json"),
        include_str!("../../../record/tests/fixtures/v1/two-streams.json"),
        include_str!("../../../record/tests/fixtures/v2/bounds.json"),
        include_str!("../../../record/tests/fixtures/v3/emulated.json"),
        include_str!("../../../record/tests/fixtures/v4/observed.json"),
        include_str!("../../../record/tests/fixtures/v5/sampled.json"),
        include_str!("../../../record/tests/fixtures/v6/verified.json"),
        include_str!("../../../record/tests/fixtures/v7/flushed.json"),
        include_str!("../../../record/tests/fixtures/v8/flushing.json"),
        include_str!("../../../record/tests/fixtures/v9/trimmed.json"),
    ] {
        check(&from_json(text).unwrap()).unwrap();
    }
    check(&crate::sample::Sample::new().record()).unwrap();
}

const COUNTERS: [Counter; 24] = [
    Counter::ReadBytes,
    Counter::WriteBytes,
    Counter::ReadOperations,
    Counter::WriteOperations,
    Counter::ReadNs,
    Counter::WriteNs,
    Counter::MovedBytes,
    Counter::Completed,
    Counter::Merged,
    Counter::BusyNs,
    Counter::InFlightNs,
    Counter::InFlight,
    Counter::UserNs,
    Counter::SystemNs,
    Counter::IdleNs,
    Counter::IoWaitNs,
    Counter::StealNs,
    Counter::CacheHits,
    Counter::CacheMisses,
    Counter::Errors,
    Counter::FlushOperations,
    Counter::FlushNs,
    Counter::DiscardOperations,
    Counter::DiscardNs,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]
    #[test]
    fn random_counters(
        count in 1u32..4,
        grown in proptest::collection::vec(proptest::option::of(
            prop_oneof![Just([0, 0]), [0u64..1 << 40, 0u64..1 << 40]]
        ), COUNTERS.len()),
    ) {
        let mut record = crate::sample::Sample::new().record();
        record.streams.clear();
        record.relations.clear();
        record.entities.truncate(2);
        record.entities[1].count = count;
        record.entities.remove(0);
        record.instants_ns = vec![0, 1_000_000_000, 3_000_000_000];
        let of = |wanted| grown[COUNTERS.iter().position(|one| *one == wanted).unwrap()];
        let series = COUNTERS.iter().zip(&grown).filter_map(|(counter, grown)| {
            // A request and its time are counted at once, when it completes.
            let requests = match counter {
                Counter::ReadNs => of(Counter::ReadOperations),
                Counter::WriteNs => of(Counter::WriteOperations),
                _ => None,
            };
            let [all, none] = [requests.unwrap_or([1, 1]), (*grown)?];
            let [one, other] = [0, 1].map(|at| if all[at] == 0 { 0 } else { none[at] });
            Some(Series::from_values(EntityId(0), *counter, &[7, 7 + one, 7 + one + other]))
        });
        record.series = series.collect();
        prop_assert_eq!(check(&record), Ok(()));
    }
}
