//! A plan: the cases of a study in the order in which they are executed, and what that takes.

use iopath_units::{Bytes, Nanos};

use crate::case::{Case, Tree};

/// Trials in the order of their execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The trials.
    pub trials: Vec<Trial>,
}

/// One execution of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Place in the order of execution, from 0.
    pub index: usize,
    /// What is executed.
    pub case: Case,
}

/// The order of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As the study lists them.
    Listed,
    /// Shuffled, so that a drift of the system does not look like an effect of a factor; the same
    /// seed gives the same order.
    Shuffled {
        /// Root of the order.
        seed: u64,
    },
}

/// How long a plan takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Time of the trials whose length is known, the least where passes repeat until they agree.
    pub known: Nanos,
    /// Trials bounded by bytes only, whose length nobody knows beforehand.
    pub unknown: usize,
}

impl Plan {
    pub(crate) fn new(mut cases: Vec<Case>, order: Order) -> Self {
        match order {
            Order::Listed => {}
            Order::Shuffled { seed } => shuffle(&mut cases, seed),
        }
        let trials = cases.into_iter().enumerate();
        Self { trials: trials.map(|(index, case)| Trial { index, case }).collect() }
    }

    /// How long it takes.
    #[must_use]
    pub fn estimated_time(&self) -> Estimate {
        let mut estimate = Estimate { known: Nanos(0), unknown: 0 };
        for trial in &self.trials {
            match trial.case.estimated_time() {
                Some(time) => estimate.known.0 = estimate.known.0.saturating_add(time.0),
                None => estimate.unknown += 1,
            }
        }
        estimate
    }
}

impl Case {
    /// Passes with their warm-up and the pauses between; `None` where only bytes end a pass.
    #[must_use]
    pub fn estimated_time(&self) -> Option<Nanos> {
        let passes = u64::from(self.workload.passes);
        let pauses = self.workload.pass_delay.0.saturating_mul(passes.saturating_sub(1));
        Some(Nanos(self.pass_time()?.0.saturating_mul(passes).saturating_add(pauses)))
    }

    /// One pass: each epoch of streams has its warm-up, its time and the pause before it. `None`
    /// where only bytes end it.
    #[must_use]
    pub fn pass_time(&self) -> Option<Nanos> {
        let each = self.workload.until.time?.0.saturating_add(self.workload.warm_up.0);
        let epochs = self.epochs();
        let delays = epochs.iter().map(|streams| self.start_delay(streams).0);
        let delays = delays.fold(0, u64::saturating_add);
        Some(Nanos(each.saturating_mul(epochs.len() as u64).saturating_add(delays)))
    }

    /// Bytes that the streams may touch: the sizes of all targets; `None` where one is not said.
    #[must_use]
    pub fn working_set(&self) -> Option<Bytes> {
        let of_files = |tree: &Tree| Bytes(tree.files.saturating_mul(tree.file_size.0));
        let mut sizes =
            self.targets.iter().map(|target| target.size.or(target.tree.as_ref().map(of_files)));
        sizes.try_fold(Bytes(0), |sum, size| Some(Bytes(sum.0.saturating_add(size?.0))))
    }
}

/// Fisher and Yates, driven by SplitMix64 (Steele, Lea, Flood 2014). The modulo favours some
/// orders by less than one part in 2^40, which matters to nobody here.
fn shuffle(cases: &mut [Case], seed: u64) {
    let mut state = seed;
    for last in (1..cases.len()).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let other = mixed % (last as u64 + 1);
        cases.swap(last, usize::try_from(other).unwrap_or(last));
    }
}
