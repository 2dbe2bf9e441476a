//! The core of the simulation against slow and obvious versions of it, and against closed forms.

mod draw;
mod files;
mod interval;
mod model;
mod open;
mod pool;
mod queue;
mod relays;
mod server;
mod slab;
