//! Parts that fail while streams run, and return.
//!
//! * From its failure on, what comes to a part is lost, and so is what is on its way through it:
//!   the sender gets no answer. It is not detected yet, so requests go on being sent there.
//! * After `failover` the failure is known: requests find what [`Network::degraded`] leaves, and
//!   those that were lost are sent again. What then finds no way waits, as with
//!   `queue_if_no_path`; in a world that is fed it ends where none will return (`refusals`).
//! * A request for a failed member of a volume is not sent again: its volume's request is, and is
//!   split without the member.
//! * A part that returns before its failure is known was slow: what was lost is sent again then.
//!   One that returns later is used again after `failback`.
//!
//! What happens inside a failed part goes on: a request that is lost has used all that it crosses,
//! and what a cache owes the media is destaged as if by the partner that has the copy. The
//! partner's cache begins cold. What only a failed cache had is lost where somebody has data to
//! lose (`fates`); else it is destaged like the rest.

use std::collections::{BTreeSet, VecDeque};

use iopath_path::ComponentId;
use iopath_study::PartId;
use iopath_study::case::Failure;
use iopath_units::Nanos;

use crate::core::Ps;
use crate::networks::Networks;
use crate::plan::Plan;
use crate::task::{Owner, Task, Timer};
use crate::world::World;

/// What happens to the parts of one failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    Fails,
    /// Requests take other routes.
    FailsOver,
    Returns,
    /// Its routes are used again.
    FailsBack,
}

/// A change of one of the case's failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event {
    pub at: Ps,
    pub failure: usize,
    pub change: Change,
}

/// What is down, and who waits for it.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// What fails, once or again and again.
    pub all: Vec<Failure>,
    /// What is gone with each of them.
    gone: Vec<Vec<ComponentId>>,
    ahead: VecDeque<Event>,
    pub past: Vec<Event>,
    /// The parts that are known to have failed while each network holds; none in the first.
    known: Vec<BTreeSet<PartId>>,
    /// By component: how many failures it is down by, and when it failed last.
    down: Vec<u32>,
    failed: Vec<Option<Ps>>,
    /// Requests that were lost and are not sent again yet.
    lost: Vec<Task>,
    /// Whether the time of those ahead counts, in a world that is fed.
    is_let: bool,
}

/// What will happen to the parts of a failure, from a time on.
fn events(since: Ps, number: usize, of: &Failure) -> Vec<Event> {
    let event = |after: Nanos, change| Event {
        at: since + Ps::from(Nanos(of.at.0.saturating_add(after.0))),
        failure: number,
        change,
    };
    let mut all = vec![event(Nanos(0), Change::Fails)];
    if of.lasts.is_none_or(|lasts| lasts > of.failover) {
        all.push(event(of.failover, Change::FailsOver));
    }
    if let Some(lasts) = of.lasts {
        all.push(event(lasts, Change::Returns));
        if lasts > of.failover {
            let back = Nanos(lasts.0.saturating_add(of.failback.0));
            all.push(event(back, Change::FailsBack));
        }
    }
    all
}

impl Failures {
    /// What the case lets fail.
    pub(crate) fn new(networks: &Networks<'_>) -> Self {
        let components = networks.case.system.parts.len();
        let mut failures = Self {
            known: vec![BTreeSet::new()],
            down: vec![0; components],
            failed: vec![None; components],
            ..Self::default()
        };
        for one in &networks.case.failures {
            failures.add(one.clone(), networks.gone(&one.parts), Ps::ZERO);
        }
        failures
    }

    /// One more, whose time counts from then on.
    fn add(&mut self, one: Failure, gone: Vec<ComponentId>, since: Ps) {
        let ahead = self.ahead.make_contiguous().iter().copied();
        let mut all: Vec<Event> = ahead.chain(events(since, self.all.len(), &one)).collect();
        all.sort_unstable();
        self.ahead = all.into();
        self.all.push(one);
        self.gone.push(gone);
    }

    /// Whether what is down may come back, or a way round it be found.
    pub(crate) fn may_return(&self) -> bool {
        !self.ahead.is_empty()
    }

    #[inline]
    pub(crate) fn has_happened(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether a request of a plan comes to something for which this holds.
    fn meets(&self, plan: &Plan, way: u16, is: impl Fn(ComponentId) -> bool) -> bool {
        let from = plan.from.component();
        let mut passed = plan.ways[way as usize].passed.iter().map(|passed| passed.component);
        // What a failed part does by itself goes on.
        !from.is_some_and(&is) && (is(plan.to) || passed.any(is))
    }

    pub(crate) fn is_down(&self, component: ComponentId) -> bool {
        self.down[component.0 as usize] > 0
    }

    fn failed_since(&self, component: ComponentId, since: Ps) -> bool {
        self.failed[component.0 as usize].is_some_and(|failed| failed >= since)
    }

    /// All that is due by now happens.
    fn happen(&mut self, now: Ps) {
        let Self { ahead, past, gone, down, failed, .. } = self;
        while let Some(event) = ahead.pop_front_if(|event| event.at <= now) {
            for part in gone[event.failure].iter().map(|part| part.0 as usize) {
                match event.change {
                    Change::Fails => (down[part], failed[part]) = (down[part] + 1, Some(now)),
                    Change::Returns => down[part] -= 1,
                    Change::FailsOver | Change::FailsBack => {}
                }
            }
            past.push(event);
        }
    }

    /// The parts that are known to have failed after some events.
    fn known_after(&self, events: &[Event]) -> BTreeSet<PartId> {
        let mut known = BTreeSet::new();
        for event in events {
            match event.change {
                Change::FailsOver => drop(known.insert(event.failure)),
                Change::FailsBack => drop(known.remove(&event.failure)),
                Change::Fails | Change::Returns => {}
            }
        }
        known.into_iter().flat_map(|failure| &self.all[failure].parts).copied().collect()
    }
}

impl World<'_> {
    /// What is to happen does so at its time from now on; once.
    pub(crate) fn let_fail(&mut self) {
        let is_first = !std::mem::replace(&mut self.failures.is_let, true);
        if is_first {
            let now = self.now;
            self.failures.ahead.iter_mut().for_each(|event| event.at += now);
            self.await_failure();
        }
    }

