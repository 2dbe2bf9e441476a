//! How the streams of each declaration share what there is: mean, least, most, and Jain's index
//! (Jain, Chiu, Hawe, DEC-TR-301, 1984). Streams that run one after the other (`after=`) share
//! nothing: rates are over the time in which a declaration runs.

use std::collections::BTreeMap;

use iopath_record::{EntityId, StreamTotals};
use serde::Serialize;

use super::limits::LimitFinding;
use super::names::{Names, Pattern};
use super::{intended, part, response};
use crate::statistics::{jain, mean};
use crate::usage::Usage;
use crate::usage::counters::Span;
use crate::usage::pass::{Pass, phases};

/// The streams of one declaration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupShare {
    /// Their common name.
    pub name: String,
    /// How many.
    pub streams: u64,
    /// Whose turn it is, counted from 0: declarations of one turn run together, turns one after
    /// the other.
    pub turn: u32,
    /// Bytes of all of them over the time in which they run.
    pub throughput_bytes_per_sec: f64,
    /// The part of it that is read.
    pub read_bytes_per_sec: f64,
    /// The part of it that is written.
    pub write_bytes_per_sec: f64,
    /// Requests of all of them over that time.
    pub operations_per_sec: f64,
    /// Bytes of each over time.
    pub of_stream_bytes_per_sec: Spread,
    /// Requests of each over time.
    pub of_stream_operations_per_sec: Spread,
    /// 1 when all get the same, 1/n when one has everything; none where nobody gets anything.
    pub jain: Option<f64>,
    /// Mean time of a request, with a rate from its intended start.
    pub response_ns: Option<f64>,
    /// What each is limited to by the study: slots, a rate.
    pub limits: Vec<LimitFinding>,
}

/// What the streams of a group get.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// On average.
    pub mean: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
}

/// What one stream got.
struct StreamShare<'a> {
    id: EntityId,
    totals: &'a StreamTotals,
    span: Span,
    usage: Usage,
}

impl<'a> StreamShare<'a> {
    fn of(pass: &Pass<'_>, stream: &'a StreamTotals) -> Self {
        let span = runs(pass, stream);
        let seconds = span.length_ns() as f64 / 1e9;
        let usage = Usage::of_phases(seconds, &phases(stream, part(pass)));
        Self { id: stream.entity, totals: stream, span, usage }
    }
}

/// When a stream is active in the window, which holds the windows of all turns; all that was
/// measured where there is none.
fn runs(pass: &Pass<'_>, stream: &StreamTotals) -> Span {
    let own = || phases(stream, part(pass));
    let from_ns = own().map(|phase| phase.from_ns).min();
    let to_ns = own().map(|phase| phase.to_ns).max();
    match (&pass.window, from_ns, to_ns) {
        (Some(_), Some(from_ns), Some(to_ns)) => Span { from_ns, to_ns },
        _ => pass.best().hull(),
    }
}

pub(super) fn groups(pass: &Pass<'_>, names: &Names<'_>) -> Vec<GroupShare> {
    let mut groups: BTreeMap<Pattern<'_>, Vec<StreamShare<'_>>> = BTreeMap::new();
    for stream in &pass.record.streams {
        let one = StreamShare::of(pass, stream);
        groups.entry(names.pattern(stream.entity)).or_default().push(one);
    }
    let mut all: Vec<_> = groups.into_values().collect();
    all.sort_by_key(|group| group[0].id);
    let mut shares: Vec<_> = all.iter().map(|group| share(pass, names, group)).collect();
    for (share, turn) in shares.iter_mut().zip(turns(&all)) {
        share.turn = turn;
    }
    shares
}

/// The turn of each group: one begins where nothing of those before runs any more.
fn turns(groups: &[Vec<StreamShare<'_>>]) -> Vec<u32> {
    let from = |group: &[StreamShare<'_>]| {
        group.iter().map(|one| one.span.from_ns).min().unwrap_or_default()
    };
    let to = |group: &[StreamShare<'_>]| {
        group.iter().map(|one| one.span.to_ns).max().unwrap_or_default()
    };
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|at| from(&groups[*at]));
    let mut turns = vec![0; groups.len()];
    let (mut turn, mut ends) = (0, u64::MAX);
    for (position, at) in order.into_iter().enumerate() {
        let group = &groups[at];
        let begins = position > 0 && from(group) >= ends;
        turn += u32::from(begins);
        ends = if begins || position == 0 { to(group) } else { ends.max(to(group)) };
        turns[at] = turn;
    }
    turns
}

fn share(pass: &Pass<'_>, names: &Names<'_>, group: &[StreamShare<'_>]) -> GroupShare {
    let entities = &pass.record.entities;
    let members: Vec<EntityId> = group.iter().map(|one| one.id).collect();
    let each = |of: fn(&Usage) -> Option<f64>| -> Vec<f64> {
        group.iter().map(|one| of(&one.usage).unwrap_or_default()).collect()
    };
    let rates = each(|usage| usage.transfers.bytes_per_sec);
    let requests = each(|usage| usage.transfers.operations_per_sec);
    let in_flight: f64 = each(|usage| usage.in_flight_mean).iter().sum();
    let operations: f64 = requests.iter().sum();
    let totals: Vec<&StreamTotals> = group.iter().map(|one| one.totals).collect();
    let limits = entities[members[0].0 as usize].limits.iter();
    GroupShare {
        name: names.label(&members).name,
        streams: group.len() as u64,
        turn: 0,
        throughput_bytes_per_sec: rates.iter().sum(),
        read_bytes_per_sec: each(|usage| usage.read.bytes_per_sec).iter().sum(),
        write_bytes_per_sec: each(|usage| usage.write.bytes_per_sec).iter().sum(),
        operations_per_sec: operations,
        of_stream_bytes_per_sec: spread(&rates),
        of_stream_operations_per_sec: spread(&requests),
        jain: jain(&rates),
        response_ns: intended(&totals, part(pass)).or(response(in_flight, operations)),
        limits: limits.map(LimitFinding::of).collect(),
    }
}

fn spread(values: &[f64]) -> Spread {
    Spread {
        mean: mean(values).unwrap_or_default(),
        min: values.iter().copied().reduce(f64::min).unwrap_or_default(),
        max: values.iter().copied().reduce(f64::max).unwrap_or_default(),
    }
}
