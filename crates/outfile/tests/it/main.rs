//! Outputs with real files, links, devices and other users.

mod refused;
mod replaced;
mod trusted;
mod world;
