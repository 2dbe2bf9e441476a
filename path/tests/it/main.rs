//! The path as its models meet it.

mod fold;
mod split;
