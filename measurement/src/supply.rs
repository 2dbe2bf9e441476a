//! Where a lane's next request comes from, and when it is due.
//!
//! A stream has one source. With one lane the lane owns it; the lanes of the engines that block
//! share it behind a lock, so that their requests stay one chain.

use std::sync::{Arc, Mutex, PoisonError};

use iopath_workload::{ArrivalTimes, Request, Requests};

/// A request, and the time at which an open loop wants it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub request: Request,
    pub intended_ns: Option<u64>,
}

/// The chain of a stream's requests.
pub(crate) struct Source {
    pub requests: Requests,
    /// None for a closed loop.
    pub arrivals: Option<ArrivalTimes>,
    /// How many requests are left; without a bound where time or amount ends the pass.
    pub left: Option<u64>,
}

/// A lane's access to its stream's source.
pub(crate) enum Supply {
    Alone(Box<Source>),
    Shared(Arc<Mutex<Source>>),
}

impl Source {
    #[inline]
    fn next(&mut self) -> Option<Due> {
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(1)?;
        }
        let intended_ns = self.arrivals.as_mut().map(ArrivalTimes::next_ns);
        Some(Due { request: self.requests.next_request(), intended_ns })
    }
}

impl Supply {
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Due> {
        match self {
            Self::Alone(source) => source.next(),
            Self::Shared(source) => source.lock().unwrap_or_else(PoisonError::into_inner).next(),
        }
    }
}
