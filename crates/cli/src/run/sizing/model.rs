//! The builds of a template as what a search asks.

use std::collections::BTreeSet;
use std::rc::Rc;

use iopath_advice::{Answer, Busy, Judged, Model};

use super::made::Made;
use super::simulated::{self, Build, Verdict};
use super::{Builds, Known, Lacking, Technique};
use crate::run::crew::Simulator;

impl Model for Builds<'_> {
    fn answer(&mut self, build: &[usize]) -> Answer {
        match self.known(build) {
            Known::Carries(_) => Answer::Carries,
            Known::Short(lacking) if lacking.might_with_less => Answer::Unfit,
            Known::Short(_) => Answer::Short,
            Known::TooMuch(_) => Answer::TooMuch,
            Known::Impossible(_) | Known::Unjudged(_) => Answer::Unfit,
        }
    }

    /// Of most builds the search only wants to know where they are short; all losses are predicted
    /// of those that are among the cheapest.
    fn is_short(&mut self, build: &[usize]) -> bool {
        if self.asked.technique == Technique::Predict && !self.known.contains_key(build) {
            if self.not_short.contains(build) {
                return false;
            }
            let Some(known) = self.soon_short(build) else {
                self.not_short.insert(build.to_vec());
                return false;
            };
            self.known.insert(build.to_vec(), known);
        }
        self.answer(build) == Answer::Short
    }

    fn busy(&mut self, build: &[usize]) -> Option<Vec<Busy>> {
        // Where a simulation decides, building it would tell nothing.
        let is_new = !self.busy.contains_key(build) && !self.known.contains_key(build);
        if is_new && self.asked.technique == Technique::Predict {
            let mut made = self.made(build).ok()?;
            self.learn_busy(build, &mut made);
        }
        self.busy.get(build).cloned()
    }

    fn confirms(&mut self, build: &[usize]) -> bool {
        if !self.asked.simulates {
            return true;
        }
        let Known::Carries(carrying) = self.known(build) else { return false };
        let Ok(Made { case, network, .. }) = self.made(build) else { return false };
        let bounds = &carrying.case.prediction;
        let whole = Build { case: &case, network: &network, gone: &BTreeSet::new(), bounds };
        self.simulations.set(self.simulations.get() + 1);
        let Verdict { judged, found } =
            simulated::judged(&Simulator::Here, &whole, &self.asked.needs);
        let Judged { short, share, .. } = judged;
        self.simulated.insert(build.to_vec(), found);
        let does = short.is_empty();
        if !does {
            let case = carrying.case.clone();
            let without = Vec::new();
            let lacking = Lacking { case, short, without, share, might_with_less: true };
            self.refused.insert(build.to_vec(), Rc::new(lacking));
        }
        does
    }
}
