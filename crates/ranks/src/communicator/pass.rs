//! A pass, as each rank goes through it: begin, look, end; for each epoch of streams.

use serde::{Deserialize, Serialize};

use super::silence::{SIGN_NS, Silent};
use super::{Communicator, ENDED, NAP, NOTHING};
use crate::clock::{Asking, Effort};
use crate::phases::table::Decision;
use crate::phases::{Here, Moved, Said, State as Phase, There};
use crate::{Lost, ROOT};

/// How long ahead of now streams begin: the longest way of a message, a look of each rank, and a
/// sample of its counters (chosen).
const LEAD_NS: u64 = 100_000_000;

/// How often clocks are compared during a pass. Chosen: two seconds from a comparison the bound is
/// 2 ms wider, as wide as one is that takes as long as the looks of the root.
const COMPARE_NS: u64 = 4_000_000_000;

/// When streams begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// When this rank's clock shows this.
    At(u64),
    /// Never: a rank cannot go on, or the run is to end.
    Cancelled,
}

/// How exactly a rank kept what was agreed of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastPass {
    /// When its axis began, by the rank's own clock.
    pub axis_ns: u64,
    /// How long after an edge of its window the rank learned of it, at most.
    pub late_ns: u64,
    /// How long after the agreed instant it let its streams go, at most.
    pub skew_ns: u64,
}

/// What a rank knows of the pass that runs.
#[derive(Debug)]
pub(super) struct State {
    begin: Option<Begin>,
    /// When the axis of the pass began, by this rank's clock.
    axis_ns: u64,
    there: There,
    late_ns: u64,
    skew_ns: u64,
    /// When clocks were compared last, during the pass.
    compared_ns: u64,
    /// What the root was told, and when.
    told: Option<Here>,
    told_ns: u64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            begin: None,
            axis_ns: 0,
            there: NOTHING,
            late_ns: 0,
            skew_ns: 0,
            compared_ns: 0,
            told: None,
            told_ns: 0,
        }
    }
}

impl Communicator {
    /// Says that the next streams of this rank are set up, and waits until all agree when they
    /// begin.
    ///
    /// # Errors
    ///
    /// Nothing can arrive any more.
    pub fn begin(&mut self, is_interrupted: &dyn Fn() -> bool) -> Result<Begin, Lost> {
        self.pass.begin = None;
        self.tell(Said::Ready)?;
        loop {
            let looked = self.look();
            if let Some(begin) = self.pass.begin.take() {
                return Ok(begin);
            }
            looked?;
            if is_interrupted() {
                self.hurry();
                self.give_up()?;
                self.look()?;
                self.pass.there = ENDED;
                return Ok(Begin::Cancelled);
            }
            std::thread::sleep(NAP);
        }
    }

    /// Says that the axis of the pass begins when this rank's clock shows this.
    pub fn begin_axis(&mut self, at_ns: u64) {
        self.pass = State { axis_ns: at_ns, ..State::default() };
    }

    /// Says what this rank knows of its streams, by the axis of the pass; gives what is known of
    /// all.
    ///
    /// # Errors
    ///
    /// Nothing can arrive any more.
    pub fn exchange(&mut self, here: Here) -> Result<There, Lost> {
        let axis_ns = self.pass.axis_ns;
        let of_root = here.map(|at_ns| self.to_root(axis_ns.saturating_add(at_ns)));
        let now_ns = self.now_ns();
        let is_news = |told: Here| Here { moved: here.moved, ..told } != of_root;
        let is_due = now_ns.saturating_sub(self.pass.told_ns) >= SIGN_NS;
        if self.is_root() || is_due || self.pass.told.is_none_or(is_news) {
            (self.pass.told, self.pass.told_ns) = (Some(of_root), now_ns);
            self.tell(Said::Here(of_root))?;
        }
        self.compare_now_and_then(now_ns)?;
        let looked = self.look();
        if !self.pass.there.all_done {
            looked?;
        }
        let there = There { late_ns: self.pass.late_ns, ..self.pass.there };
        Ok(There { moved: self.table.moved(), ..there })
    }

    /// Begins a comparison of clocks, where the last is long ago: the bound grows with time.
    fn compare_now_and_then(&mut self, now_ns: u64) -> Result<(), Lost> {
        let since_ns = self.pass.compared_ns.max(self.pass.axis_ns);
        if self.is_root() || now_ns.saturating_sub(since_ns) < COMPARE_NS {
            return Ok(());
        }
        self.pass.compared_ns = now_ns;
        let Self { clock, inbox, .. } = self;
        self.asking = Some(Asking::start(inbox, &|| clock(), Effort::DURING_A_PASS)?);
        Ok(())
    }

    /// How long this rank's clock takes for a span of the root's.
    #[must_use]
    pub fn span_ns(&self, span_ns: u64) -> u64 {
        let now_ns = self.now_ns();
        self.to_local(self.to_root(now_ns).saturating_add(span_ns)).saturating_sub(now_ns)
    }

    /// Says how long after the agreed instant this rank let its streams go.
    pub fn note_skew(&mut self, skew_ns: u64) {
        self.pass.skew_ns = self.pass.skew_ns.max(skew_ns);
    }

    /// What of the last pass a reader of its record must know.
    #[must_use]
    pub fn last_pass(&self) -> LastPass {
        let State { axis_ns, late_ns, skew_ns, .. } = self.pass;
        LastPass { axis_ns, late_ns, skew_ns }
    }

