//! The path as its models meet it.

mod bases;
mod findings;
mod flushed;
mod fold;
mod hops;
mod issue;
mod legs;
mod reach;
mod rebuild;
mod removal;
mod routes;
mod scale;
mod select;
mod split;
mod studies;
mod text;
mod tree;
mod wiring;
