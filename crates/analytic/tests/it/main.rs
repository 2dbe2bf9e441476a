//! Bounds as their readers meet them, on networks made by hand.

mod build;
mod closed;
mod curve;
mod epochs;
mod fill;
mod fixed;
mod flushes;
mod free;
mod occupancy;
mod synchronised;
mod upgrades;
