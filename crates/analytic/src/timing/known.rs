//! What was found last under each law, so that the next question costs only what differs from it.

use std::rc::Rc;

use super::{Fixed, Timing};
use crate::matrix::Matrix;
use crate::model::Model;
use crate::synchronised::Synchronised;
use crate::terms::Terms;
use crate::times::{NoSlowdown, Slowdown};

/// The last answers. No result depends on what was asked before.
#[derive(Default)]
pub(crate) struct Known {
    alone: Last,
    slowest: Last,
    /// What classes use with the times of `alone`.
    matrix: Option<Rc<Matrix>>,
    /// Requests in flight, and the share of its capacity that each limit keeps with them.
    kept: (Vec<f64>, Vec<f64>),
}

/// Times with what the limits served with.
#[derive(Default)]
struct Last {
    served: Vec<f64>,
    timing: Option<Timing>,
}

impl Known {
    /// The times of requests alone.
    pub(crate) fn alone(&mut self, model: &Model<'_>, terms: &Terms) -> &Timing {
        if self.alone.serve(model, &NoSlowdown, terms) {
            self.matrix = None;
        }
        self.alone.found()
    }

    /// The times of requests that wait for the slowest of their parts.
    pub(crate) fn slowest(
        &mut self,
        model: &Model<'_>,
        slowest: &Synchronised,
        terms: &Terms,
    ) -> &Timing {
        self.slowest.serve(model, &slowest.stretched(), terms);
        self.slowest.found()
    }

    /// What classes use, where requests hold tokens for as long as they take alone.
    pub(crate) fn matrix(&mut self, model: &Model<'_>, terms: &Terms) -> Rc<Matrix> {
        self.alone(model, terms);
        let Self { matrix, alone, .. } = self;
        let matrix = matrix.get_or_insert_with(|| {
            let taken = (&model.charges, alone.found().spans());
            Rc::new(model.folding.demand(&model.plain.over(model.network, taken)).matrix)
        });
        Rc::clone(matrix)
    }

    /// Share of its capacity that each row, then each pool, keeps.
    pub(crate) fn kept(
        &mut self,
        model: &Model<'_>,
        slowest: &Synchronised,
        weights: &[f64],
    ) -> &[f64] {
        let (known, kept) = &mut self.kept;
        if kept.is_empty() || known != weights {
            known.clear();
            known.extend_from_slice(weights);
            let class_of = model.folding.class_of.iter();
            let in_flight: Vec<f64> = class_of.map(|class| weights[*class as usize]).collect();
            *kept = slowest.kept(model.network, &model.plain, &in_flight);
        }
        kept
    }
}

impl Last {
    /// Lets limits serve as on some terms. Tells whether some request may hold tokens for another
    /// time.
    fn serve(&mut self, model: &Model<'_>, slowdown: &dyn Slowdown, terms: &Terms) -> bool {
        let Model { network, ref charges, ref above, .. } = *model;
        let fixed = Fixed { network, charges, above, slowdown };
        let served = &terms.service.served;
        let is_held_otherwise = match &mut self.timing {
            None => {
                self.timing = Some(Timing::new(fixed, model.rates(terms)));
                true
            }
            Some(timing) => {
                let both = self.served.iter().zip(served).enumerate();
                let changed = both.filter(|(_, (last, now))| last.to_bits() != now.to_bits());
                let rows = changed
                    .flat_map(|(limit, (_, now))| model.rows_of(limit).map(move |row| (row, *now)));
                timing.serve(fixed, rows)
            }
        };
        self.served.clone_from(served);
        is_held_otherwise
    }

    fn found(&self) -> &Timing {
        self.timing.as_ref().expect("it serves before it is asked")
    }
}
