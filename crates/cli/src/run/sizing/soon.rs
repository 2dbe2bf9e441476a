//! Whether a build is short, before all that it must survive is predicted: most builds of a search
//! are only asked for this. What streams get answers it, without bounds that say why.
//!
//! It leaves out all losses but the one of each kind that last left others too little, or comes
//! first: a build that passes may turn out to be short when it is asked for in full.

use std::collections::BTreeSet;
use std::rc::Rc;

use iopath_advice::{Needs, Offered};
use iopath_analysis::{Prediction, predict};
use iopath_analytic::rates_rated;
use iopath_study::PartId;

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
        let losses = self.first_losses(&made.case);
        if self.is_enough(&mut made, &losses) {
            return self.cannot_lose(&made.case);
        }
        let whole = match self.whole(&made, demands.as_ref()) {
            Ok(whole) => whole,
            Err(known) => return Some(known),
        };
        let left = |gone| self.asked.left(&Simulator::Here, &whole, gone).err();
        losses.iter().find_map(left).map(|lacking| Known::Short(Rc::from(lacking)))
    }

    /// Whether there is enough with everything in place and after these losses. What carries
    /// everything after a loss is not asked for it before: only where copies are no longer written
    /// there may be less, which shows when the build is asked for in full.
    fn is_enough(&self, made: &mut Made, losses: &[BTreeSet<PartId>]) -> bool {
        let Asked { needs, needs_after_loss, .. } = self.asked;
        let does = |prediction: &Prediction, needs: &Needs| {
            let short = needs.judge(&Offered::of(prediction)).short;
            short.is_empty() && !prediction.bounds.is_empty()
        };
        let mut does_before = false;
        for gone in losses {
            let left = made.keep(gone);
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
}
