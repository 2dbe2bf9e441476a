//! What a model of queues stands on; it knows nothing of storage.
//!
//! Time is whole picoseconds ([`Ps`]) and events are totally ordered ([`EventQueue`]), so that the
//! same calls give the same simulation on every machine. A station that serves in order of arrival
//! tells at arrival when it will be done ([`Station`]): one event a stage, and no list of those
//! who wait. Only what is held for a time unknown beforehand has one ([`Pool`]).

mod draw;
mod interval;
mod lru;
mod pool;
mod queue;
mod server;
mod slab;
mod time;

pub use draw::Service;
pub use interval::{Interval, interval};
pub use lru::Lru;
pub use pool::Pool;
pub use queue::EventQueue;
pub use server::{Bucket, Served, Server, Servers, Station};
pub use slab::Slab;
pub use time::Ps;
