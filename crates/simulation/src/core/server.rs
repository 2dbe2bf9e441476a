//! Stations that serve in order of arrival, and tell at arrival when they will be done.
//!
//! One server: it starts when the request is there and the one before it is done (Lindley: The
//! theory of queues with a single server, Proc. Cambridge Phil. Soc. 48, 1952); several equal
//! ones: the earliest that is free (Kiefer, Wolfowitz: On the theory of queues with many servers,
//! Trans. AMS 78, 1955). All calls are made in order of time: a request is passed
//! when it arrives. They leave out priorities, and service that depends on who waits.

mod bucket;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Ps;
pub use bucket::Bucket;

/// When a request is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// It waits until then.
    pub start: Ps,
    /// It is done.
    pub end: Ps,
}

/// One server.
#[derive(Clone, Debug, Default)]
pub struct Server {
    free_at: Ps,
    charged: Ps,
}

impl Server {
    /// A request of this service time arrives.
    #[inline]
    pub fn serve(&mut self, now: Ps, service: Ps) -> Served {
        let start = self.free_at.max(now);
        let end = start + service;
        self.free_at = end;
        self.charged += service;
        Served { start, end }
    }

    /// When all that has arrived is done.
    #[must_use]
    pub fn free_at(&self) -> Ps {
        self.free_at
    }

    /// How long it has been busy until now. What has arrived is served without a pause, so what
    /// of it lies in the future is one piece.
    #[must_use]
    pub fn busy_until(&self, now: Ps) -> Ps {
        self.charged - (self.free_at - now)
    }
}

/// Several equal servers with one queue. Which of those that are free serves makes no difference,
/// so only the others are kept in order.
#[derive(Clone, Debug)]
pub struct Servers {
    count: usize,
    /// When those that have work are done; some of them may be free by now.
    busy: BinaryHeap<Reverse<Ps>>,
    charged: Ps,
}

impl Servers {
    /// `count` of them; at least one.
    #[must_use]
    pub fn new(count: u32) -> Self {
        debug_assert_ne!(count, 0, "without a server nothing is ever done");
        let count = count.max(1) as usize;
        Self { count, busy: BinaryHeap::with_capacity(count), charged: Ps::ZERO }
    }

    /// A request of this service time arrives.
    #[inline]
    pub fn serve(&mut self, now: Ps, service: Ps) -> Served {
        self.charged += service;
        let is_full = self.busy.len() == self.count;
        match self.busy.peek_mut() {
            // The one that is done first, now or later, goes on with it.
            Some(mut first) if is_full || first.0 <= now => {
                let start = first.0.max(now);
                first.0 = start + service;
                Served { start, end: start + service }
            }
            first => {
                drop(first);
                self.busy.push(Reverse(now + service));
                Served { start: now, end: now + service }
            }
        }
    }

    /// How long they have been busy until now, all together.
    #[must_use]
    pub fn busy_until(&self, now: Ps) -> Ps {
        let later: Ps = self.busy.iter().map(|Reverse(free_at)| *free_at - now).sum();
        self.charged - later
    }
}

/// Any of the stations.
#[derive(Clone, Debug)]
pub enum Station {
    One(Server),
    /// Several.
    Many(Servers),
    /// One with a bucket of tokens.
    Bucket(Bucket),
}

impl Station {
    /// `count` equal servers; at least one.
    #[must_use]
    pub fn of(count: u32) -> Self {
        if count > 1 { Self::Many(Servers::new(count)) } else { Self::One(Server::default()) }
    }

    /// How many servers it has.
    #[must_use]
    pub fn servers(&self) -> u32 {
        match self {
            Self::One(_) | Self::Bucket(_) => 1,
            Self::Many(servers) => servers.count as u32,
        }
    }

    /// A request arrives; its service time is that at the sustained rate.
    #[inline]
    pub fn serve(&mut self, now: Ps, service: Ps) -> Served {
        match self {
            Self::One(server) => server.serve(now, service),
            Self::Many(servers) => servers.serve(now, service),
            Self::Bucket(bucket) => bucket.serve(now, service),
        }
    }

    /// How long it has been busy until now; several servers all together.
    #[must_use]
    pub fn busy_until(&self, now: Ps) -> Ps {
        match self {
            Self::One(server) => server.busy_until(now),
            Self::Many(servers) => servers.busy_until(now),
            Self::Bucket(bucket) => bucket.busy_until(now),
        }
    }
}
