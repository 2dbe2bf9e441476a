//! What the ranks of a run agree on while a pass runs: when its streams begin, when its window
//! opens and closes, when it stops, and when all of it has ended.
//!
//! Each rank tells the root what it knows of its own streams ([`Here`]); the root concludes what
//! holds for all ([`There`]). All instants are on the pass's own axis, which begins at one instant
//! for all ranks. The window opens when the streams of every rank are active, and not before every
//! rank can know it: an instant that is agreed on ahead costs no exactness. It closes when the
//! first stream of any rank has finished, which others learn some milliseconds later
//! ([`There::late_ns`] says how many).

pub(crate) mod table;

use serde::{Deserialize, Serialize};

pub(crate) use table::{State, Table};

/// What a rank knows of its own streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Here {
    /// From when on all of them have issued, and their warm-up is over; may lie ahead.
    pub active_ns: Option<u64>,
    /// When the first of them finished its work.
    pub finished_ns: Option<u64>,
    /// From when on nothing shall be issued, where that is earlier than planned.
    pub stop_ns: Option<u64>,
    /// All have come to their end.
    pub done: bool,
    /// What they have moved so far.
    pub moved: Moved,
}

/// What holds for the streams of all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct There {
    /// When the window opens.
    pub opens_ns: Option<u64>,
    /// When the first stream finished its work.
    pub finished_ns: Option<u64>,
    /// From when on nothing shall be issued, where that is earlier than planned.
    pub stop_ns: Option<u64>,
    /// All have come to their end.
    pub all_done: bool,
    /// What they have moved so far; of the root only.
    #[serde(skip)]
    pub moved: Moved,
    /// How long after an instant of these this rank learned of it, at most.
    #[serde(skip)]
    pub late_ns: u64,
}

/// Work that is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    pub bytes: u64,
    pub operations: u64,
}

/// One message of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Said {
    /// To the root: something begins that may take long and say nothing.
    Preparing,
    /// To the root: the next streams are set up.
    Ready,
    /// To the root: this rank has no more streams in this pass, or cannot go on.
    Over { failed: bool },
    /// To the root.
    Here(Here),
    /// To the root: still here, in whatever takes so long.
    Alive,
    /// By the root: the next streams begin when its clock says so.
    Begin { at_ns: u64 },
    /// By the root: no streams begin any more.
    Cancelled,
    /// By the root.
    There(There),
}

impl Here {
    /// The same with its instants on another clock.
    pub(crate) fn map(self, to: impl Fn(u64) -> u64) -> Self {
        Self {
            active_ns: self.active_ns.map(&to),
            finished_ns: self.finished_ns.map(&to),
            stop_ns: self.stop_ns.map(&to),
            ..self
        }
    }
}

impl There {
    /// The same with its instants on another clock.
    pub(crate) fn map(self, to: impl Fn(u64) -> u64) -> Self {
        Self {
            opens_ns: self.opens_ns.map(&to),
            finished_ns: self.finished_ns.map(&to),
            stop_ns: self.stop_ns.map(&to),
            ..self
        }
    }

    /// How long ago the latest change since `before` was, for a rank that learns of it now.
    pub(crate) fn late_since(&self, before: &Self, now_ns: u64) -> u64 {
        let changes = [(self.opens_ns, before.opens_ns), (self.finished_ns, before.finished_ns)];
        let new = changes.into_iter().filter(|(now, before)| now != before);
        new.filter_map(|(at, _)| Some(now_ns.saturating_sub(at?))).max().unwrap_or(0)
    }
}
