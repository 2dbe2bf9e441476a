//! Records of emulated paths get the figures of the original, and stay records.

use iopath_record::{
    CannotRestore, Counter, Direction, Emulated, Entity, EntityId, Layer, Limit, Measure, Origin,
    Record, Series, Technique,
};
use proptest::prelude::*;

use super::generate;

/// A measurement whose figures leave room for large scales.
fn measured() -> impl Strategy<Value = Record> {
    let layers = proptest::collection::vec(0_usize..4, 6);
    (generate::record(), layers).prop_map(|(mut record, layers)| {
        let kinds = [Layer::Application, Layer::Device, Layer::Memory, Layer::Processor];
        record.technique = Technique::Measurement { engine: "uring".to_owned(), emulated: None };
        for (entity, layer) in record.entities.iter_mut().zip(layers) {
            entity.layer = kinds[layer];
            entity.limits.iter_mut().for_each(|limit| limit.per_sec >>= 32);
        }
        for bound in &mut record.bounds {
            bound.bytes_per_sec >>= 32;
            bound.operations_milli_per_sec >>= 32;
            for upgrade in &mut bound.upgrades {
                upgrade.then_bytes_per_sec >>= 32;
                upgrade.then_operations_milli_per_sec >>= 32;
                upgrade.raise.iter_mut().for_each(|raise| raise.to_per_sec >>= 32);
            }
        }
        for point in &mut record.curve {
            point.bytes_per_sec >>= 32;
            point.operations_milli_per_sec >>= 32;
        }
        for series in &mut record.series {
            let values: Vec<u64> = series.values().map(|value| value >> 20).collect();
            let missing = std::mem::take(&mut series.missing);
            let all = Series::from_values(series.entity, series.counter, &values);
            *series = Series { missing, ..all };
        }
        // Instants that are closer than a stretch would fall together.
        for (number, instant) in (1..).zip(&mut record.instants_ns) {
            *instant += number * 1_000_000;
        }
        record
    })
}

fn of_phases(record: &Record) -> impl Iterator<Item = &iopath_record::PhaseTotals> {
    record.streams.iter().flat_map(|stream| &stream.phases)
}

proptest! {
    #[test]
    fn what_was_not_scaled_stays_but_for_the_label(record in measured()) {
        let one = Emulated { scale: 1, stretch: 1 };
        let restored = record.clone().restored(one).unwrap();
        let technique =
            Technique::Measurement { engine: "uring".to_owned(), emulated: Some(one) };
        prop_assert_eq!(restored, Record { technique, format: Record::FORMAT, ..record });
    }

    #[test]
    fn a_restored_record_is_valid_and_moved_more_in_less_time(
        record in measured(), bits in 0_u32..10, stretch in 1_u64..40,
    ) {
        let scale = 1 << bits;
        let restored = record.clone().restored(Emulated { scale, stretch }).unwrap();
        prop_assert_eq!(restored.validate(), []);
        for (before, after) in of_phases(&record).zip(of_phases(&restored)) {
            prop_assert_eq!(after.read_bytes, before.read_bytes * scale);
            prop_assert_eq!(after.write_bytes, before.write_bytes * scale);
            prop_assert_eq!(after.to_ns, before.to_ns / stretch);
            prop_assert_eq!(after.completed, before.completed);
            prop_assert_eq!(after.operations_ppm, before.operations_ppm);
        }
        for (before, after) in record.series.iter().zip(&restored.series) {
            let layer = record.entities[before.entity.0 as usize].layer;
            let factor = match before.counter {
                Counter::ReadBytes if matches!(layer, Layer::Application | Layer::Device) => scale,
                _ => 1,
            };
            let divisor = if before.counter == Counter::BusyNs { stretch } else { 1 };
            let slow: Vec<u64> = before.values().map(|value| value * factor / divisor).collect();
            prop_assert_eq!(after.values().collect::<Vec<_>>(), slow);
            prop_assert_eq!(&before.missing, &after.missing);
        }
    }
}

