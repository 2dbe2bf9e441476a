//! The record's promises, seen from outside.

mod codec;
mod fixtures;
mod generate;
mod histogram;
mod hosts;
mod inside;
mod merge;
mod moments;
mod restore;
