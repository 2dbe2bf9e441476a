//! Findings of records made by hand.

mod agreement;
