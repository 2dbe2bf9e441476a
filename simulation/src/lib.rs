//! Simulation of paths by discrete events.
//!
//! [`core`] is what any model of queues stands on: time, the queue of events, servers, buckets of
//! tokens, and tokens that are held. It knows nothing of storage.

pub mod core;
