//! Real I/O through every engine, on files in the temporary directory.

mod ahead;
mod cases;
mod engines;
mod epochs;
mod failures;
mod journal;
mod kernel;
mod observation;
mod passes;
mod ranks;
mod relays;
mod spc1;
mod starts;
mod trims;
mod verify;
mod volumes;
