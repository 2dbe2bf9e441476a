//! Which stream follows which: a follower of a group and the writer of that group with the same
//! place on the same target.

use std::collections::BTreeMap;

use iopath_study::case::{Behind, Pattern, Region, Sharing, Stream};
use iopath_study::{Case, Epochs};
use iopath_units::Ratio;

use super::Lag;
use crate::Span;
use crate::unfit::Unfit;

/// A writer with its followers; streams by their place in the case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Who leads.
    pub writer: usize,
    /// Who follows, in the order of the case.
    pub followers: Vec<Follower>,
}

/// One that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follower {
    pub stream: usize,
    /// How closely.
    pub lag: Lag,
}

/// The part of a target that a stream of a group has.
type Part<'a> = (&'a str, usize, (bool, u32, u32));

fn part<'a>(group: &'a str, stream: &Stream) -> Part<'a> {
    let Region { sharing, index, count } = stream.region;
    (group, stream.target, (sharing == Sharing::Own, index, count))
}

/// The pairings of a case in the order of their first followers, and for each stream that cannot
/// follow its place and why.
#[must_use]
pub fn pairings(case: &Case) -> (Vec<Pairing>, Vec<(usize, Unfit)>) {
    let (mut pairings, mut errors) = (Vec::<Pairing>::new(), Vec::new());
    let mut of_writer = BTreeMap::new();
    let all = || case.streams.iter().enumerate();
    if all().all(|(_, stream)| stream.modelled.behind.is_none()) {
        return (pairings, errors);
    }
    let parts: BTreeMap<_, _> = all().map(|(at, one)| (part(&one.group, one), at)).collect();
    for (stream, one) in all() {
        let Some(Behind { group, lockstep }) = &one.modelled.behind else { continue };
        let lag = if *lockstep { Lag::Record } else { Lag::Follow };
        match writer(case, one, group, &parts) {
            Err(error) => errors.push((stream, error)),
            Ok(writer) => {
                let at = *of_writer.entry(writer).or_insert_with(|| {
                    pairings.push(Pairing { writer, followers: Vec::new() });
                    pairings.len() - 1
                });
                pairings[at].followers.push(Follower { stream, lag });
            }
        }
    }
    (pairings, errors)
}

/// The stream of `group` that one follows.
fn writer(
    case: &Case,
    follower: &Stream,
    group: &str,
    parts: &BTreeMap<Part<'_>, usize>,
) -> Result<usize, Unfit> {
    let before = Epochs::of(case);
    let place = |group: &str| before.before(group).count();
    let found = parts.get(&part(group, follower)).ok_or_else(|| {
        let what = format!(
            "{group}, but no stream of {group} has the same part of {}; use the same over=, \
             count= and region= for both",
            case.targets[follower.target].name
        );
        Unfit::behind(follower, &what)
    })?;
    let leader = &case.streams[*found];
    let (writer, stream) = (&leader.name, &follower.name);
    let wrong = |what: &str| Err(Unfit::behind(follower, &format!("{writer}, {what}")));
    if place(&follower.group) != place(&leader.group) {
        return wrong("but they do not run at the same time; remove behind=");
    }
    if follower.reads != Ratio::ONE || leader.reads != Ratio(0) {
        return wrong(&format!("so {stream} must only read and {writer} only write"));
    }
    if [follower, leader].iter().any(|one| one.pattern != Pattern::Sequential) {
        return wrong("so both must run with the pattern sequential");
    }
    Ok(*found)
}

impl Pairing {
    /// Whether all sides have the very same part of a target of `target_bytes`.
    ///
    /// # Errors
    /// The first follower whose part begins or ends elsewhere than the writer's. A part without
    /// room for a block is told by [`Span::of`], not here.
    pub fn fits(&self, streams: &[Stream], target_bytes: u64) -> Result<(), Unfit> {
        let writer = &streams[self.writer];
        let Ok(span) = Span::of(writer, target_bytes) else { return Ok(()) };
        for follower in self.followers.iter().map(|follower| &streams[follower.stream]) {
            if Span::of(follower, target_bytes).is_ok_and(|own| own != span) {
                let what = format!(
                    "{}, but blocks of {} and {} do not divide {target_bytes} B; \
                     use a size that is a multiple of both for every stream",
                    writer.name, follower.block, writer.block
                );
                return Err(Unfit::behind(follower, &what));
            }
        }
        Ok(())
    }
}
