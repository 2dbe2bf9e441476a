//! Records, totals and histograms of every valid shape, for properties.

use std::collections::BTreeMap;

use iopath_record::histogram::{BUCKETS, Summary, bucket_of};
use iopath_record::{
    Bound, BoundKind, CaseText, ClockNote, Counter, CurvePoint, Direction, Emulated, Entity,
    EntityId, Event, Histogram, Kind, Latency, LatencyHistogram, Layer, Limit, LimitId, Measure,
    Origin, Phase, PhaseTotals, Price, Raise, Record, Relation, Series, StreamTotals, Technique,
    Upgrade, Warning,
};
use iopath_units::{Action, Op};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::subsequence;

/// Latencies from a nanosecond to hours, each order of magnitude alike.
pub(crate) fn value() -> impl Strategy<Value = u64> {
    (0_u32..45, any::<u64>()).prop_map(|(bits, noise)| noise & ((1 << bits) - 1))
}

/// The histogram of `values`, made as a generator of load makes it: dense counts.
pub(crate) fn histogram_of(values: &[u64]) -> Histogram {
    let mut counts = vec![0; BUCKETS];
    for value in values {
        counts[bucket_of(*value)] += 1;
    }
    let summary = Summary {
        sum_ns: values.iter().sum(),
        min_ns: values.iter().copied().min().unwrap_or_default(),
        max_ns: values.iter().copied().max().unwrap_or_default(),
    };
    Histogram::from_counts(counts, summary)
}

pub(crate) fn histogram() -> impl Strategy<Value = Histogram> {
    vec(value(), 0..40).prop_map(|values| histogram_of(&values))
}

fn latencies() -> impl Strategy<Value = Vec<LatencyHistogram>> {
    let kinds =
        [Latency::Submit, Latency::Complete, Latency::Total, Latency::Intended, Latency::Lag];
    let all: Vec<_> = kinds.into_iter().flat_map(|what| Op::BOTH.map(|op| (what, op))).collect();
    (subsequence(all, 0..4), vec(histogram(), 4)).prop_map(|(names, histograms)| {
        let named = |((what, op), histogram)| LatencyHistogram { what, op, histogram };
        names.into_iter().zip(histograms).map(named).collect()
    })
}

fn totals(phase: Phase) -> impl Strategy<Value = PhaseTotals> {
    let span = (0..1_000_000_000_u64, 0..1_000_000_000_u64);
    let rest = proptest::array::uniform12(0..1_u64 << 50);
    (span, rest, latencies()).prop_map(move |((from, lasting), n, latency)| PhaseTotals {
        phase,
        from_ns: from,
        to_ns: from + lasting,
        submitted: n[0],
        completed: n[1],
        failed: n[2],
        operations_ppm: n[3],
        read_bytes: n[4],
        write_bytes: n[5],
        trim_bytes: 0,
        in_flight_ns: n[6],
        join_wait_ns: n[7],
        pool_wait_ns: n[8],
        idle_ns: n[9],
        user_ns: n[10],
        system_ns: n[11],
        latency,
    })
}

/// Totals of some phases, in order and one after the other.
pub(crate) fn phases() -> impl Strategy<Value = Vec<PhaseTotals>> {
    subsequence(Phase::ALL.to_vec(), 0..=5)
        .prop_flat_map(|phases| phases.into_iter().map(totals).collect::<Vec<_>>())
        .prop_map(|mut phases| {
            let mut end = 0;
            for totals in &mut phases {
                totals.from_ns += end;
                totals.to_ns += end;
                end = totals.to_ns;
            }
            phases
        })
}

