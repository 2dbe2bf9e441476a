//! What follows when there is more of something: shorter requests, and with them the rates that
//! requests in flight suffice for.
//!
//! A capacity counts twice in a closed loop: it is shared, and it decides how long a request
//! takes where it is the slowest stage. So whoever raises one that some leg waits for finds the
//! zero-load times again, and from them by Little's law the rates of all streams and what is held
//! of pools; in the synchronised bound more requests in flight also hide more of the waiting. What
//! no leg waits for changes none of it, so most prices need no second look.
//!
//! Alike streams stay alike: it leaves out that their requests may have the same times for
//! different reasons; then the first of them counts.

use crate::contention::Contention;
use crate::fill::Shares;
use crate::flushes::Flushes;
use crate::model::Model;
use crate::terms::{Group, Law, Terms, What};
use crate::times::{Rates, alone, takes_time};

impl Model<'_> {
    /// The terms with a group raised by a factor, and what follows.
    pub(crate) fn raised(&self, terms: &Terms, group: &Group, factor: f64) -> Terms {
        let raised = terms.raised(group, factor);
        match follows(terms, group) {
            true => self.settled(raised),
            false => raised,
        }
    }

    /// The terms with what follows from what serves and from what is in flight.
    pub(crate) fn settled(&self, mut terms: Terms) -> Terms {
        if terms.service.law == Law::Split {
            return terms;
        }
        let known = &mut *self.known.borrow_mut();
        if self.holds {
            terms.service.matrix = Some(known.matrix(self, &terms));
        }
        let slowest = self.slowest.as_ref().filter(|_| terms.service.law == Law::Synchronised);
        if let Some(slowest) = slowest {
            let kept = known.kept(self, slowest, &terms.weights);
            for (limit, members) in self.folding.limits.iter().enumerate() {
                let kept = kept[members[0] as usize];
                terms.service.kept[limit] = kept;
                if terms.capacity[limit].is_finite() {
                    terms.capacity[limit] = terms.service.served[limit] * kept;
                }
            }
        }
        let timing = match slowest {
            None => known.alone(self, &terms),
            Some(slowest) => known.slowest(self, slowest, &terms),
        };
        let is_contended = terms.service.contention.iter().any(Option::is_some);
        let served = is_contended.then(|| self.served(&terms));
        for (at, class) in self.demand.classes.iter().enumerate() {
            let seconds = class.zero_load(timing.spans());
            if let (Some(served), Some(_)) = (&served, &terms.service.contention[at]) {
                let rates =
                    Rates { network: self.network, charges: &self.charges, capacity: served };
                terms.service.contention[at] = Contention::of(&rates, class);
            }
            terms.service.zero_load[at] = seconds;
            terms.depth_again(at);
            let again = Flushes::of(self.network, class, timing.spans());
            if let (Some(known), Some(again)) = (&mut terms.service.flushes[at], again) {
                *known = known.with_writes_of(again);
            }
            terms.flush_again(at);
        }
        for (limit, is_slowest) in terms.service.is_slowest.iter_mut().enumerate() {
            let all = self.limits[limit].iter().copied();
            *is_slowest = all.filter(|row| self.is_row(*row)).any(|row| timing.is_slowest(row));
        }
        terms
    }

    /// What each row of the network serves a request with that is alone.
    pub(crate) fn rates(&self, terms: &Terms) -> Vec<f64> {
        let rows = self.network.rows.iter();
        let mut rates: Vec<f64> = rows.map(|row| alone(row, row.capacity)).collect();
        for (limit, served) in terms.service.served.iter().enumerate() {
            self.rows_of(limit).for_each(|row| rates[row as usize] = *served);
        }
        rates
    }

    /// What each row of the network serves with.
    fn served(&self, terms: &Terms) -> Vec<f64> {
        let mut rows: Vec<f64> = self.network.rows.iter().map(|row| row.capacity).collect();
        for (limit, served) in terms.service.served.iter().enumerate() {
            let its = self.limits[limit].iter().filter(|row| self.is_row(**row));
            its.for_each(|row| rows[*row as usize] = *served);
        }
        rows
    }

    /// The rows of the network that take their time with what a limit serves with: of those that
    /// are in limits of several epochs, the last one counts.
    pub(crate) fn rows_of(&self, limit: usize) -> impl Iterator<Item = u32> {
        let rows = self.limits[limit].iter().copied().filter(|row| self.is_row(*row));
        let rows = rows.filter(|row| takes_time(&self.network.rows[*row as usize]));
        rows.filter(move |row| {
            self.limit_of[*row as usize].iter().max().is_some_and(|last| *last as usize == limit)
        })
    }

    /// Rows stand before pools.
    fn is_row(&self, limit: u32) -> bool {
        (limit as usize) < self.network.rows.len()
    }

    /// Whether more of a limit lets streams that wait for their requests go on sooner.
    pub(crate) fn hastens(&self, terms: &Terms, shares: &Shares, limit: usize) -> bool {
        let matrix = terms.matrix(&self.demand);
        let waits = |class: u32| {
            let mut limits = matrix.limits_of(class as usize).iter();
            let waits = |what| terms.binds(&self.demand, shares, what, class as usize);
            waits(What::Depth)
                || waits(What::Flush)
                || limits.any(|(pool, _)| {
                    let is_pool =
                        self.limits[*pool as usize][0] as usize >= self.network.rows.len();
                    is_pool && terms.binds(&self.demand, shares, What::Limits, *pool as usize)
                })
        };
        terms.service.is_slowest[limit]
            && matrix.classes_of(limit).iter().any(|(class, _)| waits(*class))
    }
}

/// Whether raising a group changes more than itself.
pub(crate) fn follows(terms: &Terms, group: &Group) -> bool {
    match group.what {
        What::Limits => {
            group.members.iter().any(|member| terms.service.is_slowest[*member as usize])
        }
        What::Depth => {
            let flushes = |member: &u32| terms.flush[*member as usize].is_finite();
            terms.service.law == Law::Synchronised || group.members.iter().any(flushes)
        }
        What::Wanted | What::Thread | What::Flush => false,
    }
}
