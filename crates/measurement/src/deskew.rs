//! Tests of the de-skewed window: what workers count while they run against a full log of requests.
//!
//! [`log`] is the slow, obvious version. [`property`] feeds the same made-up pass to both;
//! [`threads`] runs real workers and logs exactly what they saw.

mod log;
mod property;
mod threads;
