//! The tests of the crate's own API, a file for each subject.

mod batches;
mod courses;
mod simulated;
mod synchronised;
mod threads;
mod together;
