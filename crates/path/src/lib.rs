//! Case to Network: what requests cross, hold and end at, and how volumes split them.
//!
//! A [`Network`] is what every model of a case reads: components with their rows (rates that are
//! used up), pools (tokens that are held) and delays; routes between places; and legs, the kinds
//! of requests that streams, volumes and caches make. Nothing here knows how long anything takes
//! under load.

pub mod fold;
pub mod network;

pub mod capacity;
pub mod findings;
pub mod select;
pub mod tree;
pub mod visits;

mod bases;
mod build;
mod caching;
mod components;
mod costs;
mod crossings;
mod laid;
mod legs;
mod loads;
mod members;
mod mistake;
mod policy;
mod reach;
mod rebuild;
mod removal;
mod rivals;
mod routes;
mod rows;
mod running;
mod split;
mod via;
mod volume;

pub use bases::bases;
pub use caching::Caching;
pub use capacity::{Capacity, Room};
pub use costs::{assumed_costs, assumed_processors};
pub use crossings::crossings;
pub use findings::{PathFinding, Rule, Severity, check, distinct, exceeded, findings};
pub use laid::{Laid, Unlaid};
pub use legs::{Arm, CacheEnd, Departure, End, FlushEnd, Hop, Hops, MERGED, Revoke};
pub use members::members;
pub use mistake::{PathMistake, PathMistakeKind};
pub use network::{
    Burst, Charge, Component, ComponentId, Covers, Direction, FlushFigures, FlushQueues, Flushing,
    Hold, Issue, Leg, LegId, Loss, Measure, Mechanism, Network, Next, Pool, PoolId, Route, RouteId,
    Row, RowId, StreamLoad, Way, WriteBack,
};
pub use rebuild::{Rebuild, Reconstruction, rebuilds, reconstructions};
pub use rivals::{Rivals, Users};
pub use routes::{Arrival, Choice, Obstruction, Place, Routes, Unreachable};
pub use running::{Running, running};
pub use split::{Part, Range, Run};
pub use tree::{Node, Property, Tree, tree};
pub use volume::{Geometry, GeometryError, Parity, Rotation, Volume};
