//! A server with a bucket of tokens beside its sustained rate.
//!
//! While the bucket lasts, requests pass at a higher rate; what they take above the sustained rate
//! is taken out of it. What the sustained rate leaves unused flows back, until the bucket is full.
//! Everything is counted in time at the sustained rate: a bucket of T tokens at S tokens a second
//! is T/S deep, whatever its tokens are, and idle time is what flows back. A request that
//! needs the time `w` at the sustained rate and takes `d` has used up `w − d` of the bucket, so
//! `d` is `w × sustained / rate`, or `w − level` where that would ask for more than is there.

use super::{Served, Server};
use crate::core::Ps;

/// One server that is faster while tokens last.
#[derive(Clone, Debug)]
pub struct Bucket {
    server: Server,
    depth: Ps,
    /// Sustained rate / rate while the bucket lasts; at most 1.
    hurry: f64,
    /// At the end of what has arrived.
    level: Ps,
}

impl Bucket {
    /// A full bucket. `tokens` are bytes or operations that it lets through above `sustained`;
    /// both rates are in the same a second. A `rate` below the sustained one hurries nothing.
    #[must_use]
    pub fn new(tokens: f64, rate: f64, sustained: f64) -> Self {
        let depth = Ps::from_secs_f64(tokens / sustained);
        // Of a rate that is no number nothing is gained either.
        let hurry = if rate > sustained { sustained / rate } else { 1.0 };
        Self { server: Server::default(), depth, hurry, level: depth }
    }

    /// The same, and nothing is in it yet.
    #[must_use]
    pub fn empty(tokens: f64, rate: f64, sustained: f64) -> Self {
        Self { level: Ps::ZERO, ..Self::new(tokens, rate, sustained) }
    }

    /// A request arrives that takes `service` at the sustained rate.
    #[inline]
    pub fn serve(&mut self, now: Ps, service: Ps) -> Served {
        let idle = now - self.server.free_at();
        self.level = (self.level + idle).min(self.depth);
        let taken = service.scaled(self.hurry).max(service - self.level);
        self.level -= service - taken;
        self.server.serve(now, taken)
    }

    /// How long it has been busy until now, at whatever rate.
    #[must_use]
    pub fn busy_until(&self, now: Ps) -> Ps {
        self.server.busy_until(now)
    }
}
