//! The core of the simulation against slow and obvious versions of it, and against closed forms.

mod closed;
mod draw;
mod files;
mod interval;
mod model;
mod open;
mod pool;
mod queue;
mod queues;
mod relays;
mod server;
mod slab;
