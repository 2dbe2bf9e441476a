//! Study files: text to Study to Cases to Plan; the only crate that knows KDL.

pub mod case;

pub use case::Case;
