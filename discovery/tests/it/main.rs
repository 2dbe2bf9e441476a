//! Tests of discovery on imitated machines, and on this one.

mod findings;
mod goldens;
mod live;
mod pools;
mod survives;
