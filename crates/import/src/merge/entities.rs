//! Things and streams of all texts as entities of one record.

use std::collections::BTreeMap;

use iopath_record::{
    Direction, Entity, EntityId, Kind, Layer, Limit, Measure, Origin, Record, Relation, Warning,
};

use super::{WARNING, phases};
use crate::imported::{Imported, Stream};

/// Which entity each thing of each text is; none where another text has more.
pub(super) type Places = Vec<Vec<Place>>;

/// Where a thing went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub entity: EntityId,
    /// Whether its counters go along.
    pub is_kept: bool,
}

pub(super) fn things(all: &[Imported], record: &mut Record) -> Places {
    let mut places: Places = Vec::new();
    let mut tellers = tellers(all);
    for (text, one) in all.iter().enumerate() {
        let of = |index: usize| place(all, (text, index), &mut tellers, record);
        places.push((0..one.things.len()).map(of).collect());
    }
    for (one, own) in all.iter().zip(&places) {
        for (thing, place) in one.things.iter().zip(own) {
            let parent = thing.parent.and_then(|parent| own.get(parent)).map(|place| place.entity);
            let entity = &mut record.entities[place.entity.0 as usize];
            entity.parent = entity.parent.or(parent);
        }
    }
    places
}

/// Who tells of a thing, and which entity it is as soon as it is one.
struct Teller {
    text: usize,
    entity: Option<usize>,
}

type Tellers<'a> = BTreeMap<(&'a str, &'a Kind), Teller>;

/// Of texts with equally many intervals the first.
fn tellers(all: &[Imported]) -> Tellers<'_> {
    let mut tellers = Tellers::new();
    for (text, one) in all.iter().enumerate() {
        for thing in &one.things {
            let teller = tellers.entry((thing.name.as_str(), &thing.kind));
            let teller = teller.or_insert(Teller { text, entity: None });
            if one.intervals() > all[teller.text].intervals() {
                teller.text = text;
            }
        }
    }
    tellers
}

/// The text with the most intervals tells what a thing did; others leave theirs out.
fn place<'a>(
    all: &'a [Imported],
    (text, index): (usize, usize),
    tellers: &mut Tellers<'a>,
    record: &mut Record,
) -> Place {
    let thing = &all[text].things[index];
    let teller = tellers.entry((&thing.name, &thing.kind)).or_insert(Teller { text, entity: None });
    let best = teller.text;
    let position = *teller.entity.get_or_insert_with(|| {
        record.entities.push(Entity {
            name: thing.name.clone(),
            kind: thing.kind.clone(),
            layer: thing.layer,
            parent: None,
            binding: None,
            count: thing.count,
            limits: Vec::new(),
        });
        record.entities.len() - 1
    });
    if best != text {
        let text = format!(
            "{}: its figures of {} are left out, {} has more",
            all[text].file, thing.name, all[best].file
        );
        record.warnings.push(Warning { kind: WARNING.to_owned(), text });
    } else {
        record.entities[position].count = thing.count;
    }
    Place { entity: id(position), is_kept: best == text }
}

pub(super) fn streams(
    all: &[Imported],
    course: usize,
    axis: &[u64],
    places: &Places,
    record: &mut Record,
) {
    let mut kept: Vec<(EntityId, Stream)> = Vec::new();
    for ((one, begin), own) in all.iter().zip(axis).zip(places) {
        let Some(course) = one.courses.get(course) else { continue };
        record.case.levels.extend(course.levels.clone());
        for stream in &course.streams {
            let entity = id(record.entities.len());
            record.entities.push(entity_of(stream));
            let mut lower: Vec<EntityId> =
                stream.on.iter().filter_map(|on| own.get(*on)).map(|place| place.entity).collect();
            lower.dedup();
            if !lower.is_empty() {
                let (read_copies_ppm, write_copies_ppm) = (1_000_000, 1_000_000);
                let upper = entity;
                record.relations.push(Relation { upper, lower, read_copies_ppm, write_copies_ppm });
            }
            let mut stream = stream.clone();
            stream.from_ns = stream.from_ns.saturating_add(*begin);
            stream.to_ns = stream.to_ns.saturating_add(*begin);
            kept.push((entity, stream));
        }
    }
    record.streams = phases::totals(kept);
}

fn entity_of(stream: &Stream) -> Entity {
    let slots = stream.depth.map(|depth| Limit {
        measure: Measure::Requests,
        direction: Direction::Both,
        per_sec: 0,
        origin: Origin::Given,
        tokens: Some(depth),
    });
    Entity {
        name: stream.name.clone(),
        kind: Kind::Stream,
        layer: Layer::Application,
        parent: None,
        binding: None,
        count: 1,
        limits: slots.into_iter().collect(),
    }
}

fn id(position: usize) -> EntityId {
    EntityId(u32::try_from(position).unwrap_or(u32::MAX))
}
