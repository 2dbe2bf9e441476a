//! Which streams run at the same time: those `after` others begin when these have ended, so the
//! two never share anything.
//!
//! As many declarations as one waits for, one after the other, that is its epoch; those of one
//! number run together. Each epoch is taken to last as long as the others.

use std::collections::BTreeMap;

use iopath_study::Case;

/// The epoch of every stream of a case, numbered from 0 without gaps among those that count.
pub(crate) fn epochs(case: &Case, counts: impl Iterator<Item = usize> + Clone) -> Vec<u32> {
    let streams = case.streams.iter();
    let before: BTreeMap<&str, &str> = streams
        .filter_map(|stream| Some((stream.group.as_str(), stream.modelled.after.as_deref()?)))
        .collect();
    let depth = |group: &str| {
        let chain = std::iter::successors(before.get(group), |group| before.get(**group));
        // A circle ends where it began.
        chain.take(before.len()).count() as u32
    };
    let depths: Vec<u32> = case.streams.iter().map(|stream| depth(&stream.group)).collect();
    let mut known: Vec<u32> = counts.filter_map(|at| depths.get(at).copied()).collect();
    known.sort_unstable();
    known.dedup();
    depths.iter().map(|depth| known.partition_point(|other| other < depth) as u32).collect()
}