fn entity(index: u32) -> impl Strategy<Value = Entity> {
    let parent = option::of(0..index.max(1));
    let limit = (any::<u64>(), option::of(any::<u64>())).prop_map(|(per_sec, tokens)| {
        let (measure, direction) = (Measure::Bytes, Direction::Both);
        let origin = Origin::Rated;
        Limit { measure, direction, per_sec, origin, tokens }
    });
    let kind = prop_oneof![Just(Kind::Disk), ".{0,12}".prop_map(Kind::from)];
    let named = (".{1,12}", kind);
    (named, parent, 1_u32.., vec(limit, 0..3)).prop_map(move |(named, parent, count, limits)| {
        let (name, kind) = named;
        let parent = parent.filter(|_| index > 0).map(EntityId);
        let binding = parent.map(|_| "/dev/null".to_owned());
        Entity { name, kind, layer: Layer::Device, parent, binding, count, limits }
    })
}

fn series(instants: usize) -> impl Strategy<Value = Vec<Series>> {
    let counters = vec![Counter::ReadBytes, Counter::BusyNs, Counter::InFlight, Counter::Errors];
    let missing = subsequence((0..instants as u32).collect::<Vec<_>>(), 0..=instants);
    (subsequence(counters, 0..=4), vec(0..1_u64 << 62, instants), missing).prop_map(
        |(counters, values, missing)| {
            let one = |counter| Series {
                missing: missing.clone(),
                ..Series::from_values(EntityId(0), counter, &values)
            };
            counters.into_iter().map(one).collect()
        },
    )
}

/// All limits of the entities.
fn limits(entities: &[Entity]) -> Vec<LimitId> {
    let of = |(index, entity): (u32, &Entity)| {
        let entity_id = EntityId(index);
        (0..entity.limits.len() as u32).map(move |limit| LimitId { entity: entity_id, limit })
    };
    (0..).zip(entities).flat_map(of).collect()
}

fn upgrades(limits: Vec<LimitId>) -> impl Strategy<Value = Vec<Upgrade>> {
    let all = limits.len();
    let most = if limits.is_empty() { 0 } else { 3 };
    let upgrade = (
        subsequence(limits.clone(), all.min(1)..=all),
        subsequence(limits, 0..=all),
        any::<[u64; 3]>(),
    );
    let upgrade = upgrade.prop_map(|(raised, then_binds, [to, bytes, operations])| Upgrade {
        raise: raised.into_iter().map(|of| Raise { of, to_per_sec: to }).collect(),
        then_bytes_per_sec: bytes,
        then_operations_milli_per_sec: operations,
        then_binds,
    });
    vec(upgrade, 0..=most)
}

fn bound(kind: BoundKind, limits: &[LimitId]) -> impl Strategy<Value = Bound> + use<> {
    let binding = subsequence(limits.to_vec(), 0..=limits.len());
    let leaves_out = vec("[a-z-]{1,9}: .{1,9}", 0..3);
    (any::<[u64; 3]>(), binding, upgrades(limits.to_vec()), leaves_out).prop_map(
        move |([bytes_per_sec, operations, gain_ppm], binding, upgrades, leaves_out)| Bound {
            kind,
            bytes_per_sec,
            operations_milli_per_sec: operations,
            binding: binding.into_iter().map(|of| Price { of, gain_ppm }).collect(),
            upgrades,
            leaves_out,
        },
    )
}

fn bounds(limits: Vec<LimitId>) -> impl Strategy<Value = Vec<Bound>> {
    use BoundKind::{ClosedLoop, FixedSplit, FreeSplit, Synchronised};
    subsequence(vec![FreeSplit, FixedSplit, ClosedLoop, Synchronised], 0..=4).prop_flat_map(
        move |kinds| kinds.into_iter().map(|kind| bound(kind, &limits)).collect::<Vec<_>>(),
    )
}

fn curve() -> impl Strategy<Value = Vec<CurvePoint>> {
    proptest::collection::btree_map(any::<u64>(), any::<[u64; 3]>(), 0..4).prop_map(|points| {
        let point =
            |(load_ppm, [operations, bytes_per_sec, response_ns]): (u64, [u64; 3])| CurvePoint {
                load_ppm,
                operations_milli_per_sec: operations,
                bytes_per_sec,
                response_ns,
            };
        points.into_iter().map(point).collect()
    })
}

