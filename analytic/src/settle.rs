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

use std::rc::Rc;

use crate::fill::Shares;
use crate::model::Model;
use crate::terms::{Group, Law, Terms, What};
use crate::times::{Stages, Unhindered, spans};

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
        let network = self.network;
        let stages = Stages::of(network, &self.charges, &self.rates(&terms));
        let mut taken = spans(network, &stages, &Unhindered);
        if network.legs.iter().any(|leg| !leg.holds.is_empty()) {
            let demand = self.plain.over(network, (&self.charges, &taken));
            terms.service.matrix = Some(Rc::new(self.folding.demand(&demand).matrix));
        }
        let slowest = self.slowest.as_ref().filter(|_| terms.service.law == Law::Synchronised);
        if let Some(slowest) = slowest {
            taken = slowest.spans(network, &stages);
            let class_of = self.folding.class_of.iter();
            let in_flight: Vec<f64> =
                class_of.map(|class| terms.weights[*class as usize]).collect();
            let kept = slowest.kept(network, &self.plain, &in_flight);
            for (limit, members) in self.folding.limits.iter().enumerate() {
                let kept = kept[members[0] as usize];
                terms.service.kept[limit] = kept;
                if terms.capacity[limit].is_finite() {
                    terms.capacity[limit] = terms.service.served[limit] * kept;
                }
            }
        }
        for (at, class) in self.demand.classes.iter().enumerate() {
            let seconds = class.zero_load(&taken);
            terms.service.zero_load[at] = seconds;
            if terms.depth[at].is_finite() {
                terms.depth[at] = terms.weights[at] / seconds;
            }
        }
        terms.service.is_slowest.fill(false);
        for row in stages.rows_of(&taken) {
            for limit in &self.limit_of[row.0 as usize] {
                terms.service.is_slowest[*limit as usize] = true;
            }
        }
        terms
    }

    /// What each row of the network serves with.
    fn rates(&self, terms: &Terms) -> Vec<f64> {
        let mut rates: Vec<f64> = self.network.rows.iter().map(|row| row.capacity).collect();
        for (limit, members) in self.limits.iter().enumerate() {
            let rows = members.iter().filter_map(|row| rates.get_mut(*row as usize).map(|_| *row));
            for row in rows.collect::<Vec<u32>>() {
                rates[row as usize] = terms.service.served[limit];
            }
        }
        rates
    }

    /// Whether more of a limit lets streams that wait for their requests go on sooner.
    pub(crate) fn hastens(&self, terms: &Terms, shares: &Shares, limit: usize) -> bool {
        let matrix = terms.matrix(&self.demand);
        let waits = |class: u32| {
            let mut limits = matrix.limits_of(class as usize).iter();
            terms.binds(&self.demand, shares, What::Depth, class as usize)
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
        What::Depth => terms.service.law == Law::Synchronised,
        What::Wanted => false,
    }
}
