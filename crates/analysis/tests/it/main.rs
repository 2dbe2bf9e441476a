//! Findings of records made by hand; groups found in an imitation of shared limits.

mod agreement;
mod capacities;
mod probe;
