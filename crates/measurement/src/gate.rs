//! The common start: workers report ready, and all are let go at once.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Where workers wait for the start of a pass.
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
    /// A worker is set up, or has failed to be; waits until the gate opens.
    pub(crate) fn arrive(&self) {
        let mut state = lock(&self.state);
        state.ready += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.open));
    }

    /// Waits until `workers` workers have arrived.
    pub(crate) fn await_all(&self, workers: usize) {
        drop(self.changed.wait_while(lock(&self.state), |state| state.ready < workers));
    }

    /// Lets all go, now and later.
    pub(crate) fn open(&self) {
        lock(&self.state).open = true;
        self.changed.notify_all();
    }
}

/// What a thread that panicked held is as good as before: each change of it is one step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
