//! The terms on which streams share: capacities, requests in flight, wanted rates. A bound is a
//! solution on its terms; prices and upgrades are solutions on changed ones.

use std::rc::Rc;

use crate::contention::Contention;
use crate::demand::Demand;
use crate::fill::{Shared, Shares, TIE, fill};
use crate::flushes::Flushes;
use crate::matrix::Matrix;

/// What limits the classes of a demand.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Of each limit; infinite where it limits nothing.
    pub capacity: Vec<f64>,
    /// Requests that each stream of a class keeps in flight.
    pub weights: Vec<f64>,
    /// Requests per second that these suffice for; infinite where that is left out.
    pub depth: Vec<f64>,
    /// Requests per second that each stream wants; infinite where it has no rate of its own.
    pub wanted: Vec<f64>,
    /// Requests per second that each stream's thread has time for; infinite where it has enough.
    pub thread: Vec<f64>,
    /// Requests per second that each stream's flushes let it do; infinite where it waits for none,
    /// or that is left out.
    pub flush: Vec<f64>,
    /// How long requests take.
    pub(crate) service: Service,
}

/// How long requests take on some terms, and what follows from it.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    pub law: Law,
    /// What each limit serves requests with; of what is out of the way, what is used.
    pub served: Vec<f64>,
    /// Share of it that waiting for the slowest part leaves.
    pub kept: Vec<f64>,
    /// Seconds that a request of each class takes while nothing is in its way.
    pub zero_load: Vec<f64>,
    /// What it waits for besides where drives are contended.
    pub contention: Vec<Option<Contention>>,
    /// What each class waits for until its writes are on stable storage.
    pub flushes: Vec<Option<Flushes>>,
    /// Whether some leg takes less time if there is more of a limit.
    pub is_slowest: Vec<bool>,
    /// What classes use, where the time that they hold pools has changed.
    pub matrix: Option<Rc<Matrix>>,
}

/// Which of it a bound accounts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Law {
    /// Nothing: requests in flight suffice.
    Split,
    /// Zero-load times.
    Closed,
    /// And waiting for the slowest part.
    Synchronised,
}

/// What can be raised together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Group {
    pub what: What,
    /// Limits of the demand, or classes of streams.
    pub members: Vec<u32>,
}

/// What a group consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// Rows and pools.
    Limits,
    /// Requests in flight.
    Depth,
    /// Wanted rates.
    Wanted,
    /// The time of threads.
    Thread,
    /// Flushes, of which each stream has one outstanding at a time.
    Flush,
}

impl Service {
    /// Requests per second that so many in flight of a class suffice for.
    pub(crate) fn suffices(&self, at: usize, in_flight: f64) -> f64 {
        match &self.contention[at] {
            Some(contention) => contention.most(in_flight, self.zero_load[at]),
            None => in_flight / self.zero_load[at],
        }
    }

    /// Requests that a rate of a class keeps in flight (Little).
    pub(crate) fn in_flight(&self, at: usize, rate: f64) -> f64 {
        match &self.contention[at] {
            Some(contention) => contention.in_flight(rate, self.zero_load[at]),
            None => rate * self.zero_load[at],
        }
    }
}

impl Terms {
    /// What everybody gets.
    #[must_use]
    pub fn solve(&self, demand: &Demand) -> Shares {
        let caps = (0..self.depth.len())
            .map(|at| self.own(at).into_iter().fold(f64::INFINITY, f64::min))
            .collect::<Vec<f64>>();
        let Self { capacity, weights, .. } = self;
        fill(Shared { matrix: self.matrix(demand), weights, capacity, caps: &caps })
    }

    /// What each stream of a class cannot exceed by itself.
    pub(crate) fn own(&self, at: usize) -> [f64; 4] {
        [self.depth[at], self.wanted[at], self.thread[at], self.flush[at]]
    }

    /// What the requests in flight of a class suffice for now, where they are accounted for.
    pub(crate) fn depth_again(&mut self, at: usize) {
        if self.depth[at].is_finite() {
            self.depth[at] = self.service.suffices(at, self.weights[at]);
        }
    }

    /// What the flushes of a class let it do now, where they are accounted for.
    pub(crate) fn flush_again(&mut self, at: usize) {
        if let Some(flushes) = self.service.flushes[at].filter(|_| self.flush[at].is_finite()) {
            self.flush[at] = flushes.most(self.weights[at], self.service.zero_load[at]);
        }
    }

    /// What classes use.
    pub(crate) fn matrix<'a>(&'a self, demand: &'a Demand) -> &'a Matrix {
        self.service.matrix.as_deref().unwrap_or(&demand.matrix)
    }

    /// The same with every member of a group raised by a factor; requests in flight weigh more
    /// then, too. What follows for the time of requests is for [`crate::model::Model::raised`].
    pub(crate) fn raised(&self, group: &Group, factor: f64) -> Self {
        let mut terms = self.clone();
        for member in group.members.iter().map(|member| *member as usize) {
            match group.what {
                What::Limits => {
                    terms.capacity[member] *= factor;
                    terms.service.served[member] *= factor;
                }
                What::Depth => {
                    terms.weights[member] *= factor;
                    terms.depth_again(member);
                    terms.flush_again(member);
                }
                What::Wanted => terms.wanted[member] *= factor,
                What::Thread => terms.thread[member] *= factor,
                What::Flush => {
                    let flushes = &mut terms.service.flushes[member];
                    *flushes = flushes.map(|flushes| flushes.raised(factor));
                    terms.flush_again(member);
                }
            }
        }
        terms
    }

    /// The same with every member of a group out of the way.
    pub(crate) fn without(&self, group: &Group) -> Self {
        let mut terms = self.clone();
        let list = match group.what {
            What::Limits => &mut terms.capacity,
            What::Depth => &mut terms.depth,
            What::Wanted => &mut terms.wanted,
            What::Thread => &mut terms.thread,
            What::Flush => &mut terms.flush,
        };
        for member in &group.members {
            list[*member as usize] = f64::INFINITY;
        }
        terms
    }

    /// Whether a member of a kind of group holds anybody back.
    pub(crate) fn binds(&self, demand: &Demand, shares: &Shares, what: What, at: usize) -> bool {
        let reached = |most: f64| most.is_finite() && shares.rates[at] >= most * (1.0 - TIE);
        match what {
            What::Limits => shares.is_saturated(self.matrix(demand), &self.capacity, at),
            What::Depth => {
                let outlast = |flushes: &Flushes| {
                    flushes.outlast(self.weights[at], self.service.zero_load[at])
                };
                let is_own = reached(self.depth[at]);
                // Flushes that take less of the time than the requests only lengthen the loop.
                is_own
                    || reached(self.flush[at])
                        && !self.service.flushes[at].as_ref().is_some_and(outlast)
            }
            What::Wanted => reached(self.wanted[at]),
            What::Thread => reached(self.thread[at]),
            What::Flush => reached(self.flush[at]),
        }
    }
}
