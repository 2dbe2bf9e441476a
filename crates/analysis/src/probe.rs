//! Which of several members share a limit: what to measure next, and the verdict.
//!
//! A member is a file or device that is read. What a set of members carries together is measured;
//! from all that was measured so far [`next`] says which set to measure now, or what is found. It
//! is a function of the measurements alone, so a course of experiments can be replayed.
//!
//! Law: limits that nest (a disk behind an adapter behind a bus) make what a set can carry a
//! monotone, submodular function of the set: in a larger set no member gets more, and members that
//! share nothing lose nothing by each other. So a set whose members each get what they get alone is
//! clear with all its subsets, and where somebody gets less a shared limit is full (adaptive group
//! testing: Dorfman 1943, binary splitting: Hwang 1972).
//!
//! First each member is measured alone, then all together. Then members are put in one by one, in
//! the order of what they got together; binary search finds the first with whom somebody gets
//! less. Those who lose are measured by themselves: they are the group, if they then get what they
//! got before; else a search over the others finds who takes the rest.
//!
//! Without repetitions n members, m of them in groups, take at most n + 1 + m (⌈log₂ n⌉ + 4)
//! experiments. A set is measured up to three times where the decision is close.
//!
//! It leaves out limits that take less than a tenth from everybody; a member whose use of a limit
//! is below a twentieth of it; limits within a group that bind only while others rest; limits of
//! several paths to one device.

use std::collections::BTreeSet;

use serde::Serialize;

mod known;
mod search;

use known::Known;

/// How often a set is measured at most where the decision is close: chosen.
pub const REPEATS: usize = 3;

/// The most members that are told apart: chosen, as each is measured alone.
pub const MOST_MEMBERS: usize = 64;

/// Some of the members, by number.
pub type Members = BTreeSet<usize>;

/// What was measured once: the members that were read at the same time, and what each got.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Who was read.
    pub members: Members,
    /// What each got, bytes per second, in the order of the numbers.
    pub bytes_per_sec: Vec<f64>,
}

/// What to do now.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Read these at the same time.
    Measure(Members),
    /// It is decided.
    Decided(Verdict),
}

/// Who shares limits with whom.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// Limits that several members share, outermost ones.
    pub groups: Vec<Group>,
    /// Members that share no limit with others.
    pub private: Vec<Private>,
    /// All together, bytes per second.
    pub together_bytes_per_sec: f64,
    /// Whether what all got together is what the groups say: if not, the rates changed between
    /// experiments and the groups are in doubt.
    pub is_consistent: bool,
}

/// A limit that several members share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Everybody behind it, by number.
    pub members: Vec<usize>,
    /// What they carried together while nobody else was read, bytes per second.
    pub bytes_per_sec: f64,
    /// The sum of what its parts carry without each other: a part is a member, or a group within.
    pub apart_bytes_per_sec: f64,
    /// Smaller limits behind this one.
    pub within: Vec<Group>,
}

/// A member that shares no limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Private {
    /// Which.
    pub member: usize,
    /// What it carried alone, bytes per second.
    pub bytes_per_sec: f64,
}

/// The next set to measure, or the verdict, from everything that was measured so far.
#[must_use]
pub fn next(members: usize, so_far: &[Experiment]) -> Step {
    let known = Known::of(so_far);
    match search::verdict(members, &known) {
        Ok(verdict) => Step::Decided(verdict),
        Err(missing) => Step::Measure(missing),
    }
}

/// Experiments that are needed at most for `members`, of which `in_groups` share limits, where no
/// decision is close.
#[must_use]
pub fn most_experiments(members: usize, in_groups: usize) -> usize {
    let halvings = members.next_power_of_two().ilog2() as usize;
    members + 1 + in_groups * (halvings + 4)
}
