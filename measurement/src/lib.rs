//! Case to Record by real I/O: engines, phases, windows, sampler.
