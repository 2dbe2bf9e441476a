//! The path as its models meet it.

mod findings;
mod fold;
mod legs;
mod reach;
mod removal;
mod routes;
mod scale;
mod select;
mod split;
mod studies;
mod text;
mod tree;
mod wiring;
