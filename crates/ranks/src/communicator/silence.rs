//! How long each rank has said nothing.

use crate::ROOT;
use crate::phases::State;

/// A rank that looks every 2 ms, and says so ten times a second, is taken to hang after 10 s
/// without a word (chosen: longer than a busy machine keeps a process waiting).
const WHILE_LOOKING_NS: u64 = 10_000_000_000;

/// Between its streams it makes a record and sets streams up (chosen: ten thousand of them take
/// seconds).
const BETWEEN_NS: u64 = 30_000_000_000;

/// It opens, fills or flushes targets, perhaps in one call of the kernel: an hour, for 360 GB of
/// dirty memory at 100 MB/s (chosen).
const PREPARING_NS: u64 = 3_600_000_000_000;

/// When the run is to end at once: three of the signs below (chosen, since `mpirun` kills its
/// processes a second after it asked them to end).
const AT_THE_END_NS: u64 = 300_000_000;

/// How often a rank says that it is still here.
pub(super) const SIGN_NS: u64 = 100_000_000;

/// A rank that says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rank {rank} has said nothing for {ms} ms: it has died or hangs, or its host is gone")]
pub struct Silent {
    pub rank: u32,
    pub ms: u64,
}

#[derive(Debug)]
pub(super) struct Silence {
    heard_ns: Vec<u64>,
    /// When this rank gave its last sign.
    pub(super) signed_ns: u64,
    /// Whoever was found silent; nobody waits for them again.
    found: Vec<Silent>,
    /// Since when the run is to end at once.
    ending_ns: Option<u64>,
}

impl Silence {
    pub(super) fn of(ranks: usize, now_ns: u64) -> Self {
        Self { heard_ns: vec![now_ns; ranks], signed_ns: 0, found: Vec::new(), ending_ns: None }
    }

    pub(super) fn heard(&mut self, rank: u32, now_ns: u64) {
        self.heard_ns[rank as usize] = now_ns;
    }

    /// Whether a rank is to be given up now, in what it does.
    pub(super) fn gives_up(&mut self, rank: u32, state: State, now_ns: u64) -> bool {
        let limit_ns = match (self.ending_ns, state) {
            (Some(_), _) => AT_THE_END_NS,
            (None, State::Ready | State::Running(_)) => WHILE_LOOKING_NS,
            (None, State::SettingUp | State::Over) => BETWEEN_NS,
            (None, State::Preparing) => PREPARING_NS,
        };
        self.silent_ns(rank, now_ns) > limit_ns && self.give_up(rank, now_ns)
    }

    /// Whether a rank that follows is to give the root up. What the root does that rank does not
    /// know; at the end it stores what all have measured.
    pub(super) fn gives_up_root(&mut self, now_ns: u64) -> bool {
        let limit_ns = if self.ending_ns.is_some() { BETWEEN_NS } else { PREPARING_NS };
        self.silent_ns(ROOT, now_ns) > limit_ns && self.give_up(ROOT, now_ns)
    }

    /// Gives a rank up; false where it was before.
    pub(super) fn give_up(&mut self, rank: u32, now_ns: u64) -> bool {
        let is_new = !self.is_found(rank);
        if is_new {
            let ms = self.silent_ns(rank, now_ns) / 1_000_000;
            self.found.push(Silent { rank, ms });
        }
        is_new
    }

    /// The run is to end at once; silence counts anew from now.
    pub(super) fn end(&mut self, now_ns: u64) {
        self.ending_ns.get_or_insert(now_ns);
    }

    fn silent_ns(&self, rank: u32, now_ns: u64) -> u64 {
        let heard_ns = self.heard_ns[rank as usize].max(self.ending_ns.unwrap_or(0));
        now_ns.saturating_sub(heard_ns)
    }

    pub(super) fn is_found(&self, rank: u32) -> bool {
        self.found.iter().any(|silent| silent.rank == rank)
    }

    pub(super) fn found(&self) -> &[Silent] {
        &self.found
    }
}
