//! Tests of discovery on imitated machines, and on this one.

mod findings;
mod goldens;
mod hypervisors;
mod live;
mod mapped;
mod pools;
mod survives;
