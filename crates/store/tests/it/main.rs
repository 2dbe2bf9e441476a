//! The store's promises, seen from outside.

mod child;
mod crash;
mod fixtures;
mod live;
mod opening;
mod place;
mod runs;
mod sample;
mod transfer;
