//! Which stream follows which: a follower of a group and the writer of that group with the same
//! place on the same target.

use iopath_study::case::{Case, Pattern, Stream};
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
    /// Which stream.
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

/// The pairings of a case, and for each stream that cannot follow its place and why.
#[must_use]
pub fn pairings(case: &Case) -> (Vec<Pairing>, Vec<(usize, PairingError)>) {
    let (mut pairings, mut errors) = (Vec::<Pairing>::new(), Vec::new());
    for (stream, follower) in case.streams.iter().enumerate() {
        let Some(behind) = &follower.modelled.behind else { continue };
        let lag = if behind.lockstep { Lag::Record } else { Lag::Follow };
        let follower = Follower { stream, lag };
        match writer(case, stream, &behind.group) {
            Err(error) => errors.push((stream, error)),
            Ok(writer) => match pairings.iter_mut().find(|pairing| pairing.writer == writer) {
                Some(pairing) => pairing.followers.push(follower),
                None => pairings.push(Pairing { writer, followers: vec![follower] }),
            },
        }
    }
    (pairings, errors)
}

/// The stream of `group` that one follows.
fn writer(case: &Case, stream: usize, group: &str) -> Result<usize, PairingError> {
    let follower = &case.streams[stream];
    let is_partner = |other: &Stream| {
        let same = (other.target, other.region) == (follower.target, follower.region);
        other.group == group && same
    };
    let found = case.streams.iter().position(is_partner).ok_or_else(|| PairingError::NoWriter {
        stream: follower.name.clone(),
        group: group.to_owned(),
        target: case.targets[follower.target].name.clone(),
    })?;
    let writer = &case.streams[found];
    let names = || (follower.name.clone(), writer.name.clone());
    if follower.reads != Ratio::ONE || writer.reads != Ratio(0) {
        let (stream, writer) = names();
        return Err(PairingError::Operations { stream, writer });
    }
    if [follower, writer].iter().any(|one| one.pattern != Pattern::Sequential) {
        let (stream, writer) = names();
        return Err(PairingError::Pattern { stream, writer });
    }
    Ok(found)
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
