//! Tokens that are held for a time unknown beforehand: threads, buffers, requests in flight.
//!
//! A counting semaphore (Dijkstra: Cooperating sequential processes, EWD 123, 1965) whose waiters
//! are served in order of arrival. Nobody overtakes: a small request behind a large one waits,
//! though there were enough for it, since the large one might otherwise wait for ever.
//!
//! Or they are served in any order, each as likely: who chooses among them knows things that a
//! model does not. Then, too, the one that is chosen is waited for.

use std::collections::VecDeque;

use iopath_workload::Source;

/// A number of tokens, and who waits for some.
#[derive(Clone, Debug)]
pub struct Pool {
    tokens: u64,
    free: u64,
    waiting: VecDeque<Waiter>,
    /// Who is next, where any may be.
    any: Option<Source>,
}

#[derive(Clone, Copy, Debug)]
struct Waiter {
    wanted: u64,
    who: u32,
}

impl Pool {
    /// A pool of which nothing is taken. One without tokens holds nobody up.
    #[must_use]
    pub fn new(tokens: u64) -> Self {
        Self { tokens, free: tokens, waiting: VecDeque::new(), any: None }
    }

    /// A pool whose waiters are served in any order.
    #[must_use]
    pub fn in_any_order(tokens: u64, source: Source) -> Self {
        Self { any: Some(source), ..Self::new(tokens) }
    }

    /// Takes `wanted` tokens, all of them where that is more than there are. `false`: they are
    /// not there, and `who` waits until [`Self::give`] names it.
    #[must_use]
    #[inline]
    pub fn take(&mut self, wanted: u64, who: u32) -> bool {
        let wanted = wanted.min(self.tokens);
        let is_there = self.waiting.is_empty() && wanted <= self.free;
        if is_there {
            self.free -= wanted;
        } else {
            self.waiting.push_back(Waiter { wanted, who });
        }
        is_there
    }

    /// Gives back what [`Self::take`] took for the same number, and adds to `woken` those that
    /// waited and have theirs now, in the order in which they have.
    #[inline]
    pub fn give(&mut self, wanted: u64, woken: &mut Vec<u32>) {
        self.free += wanted.min(self.tokens);
        self.choose();
        debug_assert!(self.free <= self.tokens, "more is given back than was taken");
        while let Some(Waiter { wanted, who }) = self.waiting.front().copied() {
            if wanted > self.free {
                break;
            }
            self.free -= wanted;
            self.waiting.pop_front();
            woken.push(who);
            self.choose();
        }
    }

    /// Puts the one that is next in front.
    fn choose(&mut self) {
        if let Some(source) = self.any.as_mut().filter(|_| self.waiting.len() > 1) {
            let next = source.below(self.waiting.len() as u64) as usize;
            self.waiting.swap(0, next);
        }
    }

    /// How many tokens nobody holds.
    #[must_use]
    pub fn free(&self) -> u64 {
        self.free
    }

    /// How many wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}
