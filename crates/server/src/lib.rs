//! Pages of a store for a browser on the same machine: a list, reports, comparisons.
//!
//! ```text
//! socket ──guard──▶ routes ──a thread that may wait──▶ pages ──▶ store, analysis, report
//! ```
//!
//! This is the only asynchronous code. It reads the store anew for every answer and shares nothing
//! else with runs under way. Nothing is written over HTTP; `guard` says who is answered.
//! It leaves out what needs a technique: the program hands that in as [`Site::read`].

mod answer;
mod connections;
mod guard;
pub mod listing;
mod pages;
mod routes;
mod site;
mod token;

pub use site::{CannotServe, Server, Site};
