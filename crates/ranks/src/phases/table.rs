//! The root's table of its ranks during a pass, and what follows from it.

use super::{Here, Moved, There};

/// How far ahead of now the root opens a window: ten of the looks that ranks take every 2 ms
/// (chosen, so that all of them know of it before, on a busy machine too).
const AHEAD_NS: u64 = 20_000_000;

/// What the root knows of a rank in a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// It opens and fills its targets, or sets up streams.
    #[default]
    SettingUp,
    /// Its next streams wait for their begin.
    Ready,
    /// They run.
    Running(Here),
    /// It has no more streams in this pass.
    Over,
}

impl State {
    pub(crate) fn is_running(&self) -> bool {
        matches!(self, Self::Running(_))
    }
}

/// All ranks in a pass.
#[derive(Debug, Default)]
pub(crate) struct Table {
    states: Vec<State>,
    /// What each has moved in this pass.
    moved: Vec<Moved>,
    there: There,
    /// A rank cannot go on, so no streams begin any more.
    failed: bool,
}

/// What the root tells its ranks next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The streams that are ready begin.
    Begin,
    /// None begin any more.
    Cancel,
    /// What holds for those that run has changed.
    There(There),
}

impl Table {
    pub(crate) fn of(ranks: usize) -> Self {
        let (states, moved) = (vec![State::SettingUp; ranks], vec![Moved::default(); ranks]);
        Self { states, moved, ..Self::default() }
    }

    pub(crate) fn state(&self, rank: usize) -> State {
        self.states.get(rank).copied().unwrap_or_default()
    }

    /// Notes what a rank said of itself.
    pub(crate) fn note(&mut self, rank: usize, state: State) {
        if let State::Running(here) = state {
            self.moved[rank] = here.moved;
        }
        self.states[rank] = state;
    }

    /// A rank cannot go on: streams that run are stopped, and none begin.
    pub(crate) fn fail(&mut self, rank: usize) {
        self.states[rank] = State::Over;
        self.failed = true;
    }

    /// Whether every rank has ended the pass.
    pub(crate) fn is_over(&self) -> bool {
        self.states.iter().all(|state| *state == State::Over)
    }

    /// Begins the next pass. What failed stays so.
    pub(crate) fn begin_pass(&mut self) {
        self.states.fill(State::SettingUp);
        self.moved.fill(Moved::default());
        self.there = There::default();
    }

    /// Begins the next trial.
    pub(crate) fn begin_trial(&mut self) {
        self.begin_pass();
        self.failed = false;
    }

    /// What is to be told now, at an instant of the pass; the states follow it.
    pub(crate) fn decide(&mut self, now_ns: u64) -> Option<Decision> {
        let count = |is: &dyn Fn(&State) -> bool| self.states.iter().filter(|one| is(one)).count();
        let ready = count(&|state| *state == State::Ready);
        let over = count(&|state| *state == State::Over);
        if ready > 0 && self.failed {
            self.replace(State::Ready, State::SettingUp);
            return Some(Decision::Cancel);
        }
        if ready > 0 && ready + over == self.states.len() {
            self.replace(State::Ready, State::Running(Here::default()));
            self.there = There::default();
            return Some(Decision::Begin);
        }
        let there = self.there_at(now_ns)?;
        let has_changed = There { moved: Moved::default(), ..there } != self.there;
        self.there = There { moved: Moved::default(), ..there };
        if there.all_done {
            self.states.iter_mut().filter(|one| matches!(one, State::Running(_))).for_each(|one| {
                *one = State::SettingUp;
            });
        }
        has_changed.then_some(Decision::There(there))
    }

    /// What all ranks together have moved.
    pub(crate) fn moved(&self) -> Moved {
        let add = |sum: Moved, one: &Moved| Moved {
            bytes: sum.bytes + one.bytes,
            operations: sum.operations + one.operations,
        };
        self.moved.iter().fold(Moved::default(), add)
    }

    fn running(&self) -> impl Iterator<Item = &Here> {
        self.states.iter().filter_map(|state| match state {
            State::Running(here) => Some(here),
            State::SettingUp | State::Ready | State::Over => None,
        })
    }

    fn replace(&mut self, from: State, to: State) {
        self.states.iter_mut().filter(|state| **state == from).for_each(|state| *state = to);
    }

    /// What holds for the streams that run; none where none do.
    fn there_at(&self, now_ns: u64) -> Option<There> {
        self.running().next()?;
        let active: Option<Vec<u64>> = self.running().map(|here| here.active_ns).collect();
        let opens = active.and_then(|all| all.into_iter().max());
        let stops = self.running().filter_map(|here| here.stop_ns).min();
        let failed = self.failed.then_some(now_ns);
        Some(There {
            opens_ns: self.there.opens_ns.or(opens.map(|at_ns| at_ns.max(now_ns + AHEAD_NS))),
            finished_ns: self.running().filter_map(|here| here.finished_ns).min(),
            stop_ns: self.there.stop_ns.into_iter().chain(stops).min().or(failed),
            all_done: self.running().all(|here| here.done),
            moved: self.moved(),
            late_ns: 0,
        })
    }
}
