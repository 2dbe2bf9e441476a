//! `Batch`: many exchanges within a short time, and the interval of the offset that they leave.
//!
//! Each exchange is a law about one instant (module above). For an offset at a common instant,
//! each is loosened by the drift that is possible in between, so the interval holds for drifting
//! clocks too; its width is the least forward plus the least backward sample, and no more than the
//! drift of the batch's length. A batch ends when exchanges no longer make it narrower.

use super::{Offset, difference, drift_ns};

/// The four timestamps of a question and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// Sent by the follower, by its clock.
    pub t1_ns: u64,
    /// Received by the root, by its clock.
    pub t2_ns: u64,
    /// Sent by the root.
    pub t3_ns: u64,
    /// Received by the follower.
    pub t4_ns: u64,
}

/// How many exchanges to make, and how long to wait for what must come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    pub least: u32,
    pub most: u32,
    /// Ends the batch after so many that did not make it narrower by a fiftieth.
    pub idle: u32,
    /// A rank that says nothing for so long is taken to hang.
    pub patience_ns: u64,
}

impl Effort {
    /// Between passes. Chosen: 64 exchanges take 2 ms where the way is 10 µs, and among 64 even
    /// delays the least is within a sixtieth of their spread. A busy machine keeps no process
    /// waiting for 10 s.
    pub const BETWEEN_PASSES: Self =
        Self { least: 64, most: 200, idle: 32, patience_ns: 10_000_000_000 };

    /// During a pass, where answers take as long as the root's poll. Chosen.
    pub const DURING_A_PASS: Self = Self { least: 8, most: 16, idle: 8, ..Self::BETWEEN_PASSES };
}

#[derive(Debug, Clone, Default)]
pub struct Batch {
    exchanges: Vec<Exchange>,
    /// The least of each way so far.
    forward_ns: Option<i64>,
    backward_ns: Option<i64>,
    /// The width when it last shrank by as much as counts, and exchanges since.
    width_ns: Option<i64>,
    idle: u32,
}

impl Batch {
    pub fn add(&mut self, exchange: Exchange) {
        self.exchanges.push(exchange);
        let forward = difference(exchange.t2_ns, exchange.t1_ns);
        let backward = difference(exchange.t4_ns, exchange.t3_ns);
        let forward = *self.forward_ns.insert(forward.min(self.forward_ns.unwrap_or(i64::MAX)));
        let backward = *self.backward_ns.insert(backward.min(self.backward_ns.unwrap_or(i64::MAX)));
        let width = forward.saturating_add(backward);
        match self.width_ns {
            Some(before) if width >= before - before / 50 => self.idle += 1,
            Some(_) | None => {
                self.width_ns = Some(width);
                self.idle = 0;
            }
        }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.exchanges.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.exchanges.is_empty()
    }

    /// Whether further exchanges are not worth their time.
    #[must_use]
    pub fn is_enough(&self, effort: &Effort) -> bool {
        let made = u32::try_from(self.exchanges.len()).unwrap_or(u32::MAX);
        made >= effort.most || (made >= effort.least && self.idle >= effort.idle)
    }

    /// The interval at the middle of the batch; none where there was no exchange.
    #[must_use]
    pub fn offset(&self) -> Option<Offset> {
        let (first, last) = (self.exchanges.first()?, self.exchanges.last()?);
        let at_ns = first.t1_ns.midpoint(last.t4_ns);
        let lows = self.exchanges.iter().map(|exchange| exchange.low_ns(at_ns));
        let highs = self.exchanges.iter().map(|exchange| exchange.high_ns(at_ns));
        Some(Offset { at_ns, low_ns: lows.max()?, high_ns: highs.min()? })
    }
}

impl Exchange {
    /// What the offset is at most when the follower's clock shows `at_ns`. A nanosecond more, as
    /// both timestamps were rounded down.
    fn high_ns(&self, at_ns: u64) -> i64 {
        let drift = drift_ns(self.t1_ns.abs_diff(at_ns));
        difference(self.t2_ns, self.t1_ns).saturating_add(drift).saturating_add(1)
    }

    fn low_ns(&self, at_ns: u64) -> i64 {
        let drift = drift_ns(self.t4_ns.abs_diff(at_ns));
        difference(self.t3_ns, self.t4_ns).saturating_sub(drift).saturating_sub(1)
    }
}
