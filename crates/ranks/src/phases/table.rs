//! The root's table of its ranks during a pass, and what follows from it.

use super::{Here, Moved, There};

/// How far ahead of now the root opens a window: ten of the looks that ranks take every 2 ms
/// (chosen, so that all of them know of it before, on a busy machine too).
const AHEAD_NS: u64 = 20_000_000;

/// What the root knows of a rank in a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// It opens, fills or flushes its targets.
    #[default]
    Preparing,
    /// It makes a record, or sets up streams.
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
    /// What ranks that have ended the pass said since then: they may be ahead of the root.
    ahead: Vec<State>,
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
        let (states, ahead) = (vec![State::Preparing; ranks], vec![State::SettingUp; ranks]);
        Self { states, ahead, moved: vec![Moved::default(); ranks], ..Self::default() }
    }

    /// What a rank does now; of one that is ahead of the root, what it does after this pass.
    pub(crate) fn state(&self, rank: usize) -> State {
        match (self.states.get(rank), self.ahead.get(rank)) {
            (Some(State::Over), Some(ahead)) if *ahead != State::SettingUp => *ahead,
            (state, _) => state.copied().unwrap_or_default(),
        }
    }

    /// Notes what a rank said of itself.
    pub(crate) fn note(&mut self, rank: usize, state: State) {
        if let State::Running(here) = state {
            self.moved[rank] = here.moved;
        }
        let is_new = state != State::Over || self.ahead[rank] != State::SettingUp;
        let is_ahead = self.states[rank] == State::Over && is_new;
        let states = if is_ahead { &mut self.ahead } else { &mut self.states };
        states[rank] = state;
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
        std::mem::swap(&mut self.states, &mut self.ahead);
        self.ahead.fill(State::SettingUp);
        self.moved.fill(Moved::default());
        self.there = There::default();
    }

    /// Begins the next trial.
    pub(crate) fn begin_trial(&mut self) {
        self.begin_pass();
        self.states.fill(State::Preparing);
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
            State::Preparing | State::SettingUp | State::Ready | State::Over => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn running(active_ns: u64) -> State {
        State::Running(Here { active_ns: Some(active_ns), ..Here::default() })
    }

    fn told(table: &mut Table, now_ns: u64) -> There {
        match table.decide(now_ns) {
            Some(Decision::There(there)) => there,
            other => panic!("{other:?}"),
        }
    }

    /// Of three ranks, one without streams.
    fn begun() -> Table {
        let mut table = Table::of(3);
        table.note(0, State::Ready);
        assert_eq!(table.decide(0), None);
        table.note(2, State::Over);
        assert_eq!(table.decide(0), None, "one still sets up");
        table.note(1, State::Ready);
        assert_eq!(table.decide(0), Some(Decision::Begin));
        table
    }

    #[test]
    fn streams_begin_when_those_of_every_rank_are_set_up() {
        let table = begun();
        assert!(table.state(0).is_running() && table.state(1).is_running());
        assert_eq!(table.state(2), State::Over);
    }

    #[test]
    fn a_window_opens_when_all_are_active_and_never_before_all_can_know() {
        let mut table = begun();
        table.note(0, running(1_000_000_000));
        assert_eq!(table.decide(10).and(None::<u64>), None);
        table.note(1, running(900_000_000));
        assert_eq!(told(&mut table, 20).opens_ns, Some(1_000_000_000), "it is planned");
        let mut table = begun();
        table.note(0, running(5));
        table.note(1, running(7));
        assert_eq!(told(&mut table, 50).opens_ns, Some(50 + AHEAD_NS));
        // What was said once stays.
        table.note(1, running(9));
        assert_eq!(table.decide(60), None);
    }

    #[test]
    fn the_first_that_has_finished_closes_the_window_of_all_and_the_last_ends_it() {
        let mut table = begun();
        let finished = |at_ns: u64, done: bool| {
            State::Running(Here { finished_ns: Some(at_ns), done, ..Here::default() })
        };
        table.note(0, finished(70, false));
        assert_eq!(told(&mut table, 80).finished_ns, Some(70));
        table.note(1, finished(60, true));
        let there = told(&mut table, 80);
        assert_eq!((there.finished_ns, there.all_done), (Some(60), false));
        table.note(0, finished(70, true));
        assert!(told(&mut table, 90).all_done);
        assert_eq!(table.state(0), State::SettingUp, "for the streams after these");
    }

    #[test]
    fn who_cannot_go_on_stops_all_and_lets_none_begin() {
        let mut table = begun();
        table.fail(1);
        assert_eq!(told(&mut table, 33).stop_ns, Some(33));
        table.note(0, State::Ready);
        assert_eq!(table.decide(40), Some(Decision::Cancel));
        table.begin_trial();
        for rank in 0..3 {
            table.note(rank, State::Ready);
        }
        assert_eq!(table.decide(50), Some(Decision::Begin));
    }

    /// It writes back what it wrote while the root still waits for another.
    #[test]
    fn who_is_ahead_of_the_root_has_ended_the_pass_too() {
        let mut table = begun();
        table.note(1, State::Over);
        table.note(1, State::Preparing);
        assert!(!table.is_over(), "the first still runs");
        table.note(0, State::Over);
        assert!(table.is_over());
        table.begin_pass();
        let states = [0, 1, 2].map(|rank| table.state(rank));
        assert_eq!(states, [State::SettingUp, State::Preparing, State::SettingUp]);
        table.note(1, State::Over);
        table.begin_pass();
        assert_eq!(table.state(1), State::SettingUp);
        for state in [State::Over, State::Preparing, State::Over] {
            table.note(1, state);
        }
        table.begin_pass();
        assert_eq!(table.state(1), State::Over, "of the next pass, too");
    }

    #[test]
    fn what_was_moved_stays_when_a_rank_is_over() {
        let mut table = begun();
        let moved = Moved { bytes: 10, operations: 1 };
        table.note(0, State::Running(Here { moved, ..Here::default() }));
        table.note(1, State::Running(Here { moved, ..Here::default() }));
        table.note(1, State::Over);
        assert_eq!(table.moved(), Moved { bytes: 20, operations: 2 });
        table.begin_pass();
        assert_eq!(table.moved(), Moved::default());
    }
}
