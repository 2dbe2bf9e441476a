//! Who simulates: threads of this process and, in a run over several ranks, those of the others.
//!
//! Which of them simulates what, and when, changes nothing: a simulation depends on its case and
//! its seed only. What another rank cannot do is done here.

use std::num::NonZeroUsize;
use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use iopath_path::Network;
use iopath_record::Record;
use iopath_simulation::{Settings, simulate};
use iopath_study::{Case, Study};

use crate::exit_status::ExitStatus;
use crate::run::parallel::{self, Endable, Hands, threads};
use crate::run::ranks::{Asked, EACH, Leader, Order};

/// Those that are there.
#[derive(Clone, Copy)]
pub(crate) struct Crew<'a> {
    /// As many of each rank as were asked for.
    threads: Option<NonZeroUsize>,
    leader: Option<&'a Leader>,
    /// Whose cases are simulated, where they are of one study.
    study: Option<&'a Study>,
}

/// Between two looks for what other ranks have done: chosen, what a simulation takes at least.
const LOOK: Duration = Duration::from_millis(1);

/// Where a thread's simulations run.
pub(crate) enum Simulator {
    Here,
    /// On another rank.
    There {
        rank: u32,
        orders: Sender<Asked>,
    },
}

impl Simulator {
    pub(crate) fn simulate(&self, case: &Case, network: &Network, settings: &Settings) -> Record {
        let there = match self {
            Self::Here => None,
            Self::There { rank, orders } => {
                let (answer, answered) = mpsc::channel();
                let order = Order::new(case, network, settings);
                let asked = orders.send(Asked { rank: *rank, order, answer });
                asked.ok().and_then(|()| answered.recv().ok())
            }
        };
        there.unwrap_or_else(|| simulate(case, network, settings))
    }
}

impl<'a> Crew<'a> {
    pub(crate) fn new(threads: Option<NonZeroUsize>, leader: Option<&'a Leader>) -> Self {
        Self { threads, leader, study: None }
    }

    /// Simulates cases of this study. Another rank that has it need not read the text of each; it
    /// is sent with the first cases of a run, and no other study after it.
    pub(crate) fn of(self, study: &'a Study) -> Self {
        Self { study: Some(study), ..self }
    }

    /// Threads of this process.
    pub(crate) fn threads(&self) -> NonZeroUsize {
        self.leader.map_or_else(|| threads(self.threads), |leader| leader.threads(self.threads))
    }

    /// How many simulations run at once.
    pub(crate) fn simultaneous(&self) -> NonZeroUsize {
        let others = self.leader.map_or_else(Vec::new, |one| one.threads_of_others(self.threads));
        let threads = others.iter().map(|(_, threads)| threads.get()).sum::<usize>();
        self.threads().saturating_add(threads)
    }

    /// What `work` makes of each item, in their order; after each `done` gets how many are done.
    pub(crate) fn in_order<T: Sync, R: Send>(
        self,
        items: &[T],
        work: impl Fn(&Simulator, &T) -> R + Sync,
        done: &mut dyn FnMut(usize),
    ) -> Vec<R> {
        self.with(|hands| parallel::in_order_with(hands, items, work, done))
    }

    /// The same until a signal comes: see [`parallel::until`].
    pub(crate) fn until<T: Sync, R: Send>(
        self,
        items: &[T],
        work: impl Fn(&Simulator, &T) -> R + Sync,
        endable: Endable<'_, R>,
    ) -> Vec<R> {
        let Endable { interrupted, done, cut } = endable;
        let cut = &mut |results: Vec<Option<R>>| -> ExitStatus {
            let status = cut(results);
            self.leader.into_iter().for_each(|leader| leader.abandon(status));
            status
        };
        let endable = Endable { interrupted, done, cut };
        self.with(|hands| parallel::until(hands, items, work, endable))
    }

    /// Has the other ranks at hand while something runs.
    fn with<R>(self, run: impl FnOnce(Hands<'_, Simulator>) -> R) -> R {
        let (sender, asked) = mpsc::channel();
        let each = self.simulators(&sender);
        drop(sender);
        let Some(leader) = self.leader else {
            return run(Hands { each: &each, look: parallel::LOOK, meanwhile: &mut || () });
        };
        let mut orders = leader.orders(self.threads, self.study, asked);
        run(Hands { each: &each, look: LOOK, meanwhile: &mut || orders.carry() })
    }

    /// One for each thread: first those that get work where there is little.
    fn simulators(self, orders: &Sender<Asked>) -> Vec<Simulator> {
        let mut all: Vec<Simulator> = (0..self.threads().get()).map(|_| Simulator::Here).collect();
        let Some(leader) = self.leader else { return all };
        let others = leader.threads_of_others(self.threads);
        let most = others.iter().map(|(_, threads)| threads.get()).max().unwrap_or(0);
        for place in 0..most * EACH {
            let wanted = others.iter().filter(|(_, threads)| place < threads.get() * EACH);
            let there = |(rank, _): &(u32, NonZeroUsize)| Simulator::There {
                rank: *rank,
                orders: orders.clone(),
            };
            all.extend(wanted.map(there));
        }
        all
    }
}