    /// Parts fail besides, at a time that counts from now or from when all others' does.
    pub(crate) fn fail(&mut self, failure: Failure) {
        let since = if self.failures.is_let { self.now } else { Ps::ZERO };
        let gone = self.networks.gone(&failure.parts);
        self.failures.add(failure, gone, since);
        self.foresee();
        if self.failures.is_let {
            self.await_failure();
        }
    }

    /// Makes the networks of what is to fail, so that no request waits for them then.
    pub(crate) fn foresee(&mut self) {
        let known = self.failures.past.len();
        let ahead = self.failures.ahead.iter().copied();
        let all: Vec<Event> = self.failures.past.iter().copied().chain(ahead).collect();
        for until in known..=all.len() {
            self.network_of(self.failures.known_after(&all[..until]));
        }
    }

    /// Sets the timer of what happens next.
    pub(crate) fn await_failure(&mut self) {
        if let Some(next) = self.failures.ahead.front() {
            self.set_timer(next.at.max(self.now), Timer::Failure);
        }
    }

    /// What is due happens; whether anything waited for it.
    pub(crate) fn follow_failures(&mut self) -> bool {
        self.failures.happen(self.now);
        self.lose_caches();
        self.await_failure();
        let network = self.network_of(self.failures.known_after(&self.failures.past));
        if network != self.plans.current() {
            self.plans.go_over(network);
            self.streams.forget_plans();
            self.forget_moved_fronts();
            self.wake_streams();
            self.follow_rebuilds();
        } else if self.streams.is_fed {
            // What waited for a part that has failed otherwise as well waits no more.
            self.admit_parked();
        }
        let lost = std::mem::take(&mut self.failures.lost);
        let any = !lost.is_empty();
        lost.into_iter().for_each(|task| self.send_again(task));
        any
    }

    /// The network without these parts, which is made when it is needed first.
    fn network_of(&mut self, known: BTreeSet<PartId>) -> usize {
        let at = self.failures.known.iter().position(|parts| *parts == known);
        at.unwrap_or_else(|| {
            self.plans.add(self.networks.without(&known));
            self.failures.known.push(known);
            self.failures.known.len() - 1
        })
    }

    /// Whether a request that begins now is lost; it is taken out of the world then.
    #[inline]
    pub(crate) fn is_lost_at_once(&mut self, id: u32) -> bool {
        if !self.failures.has_happened() {
            return false;
        }
        let (task, failures) = (&self.tasks[id], &self.failures);
        let plan = self.plans.plan(task.plan);
        if !failures.meets(plan, task.way, |component| failures.is_down(component)) {
            return false;
        }
        self.plans.give_way_back(task.plan, task.way);
        if let Some(task) = self.tasks.remove(id) {
            self.lose(task);
        }
        true
    }

    /// Whether a request that would be done now was lost on its way.
    #[inline]
    pub(crate) fn was_lost(&self, task: &Task) -> bool {
        let failures = &self.failures;
        failures.has_happened()
            && (task.is_lost
                || failures.meets(self.plans.plan(task.plan), task.way, |component| {
                    failures.failed_since(component, task.entered)
                }))
    }

    /// A lost request is sent again as soon as its sender knows.
    pub(crate) fn lose(&mut self, task: Task) {
        let plan = self.plans.plan(task.plan);
        match !task.is_lost && self.failures.meets(plan, task.way, |part| self.is_undetected(part))
        {
            true => self.failures.lost.push(task),
            false => self.send_again(task),
        }
    }

    /// Whether something is down and not detected yet.
    fn is_undetected(&self, component: ComponentId) -> bool {
        let network = self.plans.hops().network();
        self.failures.is_down(component) && !network.component(component).removed
    }

    fn send_again(&mut self, mut task: Task) {
        let departure = self.plans.plan(task.plan).departure();
        let is_gone = self.plans.hops().network().component(departure.to).removed;
        let plan = if is_gone { None } else { self.plans.of(&departure) };
        match (plan, task.owner) {
            (Some(plan), _) => {
                task.begin_again(plan);
                task.way = self.plans.take_way(plan);
                let id = self.tasks.insert(task);
                self.hold(id, 0);
            }
            (None, Owner::Task(upper)) => {
                self.tasks[upper].is_lost = true;
                self.tell_owner(task);
            }
            (None, _) if self.is_refused() => self.end_without_way(task),
            // It waits until there is a way.
            (None, _) => self.failures.lost.push(task),
        }
    }
}
