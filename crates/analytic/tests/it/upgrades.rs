//! An upgrade's promised gain is met when it is made, and folding changes no result: on any
//! network.

use iopath_path::{ComponentId, LegId, RowId};
use iopath_record::{Bound, BoundKind, LimitId, Record};
use proptest::collection::vec;
use proptest::prelude::*;

use super::build::{Build, next};
use super::fixed::{binding, bound, of};

/// Parts of a few declarations, and streams over some of them.
#[derive(Clone, Debug)]
struct Plan {
    /// For each declaration, how many parts and of which capacity.
    parts: Vec<(usize, f64)>,
    /// For each stream, which part of each declaration it crosses, and its requests in flight.
    streams: Vec<(Vec<usize>, u32)>,
    /// Seconds of delay of every part.
    latency_s: f64,
    /// Coefficient of variation of every part, where each request leads to one on every part
    /// rather than crossing them.
    variability: Option<f64>,
}

const BLOCK: u64 = 1_000_000;

fn plans() -> impl Strategy<Value = Plan> {
    let capacity = prop_oneof![Just(100e6), Just(200e6), Just(300e6), 50e6..900e6_f64];
    let capacity = capacity.prop_map(|rate: f64| rate.round());
    vec((1..5_usize, capacity), 1..5).prop_flat_map(|parts| {
        let stream = (vec(0..4_usize, parts.len()), 1..4_u32);
        let latency = prop_oneof![Just(0.0), Just(1e-3), Just(8e-3)];
        (vec(stream, 1..9), latency).prop_map(move |(streams, latency_s)| Plan {
            parts: parts.clone(),
            streams,
            latency_s,
            variability: None,
        })
    })
}

/// Plans with the kind of bound to look at; those of waiting for the slowest have something to
/// wait for.
fn bounded() -> impl Strategy<Value = (Plan, BoundKind)> {
    const KINDS: [BoundKind; 3] =
        [BoundKind::FixedSplit, BoundKind::ClosedLoop, BoundKind::Synchronised];
    (plans(), proptest::sample::select(&KINDS[..]), 0.1..1.0_f64).prop_map(
        |(plan, kind, varies)| {
            let variability = (kind == BoundKind::Synchronised).then_some(varies);
            (Plan { variability, ..plan }, kind)
        },
    )
}

impl Plan {
    /// The network, whose parts of one declaration are called alike or not.
    fn build(&self, alike: bool) -> Build {
        let mut build = Build::default();
        let mut all: Vec<Vec<ComponentId>> = Vec::new();
        for (number, (count, capacity)) in self.parts.iter().enumerate() {
            let part = |build: &mut Build, index: usize| {
                let name = if alike {
                    format!("p{number}[{index}]")
                } else {
                    format!("p{number}-{index}")
                };
                let part = build.part(&name, None);
                build.bytes(part, *capacity);
                let component = &mut build.network.components[part.0 as usize];
                component.latency_s = self.latency_s;
                component.variability = self.variability;
                part
            };
            all.push((0..*count).map(|index| part(&mut build, index)).collect());
        }
        for (choices, in_flight) in &self.streams {
            let crossed: Vec<ComponentId> =
                all.iter().zip(choices).map(|(parts, at)| parts[at % parts.len()]).collect();
            let leg = match self.variability {
                None => build.read(crossed[0], BLOCK, &crossed),
                Some(_) => forked(&mut build, &crossed),
            };
            build.stream(leg, f64::from(*in_flight));
        }
        build
    }
}

/// A leg whose requests lead to one on each of some parts.
fn forked(build: &mut Build, parts: &[ComponentId]) -> LegId {
    let volume = build.part(&format!("volume-{}", build.network.legs.len()), None);
    let root = build.read(volume, BLOCK, &[]);
    for part in parts {
        let leg = build.read(*part, BLOCK, &[*part]);
        build.leg(root).next.push(next(leg, 1.0, None));
    }
    root
}

/// Raises a limit of a record in its network.
fn raise(build: &mut Build, record: &Record, of: LimitId, to: f64) {
    let entity = &record.entities[of.entity.0 as usize];
    let names = expanded(&entity.name);
    if entity.layer == iopath_record::Layer::Application {
        for (position, stream) in build.network.streams.iter_mut().enumerate() {
            if names.contains(&stream_name(record, position)) {
                stream.in_flight = to;
            }
        }
        return;
    }
    let components = build.network.components.iter();
    let rows: Vec<RowId> =
        components.filter(|part| names.contains(&part.name)).map(|part| part.rows[0]).collect();
    assert_eq!(rows.len(), entity.count as usize, "{} is not exact", entity.name);
    for row in rows {
        build.network.rows[row.0 as usize].capacity = to;
    }
}

fn stream_name(record: &Record, position: usize) -> String {
    record.entities[record.streams[position].entity.0 as usize].name.clone()
}

