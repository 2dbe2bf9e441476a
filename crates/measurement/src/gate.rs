//! The common start: lanes report ready, and all are let go at once.

use std::sync::{Condvar, Mutex, PoisonError};

/// Where lanes wait for the start of a pass.
#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    ready: usize,
    open: bool,
}

impl Gate {
    /// A lane is set up, or has failed to be; waits until the gate opens.
    pub(crate) fn arrive(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.ready += 1;
        self.changed.notify_all();
        while !state.open {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until `lanes` lanes have arrived.
    pub(crate) fn await_all(&self, lanes: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.ready < lanes {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets all go, now and later.
    pub(crate) fn open(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).open = true;
        self.changed.notify_all();
    }
}
