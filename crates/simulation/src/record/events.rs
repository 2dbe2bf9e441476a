//! What failed and returned during a simulation, in words.

use iopath_entities::Table;
use iopath_record::Event;
use iopath_study::Case;
use iopath_study::case::Failure;
use iopath_units::{Bytes, Human, System};

use crate::failures::{self, Change};
use crate::fates::Loss;
use crate::world::World;

/// Everything that happened to the parts of the case's failures.
pub(super) fn of(case: &Case, world: &World<'_>, table: &Table) -> Vec<Event> {
    let event = |event: &failures::Event| {
        let first = *world.failures.all[event.failure].parts.first()?;
        let (at_ns, entity) = (event.at.as_nanos().0, table.components[first.0]);
        Some(Event {
            at_ns,
            entity,
            what: what(case, &world.failures.all[event.failure], event.change),
        })
    };
    let loss = |loss: &Loss| {
        let bytes = Bytes(loss.bytes).human(System::Decimal);
        let name = &world.plans.network().component(loss.volume).name;
        Event {
            at_ns: loss.at.as_nanos().0,
            entity: table.components[loss.volume.0 as usize],
            what: format!("{name} loses {bytes} that only its cache had"),
        }
    };
    let failures = world.failures.past.iter().filter_map(event);
    let mut all: Vec<Event> = failures.chain(world.fates.losses.iter().map(loss)).collect();
    all.sort_by_key(|event| event.at_ns);
    all
}

fn what(case: &Case, failure: &Failure, change: Change) -> String {
    let parts = &failure.parts;
    let first = parts.first().map_or("", |first| &case.system.part(*first).name);
    let name = match parts.len() {
        0 | 1 => first.to_owned(),
        count => format!("{first} and {} more", count - 1),
    };
    match change {
        Change::Fails => format!("{name} fails"),
        Change::FailsOver => format!("requests avoid {name}"),
        Change::Returns => format!("{name} returns"),
        Change::FailsBack => format!("requests use {name} again"),
    }
}