fn technique() -> impl Strategy<Value = Technique> {
    prop_oneof![
        Just(Technique::Analytic),
        any::<u64>().prop_map(|events| Technique::Simulation { events }),
        (".*", option::of((1..=1_u64 << 20, 1..=1000_u64))).prop_map(|(engine, scaled)| {
            let emulated = scaled.map(|(scale, stretch)| Emulated { scale, stretch });
            Technique::Measurement { engine, emulated }
        }),
        Just(Technique::Observation),
    ]
}

fn case() -> impl Strategy<Value = CaseText> {
    let levels = proptest::collection::btree_map(".{1,8}", ".*", 0..4);
    (".*", ".*", levels, any::<(u32, u32, u64)>()).prop_map(
        |(title, text, levels, (trial, pass, seed))| {
            let (study, experiment) = (title.clone(), title);
            CaseText { study, experiment, text, levels, trial, pass, seed }
        },
    )
}

/// A valid record of any shape, of either format.
pub(crate) fn record() -> impl Strategy<Value = Record> {
    let bounded = without_bounds().prop_flat_map(|record| {
        let found = (bounds(limits(&record.entities)), curve());
        found.prop_map(move |(bounds, curve)| Record { bounds, curve, ..record.clone() })
    });
    let first = without_bounds().prop_map(|record| Record { format: 1, ..record });
    prop_oneof![bounded, first]
}

/// One to five entities, two to five instants.
fn without_bounds() -> impl Strategy<Value = Record> {
    let sizes = (1_u32..6, 2_usize..6);
    sizes.prop_flat_map(|(entities, instants)| {
        let streams = (vec(phases(), 0..=entities as usize), any::<u32>());
        let entities: Vec<_> = (0..entities).map(entity).collect();
        let heat = prop_oneof![Just(0), Just(instants - 1)]
            .prop_flat_map(|intervals| vec(histogram(), intervals));
        let times = vec(1..1_000_000_u64, instants);
        let parts = (entities, times, series(instants), streams, heat);
        (case(), technique(), parts).prop_map(|(case, technique, parts)| {
            let (entities, times, series, (phases, at), heat) = parts;
            let last = EntityId(entities.len() as u32 - 1);
            let relations = (entities.len() > 1)
                .then(|| Relation {
                    upper: EntityId(0),
                    lower: vec![last],
                    read_copies_ppm: 1_000_000,
                    write_copies_ppm: 2_000_000,
                })
                .into_iter()
                .collect();
            Record {
                format: Record::FORMAT,
                environment: BTreeMap::from([("kernel.release".to_owned(), case.text.clone())]),
                events: vec![Event {
                    at_ns: at.into(),
                    entity: Some(last),
                    what: case.study.clone(),
                }],
                bounds: Vec::new(),
                bad_blocks: Default::default(),
                curve: Vec::new(),
                warnings: vec![Warning { kind: "a-kind".to_owned(), text: case.text.clone() }],
                case,
                technique,
                entities,
                relations,
                clock: ClockNote { started_unix_ns: u64::MAX, error_ns: at.into() },
                instants_ns: times
                    .iter()
                    .scan(0, |now, step| {
                        *now += step;
                        Some(*now)
                    })
                    .collect(),
                series,
                streams: (0..).zip(phases).map(stream).collect(),
                heat,
            }
        })
    })
}

/// Every third stream trims.
fn stream((index, mut phases): (u32, Vec<PhaseTotals>)) -> StreamTotals {
    let action = if index % 3 == 2 { Action::Trim } else { Action::Transfer };
    if action == Action::Trim {
        for totals in &mut phases {
            totals.trim_bytes = std::mem::take(&mut totals.write_bytes);
            totals.read_bytes = 0;
        }
    }
    let last_done_ns = phases.last().map_or(0, |totals| totals.to_ns);
    StreamTotals {
        action,
        entity: EntityId(index),
        first_issue_ns: 0,
        first_done_ns: last_done_ns / 2,
        last_done_ns,
        phases,
    }
}