/// `p0[0-1,3]` as the names that it means.
fn expanded(selector: &str) -> Vec<String> {
    let Some((name, indexes)) = selector.strip_suffix(']').and_then(|text| text.split_once('['))
    else {
        return vec![selector.to_owned()];
    };
    let number = |text: &str| text.parse::<u32>().unwrap();
    let range = |text: &str| match text.split_once('-') {
        Some((first, last)) => number(first)..=number(last),
        None => number(text)..=number(text),
    };
    indexes.split(',').flat_map(range).map(|index| format!("{name}[{index}]")).collect()
}

/// The bound of a kind, where there is one.
fn found(record: &Record, kind: BoundKind) -> Option<&Bound> {
    record.bounds.iter().find(|bound| bound.kind == kind)
}

fn is_near(one: u64, other: u64) -> bool {
    one.abs_diff(other) as f64 <= 2.0 + 1e-7 * one as f64
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn each_step_gives_what_it_promises((plan, kind) in bounded()) {
        let mut build = plan.build(true);
        let record = build.evaluate();
        let Some(found) = found(&record, kind) else { return Ok(()) };
        let mut before = found.bytes_per_sec;
        for step in &found.upgrades {
            for one in &step.raise {
                raise(&mut build, &record, one.of, one.to_per_sec as f64);
            }
            let after = bound(&build.evaluate(), kind);
            prop_assert!(is_near(after, step.then_bytes_per_sec), "{after} {step:?}");
            prop_assert!(after > before);
            before = after;
        }
    }

    /// Of what binds, a percent more of any gives what its price says.
    #[test]
    fn a_price_is_paid((plan, kind) in bounded()) {
        let build = plan.build(true);
        let record = build.evaluate();
        let Some(found) = found(&record, kind) else { return Ok(()) };
        let before = found.bytes_per_sec as f64;
        for price in &found.binding {
            let of_group = found.binding.iter();
            // Equal prices may be of one declaration in several classes: those are raised together.
            if of_group.filter(|other| other.gain_ppm == price.gain_ppm).count() > 1 {
                continue;
            }
            let entity = &record.entities[price.of.entity.0 as usize];
            let limit = &entity.limits[price.of.limit as usize];
            let to = limit.tokens.unwrap_or(limit.per_sec) as f64 * 1.01;
            let mut build = build.clone();
            raise(&mut build, &record, price.of, to);
            // Fair shares of more may carry less in all; the price is 0 then.
            let gain = (bound(&build.evaluate(), kind) as f64 / before - 1.0).max(0.0);
            let paid = (gain * 1e8 - price.gain_ppm as f64).abs();
            prop_assert!(paid < 10.0, "{gain} {price:?} {}", entity.name);
        }
    }

    #[test]
    fn rates_alone_are_those_of_the_bounds(plan in plans()) {
        let build = plan.build(true);
        let (full, rates) = (build.evaluate_rated(), build.rates_rated());
        prop_assert_eq!(&full.series, &rates.series);
        prop_assert_eq!(&full.curve, &rates.curve);
        prop_assert_eq!(&full.streams, &rates.streams);
        prop_assert_eq!(&full.environment, &rates.environment);
        let bounds = |record: &Record| -> Vec<_> {
            let forced = record.bounds.iter().filter(|one| one.kind != BoundKind::FreeSplit);
            forced.map(|one| (one.kind, one.bytes_per_sec)).collect()
        };
        prop_assert_eq!(bounds(&full), bounds(&rates));
    }

    #[test]
    fn folding_changes_no_result(plan in plans()) {
        let (folded, plain) = (plan.build(true).evaluate(), plan.build(false).evaluate());
        for kind in [BoundKind::FixedSplit, BoundKind::ClosedLoop] {
            prop_assert!(is_near(bound(&folded, kind), bound(&plain, kind)));
        }
        for (one, other) in folded.streams.iter().zip(&plain.streams) {
            prop_assert!(is_near(one.phases[0].read_bytes, other.phases[0].read_bytes));
        }
    }

    /// More in flight of equal streams gives at least what was promised: whole requests are more.
    #[test]
    fn more_in_flight_gives_what_it_promises(mut plan in plans()) {
        for stream in &mut plan.streams {
            *stream = (plan_choice(), 1);
        }
        let mut build = plan.build(true);
        let record = build.evaluate();
        prop_assert!(!binding(&record, BoundKind::ClosedLoop).is_empty());
        for step in &of(&record, BoundKind::ClosedLoop).upgrades {
            for one in &step.raise {
                raise(&mut build, &record, one.of, one.to_per_sec as f64);
            }
            let after = bound(&build.evaluate(), BoundKind::ClosedLoop);
            prop_assert!(
                after + 2 >= step.then_bytes_per_sec - step.then_bytes_per_sec / 10_000_000,
                "{after} {step:?}"
            );
        }
    }
}

/// All streams over the first part of every declaration.
fn plan_choice() -> Vec<usize> {
    vec![0; 4]
}
