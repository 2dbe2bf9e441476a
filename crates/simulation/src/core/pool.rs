//! Tokens that are held for a time unknown beforehand: threads, buffers, requests in flight.
//!
//! A counting semaphore (Dijkstra: Cooperating sequential processes, EWD 123, 1965) whose waiters
//! are served in order of arrival.
//!
//! Or they are served in any order, each as likely: who chooses among them knows things that a
//! model does not.

use std::collections::VecDeque;

use iopath_workload::Source;

/// A number of tokens, and who waits for one. Who waits, waits for the next that is given back.
#[derive(Clone, Debug)]
pub struct Pool {
    free: u64,
    waiting: VecDeque<u32>,
    /// Who is next, where any may be.
    any: Option<Source>,
}

impl Pool {
    /// A pool of which nothing is taken. One without tokens holds nothing up.
    #[must_use]
    pub fn new(tokens: u64) -> Self {
        let free = if tokens == 0 { u64::MAX } else { tokens };
        Self { free, waiting: VecDeque::new(), any: None }
    }

    /// A pool whose waiters are served in any order.
    #[must_use]
    pub fn in_any_order(tokens: u64, source: Source) -> Self {
        Self { any: Some(source), ..Self::new(tokens) }
    }

    /// Takes a token. `false`: none is there, and `who` waits until [`Self::give`] names it.
    #[must_use]
    #[inline]
    pub fn take(&mut self, who: u32) -> bool {
        let is_there = self.free > 0;
        if is_there {
            self.free -= 1;
        } else {
            self.waiting.push_back(who);
        }
        is_there
    }

    /// Gives a token back, and adds to `woken` who waited for it and has it now.
    #[inline]
    pub fn give(&mut self, woken: &mut Vec<u32>) {
        self.choose();
        match self.waiting.pop_front() {
            Some(who) => {
                woken.push(who);
                self.choose();
            }
            None => self.free += 1,
        }
    }

    /// Puts the one that is next in front.
    fn choose(&mut self) {
        if let Some(source) = self.any.as_mut().filter(|_| self.waiting.len() > 1) {
            let next = source.below(self.waiting.len() as u64) as usize;
            self.waiting.swap(0, next);
        }
    }
}
