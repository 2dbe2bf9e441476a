//! Which stream follows which: a follower of a group and the writer of that group with the same
//! place on the same target.

use std::collections::BTreeMap;

use iopath_study::case::{Behind, Pattern, Region, Sharing, Stream};
use iopath_study::{Case, Epochs};
use iopath_units::{Bytes, Ratio};

use super::Lag;
use crate::Span;

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

/// Why a stream cannot follow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairingError {
    /// Nobody leads on its part of its target.
    #[error(
        "{stream} is behind {group}, but no stream of {group} has the same part of {target}; give \
         both the same over=, count= and region="
    )]
    NoWriter {
        /// Name of the follower.
        stream: String,
        /// Whom it wants to follow.
        group: String,
        /// Name of the target.
        target: String,
    },
    /// One of them begins after the other has ended.
    #[error("{stream} is behind {writer}, but they do not run at the same time; leave behind= out")]
    Epochs {
        /// Name of the follower.
        stream: String,
        /// Name of the leader.
        writer: String,
    },
    /// A follower that writes, or a leader that reads.
    #[error("{stream} is behind {writer}, so {stream} must only read and {writer} only write")]
    Operations {
        /// Name of the follower.
        stream: String,
        /// Name of the leader.
        writer: String,
    },
    /// Offsets whose order is another.
    #[error("{stream} is behind {writer}, so both must run with the pattern sequential")]
    Pattern {
        /// Name of the follower.
        stream: String,
        /// Name of the leader.
        writer: String,
    },
    /// Their blocks cut the target differently.
    #[error(
        "{stream} is behind {writer}, but blocks of {block} and {writer_block} do not end at the \
         same place of {target_bytes} B; use a size that holds a whole number of both for every \
         stream"
    )]
    Blocks {
        /// Name of the follower.
        stream: String,
        /// Name of the leader.
        writer: String,
        /// The follower's block.
        block: Bytes,
        /// The leader's block.
        writer_block: Bytes,
        /// Bytes of the target that are used.
        target_bytes: u64,
    },
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
pub fn pairings(case: &Case) -> (Vec<Pairing>, Vec<(usize, PairingError)>) {
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
) -> Result<usize, PairingError> {
    let stream = || follower.name.clone();
    let before = Epochs::of(case);
    let place = |group: &str| before.before(group).count();
    let found = parts.get(&part(group, follower)).ok_or_else(|| PairingError::NoWriter {
        stream: stream(),
        group: group.to_owned(),
        target: case.targets[follower.target].name.clone(),
    })?;
    let leader = &case.streams[*found];
    let writer = leader.name.clone();
    if place(&follower.group) != place(&leader.group) {
        return Err(PairingError::Epochs { stream: stream(), writer });
    }
    if follower.reads != Ratio::ONE || leader.reads != Ratio(0) {
        return Err(PairingError::Operations { stream: stream(), writer });
    }
    if [follower, leader].iter().any(|one| one.pattern != Pattern::Sequential) {
        return Err(PairingError::Pattern { stream: stream(), writer });
    }
    Ok(*found)
}

impl PairingError {
    /// Name of the follower.
    #[must_use]
    pub fn stream(&self) -> &str {
        match self {
            Self::NoWriter { stream, .. }
            | Self::Epochs { stream, .. }
            | Self::Operations { stream, .. }
            | Self::Pattern { stream, .. }
            | Self::Blocks { stream, .. } => stream,
        }
    }
}

impl Pairing {
    /// Whether all sides have the very same part of a target of `target_bytes`.
    ///
    /// # Errors
    /// The first follower whose part begins or ends elsewhere than the writer's. A part without
    /// room for a block is told by [`Span::of`], not here.
    pub fn fits(&self, streams: &[Stream], target_bytes: u64) -> Result<(), PairingError> {
        let writer = &streams[self.writer];
        let Ok(span) = Span::of(writer, target_bytes) else { return Ok(()) };
        for follower in self.followers.iter().map(|follower| &streams[follower.stream]) {
            if Span::of(follower, target_bytes).is_ok_and(|own| own != span) {
                return Err(PairingError::Blocks {
                    stream: follower.name.clone(),
                    writer: writer.name.clone(),
                    block: follower.block,
                    writer_block: writer.block,
                    target_bytes,
                });
            }
        }
        Ok(())
    }
}