fn entity(name: &str, layer: Layer) -> Entity {
    let limit = |measure: Measure| Limit {
        measure,
        direction: Direction::Both,
        per_sec: 1000,
        origin: Origin::Rated,
        tokens: None,
    };
    Entity {
        name: name.to_owned(),
        kind: name.into(),
        layer,
        parent: None,
        binding: None,
        count: 1,
        limits: vec![limit(Measure::Bytes), limit(Measure::Operations), limit(Measure::BusyNs)],
    }
}

fn example() -> Record {
    let text = include_str!("../fixtures/v3/emulated.json");
    let mut record = iopath_record::from_json(text).unwrap();
    record.technique = Technique::Measurement { engine: "uring".to_owned(), emulated: None };
    record.entities = vec![entity("lun", Layer::Lun), entity("memory", Layer::Memory)];
    record.streams.clear();
    record.relations.clear();
    record.heat.clear();
    record.events.clear();
    record.bounds.clear();
    record.curve.clear();
    record.instants_ns = vec![0, 1000];
    let series = |id, counter| Series::from_values(EntityId(id), counter, &[100, 900]);
    record.series = vec![series(0, Counter::ReadBytes), series(1, Counter::ResidentBytes)];
    record
}

#[test]
fn the_path_is_multiplied_and_the_machine_is_not() {
    let restored = example().restored(Emulated { scale: 32, stretch: 4 }).unwrap();
    let limits = |at: usize| -> Vec<u64> {
        restored.entities[at].limits.iter().map(|limit| limit.per_sec).collect()
    };
    assert_eq!(limits(0), [128_000, 4000, 1000]);
    assert_eq!(limits(1), [1000; 3]);
    assert_eq!(restored.series[0].values().collect::<Vec<_>>(), [3200, 28_800]);
    assert_eq!(restored.series[1].values().collect::<Vec<_>>(), [100, 900]);
    assert_eq!(restored.instants_ns, [0, 250]);
}

/// A described path has machines and caches of its own, which move its bytes: those of an array's
/// cache are not those of the memory of the machine that measures.
#[test]
fn caches_and_boxes_of_the_path_are_multiplied_with_it() {
    let rows = [
        ("cache", Layer::Memory, 3200),
        ("pool", Layer::Memory, 3200),
        ("controller", Layer::Processor, 3200),
        ("host", Layer::Processor, 3200),
        ("memory", Layer::Memory, 100),
        ("cpu", Layer::Processor, 100),
        ("process", Layer::Generator, 100),
    ];
    for (kind, layer, first) in rows {
        let mut record = example();
        record.entities[0] = entity(kind, layer);
        let restored = record.restored_counters(32, 1).unwrap();
        assert_eq!(restored.series[0].first, first, "{kind}");
        assert_eq!(restored.entities[0].limits[0].per_sec, 10 * first, "{kind}");
    }
}

#[test]
fn what_cannot_be_restored_is_refused() {
    let plain = Emulated { scale: 2, stretch: 1 };
    let again = example().restored(plain).unwrap().restored(plain);
    assert_eq!(again, Err(CannotRestore::Twice));
    let analytic = Record { technique: Technique::Analytic, ..example() };
    assert_eq!(analytic.restored(plain), Err(CannotRestore::Technique("analytic")));
    assert_eq!(example().restored(Emulated { scale: 0, stretch: 1 }), Err(CannotRestore::Zero));
    let mut large = example();
    large.entities[0].limits[0].per_sec = u64::MAX;
    assert_eq!(large.restored(plain), Err(CannotRestore::TooLarge("a limit")));
    // Two instants of one time are no axis.
    let close = example().restored(Emulated { scale: 1, stretch: 2000 });
    assert!(matches!(close, Err(CannotRestore::Broken(_))), "{close:?}");
}
