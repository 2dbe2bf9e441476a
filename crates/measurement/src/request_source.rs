//! Where a worker's next request comes from, and when it is due.
//!
//! A stream has one source. With one worker the worker owns it; the workers of the engines that
//! block share it behind a lock, so that their requests stay one chain. A stream that reads behind
//! another, or is read behind, also waits for its partner.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use iopath_study::Case;
use iopath_workload::{ArrivalTimes, Request, Requests};

use crate::gate::lock;
use crate::relay::RelaySource;

/// A request, and the time at which an open loop wants it, counted from the begin of its stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScheduledRequest {
    pub request: Request,
    pub intended_ns: Option<u64>,
}

impl ScheduledRequest {
    /// The same on the clock of a pass in which the stream began at an instant.
    pub(crate) fn since(self, begin_ns: u64) -> Self {
        Self { intended_ns: self.intended_ns.map(|at_ns| at_ns.saturating_add(begin_ns)), ..self }
    }
}

/// The chain of a stream's requests.
pub(crate) struct Source {
    pub requests: Requests,
    /// None for a closed loop.
    pub arrivals: Option<ArrivalTimes>,
    /// How many requests are left; without a bound where time or amount ends the pass.
    pub left: Option<u64>,
    /// What all streams together may still move, where an amount ends the pass.
    pub budget: Option<Arc<Budget>>,
}

/// Bytes that streams which run together may still move.
pub(crate) struct Budget(AtomicU64);

impl Budget {
    /// The budget of each stream, in their order; none where no amount ends them.
    pub(crate) fn of_streams(case: &Case) -> Vec<Arc<Self>> {
        let Some(amount) = case.workload.until.amount else { return Vec::new() };
        let mut of_streams = BTreeMap::new();
        for epoch in case.epochs() {
            let budget = Arc::new(Self::new(amount.0));
            of_streams.extend(epoch.into_iter().map(|stream| (stream, Arc::clone(&budget))));
        }
        of_streams.into_values().collect()
    }

    pub(crate) fn new(bytes: u64) -> Self {
        Self(AtomicU64::new(bytes))
    }

    /// Takes the bytes of a request, if there are so many.
    fn take(&self, bytes: u32) -> bool {
        let less = |left: u64| left.checked_sub(u64::from(bytes));
        self.0.fetch_update(Relaxed, Relaxed, less).is_ok()
    }
}

/// A worker's access to its stream's source.
pub(crate) enum RequestSource {
    Alone(Box<Source>),
    Shared(Arc<Mutex<Source>>),
    Relay(Box<RelaySource>),
}

impl Source {
    /// Whether its last request was drawn. An amount that is used up shows only when one is.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.left == Some(0)
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Option<ScheduledRequest> {
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(1)?;
        }
        let request = self.requests.next_request();
        if self.budget.as_ref().is_some_and(|budget| !budget.take(request.bytes)) {
            return None;
        }
        let intended_ns = self.arrivals.as_mut().map(ArrivalTimes::next_ns);
        Some(ScheduledRequest { request, intended_ns })
    }
}

impl RequestSource {
    /// The next request, drawn at an instant.
    #[inline]
    pub(crate) fn next(&mut self, at_ns: u64) -> Option<ScheduledRequest> {
        match self {
            Self::Alone(source) => source.next(),
            Self::Shared(source) => lock(source).next(),
            Self::Relay(relay_source) => relay_source.next(at_ns),
        }
    }

    /// The place of its stream among those that wait for one another, where it has one.
    pub(crate) fn relay_source(&self) -> Option<&RelaySource> {
        match self {
            Self::Relay(relay_source) => Some(relay_source),
            Self::Alone(_) | Self::Shared(_) => None,
        }
    }
}
