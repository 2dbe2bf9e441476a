//! Loads of several sub-streams: an entity for each of these, and their shares as a fact, so that a
//! record tells by itself whether the intensities were kept. The rate is a limit of the streams.
//!
//! Streams of one declaration count together: what is wanted is wanted of all of them.

use std::collections::BTreeMap;

use iopath_record::{Entity, EntityId, Layer};
use iopath_study::Case;
use iopath_study::case::Pattern;
use iopath_study::spc1::STREAMS;

use super::{Table, entity};
use crate::sampler::Load;

/// Adds the sub-streams of every load of a case; its streams are there.
pub(super) fn add(case: &Case, table: &mut Table) -> Vec<Load> {
    let of_group = |(group, members): (&str, Vec<usize>)| {
        let stream = |index: &usize| table.streams.get(*index).copied();
        let parent = match members.as_slice() {
            [only] => stream(only),
            _ => None,
        };
        let entities = STREAMS.iter().map(|sub| add_one(table, (group, sub.name), parent));
        Load { group: group.to_owned(), entities: entities.collect() }
    };
    groups(case).into_iter().map(of_group).collect()
}

fn add_one(table: &mut Table, (group, sub): (&str, &str), parent: Option<EntityId>) -> EntityId {
    let one = entity(format!("{group}/{sub}"), "sub-stream", Layer::Application);
    table.add(Entity { parent, ..one })
}

/// The shares of requests that each load wants of its sub-streams.
pub(super) fn facts(case: &Case) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for group in groups(case).into_keys() {
        let shares = STREAMS.iter().map(|sub| format!("{} {}", sub.name, sub.share.0));
        let shares = shares.collect::<Vec<_>>().join(" ");
        all.insert(format!("intensity.{group}.shares_ppm"), shares);
    }
    all
}

/// The declarations of such loads, with the places of their streams.
fn groups(case: &Case) -> BTreeMap<&str, Vec<usize>> {
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, stream) in case.streams.iter().enumerate() {
        if stream.pattern == Pattern::Spc1Like {
            found.entry(&stream.group).or_default().push(index);
        }
    }
    found
}
