//! Bounds as their readers meet them.

mod free;
mod network;
