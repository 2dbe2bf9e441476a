//! Case to Record by bounds and sharing: no time passes.

mod free;

pub use free::{FreeSplit, Unsolved, free_split};
