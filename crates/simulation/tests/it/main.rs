//! The core of the simulation against slow and obvious versions of it, small studies against closed
//! forms and against a slow and obvious simulation.

mod agreed;
mod bounds;
mod caches;
mod closed;
mod contention;
mod course;
mod draw;
mod failures;
mod files;
mod flushes;
mod hw_queues;
mod interleave;
mod interval;
mod live;
mod locks;
mod lru;
mod media;
mod model;
mod open;
mod pool;
mod processors;
mod queue;
mod queues;
mod recorded;
mod reference;
mod relays;
mod server;
mod slab;
mod studies;
mod windows;
