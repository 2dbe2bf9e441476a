//! The path as its models meet it.

mod fold;
mod routes;
mod split;
mod text;
