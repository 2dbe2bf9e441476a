//! Parts that fail while streams run, and return.
//!
//! * From its failure on, what comes to a part is lost, and so is what is on its way through it:
//!   the sender gets no answer. It is not detected yet, so requests go on being sent there.
//! * After `failover` the failure is known: requests find what [`Network::degraded`] leaves, and
//!   those that were lost are sent again. What then finds no way waits, as with
//!   `queue_if_no_path`.
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

use iopath_path::{ComponentId, Network};
use iopath_study::{Case, PartId};
use iopath_units::Nanos;

use crate::core::Ps;
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
    ahead: VecDeque<Event>,
    pub past: Vec<Event>,
    /// What is gone with the parts of each failure.
    parts: Vec<Vec<ComponentId>>,
    /// Which failures are known while each network holds; none in the first.
    known: Vec<BTreeSet<usize>>,
    /// By component: how many failures it is down by, and when it failed last.
    down: Vec<u32>,
    failed: Vec<Option<Ps>>,
    /// Requests that were lost and are not sent again yet.
    lost: Vec<Task>,
    /// Whether the time of those ahead counts, in a world that is fed.
    is_let: bool,
}

/// The networks of a case in the order in which they are found: that of the beginning, and one for
/// each set of failures that is known at some time.
pub(crate) fn networks(case: &Case, network: &Network) -> Vec<Network> {
    let degraded = |known: &BTreeSet<usize>| {
        let failures = known.iter().map(|failure| &case.failures[*failure]);
        let parts = failures.flat_map(|failure| &failure.parts).copied().collect();
        network.degraded(&case.system, &parts)
    };
    let mut networks = vec![network.clone()];
    networks.extend(sets(&events(case)).iter().skip(1).map(degraded));
    networks
}

/// All that will happen, in order.
fn events(case: &Case) -> Vec<Event> {
    let mut all = Vec::new();
    for (failure, said) in case.failures.iter().enumerate() {
        let mut push = |at: Nanos, change| all.push(Event { at: Ps::from(at), failure, change });
        let after = |span: Nanos| Nanos(said.at.0.saturating_add(span.0));
        push(said.at, Change::Fails);
        if said.lasts.is_none_or(|lasts| lasts > said.failover) {
            push(after(said.failover), Change::FailsOver);
        }
        if let Some(lasts) = said.lasts {
            push(after(lasts), Change::Returns);
            if lasts > said.failover {
                push(Nanos(after(lasts).0.saturating_add(said.failback.0)), Change::FailsBack);
            }
        }
    }
    all.sort_unstable();
    all
}

/// The sets of failures that are known at some time, each once, beginning with none.
fn sets(events: &[Event]) -> Vec<BTreeSet<usize>> {
    let mut all = vec![BTreeSet::new()];
    let mut known = BTreeSet::new();
    for event in events {
        follow(&mut known, event);
        if !all.contains(&known) {
            all.push(known.clone());
        }
    }
    all
}

fn follow(known: &mut BTreeSet<usize>, event: &Event) {
    match event.change {
        Change::FailsOver => drop(known.insert(event.failure)),
        Change::FailsBack => drop(known.remove(&event.failure)),
        Change::Fails | Change::Returns => {}
    }
}

impl Failures {
    pub(crate) fn new(case: &Case, network: &Network) -> Self {
        let events = events(case);
        let parts = case.failures.iter().map(|failure| gone(case, network, &failure.parts));
        let components = if events.is_empty() { 0 } else { case.system.parts.len() };
        Self {
            known: sets(&events),
            ahead: events.into(),
            past: Vec::new(),
            parts: parts.collect(),
            down: vec![0; components],
            failed: vec![None; components],
            lost: Vec::new(),
            is_let: false,
        }
    }

    /// Whether what is down may come back, or a way round it be found.
    pub(crate) fn may_return(&self) -> bool {
        !self.ahead.is_empty()
    }

    #[inline]
    fn has_happened(&self) -> bool {
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
        let Self { ahead, past, parts, down, failed, .. } = self;
        while let Some(event) = ahead.pop_front_if(|event| event.at <= now) {
            for part in parts[event.failure].iter().map(|part| part.0 as usize) {
                match event.change {
                    Change::Fails => (down[part], failed[part]) = (down[part] + 1, Some(now)),
                    Change::Returns => down[part] -= 1,
                    Change::FailsOver | Change::FailsBack => {}
                }
            }
            past.push(event);
        }
    }

    /// Which network holds when one more thing has happened.
    fn network_after(&self) -> usize {
        let mut known = BTreeSet::new();
        self.past.iter().for_each(|event| follow(&mut known, event));
        self.known.iter().position(|set| *set == known).unwrap_or(0)
    }
}

/// What is gone with some parts: not what a partner takes over.
fn gone(case: &Case, network: &Network, parts: &[PartId]) -> Vec<ComponentId> {
    let degraded = network.degraded(&case.system, &parts.iter().copied().collect());
    let components = degraded.components.iter().zip(&network.components);
    let gone =
        (0..).zip(components).filter(|(_, (after, before))| after.removed && !before.removed);
    gone.map(|(at, _)| ComponentId(at)).collect()
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

    /// Sets the timer of what happens next.
    pub(crate) fn await_failure(&mut self) {
        if let Some(next) = self.failures.ahead.front() {
            self.set_timer(next.at.max(self.now), Timer::Failure);
        }
    }

    /// What is due happens; whether anything waited for it.
    pub(crate) fn follow_failures(&mut self) -> bool {
        let before = self.failures.network_after();
        self.failures.happen(self.now);
        self.lose_caches();
        self.await_failure();
        let network = self.failures.network_after();
        if network != before {
            self.plans.go_over(network);
            self.streams.forget_plans();
            self.forget_moved_fronts();
            self.wake_streams();
            self.follow_rebuilds();
        }
        let lost = std::mem::take(&mut self.failures.lost);
        let any = !lost.is_empty();
        lost.into_iter().for_each(|task| self.send_again(task));
        any
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

    /// Whether who asks from outside is told that there is no way, and will be none.
    fn is_refused(&self) -> bool {
        self.streams.is_fed && !self.failures.may_return()
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
            (None, Owner::Stream(stream)) if self.is_refused() => self.refuse(stream, &task),
            // It waits until there is a way.
            (None, _) => self.failures.lost.push(task),
        }
    }
}
