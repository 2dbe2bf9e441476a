//! Whether a build is short, before all that it must survive is predicted: most builds of a search
//! are only asked for this. What streams get answers it, without bounds that say why.
//!
//! It leaves out all losses but the one of each kind that last left others too little, or comes
//! first: a build that passes may turn out to be short when it is asked for in full.

use std::rc::Rc;

use iopath_advice::{Needs, Offered};
use iopath_analysis::{Prediction, predict};
use iopath_analytic::rates_rated;

use super::demands::Demands;
use super::made::Made;
use super::{Asked, Builds, Known};
use crate::run::crew::Simulator;
use crate::run::facts;

impl Builds<'_> {
    /// What is known of a build that is short, or that cannot be made; nothing of others.
    pub(super) fn soon_short(&mut self, build: &[usize]) -> Option<Known> {
        let mut made = match self.made(build) {
            Ok(made) => made,
            Err(known) => return Some(known),
        };
        let demands = self.learn_busy(build, &mut made);
        if self.is_enough(&made) {
            return self.cannot_lose(&made.case);
        }
        self.judged_by_first_losses(&made, demands.as_ref()).err()
    }

    /// Whether there is enough with everything in place and after the losses that are tried. What
    /// carries everything after a loss is not asked for it before: only where copies are no longer
    /// written there may be less, which shows when the build is asked for in full.
    fn is_enough(&self, made: &Made) -> bool {
        let Asked { needs, needs_after_loss, .. } = self.asked;
        let does = |prediction: &Prediction, needs: &Needs| {
            let short = needs.judge(&Offered::of(prediction)).short;
            short.is_empty() && !prediction.bounds.is_empty()
        };
        let mut does_before = false;
        for gone in self.first_losses(&made.case) {
            let left = made.without(&gone);
            let Ok(network) = &left.network else { return false };
            let left = predict(&rates_rated(&made.case, network));
            if !does(&left, needs_after_loss) {
                return false;
            }
            does_before = does_before || does(&left, needs);
        }
        does_before || {
            let mut whole = rates_rated(&made.case, &made.network);
            facts::add(&made.case, &made.network, &mut whole.environment);
            does(&predict(&whole), needs)
        }
    }

    /// What bounds say of a build that is short.
    fn judged_by_first_losses(&self, made: &Made, demands: Option<&Demands>) -> Result<(), Known> {
        let whole = self.whole(made, demands)?;
        let left = |gone| self.asked.left(&Simulator::Here, &whole, gone);
        let lost: Result<Vec<_>, _> = self.first_losses(&made.case).iter().map(left).collect();
        lost.map(|_| ()).map_err(|lacking| Known::Short(Rc::from(lacking)))
    }
}