    /// Says that this rank has no more streams in this pass. The root waits until that is so of all
    /// ranks, and looks after those that still run meanwhile.
    ///
    /// # Errors
    ///
    /// Nothing can arrive any more.
    pub fn end_pass(&mut self) -> Result<(), Lost> {
        self.tell(Said::Over { failed: false })?;
        while self.is_root() && !self.table.is_over() {
            self.look()?;
            std::thread::sleep(NAP);
        }
        self.table.begin_pass();
        Ok(())
    }

    /// Says that this rank is about to write back, drop or fill what its targets hold, and that it
    /// may say nothing meanwhile. It ends with its next streams, or with the pass.
    ///
    /// # Errors
    ///
    /// Nothing can arrive any more.
    pub fn prepare(&mut self) -> Result<(), Lost> {
        self.tell(Said::Preparing)
    }

    /// Says that this rank cannot go on: no streams of any rank begin after this.
    ///
    /// # Errors
    ///
    /// Nothing can arrive any more.
    pub fn give_up(&mut self) -> Result<(), Lost> {
        self.tell(Said::Over { failed: true })
    }

    /// Begins a trial, in which streams may begin again. Called by the root, when every rank has
    /// ended the trial before.
    pub fn begin_trial(&mut self) {
        self.table.begin_trial();
    }

    /// From now on every rank looks all the time: one that says nothing is given up as between
    /// streams.
    pub fn expect_signs(&mut self) {
        self.table.begin_pass();
    }

    /// Ranks that were given up.
    #[must_use]
    pub fn silent(&self) -> &[Silent] {
        self.silence.found()
    }

    /// Whether a rank still takes part.
    #[must_use]
    pub fn is_here(&self, rank: u32) -> bool {
        !self.silence.is_found(rank)
    }

    /// What all ranks together have moved in this pass; of the root only.
    #[must_use]
    pub fn moved(&self) -> Moved {
        self.table.moved()
    }

    /// Tells the root, which may be this rank.
    fn tell(&mut self, said: Said) -> Result<(), Lost> {
        let now_ns = self.now_ns();
        if self.is_root() {
            self.heed(ROOT, said, now_ns);
            return Ok(());
        }
        self.silence.signed_ns = now_ns;
        self.say(ROOT, said)
    }

    /// What a rank said of a pass.
    pub(super) fn heed(&mut self, from: u32, said: Said, now_ns: u64) {
        let rank = from as usize;
        match said {
            Said::Preparing => self.table.note(rank, Phase::Preparing),
            Said::Ready => self.table.note(rank, Phase::Ready),
            Said::Over { failed: false } => self.table.note(rank, Phase::Over),
            Said::Over { failed: true } => self.table.fail(rank),
            // What was under way when the streams' end was concluded says nothing new.
            Said::Here(here) if self.table.state(rank).is_running() => {
                self.table.note(rank, Phase::Running(here));
            }
            Said::Here(_) | Said::Alive => {}
            Said::Begin { at_ns } => {
                self.pass.begin = Some(Begin::At(self.to_local(at_ns)));
                (self.pass.there, self.pass.told) = (NOTHING, None);
            }
            Said::Cancelled => {
                self.pass.begin = Some(Begin::Cancelled);
                self.pass.there = ENDED;
            }
            Said::There(there) => self.learn_there(there, now_ns),
        }
    }

    fn learn_there(&mut self, there: There, now_ns: u64) {
        let axis_ns = self.pass.axis_ns;
        let there = there.map(|at_ns| self.to_local(at_ns).saturating_sub(axis_ns));
        let late_ns = there.late_since(&self.pass.there, now_ns.saturating_sub(axis_ns));
        self.pass.late_ns = self.pass.late_ns.max(late_ns);
        self.pass.there = there;
    }

    /// The root's part: what follows from all that was said.
    pub(super) fn conclude(&mut self) -> Result<(), Lost> {
        let now_ns = self.now_ns();
        for rank in self.others() {
            let state = self.table.state(rank as usize);
            // A pass that begins knows nothing of who is gone.
            if !self.is_here(rank) || self.silence.gives_up(rank, state, now_ns) {
                self.table.fail(rank as usize);
            }
        }
        while let Some(decision) = self.table.decide(now_ns) {
            let said = match decision {
                Decision::Begin => Said::Begin { at_ns: now_ns + LEAD_NS },
                Decision::Cancel => Said::Cancelled,
                Decision::There(there) => Said::There(there),
            };
            for rank in self.others().filter(|rank| self.is_here(*rank)).collect::<Vec<_>>() {
                self.say(rank, said)?;
            }
            self.heed(ROOT, said, now_ns);
        }
        Ok(())
    }

    /// A sign now and then, so that nobody gives this rank up; of one that follows, whether the
    /// root is still there.
    pub(super) fn show_life(&mut self) -> Result<(), Lost> {
        let now_ns = self.now_ns();
        let is_due = now_ns.saturating_sub(self.silence.signed_ns) >= SIGN_NS;
        if self.is_root() {
            let here = self.others().filter(|rank| is_due && self.is_here(*rank));
            let here: Vec<u32> = here.collect();
            self.silence.signed_ns = if is_due { now_ns } else { self.silence.signed_ns };
            return here.into_iter().try_for_each(|to| self.say(to, Said::Alive));
        }
        if self.silence.gives_up_root(now_ns) || !self.is_here(ROOT) {
            return Err(Lost::Rank(ROOT));
        }
        if is_due { self.tell(Said::Alive) } else { Ok(()) }
    }

    /// The run is to end at once: who says nothing now is not waited for.
    pub fn hurry(&mut self) {
        self.silence.end(self.now_ns());
    }

    /// Takes in what has arrived, in the middle of something that takes long.
    ///
    /// # Errors
    ///
    /// Nothing can arrive any more.
    pub fn look_after(&mut self) -> Result<(), Lost> {
        self.look()
    }
}
