//! The tests of the crate's own API, a file for each subject.

mod threads;
