//! Things and streams of all texts as entities of one record.

use iopath_record::{Entity, EntityId, Layer, Limit, Record, Relation, Warning};

use super::{WARNING, phases};
use crate::imported::{Imported, Stream, Thing};

/// Which entity each thing of each text is; none where another text tells more of it.
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
    for (text, one) in all.iter().enumerate() {
        let of = |index: usize| place(all, (text, index), record);
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

/// The text with the most intervals tells what a thing did; others leave theirs out.
fn place(all: &[Imported], (text, index): (usize, usize), record: &mut Record) -> Place {
    let thing = &all[text].things[index];
    let same = |other: &Thing| (&other.name, other.kind) == (&thing.name, thing.kind);
    let tellers = all.iter().enumerate().filter(|(_, one)| one.things.iter().any(same));
    let best = tellers.max_by_key(|(at, one)| (one.intervals(), usize::MAX - at));
    let best = best.map_or(text, |(at, _)| at);
    let known = record.entities.iter().position(|e| e.name == thing.name && e.kind == thing.kind);
    let position = known.unwrap_or_else(|| {
        record.entities.push(Entity {
            name: thing.name.clone(),
            kind: thing.kind.to_owned(),
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
            "{}: its figures of {} are left out, {} tells more of it",
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
        measure: "requests".to_owned(),
        direction: "both".to_owned(),
        per_sec: 0,
        origin: "given".to_owned(),
        tokens: Some(depth),
    });
    Entity {
        name: stream.name.clone(),
        kind: "stream".to_owned(),
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
