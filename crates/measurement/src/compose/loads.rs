//! Loads of several sub-streams: an entity for each of these. With their shares as a fact a record
//! tells by itself whether the intensities were kept. The rate is a limit of the streams.
//!
//! Streams of one declaration count together: what is wanted is wanted of all of them.

use iopath_record::{Entity, Kind, Layer};
use iopath_study::Case;
use iopath_study::spc1::{STREAMS, loads};

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
        let entities = STREAMS.iter().map(|sub| {
            let name = format!("{group}/{}", sub.name);
            table.add(Entity { parent, ..entity(name, Kind::SubStream, Layer::Application) })
        });
        Load { group: group.to_owned(), entities: entities.collect() }
    };
    loads(case).into_iter().map(of_group).collect()
}
