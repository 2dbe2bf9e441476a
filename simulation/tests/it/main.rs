//! The core of the simulation against slow and obvious versions of it, and against closed forms.

mod draw;
mod interval;
mod pool;
mod queue;
mod server;
mod slab;
