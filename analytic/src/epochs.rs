//! Streams that run `after` others do not compete with them. A bound is of one time, so it tells of
//! the streams that run last; what ends before prepares for them, and the record says so.
//!
//! It leaves out the times before: whoever wants their rates predicts those streams alone.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use iopath_path::Network;
use iopath_record::Warning;
use iopath_study::Case;

/// The network with the streams that run last, and what to say of the others.
pub(crate) fn last<'a>(case: &Case, network: &'a Network) -> (Cow<'a, Network>, Option<Warning>) {
    let order = order(case);
    let epoch = |stream: usize| {
        let stream = case.streams.get(stream)?;
        order.get(stream.group.as_str()).copied()
    };
    let last = network.streams.iter().filter_map(|load| epoch(load.stream)).max().unwrap_or(0);
    let is_last = |stream: usize| epoch(stream).unwrap_or(0) == last;
    if network.streams.iter().all(|load| is_last(load.stream)) {
        return (Cow::Borrowed(network), None);
    }
    let mut kept = network.clone();
    kept.streams.retain(|load| is_last(load.stream));
    let gone = network.streams.iter().filter(|load| !is_last(load.stream));
    let names: BTreeSet<&str> = gone.map(|load| &*case.streams[load.stream].group).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let text = format!(
        "streams {} end before the others begin: the record tells of the others",
        names.join(", ")
    );
    (Cow::Owned(kept), Some(Warning { kind: "earlier-streams".to_owned(), text }))
}

/// How many declarations of streams end before each begins; a circle ends where it began.
fn order(case: &Case) -> BTreeMap<&str, usize> {
    let after = case.streams.iter().filter_map(|stream| {
        let after = stream.modelled.after.as_deref()?;
        Some((stream.group.as_str(), after))
    });
    let after: BTreeMap<&str, &str> = after.collect();
    let groups = case.streams.iter().map(|stream| stream.group.as_str());
    let before = |group: &str| {
        let first = after.get(group).copied();
        let chain = std::iter::successors(first, |group| after.get(group).copied());
        chain.take(after.len()).count()
    };
    groups.map(|group| (group, before(group))).collect()
}
