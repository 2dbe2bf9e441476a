//! What is counted request by request: little, because it costs each of them.
//!
//! A request counts on its way through its plan when it is done, so no counter runs ahead of what
//! happened. What components did is put together from these when somebody looks
//! ([`crate::counters`]).

use crate::core::Ps;

/// Requests of one plan that took one way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub requests: u64,
    /// Time from having all tokens to the end, summed over requests.
    pub spent: Ps,
}

impl Done {
    /// One more, which took so long.
    #[inline]
    pub(crate) fn add(&mut self, spent: Ps) {
        self.requests += 1;
        self.spent += spent;
    }
}

/// What became of requests at a pool.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Waits {
    /// Time that they waited for a token of it, summed over requests.
    pub waited: Ps,
    /// Time that they held a token of it and waited for one of another pool.
    pub holding: Ps,
}

/// The waits at all pools.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub pools: Vec<Waits>,
}

impl Tally {
    /// A request has waited for a token of the last of these pools; it holds those before.
    pub(crate) fn waited<'a>(&mut self, pools: impl Iterator<Item = &'a u32>, span: Ps) {
        let mut before: Option<usize> = None;
        for pool in pools {
            let pool = *pool as usize;
            if self.pools.len() <= pool {
                self.pools.resize(pool + 1, Waits::default());
            }
            if let Some(held) = before.replace(pool) {
                self.pools[held].holding += span;
            }
        }
        if let Some(last) = before {
            self.pools[last].waited += span;
        }
    }
}
